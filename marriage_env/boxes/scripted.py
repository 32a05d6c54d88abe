"""The house player of Boxes: rules of thumb with a little arithmetic, compiled, on what his seat has been shown.

He declares whatever brings chips. In the play he weighs each card by the chips it may bring now - a marriage on the
table (5.3), the jester paid or covered (6), the trick and the lead (7.2), less a fine (8.2) - against what it may
bring later if kept: a king waits for the lead while his queen is out, the jester for the queen of hearts to be gone,
the queen of hearts for her king or for the trick that makes a winner, a trump for a trick that nobody contests. Who
holds the queen and king of hearts is known, since they are declared: only one who gave up a claim can hide them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marriage_env.boxes.play import (
    TRUMP_STRENGTH,
    allowed_by_suit,
    best_sequence,
    led_suit,
    player_of,
    queen_to_answer,
    sequence_value,
    strength_if_led,
)
from marriage_env.boxes.state import (
    JACK_OF_DIAMONDS,
    KING_OF_HEARTS,
    QUEEN_OF_HEARTS,
    SEQUENCE,
    SEQUENCE_BOX,
)
from marriage_env.cards import (
    ACE,
    CARDS,
    HEARTS,
    KING,
    NONE,
    QUEEN,
    holds,
    lowest,
    of_suit,
    only,
    size,
    without_lowest,
)
from marriage_env.chips import everybody
from marriage_env.compiled import compiled, inlined
from marriage_env.declaring import declared, shown_by
from marriage_env.table import ANSWER, DECLARE, FIRST_CLAIM, NOBODY

HEART_PAIR = np.uint64((1 << QUEEN_OF_HEARTS) | (1 << KING_OF_HEARTS))
SEQUENCE_ACTION = FIRST_CLAIM + SEQUENCE

# How likely things are; measured, like all that follows, in self-play.
TRUMPS_IN = 0.17  # one who holds a certain trump, and is still to play, takes the trick with it
COVERS = 0.4  # the queen of hearts falls on the jester, if hearts were not led
HIDDEN = 0.5  # one who gave up a claim holds the card in question

# What things are worth: shares of what they may lead to, or chips.
FIRST_TRICK = 0.29  # a first trick, of the second's worth
LEAD = 0.22  # the lead, of the marriages that his kings may make
LED_RANK = 0.05  # chips, for each rank of a card led: who leads low lets others choose
SINGLE = 0.13  # chips, to have no more of a suit
KEPT_KING = 0.4  # a king in hand, of his marriage
KEPT_KING_LONG = 0.05  # the same, more for each trick to come
KEPT_JESTER = 0.2  # the jester in hand while he may be covered, of his pay, for each trick to come
KEPT_QUEEN = 1.3  # the queen of hearts in hand, of a trick
KEPT_QUEEN_MARRIAGE = 0.4  # the same, of her marriage
KEPT_RANK = 0.18  # an ace in hand, of a trick; less for less
KEPT_TRUMP = 0.54  # a trump in hand, of a trick, beside his rank
KEPT_LONG = 0.1  # more of both for each trick to come


@compiled
def choose(table: Any, seat: Any) -> Any:
    """The action of the player at a seat who is to act."""
    if without_lowest(table.legal) == NONE:
        return lowest(table.legal)
    if table.phase == DECLARE:
        return declaration(table, seat)
    if table.phase == ANSWER:
        return np.int64(queen_to_answer(table))  # to pass costs n - 1 chips, and saves nothing like it (8.2)
    return best_card(table, seat)


# Declarations


@compiled
def declaration(table: Any, seat: Any) -> Any:
    """The first open claim, but not a sequence that is beaten already: it would show cards for nothing (3.4, 3.5)."""
    claims = table.legal
    if holds(claims, SEQUENCE_ACTION) and is_beaten(table, best_sequence(table.hands[seat])):
        claims &= ~only(SEQUENCE_ACTION)
    return lowest(claims)


@compiled
def is_beaten(table: Any, sequence: Any) -> Any:
    """Whether a better sequence has been declared."""
    value = sequence_value(sequence)
    for other in range(table.rules.players):
        if declared(table, other, SEQUENCE) and sequence_value(best_sequence(shown_by(table, other))) > value:
            return True
    return False


# What is known of the cards


@inlined
def out_of_play(table: Any) -> Any:
    """The cards that all have seen to be in nobody's hand: those played, and the turn-up."""
    cards = only(table.turn_up)
    for play in range(table.plays):
        cards |= only(table.played_card[play])
    return cards


@inlined
def shown_in_hands(table: Any, placed: Any) -> Any:
    """The cards that have been shown and are not `placed`: it is known who holds them."""
    cards = NONE
    for card in range(CARDS):
        cards |= np.uint64(table.shown_by[card] != NOBODY) << np.uint64(card)
    return cards & ~placed


