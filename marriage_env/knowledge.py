"""What a player knows of the others' hands, in the form both games share; each game fills it in (`learn`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from marriage_env.cards import CARDS, NONE, holds, only, size
from marriage_env.compiled import compiled, inlined
from marriage_env.declaring import shown_by
from marriage_env.table import CLAIMS, DECLARE, eldest, left_of, record_dtype

SEATS = 10  # the most a game has
DEMANDS = 5  # the most that is known, of one seat, in the form "one of these"

#: What the claims of a seat say of what was dealt to it: nothing (it had no turn yet); that these are all it had; that
#: it had more.
SILENT, FRANK, HIDING = range(3)

#: What one seat knows, the others' cards of which it knows no place, and where they lie in the world drawn last.
KNOWLEDGE = record_dtype(
    ("played", np.uint64, (SEATS,)),  # cards played in this deal
    ("held", np.uint64, (SEATS,)),  # cards certainly in hand
    ("lacking", np.uint64, (SEATS,)),  # cards certainly not in hand
    ("one_of", np.uint64, (SEATS, DEMANDS)),  # of each of these sets (but empty ones), one card at least is in hand
    ("shown", np.uint64, (SEATS,)),  # cards shown by declaring
    ("claims", np.uint8, (SEATS,)),  # bit c: the seat has declared claim c
    ("candour", np.uint8, (SEATS,)),  # SILENT, FRANK or HIDING
    ("demands", np.uint8, (SEATS,)),  # how many sets of `one_of` are in use
    ("misfit", np.int64, (SEATS,)),  # in how many ways the hand drawn for each seat is at odds with all this
    ("misfits", np.int64),  # the sum of these
    ("hidden", np.int64),  # cards whose place is unknown:
    ("card", np.uint8, (CARDS,)),
    ("place", np.uint8, (CARDS,)),  # the seat where each lies in the world drawn last, or UNDEALT
)
UNDEALT = SEATS  # the place of cards that nobody holds


@compiled
def plays_are_sound(table: Any) -> Any:
    """Whether the plays of a recalled table can have been: in order, by seats there are, of cards not in seat 0's hand.

    Observations come from users, too, and what contradicts itself would lead compiled code astray.
    """
    for play in range(table.plays):
        card = table.played_card[play]
        if table.play_order[card] != play + 1 or table.played_by[card] >= table.rules.players:
            return False
        if holds(table.hands[0], card):
            return False
    return True


@compiled
def learn_common(table: Any, known: Any) -> Any:
    """Begin to write down what seat 0 knows: who has played and shown what, and what the claims say (3)."""
    for seat in range(SEATS):
        known.played[seat] = 0
        known.held[seat] = 0
        known.lacking[seat] = 0
        known.demands[seat] = 0
    for play in range(table.plays):
        card = table.played_card[play]
        known.played[table.played_by[card]] |= only(card)
    had_turn = True
    seat = eldest(table)
    for _ in range(table.rules.players):
        had_turn = had_turn and not (table.phase == DECLARE and seat == table.actor)
        learn_claims(table, known, seat, had_turn)
        seat = left_of(table, seat)


@compiled
def learn_claims(table: Any, known: Any, seat: Any, had_turn: Any) -> Any:
    """Write down what a seat has declared and shown."""
    claims = 0
    for claim in range(CLAIMS):
        claims |= (table.claim_order[CLAIMS * seat + claim] > 0) << claim
    known.claims[seat] = claims
    known.shown[seat] = shown_by(table, seat)
    known.held[seat] |= known.shown[seat] & ~known.played[seat]
    if had_turn:
        known.candour[seat] = HIDING if table.gave_up[seat] else FRANK
    else:
        known.candour[seat] = HIDING if table.actor == seat and table.phase == DECLARE else SILENT


@compiled
def held_are_sound(table: Any, known: Any) -> Any:
    """Whether each card that is known to be in a hand can be there: it is in no other, and has not been played."""
    elsewhere = table.hands[0]
    for seat in range(table.rules.players):
        elsewhere |= known.played[seat]
    for seat in range(1, table.rules.players):
        if known.held[seat] & elsewhere != NONE:
            return False
        elsewhere |= known.held[seat]
    return known.held[0] & table.rules.pack & ~table.hands[0] == NONE


@inlined
def demand(known: Any, seat: Any, cards: Any) -> Any:
    """Write down that a seat has one card at least of a set in hand."""
    known.one_of[seat, known.demands[seat]] = cards
    known.demands[seat] += 1


@inlined
def common_misfit(known: Any, seat: Any, hand: Any) -> Any:
    """In how many ways a hand is at odds with the cards that a seat is known to lack, or to have one of."""
    found = size(hand & known.lacking[seat])
    for index in range(known.demands[seat]):
        found += (hand & known.one_of[seat, index]) == NONE
    return found


@inlined
def claims_misfit(known: Any, seat: Any, claims: Any) -> Any:
    """In how many ways the claims that a seat would have had are at odds with those it has declared."""
    declared = np.int64(known.claims[seat])
    wrong = size(np.uint64(declared & ~claims))
    if known.candour[seat] == FRANK:
        return wrong + size(np.uint64(claims & ~declared))
    return wrong + (known.candour[seat] == HIDING and claims == declared)
