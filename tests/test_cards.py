"""Cards, names and sets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marriage_env import cards
from marriage_env.cards import CARD_NAMES, card_id, card_ids, card_set, card_symbol

SETS = st.integers(0, 2**61 - 1)
FULL = SETS.filter(bool)


def test_a_card_is_four_times_its_rank_plus_its_suit() -> None:
    assert len(CARD_NAMES) == 52 and len(set(CARD_NAMES)) == 52
    assert [card_id(name) for name in ("2C", "2D", "2H", "2S", "3C", "QH", "TD", "AS")] == [0, 1, 2, 3, 4, 42, 33, 51]
    assert all(card_id(name) == card for card, name in enumerate(CARD_NAMES))
    assert CARD_NAMES[16] == "6C"  # the lowest of a small pack


@pytest.mark.parametrize("name", ["", "Q", "qh", "HQ", "10D", "1D", "QHX", "pass"])
def test_other_names_are_no_cards(name: str) -> None:
    with pytest.raises(ValueError, match="is not known"):
        card_id(name)


def test_symbols() -> None:
    assert [card_symbol(card_id(name)) for name in ("QH", "TD", "2C", "AS")] == ["Q♥", "10♦", "2♣", "A♠"]


@given(st.sets(st.integers(0, 51)))
def test_ids_and_sets_are_each_others_inverse(ids: set[int]) -> None:
    assert card_ids(card_set(ids)) == sorted(ids)
    assert card_ids(np.uint64(card_set(ids))) == sorted(ids)


@given(SETS)
def test_size_counts_bits(bits: int) -> None:
    assert cards.size(np.uint64(bits)) == bits.bit_count()


@given(FULL)
def test_lowest_highest_and_without_lowest(bits: int) -> None:
    lowest = (bits & -bits).bit_length() - 1
    assert cards.lowest(np.uint64(bits)) == lowest
    assert cards.highest(np.uint64(bits)) == bits.bit_length() - 1
    assert int(cards.without_lowest(np.uint64(bits))) == bits & ~(1 << lowest)


@given(FULL, st.data())
def test_nth_has_so_many_lower_ones(bits: int, data: st.DataObject) -> None:
    ids = [bit for bit in range(64) if bits >> bit & 1]
    index = data.draw(st.integers(0, len(ids) - 1))
    assert cards.nth(np.uint64(bits), index) == ids[index]


@given(SETS, st.integers(0, 60))
def test_only_and_holds(bits: int, card: int) -> None:
    assert int(cards.only(card)) == 1 << card
    assert bool(cards.holds(np.uint64(bits), card)) is bool(bits >> card & 1)


@pytest.mark.parametrize("suit", range(4))
def test_of_suit(suit: int) -> None:
    assert card_ids(cards.of_suit(suit)) == list(range(suit, 52, 4))
    assert int(cards.of_suit(suit)) & ((1 << 52) - 1) == card_set(range(suit, 52, 4))


@pytest.mark.parametrize("rank", range(13))
def test_of_rank(rank: int) -> None:
    assert int(cards.of_rank(rank)) == 0xF << 4 * rank


def test_no_card_stands_above_the_aces() -> None:
    assert card_ids(cards.of_rank(13)) == []
    assert all(card_ids(int(cards.of_suit(suit)) >> 52 << 52) == [] for suit in range(4))
    assert sum(int(cards.of_suit(suit)) for suit in range(4)) == (1 << 52) - 1
