"""Chips, and the one way they move.

Every chip that changes hands passes through `pay`, which keeps the step's ledger in the record. Who pays and who is
paid are sets of parties: bit s for the player at seat s, bit ``POT + k`` for pot k.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from marriage_env.compiled import compiled, inlined

POT = 16

#: One entry of the ledger: each of `payers` paid each of `payees` so many `chips`, for `reason`. Without padding: the
#: ledger is the largest part of a record.
ENTRY = np.dtype([("payers", np.uint32), ("payees", np.uint32), ("chips", np.int32), ("reason", np.uint8)])


class Payment(NamedTuple):
    """Chips that went from one party to another.

    Parties are agents (``"player_2"``) and pots by the rulebook's names (``"jester"``).
    """

    payer: str
    payee: str
    chips: int
    reason: str


class Reason(NamedTuple):
    """Why chips move: in words, and the rulebook's clause (none for what only an environment knows)."""

    words: str
    clause: str


@inlined
def player(seat: Any) -> Any:
    """The party of the player at a seat."""
    return 1 << np.int64(seat)


@inlined
def pot(number: Any) -> Any:
    """The party of a pot."""
    return 1 << np.int64(POT + number)


@inlined
def everybody(table: Any) -> Any:
    """All players, as a party set."""
    return (1 << np.int64(table.rules.players)) - 1


@inlined
def others(table: Any, seat: Any) -> Any:
    """All players but the one at a seat, as a party set."""
    return everybody(table) & ~player(seat)


@compiled
def _size(parties: Any) -> Any:
    count = 0
    while parties:
        parties &= parties - 1
        count += 1
    return count


@compiled
def pay(table: Any, payers: Any, payees: Any, chips: Any, reason: Any) -> Any:
    """Let each of `payers` pay each of `payees` so many `chips`, and write it down with the reason.

    No party may be on both sides. Nothing is written where nothing moves.
    """
    if chips == 0 or payers == 0 or payees == 0:
        return
    _move(table, payers, payees, chips)
    _enter(table, payers, payees, chips, reason)


@compiled
def give_back(table: Any) -> Any:
    """Undo every payment of the ledger, and empty it."""
    for index in range(table.entries):
        entry = table.ledger[index]
        _move(table, np.int64(entry.payees), np.int64(entry.payers), entry.chips)
    table.entries = 0


@compiled
def _move(table: Any, payers: Any, payees: Any, chips: Any) -> Any:
    """Let each of `payers` give each of `payees` so many `chips`."""
    paid, received = chips * _size(payees), chips * _size(payers)
    for number in range(table.rules.players):
        change = received * ((payees >> number) & 1) - paid * ((payers >> number) & 1)
        table.balances[number] += change
        table.rewards[number] += change
    for number in range(len(table.pots)):
        table.pots[number] += received * ((payees >> (POT + number)) & 1) - paid * ((payers >> (POT + number)) & 1)


@compiled
def _enter(table: Any, payers: Any, payees: Any, chips: Any, reason: Any) -> Any:
    """Write a payment into the ledger; the same payment again (a second misdeal) adds to its entry."""
    for index in range(table.entries):
        entry = table.ledger[index]
        if entry.payers == payers and entry.payees == payees and entry.reason == reason:
            entry.chips += chips
            return
    entry = table.ledger[table.entries]
    entry.payers = payers
    entry.payees = payees
    entry.chips = chips
    entry.reason = reason
    table.entries += 1


def payments(table: Any, pot_names: tuple[str, ...], reasons: tuple[Reason, ...]) -> list[Payment]:
    """The ledger of the table's last step, a `Payment` for each payer and payee, in the order they were made."""

    def names(parties: int) -> list[str]:
        players = [f"player_{number}" for number in range(POT) if parties >> number & 1]
        return players + [name for number, name in enumerate(pot_names) if parties >> (POT + number) & 1]

    return [
        Payment(payer, payee, int(entry["chips"]), reasons[entry["reason"]].words)
        for entry in table["ledger"][: table["entries"]]
        for payer in names(int(entry["payers"]))
        for payee in names(int(entry["payees"]))
    ]
