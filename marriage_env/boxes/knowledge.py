"""What a player of Boxes knows of the others' hands: who could not follow, whose queen did not come, who declared what.

The play of the deal is gone through once more, as everybody has seen it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marriage_env.boxes.play import QUEEN_OF_HEARTS_ALONE, best_sequence, claims_in, queen_to_answer
from marriage_env.boxes.state import NO_CARD, SEQUENCE
from marriage_env.cards import KING, NONE, QUEEN, holds, of_suit, only, size
from marriage_env.compiled import compiled, inlined
from marriage_env.knowledge import UNDEALT, claims_misfit, common_misfit, demand, learn_common, plays_are_sound
from marriage_env.randomness import below, happens
from marriage_env.table import ANSWER, DECLARE, NOBODY, OVER, player_at


@compiled
def is_sound(table: Any) -> Any:
    """Whether a recalled table can be one at play: a card from each seat to each trick, and hands of the size left."""
    if table.phase == OVER or not plays_are_sound(table):
        return False
    players = table.rules.players
    in_trick = 0
    for play in range(table.plays):
        if play % players == 0:
            in_trick = 0
        if (in_trick >> player_at(table, play)) & 1:
            return False
        in_trick |= 1 << player_at(table, play)
    tricks = table.plays // players
    if table.plays % players == 0:
        in_trick = 0
    taken = 0
    for seat in range(players):
        taken += table.tricks[seat]
    own = table.rules.hand - tricks - (in_trick & 1)
    return (
        taken == tricks
        and size(table.hands[0]) == own
        and table.trick_start == tricks * players
        and table.in_trick == in_trick
        and not (in_trick >> table.actor) & 1
        and trick_is_sound(table)
    )


@compiled
def trick_is_sound(table: Any) -> Any:
    """Whether what is said of the trick under way fits its cards, and the phase."""
    if table.phase == DECLARE and table.plays:
        return False
    if not table.in_trick:
        return table.winning == NOBODY and not table.married and table.phase != ANSWER
    if table.winning == NOBODY or not (table.in_trick >> table.winning) & 1:
        return False
    if table.phase == ANSWER:
        called = queen_to_answer(table)
        return called // 4 == QUEEN and table.played_card[table.plays - 1] // 4 == KING and asked_holds(table, called)
    return True


@inlined
def asked_holds(table: Any, queen: Any) -> Any:
    """Whether a called queen can be with who is to act."""
    return holds(table.hands[0], queen) == (table.actor == 0)


@compiled
def learn(table: Any, known: Any) -> Any:
    """Write down what seat 0 knows at a table that it recalls."""
    learn_common(table, known)
    players = table.rules.players
    later = np.zeros(players, np.uint64)  # what each seat plays after the play looked at
    for play in range(table.plays - 1, -1, -1):
        seat, card = player_at(table, play), table.played_card[play]
        first = play - play % players
        if play > first and not is_answer(table, play):
            learn_of_suit(table, known, seat, card, table.played_card[first] % 4, later[seat])
        if card // 4 == KING:
            learn_of_queen(table, known, play, first)
        later[seat] |= only(card)
    if table.phase == ANSWER:
        known.held[table.actor] |= only(queen_to_answer(table))  # 5.1


@compiled
def is_answer(table: Any, play: Any) -> Any:
    """Whether a play was a queen's to the king before her, out of turn (5.1), or would have been (8.2)."""
    queen, king = table.played_card[play], table.played_card[play - 1]
    called = queen // 4 == QUEEN and king == queen + 4 and player_at(table, play) != player_at(table, play - 1)
    return called and table.lost_by[queen % 4] != player_at(table, play)


@compiled
def learn_of_suit(table: Any, known: Any, seat: Any, card: Any, led: Any, later: Any) -> Any:
    """What a card played tells of the suit led, and of trumps (4.2, 8.2)."""
    if card % 4 == led:
        return
    trumping = of_suit(table.turn_up % 4) | QUEEN_OF_HEARTS_ALONE
    asked = of_suit(led)
    if table.rules.must_trump and not holds(trumping, card):
        asked |= trumping
    if not holds(table.revokes, card):
        known.lacking[seat] |= asked
    elif (later & asked) == NONE:
        demand(known, seat, asked)


@compiled
def learn_of_queen(table: Any, known: Any, play: Any, first: Any) -> Any:
    """What a king tells: who was still to play and was not called does not hold his queen (5.1)."""
    king = table.played_card[play]
    queen = king - 4
    keeper = table.lost_by[king % 4]
    if keeper != NOBODY:
        known.held[keeper] |= only(queen) & ~known.played[keeper]  # 8.2
        return
    if table.phase == ANSWER and play == table.plays - 1:
        return
    played = 0
    for earlier in range(first, play + 1):
        played |= 1 << player_at(table, earlier)
    called = play + 1 < table.plays and play + 1 < first + table.rules.players and is_answer(table, play + 1)
    for seat in range(table.rules.players):
        if not (played >> seat) & 1 and not (called and seat == player_at(table, play + 1)):
            known.lacking[seat] |= only(queen)


@inlined
def misfit(known: Any, seat: Any, hand: Any) -> Any:
    """In how many ways a hand for a seat is at odds with what is known; 0 for one that it may hold."""
    dealt = hand | known.played[seat]
    found = common_misfit(known, seat, hand) + claims_misfit(known, seat, claims_in(dealt))
    if (known.claims[seat] >> SEQUENCE) & 1:
        found += best_sequence(dealt) != best_sequence(known.shown[seat])  # 3.5
    return found


@inlined
def hand_size(table: Any, known: Any, seat: Any) -> Any:
    """How many cards a seat has in hand (2.2)."""
    return table.rules.hand - size(known.played[seat])


@compiled
def out_of_hands(table: Any) -> Any:
    """The cards, beside those played, that all see to be in nobody's hand: the turn-up (2.2)."""
    return only(table.turn_up)


@compiled
def settle_world(table: Any, known: Any, stream: Any) -> Any:
    """Decide what else was left to chance: whether the pack lacks a card unnoticed, and which (2.4)."""
    table.missing = NO_CARD
    rules = table.rules
    faulty, unnoticed = rules.faulty_pack_rate, 1.0 - rules.fault_noticed_rate
    undealt = rules.pack_size - rules.hand * rules.players - 1
    if faulty == 0.0 or unnoticed == 0.0 or table.fault_noticed or undealt == 0:
        return
    # Misdeals are not looked at: the deal that stands had its one chance to be noticed.
    faulty *= unnoticed
    if happens(stream, faulty / (faulty + 1.0 - rules.faulty_pack_rate)):
        lot = below(stream, undealt)
        for index in range(known.hidden):
            if known.place[index] == UNDEALT:
                if lot == 0:
                    table.missing = known.card[index]
                    return
                lot -= 1
