"""The rules of play of Boxes, clause by clause, on one record of dtype `TABLE`.

Source: the Russian rules of the first Marriage, by the rulebook whose clause numbers stand in the comments.
Departures: none. An action is taken with `step`, which expects a legal one (`table.legal`); where it leaves the phase
CHANCE, a deal is due: `deal`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marriage_env import cards
from marriage_env.boxes.state import (
    BEST_SEQUENCE,
    BOX_WON,
    BOXES,
    CONTRIBUTION,
    FAULT_NOTICED,
    FAULT_PLAYED,
    ILLEGAL_ACTION,
    JACK_OF_DIAMONDS,
    JESTER,
    JESTER_BOX,
    JESTER_COVERED,
    JESTER_PAID,
    KING_BOX,
    KING_CLAIM,
    KING_OF_HEARTS,
    MARRIAGE,
    MARRIAGE_BOX,
    MARRIAGE_IN_HAND,
    MARRIAGE_LOST,
    MARRIAGE_ON_TABLE,
    MISDEAL,
    NO_CARD,
    PENALTY,
    PLAIN_MARRIAGES,
    PUT_BACK,
    QUEEN_BOX,
    QUEEN_CLAIM,
    QUEEN_OF_HEARTS,
    REVOKE,
    SEQUENCE,
    SEQUENCE_BOX,
    TRICK_PAY,
)
from marriage_env.cards import ACE, HEARTS, KING, NONE, QUEEN, TEN, highest, holds, of_suit, only, size
from marriage_env.chips import POT, everybody, others, pay, player, pot
from marriage_env.compiled import compiled, inlined
from marriage_env.declaring import begin_declaring, declared, first_open_claim, give_up, next_declarer, show
from marriage_env.randomness import below, happens
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

ALL_BOXES = (1 << (POT + len(BOXES))) - (1 << POT)  # as a party set
QUEEN_OF_HEARTS_ALONE = np.uint64(1 << QUEEN_OF_HEARTS)
JACK_OF_DIAMONDS_ALONE = np.uint64(1 << JACK_OF_DIAMONDS)
KING_OF_HEARTS_ALONE = np.uint64(1 << KING_OF_HEARTS)
TRUMP_STRENGTH = 100  # the least of a trump


# 2 The deal


@compiled
def deal(table: Any, packs: Any) -> Any:
    """Open the next deal: contributions, cards, and whose turn it is.

    `packs` are those that were set: see `fill_pack`.
    """
    open_deal(table)
    pay(table, everybody(table), ALL_BOXES, 1, CONTRIBUTION)  # 2.1
    note_opening_pots(table)
    deal_cards(table, packs, stand_for_pack(table))
    open_trick(table)
    table.revokes = 0
    for suit in range(4):
        table.lost_by[suit] = NOBODY
    for seat in range(table.rules.players):
        table.tricks[seat] = 0
        table.open_claims[seat] = claims_in(table.hands[seat])
    if not begin_declaring(table):
        begin_play(table)
    elif table.rules.declare_all:  # 3.1
        while table.phase == DECLARE:
            step_declaring(table, first_open_claim(table))
    table.legal = legal(table)


@compiled
def stand_for_pack(table: Any) -> Any:
    """Misdeals (2.3) and faulty packs (2.4), paid for, until a deal stands; whether its pack is faulty, unnoticed."""
    table.misdeals[0] = 0
    table.misdeals[1] = 0
    table.fault_noticed = False
    short = table.rules.pack_size - 1 < table.rules.hand * table.rules.players + 1
    faulty = happens(table, table.rules.faulty_pack_rate)
    while True:
        if happens(table, table.rules.misdeal_rate):
            pay(table, player(table.dealer), others(table, table.dealer), 1, MISDEAL)
            table.misdeals[np.int64(table.fault_noticed)] += 1
        elif faulty and (short or happens(table, table.rules.fault_noticed_rate)):
            pay(table, player(table.dealer), others(table, table.dealer), 1, FAULT_NOTICED)
            table.fault_noticed = True
            faulty = False
        else:
            return faulty


@compiled
def deal_cards(table: Any, packs: Any, faulty: Any) -> Any:
    """Three cards to each, then two to each, then the turn-up (2.2); a faulty pack lacks a random card (2.4)."""
    players, hand_size = table.rules.players, table.rules.hand
    pack_size = table.rules.pack_size
    pack = np.empty(pack_size, np.uint8)
    fill_pack(table, packs, hand_size * players + 2, pack)  # the turn-up, and one that moves up if the pack is faulty
    table.missing = NO_CARD
    if faulty:
        gap = below(table, pack_size)
        table.missing = pack[gap]
        for place in range(gap, pack_size - 1):
            pack[place] = pack[place + 1]
    first = min(3, hand_size)
    second = hand_size - first
    seat = eldest(table)
    for order in range(players):
        hand = NONE
        for place in range(first):
            hand |= only(pack[first * order + place])
        for place in range(second):
            hand |= only(pack[first * players + second * order + place])
        table.hands[seat] = hand
        seat = left_of(table, seat)
    table.turn_up = pack[hand_size * players]


# 3 Declarations


@compiled
def claims_in(hand: Any) -> Any:
    """The claims open to a hand (3.2), bit c for claim c."""
    claims = 0
    if best_sequence(hand) != NONE:
        claims |= 1 << SEQUENCE
    if holds(hand, JACK_OF_DIAMONDS):
        claims |= 1 << JESTER
    if holds(hand, KING_OF_HEARTS):
        claims |= 1 << KING_CLAIM
    if holds(hand, QUEEN_OF_HEARTS):
        claims |= 1 << QUEEN_CLAIM
    if (hand & pair(HEARTS)) == pair(HEARTS):
        claims |= 1 << MARRIAGE
    for claim, suit in PLAIN_MARRIAGES:
        if (hand & pair(suit)) == pair(suit):
            claims |= 1 << claim
    return claims


@compiled
def pair(suit: Any) -> Any:
    """The king and queen of a suit."""
    return only(4 * KING + suit) | only(4 * QUEEN + suit)


@compiled
def best_sequence(hand: Any) -> Any:
    """The three or more hearts in unbroken rank order in a hand of five (it can hold but one such), or no card."""
    hearts = hand & of_suit(HEARTS)
    rest = hearts & (hearts >> np.uint64(4)) & (hearts >> np.uint64(8))  # the lowest cards of threes in a row
    return rest | (rest << np.uint64(4)) | (rest << np.uint64(8))


@compiled
def sequence_value(sequence: Any) -> Any:
    """A number that is larger for the better sequence (3.4): by points, then length, then top card."""
    points = 0
    rest = sequence
    while rest != NONE:
        points += card_points(cards.lowest(rest) // 4)
        rest = cards.without_lowest(rest)
    return (points * 16 + size(sequence)) * 64 + highest(sequence)


@compiled
def card_points(rank: Any) -> Any:
    """A 11; K, Q, J, 10 ten each; others their pips."""
    if rank == ACE:
        return 11
    return 10 if rank >= TEN else rank + 2


@compiled
def step_declaring(table: Any, action: Any) -> Any:
    """The actor declares, or passes; who is done makes room for the next (3.1)."""
    if action == PASS:
        give_up(table)
    else:
        declare(table, table.actor, action - FIRST_CLAIM)
    if not table.open_claims[table.actor] and not next_declarer(table):
        award_sequence(table)
        begin_play(table)


@compiled
def declare(table: Any, seat: Any, claim: Any) -> Any:
    """What a claim shows and brings (3.2)."""
    if claim == SEQUENCE:
        show(table, claim, best_sequence(table.hands[seat]))
    elif claim == MARRIAGE:
        show(table, claim, pair(HEARTS))
        win_box(table, seat, MARRIAGE_BOX)
        pay(table, others(table, seat), player(seat), 2, MARRIAGE_IN_HAND)
    elif claim == JESTER:
        show(table, claim, JACK_OF_DIAMONDS_ALONE)
        win_box(table, seat, JESTER_BOX)
    elif claim == KING_CLAIM:
        show(table, claim, KING_OF_HEARTS_ALONE)
        win_box(table, seat, KING_BOX)
    elif claim == QUEEN_CLAIM:
        show(table, claim, QUEEN_OF_HEARTS_ALONE)
        win_box(table, seat, QUEEN_BOX)
    else:
        for plain, suit in PLAIN_MARRIAGES:
            if plain == claim:
                show(table, claim, pair(suit))
        pay(table, others(table, seat), player(seat), 1, MARRIAGE_IN_HAND)


@compiled
def win_box(table: Any, seat: Any, box: Any) -> Any:
    """All of a box, one chip put back."""
    pay(table, pot(box), player(seat), table.pots[box], BOX_WON)
    pay(table, player(seat), pot(box), 1, PUT_BACK)


@compiled
def award_sequence(table: Any) -> Any:
    """The best declared sequence takes all of box 0 (3.4). Two cannot be equal: no card is in both."""
    best, winner = 0, NOBODY
    for seat in range(table.rules.players):
        if declared(table, seat, SEQUENCE):
            value = sequence_value(best_sequence(table.hands[seat]))
            if value > best:
                best, winner = value, seat
    if winner != NOBODY:
        pay(table, pot(SEQUENCE_BOX), player(winner), table.pots[SEQUENCE_BOX], BEST_SEQUENCE)


# 4 The play


@compiled
def begin_play(table: Any) -> Any:
    """Eldest leads to the first trick (4.1)."""
    table.phase = PLAY
    table.actor = eldest(table)


@compiled
def open_trick(table: Any) -> Any:
    """Nobody has played to the trick yet."""
    table.trick_start = table.plays
    table.in_trick = 0
    table.winning = NOBODY
    table.winning_card = NO_CARD
    table.married = False


@inlined
def led_suit(table: Any) -> Any:
    """The suit that the trick's first card asks for."""
    return table.played_card[table.trick_start] % 4