@inlined
def chance_of_unseen(table: Any, seats: Any, shown: Any, unseen: Any) -> Any:
    """How likely it is that one of `seats` holds a certain one of the `unseen` cards."""
    if unseen == NONE or seats == 0:
        return 0.0
    places = 0
    for other in range(table.rules.players):
        if (seats >> other) & 1:
            has_played = (table.in_trick >> other) & 1
            places += 1 + tricks_to_come(table) - has_played
    while shown != NONE:
        places -= (seats >> table.shown_by[lowest(shown)]) & 1
        shown = without_lowest(shown)
    return places / size(unseen)


@compiled
def chance_held(table: Any, card: Any, seats: Any, placed: Any, share: Any) -> Any:
    """How likely it is that one of `seats` holds a card; `share` is `chance_of_unseen` for them."""
    if holds(placed, card):
        return 0.0
    by = table.shown_by[card]
    if by != NOBODY:
        return 1.0 if (seats >> by) & 1 else 0.0
    if not holds(HEART_PAIR, card):
        return share
    hiding = 0  # a heart is declared by whoever holds it, but for one who gave up a claim (3.1)
    for other in range(table.rules.players):
        hiding |= table.gave_up[other] << other
    return HIDDEN if hiding & seats else 0.0


# The play


@compiled
def best_card(table: Any, seat: Any) -> Any:
    """The card that brings most, weighed against what it may bring if kept."""
    hand = table.hands[seat]
    placed = hand | out_of_play(table)  # in no other hand
    shown = shown_in_hands(table, placed)
    unseen = ~(placed | shown) & table.rules.pack
    others = everybody(table) & ~(1 << seat)
    waiting = others & ~table.in_trick
    near = chance_of_unseen(table, waiting, shown, unseen)
    anywhere = chance_of_unseen(table, others, shown, unseen)
    trick = worth_of_trick(table, seat)
    kings = worth_of_kings(table, hand, others, placed, anywhere)
    allowed = allowed_by_suit(table, hand)
    best, choice = -1e9, np.int64(0)
    rest = table.legal
    while rest != NONE:
        card = lowest(rest)
        rest = without_lowest(rest)
        value = worth_now(table, card, placed, unseen, waiting, near, trick, kings) + worth_of_shape(table, card, hand)
        value -= worth_kept(table, card, others, placed, anywhere, trick)
        if not holds(allowed, card):
            value -= table.rules.players - 1  # a revoke (8.2)
        if value > best:
            best, choice = value, card
    return choice


@inlined
def tricks_to_come(table: Any) -> Any:
    """How many tricks follow the one under way."""
    return table.rules.hand - 1 - table.trick_start // table.rules.players


@compiled
def worth_of_trick(table: Any, seat: Any) -> Any:
    """What taking this trick is worth: the second makes a winner, who is paid for both and saves the penalty (7.2)."""
    pay = min(1.0 * table.rules.trick_pay, table.pots[SEQUENCE_BOX] / table.rules.hand)
    if table.tricks[seat] >= 2:
        return pay
    second = 1.0 + 2.0 * pay
    if table.tricks[seat] == 1:
        return second
    return FIRST_TRICK * second if tricks_to_come(table) else 0.0


@compiled
def worth_of_king(table: Any, suit: Any, seats: Any, placed: Any, share: Any) -> Any:
    """What a king may bring, his queen being with one of `seats`: all but the two pay him, or her if hearts (5.3)."""
    if suit == HEARTS:
        return 0.0
    return (table.rules.players - 2) * chance_held(table, 4 * QUEEN + suit, seats, placed, share)


@inlined
def worth_of_kings(table: Any, hand: Any, others: Any, placed: Any, anywhere: Any) -> Any:
    """What the kings of a hand may bring in the tricks to come."""
    worth = 0.0
    if tricks_to_come(table):
        for suit in range(4):
            if holds(hand, 4 * KING + suit):
                worth += worth_of_king(table, suit, others, placed, anywhere)
    return worth


