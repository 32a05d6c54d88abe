"""Records of the matches that experiments play: by whom, and as which of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from marriage_env.records import Record
from marriage_env.records.record import MOST_TEXT


def told(record: Record, players: Sequence[str], about: Mapping[str, Any]) -> Record:
    """A record with the names of its players and what there is to say about it, each as long as a record has room."""
    texts = {name: str(value)[:MOST_TEXT] for name, value in about.items()}
    return dataclasses.replace(record, players=tuple(name[:MOST_TEXT] for name in players), about=texts)
