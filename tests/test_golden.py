"""Golden games: whole matches worked out by another implementation of the rulebooks, played through the environment."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from marriage_env.aec import TableEnv
from marriage_env.cards import card_id
from tests.helpers import MODULES, label, legal, over

FOLDER = Path(__file__).parent / "golden"
COUNTS = {"boxes": 117, "saucers": 60}


def golden_matches(game: str) -> list[dict[str, Any]]:
    """The golden matches of a game."""
    with gzip.open(FOLDER / f"{game}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def start_golden(module: Any, match: dict[str, Any]) -> TableEnv:
    """The environment of a golden match, before its first step."""
    env: TableEnv = module.raw_env(**match["rules"])
    packs = [[card_id(name) for name in pack] for pack in match["packs"]]
    env.reset(options={"dealer": match["dealer"], "pots": match["pots"], "packs": packs})
    return env


def differences(env: TableEnv, match: dict[str, Any]) -> tuple[int, str] | None:
    """Play a golden match; the first step that differs, and how."""
    for number, step in enumerate(match["steps"]):
        if over(env):
            return number, f"the match is over, but golden seat {step['seat']} takes {step['action']}"
        before = (env.possible_agents.index(env.agent_selection), sorted(legal(env)))
        golden_before = (step["seat"], sorted(step["legal"]))
        if before != golden_before:
            return number, f"seat and legal actions are {before}\n  golden: {golden_before}"
        env.step(env.game.action_names.index(step["action"]))
        after = (list(env.balances.values()), list(env.pots.values()))
        golden_after = (step["balances"], step["pots"])
        if after != golden_after:
            ledger = "\n    ".join(map(str, env.ledger))
            words = f"after {step['action']} balances and pots are {after}"
            return number, f"{words}\n  golden: {golden_after}\n    ledger:\n    {ledger}"
    return None if over(env) else (len(match["steps"]), "golden match is over, but ours goes on")


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_every_golden_match_is_played_alike(module: Any) -> None:
    name = module.raw_env.game.name
    matches = golden_matches(name)
    assert len(matches) == COUNTS[name]
    wrong = []
    for number, match in enumerate(matches):
        found = differences(start_golden(module, match), match)
        if found:
            wrong.append((number, match["rules"], *found))
    if wrong:
        number, rules, step, words = wrong[0]
        pytest.fail(
            f"{len(wrong)} of {len(matches)} golden matches of {name} differ; the first is match {number} {rules}, "
            f"step {step}: {words}",
            pytrace=False,
        )
