"""Worlds that agree with all that a player has been shown, for whoever plans or reasons under uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.errors import OptionError
from marriage_env.games import origin
from marriage_env.knowledge import KNOWLEDGE
from marriage_env.options import whole
from marriage_env.randomness import STREAM
from marriage_env.record_arrays import new_records
from marriage_env.table import OVER, PHASE_NAMES

MOST_WORLDS = 1_000_000


def sample_worlds(observation: Any, count: int = 1, *, seed: int | None = None) -> NDArray[Any]:
    """Draw tables that a player may be sitting at, for all that his observation has shown him in this deal.

    They agree with his hand and all cards played and shown, with who could not follow suit or carry a row on, whose
    queen or king was asked for, and what was declared, given up or not there to declare. All such worlds are alike
    likely, but neighbours in the array have cards in common (they are moments of one random walk).

    Args:
        observation: of a deal under way: the vector, or the dict that holds it under ``"observation"``.
        count: how many worlds, 1 to 1,000,000.
        seed: the same one, the same worlds; None for new ones.

    Returns:
        Records of the game's table dtype, shape (count,). Seats are relative to the observer, who is seat 0. Of
        interest is ``worlds["hands"]``, uint64 (count, seats), bit c for card c. What is of no account for how play
        goes on is empty: the random stream, the last step's ledger and rewards.

    Raises:
        OptionError: no observation of a deal under way, or one with which no world agrees.
    """
    vector: Any = observation.get("observation") if isinstance(observation, Mapping) else observation
    game, rules, layout = origin(vector)
    seed = None if seed is None else whole("seed", seed, 0, 2**64 - 1)
    game.warm_up_worlds()
    worlds = game.new_tables(whole("count", count, 1, MOST_WORLDS), rules)
    if layout.decode(vector)["phase"] == PHASE_NAMES[OVER]:
        raise OptionError("observation of a match that is over: allowed is one of a deal under way")
    known, stream = new_records(1, KNOWLEDGE), new_records(1, STREAM)
    stream[0]["seed"] = np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]
    if game.sample_worlds(np.ascontiguousarray(vector, np.float32), layout.at, known, stream, worlds) < count:
        raise OptionError("observation that nobody can have had: no cards of the others agree with it")
    return worlds
