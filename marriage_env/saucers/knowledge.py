"""What a player of Saucers knows of the others' hands: who was passed over, who had no K♣ after Q♣, who declared what.

The play of the deal is gone through once more, as everybody has seen it.
"""

from __future__ import annotations

from typing import Any

from marriage_env.cards import ACE, CLUBS, NONE, holds, of_rank, only, size
from marriage_env.compiled import compiled, inlined
from marriage_env.knowledge import claims_misfit, common_misfit, demand, learn_common, plays_are_sound
from marriage_env.saucers.play import claims_in, highest_trynka
from marriage_env.saucers.state import KING_OF_CLUBS, LOWEST_STAKED_RANK, NO_ROW, QUEEN_OF_CLUBS, TRYNKA
from marriage_env.table import ANSWER, DECLARE, OVER, PLAY, left_of, player_at


@compiled
def is_sound(table: Any) -> Any:
    """Whether a recalled table can be one at play: cards in every hand, seat 0's of its size, and a row that fits."""
    if table.phase == OVER or not plays_are_sound(table):
        return False
    own: Any = 0
    for seat in range(table.rules.players):
        laid: Any = 0
        for play in range(table.plays):
            laid += player_at(table, play) == seat
        left = dealt_to(table, seat) - laid
        if left < 1:
            return False
        if seat == 0:
            own = left
    return size(table.hands[0]) == own and row_is_sound(table)


@compiled
def row_is_sound(table: Any) -> Any:
    """Whether what is said of the row fits the last card, the phase, and what seat 0 may do."""
    if table.plays == 0:
        return table.row == NO_ROW and table.phase != ANSWER
    last = table.played_card[table.plays - 1]
    if table.phase == DECLARE or (table.row != NO_ROW and (table.row != last // 4 or table.row == ACE)):
        return False
    if table.phase == ANSWER:
        return last == QUEEN_OF_CLUBS and holds(table.hands[0], KING_OF_CLUBS) == (table.actor == 0)
    return table.actor != 0 or table.legal != NONE


@compiled
def learn(table: Any, known: Any) -> Any:
    """Write down what seat 0 knows at a table that it recalls."""
    learn_common(table, known)
    row = NO_ROW
    for play in range(table.plays):
        seat, card = player_at(table, play), table.played_card[play]
        rank = card // 4
        if row != NO_ROW and rank == row + 1:
            learn_who_was_passed_over(table, known, play, seat)
        elif table.rules.start_lowest:
            known.lacking[seat] |= only(4 * rank) - only(0)  # all lower ranks (4.1)
        row = NO_ROW if rank == ACE else rank
        if card == QUEEN_OF_CLUBS:
            learn_of_king(table, known, play, seat)
    if table.phase == PLAY and table.row != NO_ROW:
        learn_who_was_passed_over(table, known, table.plays, table.actor)
        if table.actor != 0:
            demand(known, table.actor, of_rank(table.row + 1))  # 4.3


@compiled
def learn_who_was_passed_over(table: Any, known: Any, play: Any, finder: Any) -> Any:
    """Who was looked at between a play's predecessor and `finder` holds no card of the next rank (4.3, 4.4)."""
    before = table.played_card[play - 1]
    rank = before // 4
    seat = player_at(table, play - 1)
    ends_turn = before % 4 == CLUBS and rank >= LOWEST_STAKED_RANK
    if before == QUEEN_OF_CLUBS and finder == seat and is_answer(table, play) and table.declined != seat:
        return  # K♣ followed at once: nobody was looked at (4.5)
    if ends_turn:
        seat = left_of(table, seat)
    while seat != finder:
        known.lacking[seat] |= of_rank(rank + 1)
        seat = left_of(table, seat)


@inlined
def is_answer(table: Any, play: Any) -> Any:
    """Whether a play after Q♣ was K♣ (4.5)."""
    return play < table.plays and table.played_card[play] == KING_OF_CLUBS


@compiled
def learn_of_king(table: Any, known: Any, play: Any, seat: Any) -> Any:
    """What is known of K♣ after Q♣: her player was asked if he holds him, and all see it (4.5)."""
    if table.declined == seat or (table.phase == ANSWER and play == table.plays - 1):
        known.held[seat] |= only(KING_OF_CLUBS) & ~known.played[seat]
    else:
        known.lacking[seat] |= only(KING_OF_CLUBS)


@inlined
def misfit(known: Any, seat: Any, hand: Any) -> Any:
    """In how many ways a hand for a seat is at odds with what is known; 0 for one that it may hold."""
    dealt = hand | known.played[seat]
    found = common_misfit(known, seat, hand) + claims_misfit(known, seat, claims_in(dealt))
    if (known.claims[seat] >> TRYNKA) & 1:
        found += highest_trynka(dealt) != highest_trynka(known.shown[seat])  # 3.3, 3.4
    return found


@inlined
def hand_size(table: Any, known: Any, seat: Any) -> Any:
    """How many cards a seat has in hand."""
    return dealt_to(table, seat) - size(known.played[seat])


@inlined
def dealt_to(table: Any, seat: Any) -> Any:
    """How many cards a seat was dealt: one at a time, eldest first (2.2)."""
    players = table.rules.players
    place = (seat - table.dealer - 1 + players) % players
    return (table.rules.pack_size - place + players - 1) // players


@inlined
def out_of_hands(table: Any) -> Any:
    """The cards, beside those played, that all see to be in nobody's hand: none."""
    return NONE


@inlined
def settle_world(table: Any, known: Any, stream: Any) -> Any:
    """Nothing else is left to chance."""
