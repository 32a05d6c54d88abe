"""Observation fields: how a table is written as numbers in [0, 1], and read back.

A game lists its fields once (`boxes/observation.py`, `saucers/observation.py`). From that list come the places the
compiled encoder writes to, the space, the page in the documentation, and `Layout.decode`.

Seats are relative to the observer: 0 is he himself, 1 his left-hand neighbour, and so on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.cards import CARD_NAMES, CARDS, NONE, lowest, only, without_lowest
from marriage_env.compiled import compiled
from marriage_env.errors import OptionError
from marriage_env.table import CLAIMS

HALF = np.float32(0.5)
FULL = np.float32(1.0)


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
    lambda x: round((2.0 * x - 1.0) * 64.0 / (1.0 - abs(2.0 * x - 1.0))),
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


def cards_of_pack(pack_size: int) -> tuple[str, ...]:
    """The names of the cards of a pack, low to high."""
    return CARD_NAMES[CARDS - pack_size :]


class Layout:
    """Where each field stands in the vector, for given rules.

    Attributes:
        fields: the fields, in order.
        at: int64, the place of each field's first element, then the vector's length.
        size: the vector's length.
        blank: float32 of that length: what every observation under these rules has in common.
    """

    def __init__(self, fields: Sequence[Field], constants: Sequence[float]) -> None:
        self.fields = tuple(fields)
        lengths = [len(field.labels) for field in self.fields]
        self.at: NDArray[np.int64] = np.cumsum([0, *lengths], dtype=np.int64)
        self.size = int(self.at[-1])
        self.blank = np.zeros(self.size, np.float32)
        self.blank[: len(constants)] = constants

    def decode(self, vector: NDArray[Any]) -> dict[str, Any]:
        """The fields of an observation vector by name, in the words of `Field.read`."""
        if np.shape(vector) != (self.size,):
            raise OptionError(f"observation of shape {np.shape(vector)}: allowed is ({self.size},) under these rules")
        numbers = np.asarray(vector, np.float64)
        return {
            field.name: field.read(numbers[start:end].tolist())
            for field, start, end in zip(self.fields, self.at[:-1], self.at[1:], strict=True)
        }


# What the compiled encoders and decoders of both games share


@compiled
def chips_written(amount: Any) -> Any:
    """The code `CHIPS` of an amount (float64)."""
    return np.float32(0.5 + 0.5 * amount / (abs(amount) + 64.0))


FEW_CHIPS = 256
CHIPS_WRITTEN = np.array([CHIPS.write(chips) for chips in range(-FEW_CHIPS, FEW_CHIPS)], np.float32)


@compiled
def relative(table: Any, observer: Any, seat: Any) -> Any:
    """A seat as its observer counts it."""
    players = table.rules.players  # read first: a choice between two known numbers takes no jump
    places = seat - observer
    return places + players if places < 0 else places


@compiled
def write_cards(table: Any, cards: Any, value: Any, out: Any, start: Any) -> Any:
    """Write `value` for each card of a set into a field over the pack."""
    first = start - (CARDS - table.rules.pack_size)
    rest = cards
    while rest != NONE:
        out[first + lowest(rest)] = value
        rest = without_lowest(rest)


@compiled
def read_cards(table: Any, vector: Any, start: Any) -> Any:
    """The set of cards whose element in a field over the pack is not 0."""
    cards = NONE
    lowest_card = CARDS - table.rules.pack_size
    for place in range(table.rules.pack_size):
        if vector[start + place] > 0:
            cards |= only(lowest_card + place)
    return cards


@compiled
def write_one(index: Any, out: Any, start: Any) -> Any:
    """Write a flag."""
    out[start + index] = FULL


@compiled
def read_one(vector: Any, start: Any, length: Any, otherwise: Any) -> Any:
    """The index of the one flag that is set in a field, or `otherwise`."""
    for index in range(length):
        if vector[start + index] > HALF:
            return index
    return otherwise


@compiled
def read_share(x: Any, limit: Any) -> Any:
    """The whole number that was written as its share of `limit`."""
    return np.int64(np.float64(x) * limit + 0.5)


@compiled
def write_chips(chips: Any) -> Any:
    """Chips in the code `CHIPS`."""
    if -FEW_CHIPS <= chips < FEW_CHIPS:  # nearly always
        return CHIPS_WRITTEN[chips + FEW_CHIPS]
    return chips_written(np.float64(chips))


@compiled
def read_chips(x: Any) -> Any:
    """The chips that were written in the code `CHIPS`."""
    y = 2.0 * np.float64(x) - 1.0
    return np.int64(np.floor(y * 64.0 / (1.0 - abs(y)) + 0.5))


@compiled
def write_claims(table: Any, observer: Any, out: Any, claims_at: Any, gave_up_at: Any, shown_at: Any) -> Any:
    """Write who declared what, in which order, who gave up something, and which cards were shown."""
    players = table.rules.players
    for seat in range(players):
        other = relative(table, observer, seat)
        out[gave_up_at + other] = table.gave_up[seat]
        if table.shown[seat] != NONE:  # who declares, shows
            for claim in range(CLAIMS):
                order = np.float32(table.claim_order[seat, claim])
                out[claims_at + CLAIMS * other + claim] = order * np.float32(1 / CLAIMS)
            write_cards(table, table.shown[seat], np.float32(other + 1) / np.float32(players), out, shown_at)


@compiled
def read_claims(table: Any, vector: Any, claims_at: Any, gave_up_at: Any, shown_at: Any) -> Any:
    """Read back what `write_claims` wrote, the observer being seat 0."""
    players = table.rules.players
    lowest_card = CARDS - table.rules.pack_size
    for seat in range(players):
        for claim in range(CLAIMS):
            table.claim_order[seat, claim] = read_share(vector[claims_at + CLAIMS * seat + claim], CLAIMS)
        table.gave_up[seat] = vector[gave_up_at + seat] > HALF
    for place in range(table.rules.pack_size):
        shower = read_share(vector[shown_at + place], players)
        if shower:
            table.shown[shower - 1] |= only(lowest_card + place)


@compiled
def write_plays(table: Any, observer: Any, limit: Any, out: Any, by_at: Any, order_at: Any) -> Any:
    """Write who played each card, and as the how-manieth of at most `limit`."""
    players = table.rules.players
    first = CARDS - table.rules.pack_size
    seat_unit = FULL / np.float32(players)
    play_unit = FULL / np.float32(limit)
    for play in range(table.plays):
        place = table.played_card[play] - first
        out[by_at + place] = np.float32(relative(table, observer, table.played_by[play]) + 1) * seat_unit
        out[order_at + place] = np.float32(play + 1) * play_unit


@compiled
def read_plays(table: Any, vector: Any, limit: Any, by_at: Any, order_at: Any) -> Any:
    """Read back what `write_plays` wrote, the observer being seat 0."""
    first = CARDS - table.rules.pack_size
    table.plays = 0
    for place in range(table.rules.pack_size):
        order = read_share(vector[order_at + place], limit)
        if order:
            table.played_card[order - 1] = first + place
            table.played_by[order - 1] = read_share(vector[by_at + place], table.rules.players) - 1
            table.plays += 1


@compiled
def write_account(
    table: Any, observer: Any, out: Any, pots_at: Any, opening_at: Any, balances_at: Any, gains_at: Any
) -> Any:
    """Write the pots now and when all had contributed, the balances, and their change in this deal."""
    for pot in range(len(table.pots)):
        out[pots_at + pot] = write_chips(table.pots[pot])
        out[opening_at + pot] = write_chips(table.opening_pots[pot])
    for seat in range(table.rules.players):
        other = relative(table, observer, seat)
        out[balances_at + other] = write_chips(table.balances[seat])
        out[gains_at + other] = write_chips(table.balances[seat] - table.opening_balances[seat])


@compiled
def read_account(table: Any, vector: Any, pots_at: Any, opening_at: Any, balances_at: Any, gains_at: Any) -> Any:
    """Read back what `write_account` wrote, the observer being seat 0."""
    for pot in range(len(table.pots)):
        table.pots[pot] = read_chips(vector[pots_at + pot])
        table.opening_pots[pot] = read_chips(vector[opening_at + pot])
    for seat in range(table.rules.players):
        table.balances[seat] = read_chips(vector[balances_at + seat])
        table.opening_balances[seat] = table.balances[seat] - read_chips(vector[gains_at + seat])
