"""What a player of Boxes sees: the fields, the encoder, and the way back."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from marriage_env.boxes.play import claims_in, led_suit, legal
from marriage_env.boxes.rules import MAX_PLAYERS, BoxesRules
from marriage_env.boxes.state import BOXES, CLAIM_NAMES, NO_CARD, TRICKS
from marriage_env.cards import CARDS, NONE, RANKS, SUIT_NAMES, size
from marriage_env.compiled import compiled, inlined
from marriage_env.fields import (
    CHIPS,
    FLAG,
    RATE,
    Field,
    Layout,
    choice,
    marks,
    one_of,
    seat_code,
    set_of,
    share,
    values,
)
from marriage_env.observation import (
    FULL,
    HAND_AT,
    NIL,
    OWN_FIELDS,
    card_zero,
    clear,
    common_fields,
    make_layout,
    next_seat,
    place_of,
    read_cards,
    read_chips,
    read_common,
    read_one,
    read_share,
    relative,
    reopen_claims,
    write_cards,
    write_chips,
    write_common,
    write_one,
)
from marriage_env.table import NOBODY, player_at

#: Each rule option in the observation, with its code. The first element tells the games apart.
RULE_CODES = {
    "game": choice("boxes", "saucers"),
    "players": share(10),
    "pack_size": share(52),
    "declaring": choice("choice", "auto"),
    "conduct": choice("strict", "fined"),
    "marriage_order": choice("king_first", "either"),
    "must_trump": FLAG,
    "trick_pay": share(100),
    "deals": share(1000),
    "misdeal_rate": RATE,
    "faulty_pack_rate": RATE,
    "fault_noticed_rate": RATE,
    "faulty_pack_fine": share(100),
}


def fields(rules: BoxesRules) -> tuple[Field, ...]:
    """The observation's fields under given rules, in order."""
    seats = range(rules.players)
    answer = "the queen's holder is to answer a king (5.1)"
    common = common_fields(rules, RULE_CODES, CLAIM_NAMES, BOXES, TRICKS * rules.players, answer)
    cards = common[HAND_AT].labels
    fined = rules.conduct == "fined"
    return (
        *common,
        one_of("trumps", SUIT_NAMES, "the suit of the turn-up (2.2)"),
        one_of("turn_up", RANKS, "the rank of the turn-up"),
        set_of("trick", cards, "the cards of the trick under way"),
        one_of("led", SUIT_NAMES, "the suit led to it"),
        one_of("winning", seats, "who would take it as it stands (4.3)"),
        values("married", ("trick",), FLAG, "whether a marriage holds it (5.4)"),
        values("tricks", seats, share(TRICKS), "tricks taken"),
        values(
            "misdeals",
            ("misdeals", "faulty packs noticed", "misdeals after that"),
            CHIPS,
            "before this deal stood (2.3, 2.4)",
        ),
        marks(
            "lost_marriages",
            SUIT_NAMES if fined else (),
            seat_code(rules.players),
            'who kept the queen of the suit from her king (8.2; conduct="fined" alone)',
        ),
        set_of("revokes", cards if fined else (), 'cards played as a revoke (8.2; conduct="fined" alone)'),
    )


(
    TRUMPS_AT,
    TURN_UP_AT,
    TRICK_AT,
    LED_AT,
    WINNING_AT,
    MARRIED_AT,
    TRICKS_AT,
    MISDEALS_AT,
    LOST_MARRIAGES_AT,
    REVOKES_AT,
) = range(OWN_FIELDS, OWN_FIELDS + 10)


@functools.lru_cache(maxsize=256)
def layout(rules: BoxesRules) -> Layout:
    """The observation's layout under given rules."""
    return make_layout("boxes", rules, RULE_CODES, fields(rules))


