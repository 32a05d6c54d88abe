"""What a player of Boxes sees: the fields, the encoder, and the way back."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from marriage_env.boxes.play import claims_in, led_suit, legal
from marriage_env.boxes.rules import BoxesRules
from marriage_env.boxes.state import BOXES, CLAIM_NAMES, NO_CARD, TRICKS
from marriage_env.cards import CARDS, NONE, RANKS, SUIT_NAMES, size
from marriage_env.compiled import compiled
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
    OWN_FIELDS,
    common_fields,
    make_layout,
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
from marriage_env.table import NOBODY

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


@compiled
def observe(table: Any, seat: Any, blank: Any, at: Any, out: Any) -> Any:
    """Write what a seat sees into `out`, float32 of the layout's size; `blank` and `at` are the layout's."""
    write_common(table, seat, TRICKS * table.rules.players, blank, at, out)
    write_one(table.turn_up % 4, out, at[TRUMPS_AT])
    write_one(table.turn_up // 4, out, at[TURN_UP_AT])
    if table.in_trick:
        lowest_card = CARDS - table.rules.pack_size
        for play in range(table.trick_start, table.plays):
            write_one(table.played_card[play] - lowest_card, out, at[TRICK_AT])
        write_one(led_suit(table), out, at[LED_AT])
        write_one(relative(table, seat, table.winning), out, at[WINNING_AT])
        out[at[MARRIED_AT]] = table.married
    for other in range(table.rules.players):
        out[at[TRICKS_AT] + relative(table, seat, other)] = np.float32(table.tricks[other]) * np.float32(1 / TRICKS)
    out[at[MISDEALS_AT]] = write_chips(table.misdeals[0])
    out[at[MISDEALS_AT] + 1] = write_chips(np.int64(table.fault_noticed))
    out[at[MISDEALS_AT] + 2] = write_chips(table.misdeals[1])
    if table.rules.fined:
        write_breaches(table, seat, at, out)


@compiled
def write_breaches(table: Any, seat: Any, at: Any, out: Any) -> Any:
    """Write what was played for a fine (8.2)."""
    for suit in range(4):
        if table.lost_by[suit] != NOBODY:
            by = relative(table, seat, table.lost_by[suit]) + 1
            out[at[LOST_MARRIAGES_AT] + suit] = np.float32(by) / np.float32(table.rules.players)
    write_cards(table, table.revokes, FULL, out, at[REVOKES_AT])


@compiled
def recall(vector: Any, at: Any, table: Any) -> Any:
    """Set up `table`, whose rules are set, as the observer knows it: he is seat 0, the hands of others are empty."""
    read_common(vector, at, TRICKS * table.rules.players, table)
    reopen_claims(table, claims_in(table.hands[0]))
    table.turn_up = 4 * read_one(vector, at[TURN_UP_AT], 13, 0) + read_one(vector, at[TRUMPS_AT], 4, 0)
    table.trick_start = table.plays - size(read_cards(table, vector, at[TRICK_AT]))
    table.in_trick = 0
    for play in range(table.trick_start, table.plays):
        table.in_trick |= 1 << table.played_by[play]
    table.winning = read_one(vector, at[WINNING_AT], table.rules.players, NOBODY)
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
    """Read back what `write_breaches` wrote."""
    table.revokes = read_cards(table, vector, at[REVOKES_AT]) if table.rules.fined else NONE
    for suit in range(4):
        by = read_share(vector[at[LOST_MARRIAGES_AT] + suit], table.rules.players) if table.rules.fined else 0
        table.lost_by[suit] = by - 1 if by else NOBODY
