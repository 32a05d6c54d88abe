"""Write random matches as records, read them, and play them again through the rules.

Both games are played, with any number of players, any rule options, pots, dealers and packs that are set or not; by the
environments, where a match may be forfeited or left, and by batches, with house players at some seats.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import random
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pettingzoo.utils.env_logger import EnvLogger

from experiments.options import count, seed
from marriage_env import GAMES, Batch, OptionError
from marriage_env.cards import CARDS
from marriage_env.records import check, read_records
from marriage_env.registration import MODULES

#: Values of rule options, in which all that they can do happens often.
VALUES: dict[str, tuple[Any, ...]] = {
    "pack_size": (None, 36, 52),
    "declaring": ("choice", "auto"),
    "conduct": ("strict", "fined"),
    "marriage_order": ("king_first", "either"),
    "must_trump": (False, True),
    "trick_pay": (0, 1, 5),
    "deals": (1, 1, 2, 3),
    "misdeal_rate": (0.0, 0.3),
    "faulty_pack_rate": (0.0, 0.5, 1.0),
    "fault_noticed_rate": (0.0, 0.5, 1.0),
    "faulty_pack_fine": (0, 1, 3),
    "row_start": ("any", "lowest"),
    "court_points": ("ten", "low"),
}
TABLES = 8  # of a batch
FORFEITS = LEAVINGS = 0.1  # so often, in a match of an environment


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m experiments.records_check", description=__doc__)
    parser.add_argument("--matches", type=count, default=10_000, metavar="N", help="at least (default: %(default)s)")
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="of what is played (default: 0)")
    return parser.parse_args(arguments)


def drawn_rules(game: str, chance: random.Random) -> dict[str, Any]:
    """Random rule options of a game."""
    made = GAMES[game]
    options: dict[str, Any] = {"players": chance.randint(made.min_players, made.max_players)}
    options |= {
        field.name: chance.choice(VALUES[field.name])
        for field in dataclasses.fields(made.rules)
        if field.name in VALUES
    }
    try:
        made.rules(**options)
    except OptionError:  # a small pack with too many players
        options["pack_size"] = None
    return options


def play_environment(game: str, rules: dict[str, Any], path: Path, chance: random.Random) -> int:
    """A match of an environment, to its end, to a forfeit, or to where it is left; how many: one."""
    env = MODULES[game].env(record=path, **rules)
    options: dict[str, Any] = {"pots": [chance.randint(0, 30) for _ in env.game.pot_names]}
    lowest = CARDS - env.rules.pack_size
    options["packs"] = [
        chance.sample(range(lowest, CARDS), env.rules.pack_size) for _ in range(chance.randint(0, env.rules.deals))
    ]
    env.reset(seed=chance.getrandbits(64), options=options if chance.random() < 0.5 else None)
    end = chance.randint(1, 60) if chance.random() < FORFEITS + LEAVINGS else None
    for step in itertools.count(1):
        mask = env.infos[env.agent_selection]["action_mask"]
        wrong = step == end and chance.random() < FORFEITS / (FORFEITS + LEAVINGS)
        env.step(chance.choice(np.flatnonzero(mask == 0 if wrong else mask).tolist()))
        if step == end or all(env.terminations.values()):
            break
    env.close()
    return 1


def play_batch(game: str, rules: dict[str, Any], path: Path, chance: random.Random) -> int:
    """A match at each table of a batch; how many."""
    seats = [chance.choice([None, "random", "rules"]) for _ in range(rules["players"])]
    batch = Batch(game, TABLES, seats=seats, autoreset=False, record=path, **rules)
    out = batch.reset(seed=chance.getrandbits(60))
    while out.masks.any():
        rows = np.flatnonzero(out.masks.any(1))
        batch.step(batch.choose(chance.choice(["random", "rules"]), rows), rows)
    return TABLES


def write(path: Path, matches: int, chance: random.Random) -> Counter[str]:
    """Play so many matches at least, and have their records written; how many by what."""
    plays = {"environment": play_environment, "batch": play_batch}
    weights = (TABLES, 1)  # so that each plays about half of the matches
    written: Counter[str] = Counter()
    while written.total() < matches:
        game = chance.choice(list(GAMES))
        (by,) = chance.choices(list(plays), weights)
        written[f"{game}, {by}"] += plays[by](game, drawn_rules(game, chance), path, chance)
    return written


def run(path: Path, matches: int, seed: int) -> dict[str, Any]:
    """Write, read and check; what there was of what, and the seconds it took."""
    began = time.perf_counter()
    written = write(path, matches, random.Random(seed))
    wrote = time.perf_counter()
    records = list(read_records(path))
    read = time.perf_counter()
    for record in records:
        check(record)
    checked = time.perf_counter()
    if len(records) != written.total():
        raise AssertionError(f"{written.total()} matches were played, {len(records)} are recorded")
    steps = [step for record in records for step in record.steps]
    return {
        **written,
        "matches": len(records),
        "deals": sum(len(record.deals) for record in records),
        "steps": len(steps),
        "forfeited": sum(step.illegal for step in steps),
        "left": sum(not record.over for record in records),
        "bytes": path.stat().st_size,
        "seconds to play and write": round(wrote - began, 1),
        "seconds to read": round(read - wrote, 1),
        "seconds to check": round(checked - read, 1),
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    EnvLogger.suppress_output()  # of forfeits, which are meant
    with tempfile.TemporaryDirectory() as folder:
        for name, number in run(Path(folder) / "matches.jsonl", options.matches, options.seed).items():
            print(f"{name:26} {number:>12,}")


if __name__ == "__main__":
    main()