@compiled
def allowed_by_suit(table: Any, hand: Any) -> Any:
    """The cards of a hand that 4.2 allows."""
    if table.in_trick == 0:
        return hand
    suited = hand & of_suit(led_suit(table))
    if suited != NONE:
        return suited
    if table.rules.must_trump:
        trumping = hand & (of_suit(table.turn_up % 4) | QUEEN_OF_HEARTS_ALONE)
        if trumping != NONE:
            return trumping
    return hand


@inlined
def strength_if_led(table: Any, card: Any, led: Any) -> Any:
    """Strength in a trick to which the suit `led` was led (4.3); 0 for a card that has none."""
    if card == QUEEN_OF_HEARTS:
        return 200
    if card % 4 == table.turn_up % 4:
        return TRUMP_STRENGTH + card // 4
    return 1 + card // 4 if card % 4 == led else 0


@compiled
def strength(table: Any, card: Any) -> Any:
    """Strength in the trick under way (4.3)."""
    return strength_if_led(table, card, led_suit(table))


@inlined
def player_of(table: Any, card: Any) -> Any:
    """The seat that has played `card` to this trick, or NOBODY."""
    return table.played_by[card] if table.play_order[card] > table.trick_start else NOBODY


@compiled
def legal(table: Any) -> Any:
    """The actor's legal actions, bit a for action a; none when no action is due."""
    if table.phase == CHANCE or table.phase == OVER:
        return NONE
    if table.phase == DECLARE:
        return (np.uint64(table.open_claims[table.actor]) << np.uint64(FIRST_CLAIM)) | PASS_ALONE  # 3.1
    if table.phase == ANSWER:
        queen = only(queen_to_answer(table))  # 5.1
        return queen | PASS_ALONE if table.rules.fined else queen  # 8.2
    hand = table.hands[table.actor]
    return hand if table.rules.fined else allowed_by_suit(table, hand)  # 8.2, 8.1


