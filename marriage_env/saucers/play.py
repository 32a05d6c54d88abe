"""The rules of play of Saucers, clause by clause, on one record of dtype `TABLE`.

Source: the Russian rules of the second Marriage, by the rulebook whose clause numbers stand in the comments.
Departures: none. An action is taken with `step`, which expects a legal one (`table.legal`); where it leaves the phase
CHANCE, a deal is due: `deal`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marriage_env import cards
from marriage_env.cards import ACE, CLUBS, JACK, KING, NONE, TEN, highest, holds, lowest, of_rank, of_suit, only
from marriage_env.chips import POT, everybody, pay, player, pot
from marriage_env.compiled import compiled
from marriage_env.declaring import begin_declaring, declared, first_open_claim, give_up, next_declarer, show
from marriage_env.saucers.state import (
    CARDS_LEFT,
    CONTRIBUTION,
    FIRST_STAKED_CLAIM,
    HIGHEST_TRYNKA,
    ILLEGAL_ACTION,
    KING_OF_CLUBS,
    LOWEST_STAKED_RANK,
    MARRIAGE,
    MARRIAGE_DECLARED,
    MARRIAGE_SAUCER,
    NO_ROW,
    QUEEN_OF_CLUBS,
    STAKED,
    STAKED_DECLARED,
    STAKED_LAID,
    STAYS_IN_SAUCER,
    TRYNKA,
    TRYNKA_SAUCER,
)
from marriage_env.table import (
    ANSWER,
    CHANCE,
    DECLARE,
    FIRST_CLAIM,
    NOBODY,
    OVER,
    PASS,
    PASS_ALONE,
    PLAY,
    break_off,
    close_deal,
    eldest,
    fill_pack,
    left_of,
    note_opening_pots,
    open_deal,
    open_step,
    player_at,
    record_play,
)

STAKED_CARDS = ((1 << STAKED) - 1) << POT  # as a party set
SAUCERS = (1 << (POT + MARRIAGE_SAUCER)) | (1 << (POT + TRYNKA_SAUCER))
CLUB_MARRIAGE = np.uint64((1 << KING_OF_CLUBS) | (1 << QUEEN_OF_CLUBS))
KING_OF_CLUBS_ALONE = np.uint64(1 << KING_OF_CLUBS)


# 2 The deal


@compiled
def deal(table: Any, packs: Any) -> Any:
    """Open the next deal: contributions, cards, and whose turn it is.

    `packs` are those that were set: see `fill_pack`.
    """
    open_deal(table)
    pay(table, everybody(table), STAKED_CARDS, 1, CONTRIBUTION)  # 2.1
    pay(table, everybody(table), SAUCERS, 2, CONTRIBUTION)
    note_opening_pots(table)
    deal_cards(table, packs)
    table.row = NO_ROW
    table.declined = NOBODY
    for seat in range(table.rules.players):
        table.open_claims[seat] = claims_in(table.hands[seat])
    if not begin_declaring(table):
        begin_laying(table)
    elif table.rules.declare_all:  # 3.1
        while table.phase == DECLARE:
            step_declaring(table, first_open_claim(table))
    table.legal = legal(table)


@compiled
def deal_cards(table: Any, packs: Any) -> Any:
    """All cards one at a time, eldest first (2.2)."""
    pack_size = table.rules.pack_size
    pack = np.empty(pack_size, np.uint8)
    fill_pack(table, packs, pack_size, pack)
    seat = eldest(table)
    for place in range(pack_size):
        table.hands[seat] |= only(pack[place])
        seat = left_of(table, seat)


# 3 Declarations


@compiled
def claims_in(hand: Any) -> Any:
    """The claims open to a hand (3.2), bit c for claim c."""
    claims = 0
    if (hand & CLUB_MARRIAGE) == CLUB_MARRIAGE:
        claims |= 1 << MARRIAGE
    if highest_trynka(hand) != NONE:
        claims |= 1 << TRYNKA
    for stake in range(STAKED):
        if holds(hand, staked_card(stake)):
            claims |= 1 << (FIRST_STAKED_CLAIM + stake)
    return claims


@compiled
def staked_card(stake: Any) -> Any:
    """The club that is staked on pot `stake`."""
    return 4 * (LOWEST_STAKED_RANK + stake) + CLUBS


@compiled
def highest_trynka(hand: Any) -> Any:
    """The highest three clubs in a row of a hand (3.3), or no card; ace is high only."""
    clubs = hand & of_suit(CLUBS)
    starts = clubs & (clubs >> np.uint64(4)) & (clubs >> np.uint64(8))
    if starts == NONE:
        return NONE
    start = only(highest(starts))
    return start | (start << np.uint64(4)) | (start << np.uint64(8))


@compiled
def step_declaring(table: Any, action: Any) -> Any:
    """The actor declares, or passes; who is done makes room for the next (3.1)."""
    if action == PASS:
        give_up(table)
    else:
        declare(table, table.actor, action - FIRST_CLAIM)
    if not table.open_claims[table.actor] and not next_declarer(table):
        award_trynka(table)
        begin_laying(table)


@compiled
def declare(table: Any, seat: Any, claim: Any) -> Any:
    """What a claim shows and brings (3.2); it may bring nothing (3.4)."""
    if claim == MARRIAGE:
        show(table, claim, CLUB_MARRIAGE)
        win_saucer(table, seat, MARRIAGE_SAUCER, MARRIAGE_DECLARED)
    elif claim == TRYNKA:
        show(table, claim, highest_trynka(table.hands[seat]))
    else:
        stake = claim - FIRST_STAKED_CLAIM
        show(table, claim, only(staked_card(stake)))
        pay(table, pot(stake), player(seat), max(0, table.pots[stake] - 1), STAKED_DECLARED)


@compiled
def win_saucer(table: Any, seat: Any, saucer: Any, reason: Any) -> Any:
    """All of a saucer but two chips."""
    pay(table, pot(saucer), player(seat), max(0, table.pots[saucer] - STAYS_IN_SAUCER), reason)


@compiled
def award_trynka(table: Any) -> Any:
    """The declared trynka with the highest top card wins its saucer (3.3)."""
    best, winner = NONE, NOBODY
    for seat in range(table.rules.players):
        if declared(table, seat, TRYNKA):
            trynka = highest_trynka(table.hands[seat])
            if trynka > best:
                best, winner = trynka, seat
    if winner != NOBODY:
        win_saucer(table, winner, TRYNKA_SAUCER, HIGHEST_TRYNKA)


# 4 Laying out


@compiled
def begin_laying(table: Any) -> Any:
    """Eldest starts a row (4.1)."""
    start_row(table, eldest(table))


@compiled
def start_row(table: Any, seat: Any) -> Any:
    """A seat is to start a new row."""
    table.phase = PLAY
    table.row = NO_ROW
    table.actor = seat


@compiled
def next_in_row(table: Any, hand: Any) -> Any:
    """The cards of a hand that carry the row on: one rank higher, whatever the suit (4.2)."""
    return hand & of_rank(table.row + 1)


@compiled
def legal(table: Any) -> Any:
    """The actor's legal actions, bit a for action a; none when no action is due."""
    if table.phase == CHANCE or table.phase == OVER:
        return NONE
    if table.phase == DECLARE:
        return (np.uint64(table.open_claims[table.actor]) << np.uint64(FIRST_CLAIM)) | PASS_ALONE  # 3.1
    if table.phase == ANSWER:
        return KING_OF_CLUBS_ALONE | PASS_ALONE  # 4.5
    hand = table.hands[table.actor]
    if table.row != NO_ROW:
        return next_in_row(table, hand)  # 4.3
    return hand & of_rank(lowest(hand) // 4) if table.rules.start_lowest else hand  # 4.1


@compiled
def step(table: Any, action: Any) -> Any:
    """The actor takes a legal action: the table goes on to the next decision, to a deal that is due, or to the end."""
    open_step(table)
    if table.phase == DECLARE:
        step_declaring(table, action)
    elif table.phase == ANSWER and action == PASS:
        table.declined = table.actor
        seek_next(table, left_of(table, table.actor))  # 4.5
    else:
        lay_card(table, action)
    table.legal = legal(table)


@compiled
def lay_card(table: Any, card: Any) -> Any:
    """The actor lays a card, and what follows from it."""
    seat = table.actor
    rank = card // 4
    record_play(table, seat, card)
    table.row = rank
    staked = card % 4 == CLUBS and rank >= LOWEST_STAKED_RANK
    if staked:
        stake = rank - LOWEST_STAKED_RANK
        pay(table, pot(stake), player(seat), min(1, table.pots[stake]), STAKED_LAID)  # 4.4
    if table.hands[seat] == NONE:
        settle(table, seat)  # 5.1
    elif card == QUEEN_OF_CLUBS and holds(table.hands[seat], KING_OF_CLUBS):
        table.phase = ANSWER  # 4.5
    elif rank == ACE:
        start_row(table, left_of(table, seat) if staked else seat)  # 4.6
    else:
        seek_next(table, left_of(table, seat) if staked else seat)  # 4.4, 4.3


@compiled
def seek_next(table: Any, first: Any) -> Any:
    """The first, from a seat on, who holds a card of the next rank must lay it (4.3); else the row ends (4.7)."""
    seat = first
    for _ in range(table.rules.players):
        if next_in_row(table, table.hands[seat]) != NONE:
            table.phase = PLAY
            table.actor = seat
            return
        seat = left_of(table, seat)
    start_row(table, player_at(table, table.plays - 1))


# 5 Out


@compiled
def settle(table: Any, out: Any) -> Any:
    """A player is out: the others, from his left, pay half in each saucer, an odd chip in the marriage saucer (5.2)."""
    seat = left_of(table, out)
    while seat != out:
        points = points_left(table, table.hands[seat])
        pay(table, player(seat), pot(MARRIAGE_SAUCER), (points + 1) // 2, CARDS_LEFT)
        pay(table, player(seat), pot(TRYNKA_SAUCER), points // 2, CARDS_LEFT)
        seat = left_of(table, seat)
    close_deal(table)


@compiled
def points_left(table: Any, hand: Any) -> Any:
    """The points of a hand when pairs of equal rank are thrown off; three of a rank leave one (5.2)."""
    points = 0
    for rank in range(13):
        if cards.size(hand & of_rank(rank)) % 2:
            points += card_points(table, rank)
    return points


@compiled
def card_points(table: Any, rank: Any) -> Any:
    """A 11; K, Q, J ten each, or 4, 3, 2; others their pips (5.2)."""
    if rank == ACE:
        return 11
    if rank >= JACK and table.rules.low_courts:
        return 4 - (KING - rank)
    return 10 if rank >= TEN else rank + 2


# 6 Chips


@compiled
def forfeit(table: Any) -> Any:
    """The actor has tried what is not legal at all (in `env`): the match is over, and he pays for it."""
    break_off(table, pot(MARRIAGE_SAUCER), ILLEGAL_ACTION)
