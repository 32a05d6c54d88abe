"""A batch as bytes."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.errors import OptionError
from marriage_env.games import GAMES, rule_options
from marriage_env.tables import Tables, made_again

MARK = b"marriage batch 1 "


def to_bytes(tables: Tables) -> bytes:
    """All tables, with how they are played: a line of JSON, then the contents."""
    content = b"".join(part.tobytes() for part in tables.contents())
    facts = {
        "game": tables.game.name,
        "tables": len(tables),
        "rules": dataclasses.asdict(tables.rules),
        "settings": tables.settings,
        "actions_taken": tables.actions_taken,
        "record": record_digest(tables.game.name),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    return MARK + json.dumps(facts).encode() + b"\n" + content


def from_bytes(data: Any, threads: int | None, buffers: Mapping[str, NDArray[Any]] | None) -> Tables:
    """The tables that `to_bytes` has written; OptionError if they are damaged or of another version."""
    if not isinstance(data, bytes):
        raise OptionError(f"no saved batch: {type(data).__name__}: allowed are the bytes that Batch.save() returned")
    facts, content = read_head(data)
    try:
        settings = facts["settings"] | ({} if threads is None else {"threads": threads})
        rules = rule_options(facts["game"], facts["rules"])
        widths = [part.shape[1] for part in Tables(GAMES[facts["game"]], rules, 1, **settings).contents()]
        count, actions_taken = int(facts["tables"]), int(facts["actions_taken"])
    except (KeyError, TypeError, ValueError) as error:
        raise OptionError(f"no saved batch of tables: {error!s:.200}: allowed is what Batch.save() returned") from error
    if count < 1 or len(content) != count * sum(widths):
        raise OptionError(f"saved batch of {len(content)} bytes: allowed are {sum(widths)} for each of {count} tables")
    borders = np.cumsum([count * width for width in widths])[:-1]
    parts = np.split(np.frombuffer(content, np.uint8), borders)
    contents = [part.reshape(count, width) for part, width in zip(parts, widths, strict=True)]
    return made_again(facts["game"], rules, settings, contents, actions_taken, buffers)


def read_head(data: bytes) -> tuple[dict[str, Any], bytes]:
    """The facts and the content of saved bytes; OptionError if they are not whole."""
    try:
        mark, (line, content) = data[: len(MARK)], data[len(MARK) :].split(b"\n", 1)
        facts = json.loads(line)
        complete = facts["sha256"] == hashlib.sha256(content).hexdigest()
        same_record = facts["record"] == record_digest(facts["game"])
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise OptionError(f"no saved batch: allowed is what Batch.save() returned ({error!r:.80})") from error
    if mark != MARK or not complete:
        raise OptionError("a damaged saved batch: allowed is what Batch.save() returned, whole")
    if not same_record:
        raise OptionError("a batch saved by another version of the library: allowed is the version that saved it")
    return facts, content


def record_digest(game: str) -> str:
    """A digest of how a game's records are laid out."""
    return hashlib.sha256(repr(GAMES[game].table.descr).encode()).hexdigest()[:16]