@compiled
def step(table: Any, action: Any) -> Any:
    """The actor takes a legal action: the table goes on to the next decision, to a deal that is due, or to the end."""
    open_step(table)
    if table.phase == DECLARE:
        step_declaring(table, action)
    elif table.phase == ANSWER and action == PASS:
        lose_marriage(table)
    else:
        play_card(table, action)
    table.legal = legal(table)


@compiled
def play_card(table: Any, card: Any) -> Any:
    """The actor plays a card: in his turn, or the queen to a king out of turn."""
    seat = table.actor
    answering = table.phase == ANSWER
    if not answering and not holds(allowed_by_suit(table, table.hands[seat]), card):
        table.revokes |= only(card)
        pay(table, player(seat), others(table, seat), 1, REVOKE)  # 8.2
    record_play(table, seat, card)
    table.in_trick |= player(seat)
    if not table.married and (table.winning == NOBODY or strength(table, card) > strength(table, table.winning_card)):
        table.winning = seat
        table.winning_card = card
    if answering:
        king_player = player_at(table, table.plays - 2)
        marry(table, card % 4, king_player, seat)
        go_on(table, king_player)
    else:
        if card // 4 == KING and call_queen(table, seat, card % 4):
            return
        go_on(table, seat)


@compiled
def go_on(table: Any, seat: Any) -> Any:
    """The next to the left of a seat who has not yet played to the trick is to play; the trick ends if all have."""
    table.phase = PLAY
    for _ in range(table.rules.players - 1):
        seat = left_of(table, seat)
        if not table.in_trick & player(seat):
            table.actor = seat
            return
    end_trick(table)


