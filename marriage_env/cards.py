"""Cards, their names, and sets of cards.

A card is an int 0..51: ``4 * rank + suit``, ranks 2..A = 0..12, suits C D H S = 0..3. A set of cards is a uint64, bit c
for card c. The text form is rank and suit: ``QH``, ``TD``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from marriage_env.compiled import compiled, inlined, multiply

RANKS = "23456789TJQKA"
SUITS = "CDHS"
SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
SUIT_SYMBOLS = "♣♦♥♠"
CARDS = 52
CARD_NAMES: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)

CLUBS, DIAMONDS, HEARTS, SPADES = range(4)
NINE, TEN, JACK, QUEEN, KING, ACE = range(7, 13)

NONE = np.uint64(0)
ONE = np.uint64(1)
CLUB_CARDS = np.uint64(0x1_1111_1111_1111)  # every fourth bit, from bit 0
RANK_CARDS = np.uint64(0xF)  # the four cards of the lowest rank


def card_id(name: str) -> int:
    """The id of a card by its text form, such as ``"QH"``. Raises ValueError for any other text."""
    if name not in CARD_NAMES:
        raise ValueError(f"card {name!r} is not known: a card is a rank of {RANKS} and a suit of {SUITS}, such as 'QH'")
    return CARD_NAMES.index(name)


def card_symbol(card: int) -> str:
    """A card as people write it, such as ``Q♥`` or ``10♦``."""
    rank, suit = divmod(card, 4)
    return ("10" if RANKS[rank] == "T" else RANKS[rank]) + SUIT_SYMBOLS[suit]


def card_ids(cards: int) -> list[int]:
    """The ids in a set of cards, low to high."""
    bits = int(cards)
    return [card for card in range(CARDS) if bits >> card & 1]


def card_set(ids: Iterable[int]) -> int:
    """The set of the given card ids."""
    bits = 0
    for card in ids:
        bits |= 1 << card
    return bits


def whole_pack(pack_size: int) -> int:
    """The set of all cards of a pack of 36 or 52."""
    return card_set(range(CARDS - pack_size, CARDS))


@inlined
def only(card: Any) -> Any:
    """The set that holds `card` alone."""
    return ONE << np.uint64(card)


@inlined
def holds(cards: Any, card: Any) -> Any:
    """Whether `card` is in `cards`."""
    return (cards >> np.uint64(card)) & ONE != NONE


@inlined
def of_suit(suit: Any) -> Any:
    """All cards of a suit."""
    return CLUB_CARDS << np.uint64(suit)


@inlined
def of_rank(rank: Any) -> Any:
    """All cards of a rank."""
    return RANK_CARDS << np.uint64(4 * rank)


@inlined
def size(cards: Any) -> Any:
    """How many cards (or other bits) a set has."""
    x = cards - ((cards >> np.uint64(1)) & np.uint64(0x5555_5555_5555_5555))
    x = (x & np.uint64(0x3333_3333_3333_3333)) + ((x >> np.uint64(2)) & np.uint64(0x3333_3333_3333_3333))
    x = (x + (x >> np.uint64(4))) & np.uint64(0x0F0F_0F0F_0F0F_0F0F)
    return np.int64(multiply(x, np.uint64(0x0101_0101_0101_0101)) >> np.uint64(56))


@inlined
def lowest(cards: Any) -> Any:
    """The lowest id in a set that is not empty."""
    return size(~cards & (cards - ONE))


@compiled
def highest(cards: Any) -> Any:
    """The highest id in a set that is not empty."""
    x = cards
    for shift in (1, 2, 4, 8, 16, 32):
        x |= x >> np.uint64(shift)
    return size(x) - 1


@inlined
def without_lowest(cards: Any) -> Any:
    """The set less its lowest id."""
    return cards & (cards - ONE)


@compiled
def nth(cards: Any, index: Any) -> Any:
    """The id that has `index` lower ones in the set."""
    rest = cards
    for _ in range(index):
        rest = without_lowest(rest)
    return lowest(rest)
