"""Worlds that agree with all that a player has seen, drawn at random: written once for every game.

A world says where each card lies. From one, the next is reached by exchanging pairs of cards whose place is unknown: a
random walk. An exchange that puts hands more at odds with what is known (`misfit`) is made seldom, the seldomer the
more. Such a walk is at each of the worlds that agree equally often, and it can come from each to each, since on its way
hands may be at odds. A world counts only when nothing is: looked at in those moments alone, the walk stays even.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marriage_env.cards import NONE, lowest, only, size, without_lowest
from marriage_env.compiled import compiled
from marriage_env.knowledge import UNDEALT, held_are_sound
from marriage_env.randomness import below, draw
from marriage_env.table import DECLARE, eldest, left_of

# What a game binds to its own functions; `walk`, `open_worlds` and the like too.
recall: Any = None
is_sound: Any = None
learn: Any = None
misfit: Any = None
hand_size: Any = None
out_of_hands: Any = None
settle_world: Any = None
claims_in: Any = None
legal: Any = None

RISK_BITS = 3  # an exchange that puts a hand at odds in one way more is made once in 2 to the power of so many
MOST_RISK = 16  # ways more at odds than which is all the same: it never happens
#: Moments in which nothing is at odds, before the first world is drawn, so that it does not remember how the cards were
#: laid out: so many, and so many for each hidden card.
FIRST_MOMENTS, FIRST_MOMENTS_PER_CARD = 256, 8
MOST_EXCHANGES = 1_000_000  # without such a moment, before it is said that no world agrees


def open_worlds(table: Any, known: Any, stream: Any) -> Any:
    """Write down what seat 0 knows at a table that it recalls, and walk to a first world; False if there is none."""
    if not is_sound(table):
        return False
    learn(table, known)
    if not held_are_sound(table, known):
        return False
    rules = table.rules
    hidden = rules.pack & ~(table.hands[0] | out_of_hands(table))
    for seat in range(rules.players):
        hidden &= ~(known.played[seat] | known.held[seat])
    known.hidden = 0
    rest = hidden
    while rest != NONE:
        known.card[known.hidden] = lowest(rest)
        known.hidden += 1
        rest = without_lowest(rest)
    for index in range(known.hidden - 1):
        swap_cards(known, index, index + below(stream, known.hidden - index))
    index = 0
    known.misfits = 0
    for seat in range(1, rules.players):
        hand = known.held[seat]
        unknown = hand_size(table, known, seat) - size(hand)
        if unknown < 0 or index + unknown > known.hidden:
            return False
        for _ in range(unknown):
            known.place[index] = seat
            hand |= only(known.card[index])
            index += 1
        table.hands[seat] = hand
        known.misfit[seat] = misfit(known, seat, hand)
        known.misfits += known.misfit[seat]
    for other in range(index, known.hidden):
        known.place[other] = UNDEALT
    return walk(table, known, stream, FIRST_MOMENTS + FIRST_MOMENTS_PER_CARD * known.hidden)


@compiled
def swap_cards(known: Any, one: Any, other: Any) -> Any:
    """Exchange two of the hidden cards."""
    card = known.card[one]
    known.card[one] = known.card[other]
    known.card[other] = card


def draw_world(table: Any, known: Any, stream: Any) -> Any:
    """Set up the others' hands, and all that goes with them, as another world that agrees with what is known.

    False if none is found in a very long time: nobody can have seen what is known here.
    """
    if not walk(table, known, stream, known.hidden // 2 + 1):
        return False
    reopen_others(table, known)
    settle_world(table, known, stream)
    return True


def walk(table: Any, known: Any, stream: Any, moments: Any) -> Any:
    """Walk until nothing has been at odds in so many moments; False if that does not come about."""
    if known.hidden == 0:
        return known.misfits == 0
    waited = 0
    while moments > 0:
        exchange(table, known, stream)
        if known.misfits == 0:
            moments -= 1
            waited = 0
        else:
            waited += 1
            if waited == MOST_EXCHANGES:
                return False
    return True


def exchange(table: Any, known: Any, stream: Any) -> Any:
    """Try to exchange two hidden cards that lie in different places."""
    one, other = below(stream, known.hidden), below(stream, known.hidden)
    first, second = np.int64(known.place[one]), np.int64(known.place[other])
    if first == second:
        return
    both = only(known.card[one]) | only(known.card[other])
    before, after, first_misfit, second_misfit = 0, 0, 0, 0
    if first != UNDEALT:
        first_misfit = misfit(known, first, table.hands[first] ^ both)
        before += known.misfit[first]
        after += first_misfit
    if second != UNDEALT:
        second_misfit = misfit(known, second, table.hands[second] ^ both)
        before += known.misfit[second]
        after += second_misfit
    if after > before and draw(stream) >> np.uint64(64 - RISK_BITS * min(after - before, MOST_RISK)) != NONE:
        return
    known.misfits += after - before
    swap_cards(known, one, other)
    if first != UNDEALT:
        table.hands[first] ^= both
        known.misfit[first] = first_misfit
    if second != UNDEALT:
        table.hands[second] ^= both
        known.misfit[second] = second_misfit


def reopen_others(table: Any, known: Any) -> Any:
    """Set what others may still declare (3.1): all that is in a hand, but for what its seat has declared already."""
    if table.phase == DECLARE:
        seat = np.int64(table.actor)
        while True:
            if seat != 0:
                table.open_claims[seat] = claims_in(table.hands[seat]) & ~np.int64(known.claims[seat])
            seat = left_of(table, seat)
            if seat == eldest(table):
                break
    table.legal = legal(table)


def sample_worlds(vector: Any, at: Any, known: Any, stream: Any, worlds: Any) -> Any:
    """Draw a world for each row of `worlds`, tables with the rules of who sees `vector`, whose seat becomes 0.

    `known` and `stream` are arrays of one. Returns how many were found.
    """
    if len(worlds) == 0:
        return 0
    recall(vector, at, worlds[0])
    if not open_worlds(worlds[0], known[0], stream[0]):
        return 0
    for row in range(len(worlds)):
        if row:
            worlds[row] = worlds[row - 1]
        if not draw_world(worlds[row], known[0], stream[0]):
            return row
    return len(worlds)