@inlined
def observe(table: Any, seat: Any, blank: Any, at: Any, out: Any) -> Any:
    """Write what a seat sees into `out`, float32 of the layout's size; `blank` and `at` are the layout's."""
    if table.rules.fined:
        write_cards(table, table.revokes, at, REVOKES_AT, out)
        write_lost_marriages(table, seat, at, out)
    write_trick(table, seat, at, out)
    write_common(table, seat, TRICKS * table.rules.players, blank, at, out)
    clear(4 + 13, out, place_of(at, TRUMPS_AT))
    write_one(table.turn_up % 4, out, place_of(at, TRUMPS_AT))
    write_one(table.turn_up // 4, out, place_of(at, TURN_UP_AT))
    start = place_of(at, MISDEALS_AT)
    out[start] = write_chips(table.misdeals[0])
    out[start + np.uint64(1)] = write_chips(np.int64(table.fault_noticed))
    out[start + np.uint64(2)] = write_chips(table.misdeals[1])


@inlined
def write_trick(table: Any, observer: Any, at: Any, out: Any) -> Any:
    """Write the trick under way, and the tricks taken."""
    start = card_zero(table, at, TRICK_AT)
    for card in range(CARDS):
        out[start + np.uint64(card)] = FULL if table.play_order[card] > table.trick_start else NIL
    clear(4 + MAX_PLAYERS, out, place_of(at, LED_AT))  # what fewer players lack is written after
    if table.in_trick:
        write_one(led_suit(table), out, place_of(at, LED_AT))
        write_one(relative(table, observer, table.winning), out, place_of(at, WINNING_AT))
    out[place_of(at, MARRIED_AT)] = table.married
    start, players, taker = place_of(at, TRICKS_AT), table.rules.players, np.uint64(observer)
    for place in range(players):
        out[start + np.uint64(place)] = np.float32(table.tricks[taker]) * np.float32(1 / TRICKS)
        taker = next_seat(players, taker)


@compiled
def write_lost_marriages(table: Any, observer: Any, at: Any, out: Any) -> Any:
    """Write who kept which queen from her king (8.2)."""
    for suit in range(4):
        lost_by = table.lost_by[suit]
        by = relative(table, observer, lost_by) + 1 if lost_by != NOBODY else 0
        out[at[LOST_MARRIAGES_AT] + suit] = np.float32(by) / np.float32(table.rules.players)


@compiled
def recall(vector: Any, at: Any, table: Any) -> Any:
    """Set up `table`, whose rules are set, as the observer knows it: he is seat 0, the hands of others are empty."""
    read_common(vector, at, TRICKS * table.rules.players, table)
    reopen_claims(table, claims_in(table.hands[0]))
    table.turn_up = 4 * read_one(vector, at[TURN_UP_AT], 13, 0) + read_one(vector, at[TRUMPS_AT], 4, 0)
    table.trick_start = table.plays - size(read_cards(table, vector, at[TRICK_AT]))
    table.winning = read_one(vector, at[WINNING_AT], table.rules.players, NOBODY)
    table.winning_card = NO_CARD
    table.in_trick = 0
    for play in range(table.trick_start, table.plays):
        table.in_trick |= 1 << player_at(table, play)
        if player_at(table, play) == table.winning:
            table.winning_card = table.played_card[play]
    table.married = vector[at[MARRIED_AT]] > 0
    for seat in range(table.rules.players):
        table.tricks[seat] = read_share(vector[at[TRICKS_AT] + seat], TRICKS)
    table.misdeals[0] = read_chips(vector[at[MISDEALS_AT]])
    table.fault_noticed = read_chips(vector[at[MISDEALS_AT] + 1]) > 0
    table.misdeals[1] = read_chips(vector[at[MISDEALS_AT] + 2])
    table.missing = NO_CARD
    read_breaches(vector, at, table)
    table.legal = legal(table) if table.actor == 0 else NONE


@compiled
def read_breaches(vector: Any, at: Any, table: Any) -> Any:
    """Read back what was played for a fine (8.2)."""
    table.revokes = read_cards(table, vector, at[REVOKES_AT]) if table.rules.fined else NONE
    for suit in range(4):
        by = read_share(vector[at[LOST_MARRIAGES_AT] + suit], table.rules.players) if table.rules.fined else 0
        table.lost_by[suit] = by - 1 if by else NOBODY
