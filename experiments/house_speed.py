"""How long the house players take for a decision, which they make within a batch's call."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from experiments.duplicate import deal_seeds
from marriage_env import GAMES
from marriage_env.games import rule_options
from marriage_env.tables import Tables

SAMPLE = 1024  # tables
ROUNDS = 20  # decisions at each, played at random


def house_seconds(game: str, rules: Mapping[str, Any], player: str, seed: int) -> float:
    """Seconds per decision, over positions of random play."""
    tables = Tables(GAMES[game], rule_options(game, dict(rules)), SAMPLE, autoreset=True)
    rows = tables.all_rows()
    tables.seed(rows, deal_seeds(seed, SAMPLE))
    tables.open(rows)
    actions, spent = np.zeros(SAMPLE, np.int64), 0.0
    for _ in range(ROUNDS):
        began = time.perf_counter()
        tables.choose(player, rows, actions)
        spent += time.perf_counter() - began
        tables.choose("random", rows, actions)
        tables.advance(rows, actions)
    return spent / (ROUNDS * SAMPLE)
