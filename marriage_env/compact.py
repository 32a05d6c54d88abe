"""Observations as bytes: a quarter of the size, and no fact lost.

A number x of the vector becomes round(255 x), which keeps the values of every code apart but those of chips. Chips
take two bytes: (c + 128) modulo 256 where the number stood, and behind the vector, in order, (c + 128) div 256 + 128,
which is 128 as long as they are from -128 to 127. So up to 32,000 are told. What the vector begins with, the rules, is
the same in every observation of a table, and is rounded.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.compiled import compiled
from marriage_env.errors import OptionError
from marriage_env.fields import CHIPS, Layout
from marriage_env.observation import read_chips

OFFSET = 128
MOST_CHIPS = 32_000


@compiled
def write_compact(vector: Any, chips: Any, out: Any) -> Any:
    """Write a vector as bytes; `chips` are the stretches of chips in it (`Layout.chips`)."""
    for index in range(len(vector)):  # unsigned places, as in `observation.place_of`
        out[np.uint64(index)] = np.uint8(np.int32(vector[np.uint64(index)] * np.float32(255.0) + np.float32(0.5)))
    high = np.uint64(len(vector))
    for stretch in range(len(chips)):
        start, length = np.uint64(chips[stretch, 0]), chips[stretch, 1]
        for index in range(length):
            place: Any = start + np.uint64(index)
            amount = min(max(read_chips(vector[place]), -MOST_CHIPS), MOST_CHIPS) + OFFSET
            out[place] = np.uint8(amount & 255)
            out[high + np.uint64(index)] = np.uint8((amount >> 8) + OFFSET)
        high += np.uint64(length)


def expand(compact: NDArray[np.uint8], layout: Layout) -> NDArray[np.float32]:
    """The vectors, float32 of shape (..., layout.size), that were written as bytes, (..., layout.compact_size).

    They say the same; their numbers, but for those of rules and chips, are those that were written to within 1/510.
    Raises OptionError for another shape or type.
    """
    if compact.dtype != np.uint8 or compact.shape[-1:] != (layout.compact_size,):
        found = f"observation of {compact.dtype} and shape {compact.shape}"
        raise OptionError(f"{found}: allowed are bytes (uint8), {layout.compact_size} a row, under these rules")
    vectors = (compact[..., : layout.size] / np.float32(255.0)).astype(np.float32)
    places = np.concatenate([np.arange(start, start + length) for start, length in layout.chips])
    high = compact[..., layout.size :].astype(np.int64) - OFFSET
    chips = compact[..., places] + 256 * high - OFFSET
    vectors[..., places] = CHIPS.write(chips.astype(np.float64))
    rules = len(layout.fields[0].labels)
    vectors[..., :rules] = layout.blank[:rules]
    return vectors