@compiled
def end_trick(table: Any) -> Any:
    """The trick goes to the seat that holds it (4.4), which leads to the next one (4.1)."""
    pay_jester(table)
    table.tricks[table.winning] += 1
    table.actor = table.winning
    open_trick(table)
    if table.plays == table.rules.hand * table.rules.players:
        settle(table)


# 5 Marriage on the table


@compiled
def call_queen(table: Any, seat: Any, suit: Any) -> Any:
    """After a king: whether another who has not yet played holds the queen, and so acts next (5.1)."""
    queen = 4 * QUEEN + suit
    for other in range(table.rules.players):
        if not table.in_trick & player(other) and holds(table.hands[other], queen):
            table.phase = ANSWER
            table.actor = other
            return True
    queen_player = player_of(table, queen)
    if table.rules.either_order and queen_player != NOBODY:  # 5.5
        marry(table, suit, seat, queen_player)
    return False


@compiled
def queen_to_answer(table: Any) -> Any:
    """The queen of the king just played."""
    return 4 * QUEEN + table.played_card[table.plays - 1] % 4


@compiled
def marry(table: Any, suit: Any, king_player: Any, queen_player: Any) -> Any:
    """King and queen lie together: all others pay at once (5.3), and no card beats the first marriage (5.4)."""
    paid = queen_player if suit == HEARTS else king_player
    pay(table, others(table, king_player) & ~player(queen_player), player(paid), 1, MARRIAGE_ON_TABLE)
    if not table.married:
        table.married = True
        table.winning = paid
        table.winning_card = 4 * (QUEEN if suit == HEARTS else KING) + suit


@compiled
def lose_marriage(table: Any) -> Any:
    """The holder of the queen passes, and pays for it; play goes on after the king (8.2)."""
    seat = table.actor
    table.lost_by[queen_to_answer(table) % 4] = seat
    pay(table, player(seat), others(table, seat), 1, MARRIAGE_LOST)
    go_on(table, player_at(table, table.plays - 1))


# 6 The jester


@compiled
def pay_jester(table: Any) -> Any:
    """A trick that holds J♦: his player pays who covers him (6.1), or is paid by all (6.2)."""
    jester = player_of(table, JACK_OF_DIAMONDS)
    if jester == NOBODY:
        return
    for cover in (QUEEN_OF_HEARTS, KING_OF_HEARTS):
        coverer = player_of(table, cover)
        if coverer != NOBODY and strength(table, cover) > strength(table, JACK_OF_DIAMONDS):
            pay(table, player(jester), player(coverer), 1, JESTER_COVERED)
            return
    pay(table, others(table, jester), player(jester), 1, JESTER_PAID)


# 7 Settlement


@compiled
def settle(table: Any) -> Any:
    """After the fifth trick: the winners' pay, the penalties (7.2), the fine for a pack played faulty (2.4)."""
    winners = 0
    for seat in range(table.rules.players):
        if table.tricks[seat] >= 2:
            winners |= player(seat)
    if winners:  # 7.1
        pay_tricks(table, winners)
        pay(table, everybody(table) & ~winners, pot(SEQUENCE_BOX), 1, PENALTY)
    if table.missing != NO_CARD:
        pay(table, player(table.dealer), others(table, table.dealer), table.rules.faulty_pack_fine, FAULT_PLAYED)
    close_deal(table)


@compiled
def pay_tricks(table: Any, winners: Any) -> Any:
    """A chip at a time from box 0, going round the winners from eldest, until all is paid or the box is empty (7.2)."""
    for paid_before in range(table.rules.trick_pay * table.rules.hand):
        seat = table.dealer
        for _ in range(table.rules.players):
            seat = left_of(table, seat)
            if winners & player(seat) and paid_before < table.rules.trick_pay * table.tricks[seat]:
                pay(table, pot(SEQUENCE_BOX), player(seat), min(1, table.pots[SEQUENCE_BOX]), TRICK_PAY)


# 8 Conduct


@compiled
def forfeit(table: Any) -> Any:
    """The actor has tried what is not legal at all (in `env`): the match is over, and he pays for it."""
    break_off(table, pot(SEQUENCE_BOX), ILLEGAL_ACTION)
