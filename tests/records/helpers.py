"""What tests of records share: matches that have everything in them, and what can be done to their JSON."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path as FilePath
from types import ModuleType
from typing import Any

from marriage_env import boxes_v0, saucers_v0
from marriage_env.aec import TableEnv
from marriage_env.records import Record, check, read_records
from marriage_env.table import ACTIONS
from tests.helpers import legal_actions, play_random, shuffled

Path = tuple[Any, ...]

#: A match of each game, with several deals, pots, set packs and all that may happen in one.
EXAMPLES: dict[str, tuple[ModuleType, dict[str, Any]]] = {
    "boxes": (
        boxes_v0,
        {"conduct": "fined", "deals": 2, "faulty_pack_rate": 1.0, "fault_noticed_rate": 0.0, "misdeal_rate": 0.3},
    ),
    "saucers": (saucers_v0, {"players": 4, "deals": 2}),
}


@lru_cache
def example(game: str) -> Record:
    """A whole match of a game; its second deal comes from the seed."""
    module, rules = EXAMPLES[game]
    env = module.raw_env(**rules)
    rng = random.Random(4)
    pots = list(range(len(env.game.pot_names)))
    env.reset(seed=3, options={"dealer": 2, "pots": pots, "packs": [shuffled(env.rules.pack_size, rng)]})
    play_random(env, rng)
    return env.record


def forfeit(env: TableEnv) -> None:
    """Try what is not legal."""
    env.step(next(action for action in range(ACTIONS) if action not in legal_actions(env)))


def checked(path: FilePath) -> list[Record]:
    """The records in a file, each borne out by the rules; none if there is no file."""
    records = list(read_records(path)) if path.exists() else []
    for record in records:
        check(record)
    return records


def data_of(record: Record) -> Any:
    """A record as JSON has it, to be changed."""
    return json.loads(record.as_json())


def places(data: Any, path: Path = ()) -> Iterator[Path]:
    """The path of each value in parsed JSON, the whole left out."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for name, value in inner:
        yield (*path, name)
        yield from places(value, (*path, name))


def at(data: Any, path: Path) -> Any:
    """The value at a path."""
    for name in path:
        data = data[name]
    return data


def put(data: Any, path: Path, value: Any) -> Any:
    """The data, changed at a path."""
    at(data, path[:-1])[path[-1]] = value
    return data


def kind(path: Path) -> Path:
    """A path without its numbers: fields that are alike have one kind."""
    return tuple("*" if isinstance(name, int) else name for name in path)
