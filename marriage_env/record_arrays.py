"""Arrays of records that compiled and plain functions read alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.compiled import JIT_DISABLED


def new_records(count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """`count` zeroed records, in the form in which compiled and plain functions can both read their fields."""
    records: NDArray[Any] = np.zeros(count, dtype)
    return _plain(records) if JIT_DISABLED else records


class PlainRecord(np.record):  # type: ignore[misc]
    """A record whose fields plain Python reads as compiled code does: as attributes, small integers as ints.

    uint64 stays what it is: card sets are. Writing does not wrap here: what does not fit raises OverflowError.
    """

    def __getattribute__(self, name: str) -> Any:
        return _plain(super().__getattribute__(name))


class PlainArray(np.ndarray):  # type: ignore[type-arg]
    """An array of `PlainRecord`, or in one."""

    def __getitem__(self, place: Any) -> Any:
        return _plain(super().__getitem__(place))


def _plain(value: Any) -> Any:
    """What was read from a record, for plain Python: NumPy's small integers would wrap where compiled code widens."""
    if isinstance(value, np.ndarray) and not isinstance(value, PlainArray):
        records = np.dtype((PlainRecord, value.dtype)) if value.dtype.names else value.dtype
        return value.view(records).view(PlainArray)
    if isinstance(value, (np.integer, np.bool_)) and not isinstance(value, np.uint64):
        return value.item()
    return value


def copy_records(records: NDArray[Any]) -> NDArray[Any]:
    """A copy of records, byte by byte (NumPy's own goes field by field)."""
    return records.view(np.ndarray).view(np.uint8).copy().view(records.dtype).view(type(records))
