"""Observation fields: named parts of a vector of numbers in [0, 1], each with a code that is read back.

From a game's list of fields come the places its compiled encoder writes to, the space, the page in the documentation,
and `Layout.decode`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.errors import OptionError


@dataclass(frozen=True)
class Code:
    """How a number is written as a float in [0, 1]: `write` and its inverse `read`, with a `formula` for the page."""

    formula: str
    write: Callable[[Any], float]
    read: Callable[[float], Any]


FLAG = Code("0 or 1", lambda value: float(value), lambda x: bool(x >= 0.5))
RATE = Code("x", lambda value: float(value), lambda x: float(str(np.float32(x))))
#: Chips that may be owed: 0.5 for none, towards 1 for many, towards 0 for a debt. Exact up to 10,000.
CHIPS = Code(
    "0.5 + 0.5 x / (abs(x) + 64)",
    lambda value: 0.5 + 0.5 * value / (abs(value) + 64.0),
    lambda x: round((2.0 * x - 1.0) * 64.0 / max(1.0 - abs(2.0 * x - 1.0), 1e-7)),
)


def share(limit: int) -> Code:
    """The code of a number from 0 to `limit`."""
    return Code(f"x / {limit}", lambda value: value / limit, lambda x: round(x * limit))


def choice(first: Hashable, second: Hashable) -> Code:
    """The code of one of two things."""
    return Code(f"0 {first}, 1 {second}", lambda value: float(value == second), lambda x: second if x >= 0.5 else first)


@dataclass(frozen=True)
class Field:
    """A named part of the observation.

    Args:
        name: as in `decode`.
        labels: one for each element.
        code: of the elements: one for all, or one for each.
        kind: how it is read back. ``"set"``: the labels of the elements that are 1. ``"one"``: the label of the one
            element that is 1, or None. ``"marks"``: a dict of the elements that are not 0. ``"values"``: a dict of all.
        meaning: in words.
    """

    name: str
    labels: tuple[Hashable, ...]
    code: Code | tuple[Code, ...]
    kind: str
    meaning: str

    @property
    def codes(self) -> tuple[Code, ...]:
        """The code of each element."""
        return self.code if isinstance(self.code, tuple) else (self.code,) * len(self.labels)

    def read(self, numbers: Sequence[float]) -> Any:
        """What the field's elements say."""
        if self.kind == "set":
            return [label for label, x in zip(self.labels, numbers, strict=True) if x >= 0.5]
        if self.kind == "one":
            return next((label for label, x in zip(self.labels, numbers, strict=True) if x >= 0.5), None)
        return {
            label: code.read(float(x))
            for label, code, x in zip(self.labels, self.codes, numbers, strict=True)
            if self.kind == "values" or x
        }


def set_of(name: str, labels: Sequence[Hashable], meaning: str) -> Field:
    """A field of flags, any number of which are set."""
    return Field(name, tuple(labels), FLAG, "set", meaning)


def one_of(name: str, labels: Sequence[Hashable], meaning: str) -> Field:
    """A field of flags, at most one of which is set."""
    return Field(name, tuple(labels), FLAG, "one", meaning)


def marks(name: str, labels: Sequence[Hashable], code: Code, meaning: str) -> Field:
    """A field of numbers most of which are 0: nothing to say."""
    return Field(name, tuple(labels), code, "marks", meaning)


def values(name: str, labels: Sequence[Hashable], code: Code | tuple[Code, ...], meaning: str) -> Field:
    """A field of numbers."""
    return Field(name, tuple(labels), code, "values", meaning)


def seat_code(players: int) -> Code:
    """The code of a relative seat, where 0 says nobody."""
    return Code(f"(seat + 1) / {players}", lambda seat: (seat + 1) / players, lambda x: round(x * players) - 1)


class Layout:
    """Where each field stands in the vector, for given rules.

    Attributes:
        fields: the fields, in order.
        at: int64, the place of each field's first element, then the vector's length.
        size: the vector's length.
        blank: float32 of that length: what every observation under these rules has in common.
        chips: int64, (stretches, 2): where numbers of chips stand in a row, and how many.
        compact_size: the length of an observation as bytes (`compact`).
    """

    def __init__(self, fields: Sequence[Field], constants: Sequence[float]) -> None:
        self.fields = tuple(fields)
        lengths = [len(field.labels) for field in self.fields]
        self.at: NDArray[np.int64] = np.cumsum([0, *lengths], dtype=np.int64)
        self.size = int(self.at[-1])
        self.blank = np.zeros(self.size, np.float32)
        self.blank[: len(constants)] = constants
        codes = [code for field in self.fields for code in field.codes]
        borders = np.flatnonzero(np.diff([False, *[code is CHIPS for code in codes], False]))
        self.chips: NDArray[np.int64] = np.stack([borders[::2], borders[1::2] - borders[::2]], 1)
        self.compact_size = self.size + int(self.chips[:, 1].sum())

    def decode(self, vector: NDArray[Any]) -> dict[str, Any]:
        """The fields of an observation vector by name, in the words of `Field.read`."""
        if np.shape(vector) != (self.size,):
            raise OptionError(f"observation of shape {np.shape(vector)}: allowed is ({self.size},) under these rules")
        numbers = np.asarray(vector, np.float64)
        if not ((numbers >= 0.0) & (numbers <= 1.0)).all():
            raise OptionError("observation with numbers outside [0, 1]: no game has written it")
        return {
            field.name: field.read(numbers[start:end].tolist())
            for field, start, end in zip(self.fields, self.at[:-1], self.at[1:], strict=True)
        }
