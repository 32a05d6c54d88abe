"""The house player of Saucers: rules of thumb with a little arithmetic, compiled, on what his seat has been shown.

He declares all he holds. When he lays, he follows each possible row in thought from the ace downwards: which ranks he
would lay himself, how likely he is to be reached where others can lay too, and whether the next start comes back to
him. A card shed is worth the points it would have cost in the end (5.2): more for a card that a row seldom reaches,
and for an unpaired one; one of a pair costs nothing unless its fellow goes, which is likely while nobody is near to
going out. Every card that others may lay is a danger, the more so the nearer one of them is to going out: then short,
high rows are best. A staked club takes a chip, but ends the turn (4.4).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marriage_env.cards import ACE, CARDS, CLUBS, NONE, highest, lowest, of_rank, only, size, without_lowest
from marriage_env.compiled import compiled
from marriage_env.saucers.play import card_points, points_left
from marriage_env.saucers.state import LOWEST_STAKED_RANK
from marriage_env.table import ANSWER, DECLARE, PASS, left_of, player_at

# Measured in self-play.
GOES = 0.025  # how much likelier a card is to go in time: for each rank above the deuce, times the cards of the nearest
OWN_HAND = 0.01  # the same, for each card in hand
REACH = 0.7  # how much each card of the others that would do stands in the way of one's own turn
RUSH = 0.15  # of the hand's points: what a card laid by another costs, shared by the square of the cards of the nearest
START = 0.5  # chips: to start the next row
STAKE = 0.25  # chips: to take a staked chip now rather than, perhaps, later


@compiled
def choose(table: Any, seat: Any) -> Any:
    """The action of the player at a seat who is to act."""
    if table.phase == DECLARE or without_lowest(table.legal) == NONE:
        return lowest(table.legal)  # the first claim: each brings chips, or nothing (3.4)
    return best_card(table, table.hands[seat], cards_of_others(table, seat), cards_of_nearest(table, seat))


@compiled
def cards_of_others(table: Any, seat: Any) -> Any:
    """All that the others hold together: the whole pack is dealt (2.2)."""
    gone = table.hands[seat]
    for play in range(table.plays):
        gone |= only(table.played_card[play])
    return ~gone & table.rules.pack


@compiled
def cards_of_nearest(table: Any, seat: Any) -> Any:
    """How many cards the player has who, but for this one, is nearest to going out."""
    players = table.rules.players
    laid: Any = 0  # a byte for each seat
    for play in range(table.plays):
        laid += 1 << (8 * np.int64(player_at(table, play)))
    fewest = CARDS
    number = table.dealer
    for place in range(players):
        number = left_of(table, number)
        if number != seat:
            held = (table.rules.pack_size - place + players - 1) // players - ((laid >> (8 * number)) & 255)  # 2.2
            fewest = min(fewest, held)
    return fewest


@compiled
def best_card(table: Any, hand: Any, unseen: Any, nearest: Any) -> Any:
    """The legal card whose row promises most (or, in 4.5, to pass).

    From the ace down, for each rank: what is to come when that rank has just been laid by the player himself, who goes
    on (`on`); by himself, his turn ended (`ended`); by another (`theirs`).
    """
    danger = RUSH * points_left(table, hand) / (nearest * nearest)
    on, ended, theirs = START, 0.0, 0.0
    best, action = -1e9, np.int64(PASS)
    rank = ACE
    while rank >= lowest(table.legal) // 4:
        own = hand & of_rank(rank)
        others = size(unseen & of_rank(rank))
        if own != NONE:
            allowed = own & table.legal
            card, to_come = card_of_rank(own if allowed == NONE else allowed, on, ended)
            to_come += worth_of_shedding(table, own, rank, nearest)
            if allowed != NONE and to_come > best:
                best, action = to_come, card
            reached = 1.0 / (1.0 + REACH * others)
            on = to_come
            ended = theirs - danger if others else on
            theirs = reached * on + (1.0 - reached) * (theirs - danger)
        elif others:
            on = ended = theirs = theirs - danger
        else:
            on, ended, theirs = START, START, 0.0  # nobody has a card for the row (4.7)
        rank -= 1
    if table.phase == ANSWER and ended > best:
        return np.int64(PASS)
    return action


@compiled
def card_of_rank(cards: Any, on: Any, ended: Any) -> Any:
    """Which of the cards of a rank to lay, and what is to come then: the staked club ends the turn (4.4)."""
    club = lowest(cards)
    staked = club % 4 == CLUBS and club // 4 >= LOWEST_STAKED_RANK
    if staked and (size(cards) == 1 or ended + STAKE > on):
        return club, ended + STAKE
    return highest(cards), on


@compiled
def worth_of_shedding(table: Any, own: Any, rank: Any, nearest: Any) -> Any:
    """What it is worth to be rid of a card, `own` being those of its rank in hand.

    If each card stays in hand to the end with a chance of s, an odd number of c is left with (1 - (1 - 2s)^c) / 2; a
    card less changes that by s (1 - 2s)^(c - 1).
    """
    stays = 1.0 / (1.0 + GOES * rank * nearest + OWN_HAND * size(table.hands[table.actor]))
    worth = card_points(table, rank) * stays
    for _ in range(size(own) - 1):
        worth *= 1.0 - 2.0 * stays
    return worth