@inlined
def worth_of_shape(table: Any, card: Any, hand: Any) -> Any:
    """What it is worth to lead high, and to be rid of a suit."""
    led = 0.0 if table.in_trick else LED_RANK * (card // 4)
    return led + SINGLE if (hand & of_suit(card % 4)) == only(card) else led


@inlined
def worth_now(table: Any, card: Any, placed: Any, unseen: Any, waiting: Any, near: Any, trick: Any, kings: Any) -> Any:
    """The chips a card may bring in this trick, and by the lead to the next."""
    value = 0.0
    wins = chance_to_win(table, card, unseen, waiting, near)
    if card // 4 == KING:
        married = chance_to_marry(table, card % 4, waiting, placed, near)
        kings = max(0.0, kings - worth_of_king(table, card % 4, waiting, placed, near))
        if card == KING_OF_HEARTS:
            wins *= 1.0 - married  # the queen's player is paid, and has the trick (5.4)
        else:
            value = married * (table.rules.players - 2)
            wins = wins if table.married else married + (1.0 - married) * wins
    if card == JACK_OF_DIAMONDS:
        covered = chance_of_cover(table, placed, waiting, near)
        value = (1.0 - covered) * (table.rules.players - 1) - covered
    elif covers_jester(table, card):
        value += 2.0  # one is received, and one saved (6)
    return value + wins * (trick + LEAD * kings)


@compiled
def chance_to_marry(table: Any, suit: Any, waiting: Any, placed: Any, near: Any) -> Any:
    """How likely a king played now is to make a marriage (5.1, 5.5)."""
    queen = 4 * QUEEN + suit
    if table.rules.either_order and table.in_trick and player_of(table, queen) != NOBODY:
        return 1.0
    return chance_held(table, queen, waiting, placed, near)


@inlined
def suit_asked(table: Any, card: Any) -> Any:
    """The suit that was led, or that `card` would lead."""
    return led_suit(table) if table.in_trick else card % 4


@inlined
def chance_to_win(table: Any, card: Any, unseen: Any, waiting: Any, near: Any) -> Any:
    """How likely a card is to take the trick, the player's own marriage apart.

    Only trumps on a plain card count: a trick is mostly left to whoever holds it, since strong cards are kept.
    """
    led = suit_asked(table, card)
    own = strength_if_led(table, card, led)
    if table.married or own == 0:
        return 0.0
    if table.in_trick and own < strength_if_led(table, table.winning_card, led):
        return 0.0
    chance = 1.0
    if waiting and own < TRUMP_STRENGTH:
        for _ in range(size(unseen & of_suit(table.turn_up % 4))):
            chance *= 1.0 - TRUMPS_IN * near
    return chance


# The jester


@compiled
def chance_of_cover(table: Any, placed: Any, waiting: Any, near: Any) -> Any:
    """How likely the jester is to be covered if played now (6.1)."""
    led = suit_asked(table, JACK_OF_DIAMONDS)
    falls = 1.0 if led == HEARTS else COVERS
    risk = chance_to_fall(table, QUEEN_OF_HEARTS, falls, placed, waiting, near)
    if strength_if_led(table, KING_OF_HEARTS, led) > strength_if_led(table, JACK_OF_DIAMONDS, led):
        risk = max(risk, chance_to_fall(table, KING_OF_HEARTS, falls, placed, waiting, near))
    return risk


@compiled
def chance_to_fall(table: Any, card: Any, falls: Any, placed: Any, waiting: Any, near: Any) -> Any:
    """How likely a card is to be in this trick; `falls` is how likely who holds it is to play it."""
    if table.in_trick and player_of(table, card) != NOBODY:
        return 1.0
    return falls * chance_held(table, card, waiting, placed, near)


@compiled
def covers_jester(table: Any, card: Any) -> Any:
    """Whether a card covers a jester that lies in the trick (6.1)."""
    if not holds(HEART_PAIR, card) or not table.in_trick or player_of(table, JACK_OF_DIAMONDS) == NOBODY:
        return False
    led = led_suit(table)
    return strength_if_led(table, card, led) > strength_if_led(table, JACK_OF_DIAMONDS, led)


# What is kept


@inlined
def worth_kept(table: Any, card: Any, others: Any, placed: Any, anywhere: Any, trick: Any) -> Any:
    """What a card may still bring in the tricks to come if it is kept now."""
    to_come = tricks_to_come(table)
    if to_come == 0:
        return 0.0
    if card == JACK_OF_DIAMONDS:
        danger = chance_held(table, QUEEN_OF_HEARTS, others, placed, anywhere)
        return (table.rules.players - 1) * (1.0 - danger * (1.0 - KEPT_JESTER * to_come))
    if card == QUEEN_OF_HEARTS:
        marriage = (table.rules.players - 2) * chance_held(table, KING_OF_HEARTS, others, placed, anywhere)
        return KEPT_QUEEN * trick + KEPT_QUEEN_MARRIAGE * marriage
    worth = KEPT_RANK * (card // 4) / ACE
    if card % 4 == table.turn_up % 4:
        worth += KEPT_TRUMP
    worth *= trick * (1.0 + KEPT_LONG * to_come)
    if card // 4 == KING:
        share = KEPT_KING + KEPT_KING_LONG * to_come
        worth += share * worth_of_king(table, card % 4, others, placed, anywhere)
    return worth
