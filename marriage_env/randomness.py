"""A table's random stream.

Each table carries its own: a seed and the number of draws made so far. Draw k of a seed is a fixed function of the two
(SplitMix64), so a seed deals the same cards in one environment, in a batch of any size, on any machine; and a copied
table draws on exactly alike. NumPy's global state is never touched.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marriage_env.compiled import compiled, multiply

#: A stream by itself, for code that draws without a table. (In this order it is not how a table's record begins: Numba
#: would take the one for the other, with a warning.)
STREAM = np.dtype([("draws", np.uint64), ("seed", np.uint64)])

GOLDEN = np.uint64(0x9E37_79B9_7F4A_7C15)
LOW_HALF = np.uint64(0xFFFF_FFFF)


@compiled
def mix(x: Any) -> Any:
    """Scramble a uint64: a one-to-one map in which every bit depends on every other."""
    x = multiply(x ^ (x >> np.uint64(30)), np.uint64(0xBF58_476D_1CE4_E5B9))
    x = multiply(x ^ (x >> np.uint64(27)), np.uint64(0x94D0_49BB_1331_11EB))
    return x ^ (x >> np.uint64(31))


@compiled
def draw(table: Any) -> Any:
    """The next 64 random bits of the table's stream."""
    table.draws += np.uint64(1)
    return mix(table.seed ^ mix(multiply(table.draws, GOLDEN)))


@compiled
def below(table: Any, limit: Any) -> Any:
    """A random int from 0 to limit - 1, each equally likely (limit up to 2**32)."""
    bound = np.uint64(limit)
    while True:
        product = (draw(table) >> np.uint64(32)) * bound
        low = product & LOW_HALF
        # So many low products as the remainder says would favour some results; to divide is slow, and seldom needed.
        if low >= bound or low >= (LOW_HALF + np.uint64(1)) % bound:
            return np.int64(product >> np.uint64(32))


@compiled
def happens(table: Any, rate: Any) -> Any:
    """Whether an event of probability `rate` happens; a rate of 0 draws nothing."""
    return rate > 0.0 and np.float64(draw(table) >> np.uint64(11)) * 2.0**-53 < rate


@compiled
def shuffle(table: Any, pack: Any, count: Any) -> Any:
    """Bring a random selection, in random order, to the first `count` places of `pack`."""
    size = len(pack)
    for place in range(min(count, size - 1)):
        other = place + below(table, size - place)
        card = pack[place]
        pack[place] = pack[other]
        pack[other] = card
