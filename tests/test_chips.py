"""Chips, and the ledger."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marriage_env import chips
from marriage_env.chips import POT, Payment, payments
from marriage_env.game import Game
from tests.helpers import MODULES

GAMES = [module.raw_env.game for module in MODULES]


def new_table(game: Game, **options: Any) -> Any:
    """A table's record (an array element, so that writing to it writes to the array)."""
    return game.new_tables(1, game.rules(**options))


def account(table: Any, players: int) -> tuple[list[int], list[int], list[int]]:
    return table["balances"][:players].tolist(), table["rewards"][:players].tolist(), table["pots"].tolist()


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_parties_are_bits(game: Game) -> None:
    table = new_table(game, players=5)[0]
    assert [chips.player(3), chips.pot(2), chips.everybody(table), chips.others(table, 1)] == [8, 4 << POT, 31, 29]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_pay_moves_chips_and_writes_them_down(game: Game) -> None:
    table = new_table(game, players=5)[0]
    chips.pay(table, chips.others(table, 1), chips.player(1), 2, 3)
    assert account(table, 5)[0] == [-2, 8, -2, -2, -2] and account(table, 5)[1] == [-2, 8, -2, -2, -2]
    chips.pay(table, chips.player(1), chips.pot(4), 5, 0)
    assert account(table, 5) == (
        [-2, 3, -2, -2, -2],
        [-2, 3, -2, -2, -2],
        [0, 0, 0, 0, 5] + [0] * (len(table["pots"]) - 5),
    )
    name, reasons = game.pot_names, game.reasons
    assert payments(table, name, reasons) == [
        *(Payment(f"player_{seat}", "player_1", 2, reasons[3].words) for seat in (0, 2, 3, 4)),
        Payment("player_1", name[4], 5, reasons[0].words),
    ]


@pytest.mark.parametrize(("payers", "payees", "amount"), [(0, 1, 1), (1, 0, 1), (1, 2, 0)])
def test_what_does_not_move_is_not_written(payers: int, payees: int, amount: int) -> None:
    table = new_table(GAMES[0])[0]
    chips.pay(table, payers, payees, amount, 0)
    assert table["entries"] == 0 and not table["balances"].any() and not table["pots"].any()


def test_the_same_payment_again_adds_to_its_entry() -> None:
    table = new_table(GAMES[0])[0]
    for _ in range(3):
        chips.pay(table, 1, 2, 4, 5)
    chips.pay(table, 1, 2, 4, 6)  # another reason
    chips.pay(table, 2, 1, 4, 5)  # the other way
    assert [tuple(entry) for entry in table["ledger"][: table["entries"]].tolist()] == [
        (1, 2, 12, 5),
        (1, 2, 4, 6),
        (2, 1, 4, 5),
    ]
    assert table["balances"][:2].tolist() == [-12, 12]


@given(st.data())
def test_pay_conserves_chips_and_the_ledger_adds_up(data: st.DataObject) -> None:
    game = data.draw(st.sampled_from(GAMES))
    players = data.draw(st.integers(game.min_players, game.max_players))
    table = new_table(game, players=players)[0]
    parties = [1 << seat for seat in range(players)] + [1 << (POT + pot) for pot in range(len(game.pot_names))]
    expected: dict[int, int] = dict.fromkeys(parties, 0)
    for _ in range(data.draw(st.integers(0, 12))):
        sides = data.draw(st.lists(st.integers(0, 2), min_size=len(parties), max_size=len(parties)))
        payers = [party for party, side in zip(parties, sides, strict=True) if side == 1]
        payees = [party for party, side in zip(parties, sides, strict=True) if side == 2]
        amount = data.draw(st.integers(0, 50))
        chips.pay(table, sum(payers), sum(payees), amount, data.draw(st.integers(0, len(game.reasons) - 1)))
        for payer in payers:
            expected[payer] -= amount * len(payees)
        for payee in payees:
            expected[payee] += amount * len(payers)
    got = table["balances"][:players].tolist() + table["pots"].tolist()
    assert got == list(expected.values()) and sum(got) == 0
    assert table["rewards"].tolist() == table["balances"].tolist()
    flow = dict.fromkeys([f"player_{seat}" for seat in range(players)] + list(game.pot_names), 0)
    for entry in payments(table, game.pot_names, game.reasons):
        flow[entry.payer] -= entry.chips
        flow[entry.payee] += entry.chips
    assert list(flow.values()) == got


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_reason_has_words_and_a_clause(game: Game) -> None:
    assert len({(reason.words, reason.clause) for reason in game.reasons}) == len(game.reasons)
    assert all(reason.words for reason in game.reasons)
    assert [reason.words for reason in game.reasons if not reason.clause[:1].isdigit()] == ["illegal action"]
    assert len({reason.words for reason in game.reasons}) == len(game.reasons)
