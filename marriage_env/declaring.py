"""Declarations: the turns of Boxes 3.1 and Saucers 3.1."""

from __future__ import annotations

from typing import Any

from marriage_env.cards import CARDS, NONE, lowest, only, without_lowest
from marriage_env.compiled import compiled
from marriage_env.table import ALL_CLAIMS, CLAIMS, DECLARE, FIRST_CLAIM, eldest, left_of


@compiled
def begin_declaring(table: Any) -> Any:
    """The eldest who holds something to declare is first; False if nobody does."""
    table.phase = DECLARE
    table.actor = eldest(table)
    return table.open_claims[table.actor] != 0 or next_declarer(table)


@compiled
def next_declarer(table: Any) -> Any:
    """The next to the left who holds something to declare is to act; False if the round is complete without one."""
    seat = left_of(table, table.actor)
    while seat != eldest(table):
        if table.open_claims[seat]:
            table.actor = seat
            return True
        seat = left_of(table, seat)
    return False


@compiled
def give_up(table: Any) -> Any:
    """The actor passes, and gives up what he has not declared."""
    table.open_claims[table.actor] = 0
    table.gave_up[table.actor] = 1


@compiled
def show(table: Any, claim: Any, cards: Any) -> Any:
    """The actor declares a claim and shows its cards."""
    seat = table.actor
    table.open_claims[seat] &= ALL_CLAIMS - (1 << claim)
    declared = 0
    for other in range(CLAIMS):
        declared += table.claim_order[CLAIMS * seat + other] > 0
    table.claim_order[CLAIMS * seat + claim] = declared + 1
    rest = cards
    while rest != NONE:
        table.shown_by[lowest(rest)] = seat
        rest = without_lowest(rest)


@compiled
def shown_by(table: Any, seat: Any) -> Any:
    """The cards that a seat has shown."""
    cards = NONE
    for card in range(CARDS):
        if table.shown_by[card] == seat:
            cards |= only(card)
    return cards


@compiled
def declared(table: Any, seat: Any, claim: Any) -> Any:
    """Whether a seat has declared a claim."""
    return table.claim_order[CLAIMS * seat + claim] > 0


@compiled
def first_open_claim(table: Any) -> Any:
    """The action of the actor's first open claim, in the rulebook's order."""
    claim = 0
    while not (table.open_claims[table.actor] >> claim) & 1:
        claim += 1
    return FIRST_CLAIM + claim
