"""What a player of Boxes sees: the fields, the encoder, and the way back.

`fields` is the one list: an encoder writes field k from place ``at[k]`` on (`Layout.at`), with k by the names below.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from marriage_env.boxes.play import claims_in, led_suit, legal
from marriage_env.boxes.rules import BoxesRules
from marriage_env.boxes.state import BOXES, CLAIM_NAMES, NOBODY, TRICKS
from marriage_env.cards import NONE, RANKS, SUIT_NAMES, only, size
from marriage_env.compiled import compiled
from marriage_env.observation import (
    CHIPS,
    FLAG,
    RATE,
    Field,
    Layout,
    cards_of_pack,
    choice,
    marks,
    one_of,
    read_account,
    read_cards,
    read_chips,
    read_claims,
    read_one,
    read_plays,
    read_share,
    relative,
    seat_code,
    set_of,
    share,
    values,
    write_account,
    write_cards,
    write_chips,
    write_claims,
    write_one,
    write_plays,
)
from marriage_env.table import ALL_CLAIMS, DECLARE, OVER, PHASE_NAMES

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
    cards = cards_of_pack(rules.pack_size)
    fined = rules.conduct == "fined"
    return (
        values("rules", tuple(RULE_CODES), tuple(RULE_CODES.values()), "the rule options"),
        one_of("phase", PHASE_NAMES[DECLARE:], "what is being done; answer: the queen's holder to a king (5.1)"),
        one_of("actor", seats, "who is to act"),
        one_of("dealer", seats, "who dealt"),
        values("deal", ("deals played",), CHIPS, "deals of the match played to their end"),
        set_of("hand", cards, "the observer's hand"),
        one_of("trumps", SUIT_NAMES, "the suit of the turn-up"),
        one_of("turn_up", RANKS, "the rank of the turn-up"),
        marks(
            "claims",
            [(seat, claim) for seat in seats for claim in CLAIM_NAMES],
            share(8),
            "k where the seat's k-th declaration was this claim (3)",
        ),
        set_of("gave_up", seats, "who passed with something left to declare (3.1)"),
        marks("shown_by", cards, seat_code(rules.players), "who showed the card by declaring (3.5)"),
        marks("played_by", cards, seat_code(rules.players), "who played the card"),
        marks("played_at", cards, share(TRICKS * rules.players), "as which card of the deal it was played"),
        set_of("trick", cards, "the cards of the trick under way"),
        one_of("led", SUIT_NAMES, "the suit led to it"),
        one_of("winning", seats, "who would take it as it stands"),
        values("married", ("trick",), FLAG, "whether a marriage holds it (5.4)"),
        values("tricks", seats, share(TRICKS), "tricks taken"),
        marks(
            "lost_marriages",
            SUIT_NAMES if fined else (),
            seat_code(rules.players),
            'who kept the queen of the suit from her king (8.2; conduct="fined" alone)',
        ),
        set_of("revokes", cards if fined else (), 'cards played as a revoke (8.2; conduct="fined" alone)'),
        values("pots", BOXES, CHIPS, "chips in the boxes"),
        values("opening_pots", BOXES, CHIPS, "chips in the boxes when all had contributed (2.1)"),
        values("balances", seats, CHIPS, "won or lost in the match so far"),
        values("gains", seats, CHIPS, "won or lost in this deal so far, contributions included"),
        values(
            "misdeals",
            ("misdeals", "faulty packs noticed", "misdeals after that"),
            CHIPS,
            "before this deal stood (2.3, 2.4)",
        ),
    )


(
    RULES_AT,
    PHASE_AT,
    ACTOR_AT,
    DEALER_AT,
    DEAL_AT,
    HAND_AT,
    TRUMPS_AT,
    TURN_UP_AT,
    CLAIMS_AT,
    GAVE_UP_AT,
    SHOWN_BY_AT,
    PLAYED_BY_AT,
    PLAYED_AT_AT,
    TRICK_AT,
    LED_AT,
    WINNING_AT,
    MARRIED_AT,
    TRICKS_AT,
    LOST_MARRIAGES_AT,
    REVOKES_AT,
    POTS_AT,
    OPENING_POTS_AT,
    BALANCES_AT,
    GAINS_AT,
    MISDEALS_AT,
) = range(25)


@functools.lru_cache(maxsize=256)
def layout(rules: BoxesRules) -> Layout:
    """The observation's layout under given rules."""
    options = {"game": "boxes"} | {name: getattr(rules, name) for name in RULE_CODES if name != "game"}
    return Layout(fields(rules), [code.write(options[name]) for name, code in RULE_CODES.items()])


@compiled
def observe(table: Any, seat: Any, blank: Any, at: Any, out: Any) -> Any:
    """Write what a seat sees into `out`, float32 of the layout's size; `blank` and `at` are the layout's."""
    for place in range(len(blank)):
        out[place] = blank[place]
    write_one(table.phase - DECLARE, out, at[PHASE_AT])
    if table.phase != OVER:
        write_one(relative(table, seat, table.actor), out, at[ACTOR_AT])
    write_one(relative(table, seat, table.dealer), out, at[DEALER_AT])
    out[at[DEAL_AT]] = write_chips(table.deals)
    write_cards(table, table.hands[seat], np.float32(1), out, at[HAND_AT])
    write_one(table.turn_up % 4, out, at[TRUMPS_AT])
    write_one(table.turn_up // 4, out, at[TURN_UP_AT])
    write_claims(table, seat, out, at[CLAIMS_AT], at[GAVE_UP_AT], at[SHOWN_BY_AT])
    write_plays(table, seat, TRICKS * table.rules.players, out, at[PLAYED_BY_AT], at[PLAYED_AT_AT])
    if table.in_trick:
        for play in range(table.trick_start, table.plays):
            write_cards(table, only(table.played_card[play]), np.float32(1), out, at[TRICK_AT])
        write_one(led_suit(table), out, at[LED_AT])
        write_one(relative(table, seat, table.winning), out, at[WINNING_AT])
        out[at[MARRIED_AT]] = table.married
    for other in range(table.rules.players):
        share_taken = np.float32(table.tricks[other]) / np.float32(TRICKS)
        out[at[TRICKS_AT] + relative(table, seat, other)] = share_taken
    if table.rules.fined:
        write_breaches(table, seat, out, at)
    write_account(table, seat, out, at[POTS_AT], at[OPENING_POTS_AT], at[BALANCES_AT], at[GAINS_AT])
    out[at[MISDEALS_AT]] = write_chips(table.misdeals[0])
    out[at[MISDEALS_AT] + 1] = write_chips(np.int64(table.fault_noticed))
    out[at[MISDEALS_AT] + 2] = write_chips(table.misdeals[1])


@compiled
def write_breaches(table: Any, seat: Any, out: Any, at: Any) -> Any:
    """What was played for a fine (8.2)."""
    for suit in range(4):
        if table.lost_by[suit] != NOBODY:
            by = relative(table, seat, table.lost_by[suit]) + 1
            out[at[LOST_MARRIAGES_AT] + suit] = np.float32(by) / np.float32(table.rules.players)
    write_cards(table, table.revokes, np.float32(1), out, at[REVOKES_AT])


@compiled
def recall(vector: Any, at: Any, table: Any) -> Any:
    """Set up `table`, whose rules are set, as the observer knows it: he is seat 0, the hands of others are empty."""
    players = table.rules.players
    for seat in range(players):
        table.hands[seat] = 0
        table.shown[seat] = 0
        table.open_claims[seat] = 0
        table.tricks[seat] = read_share(vector[at[TRICKS_AT] + seat], TRICKS)
    table.phase = DECLARE + read_one(vector, at[PHASE_AT], OVER, OVER)
    table.actor = read_one(vector, at[ACTOR_AT], players, 0)
    table.dealer = read_one(vector, at[DEALER_AT], players, 0)
    table.deals = read_chips(vector[at[DEAL_AT]])
    table.hands[0] = read_cards(table, vector, at[HAND_AT])
    table.turn_up = 4 * read_one(vector, at[TURN_UP_AT], 13, 0) + read_one(vector, at[TRUMPS_AT], 4, 0)
    read_claims(table, vector, at[CLAIMS_AT], at[GAVE_UP_AT], at[SHOWN_BY_AT])
    if table.phase == DECLARE and not table.gave_up[0]:
        table.open_claims[0] = claims_in(table.hands[0])
        for claim in range(len(CLAIM_NAMES)):
            if table.claim_order[0, claim]:
                table.open_claims[0] &= ALL_CLAIMS - (1 << claim)
    read_plays(table, vector, TRICKS * players, at[PLAYED_BY_AT], at[PLAYED_AT_AT])
    recall_trick(vector, at, table)
    table.revokes = NONE
    for suit in range(4):
        table.lost_by[suit] = NOBODY
    if table.rules.fined:
        table.revokes = read_cards(table, vector, at[REVOKES_AT])
        for suit in range(4):
            by = read_share(vector[at[LOST_MARRIAGES_AT] + suit], players)
            if by:
                table.lost_by[suit] = by - 1
    read_account(table, vector, at[POTS_AT], at[OPENING_POTS_AT], at[BALANCES_AT], at[GAINS_AT])
    table.misdeals[0] = read_chips(vector[at[MISDEALS_AT]])
    table.fault_noticed = read_chips(vector[at[MISDEALS_AT] + 1]) > 0
    table.misdeals[1] = read_chips(vector[at[MISDEALS_AT] + 2])
    table.missing = NOBODY
    table.legal = legal(table) if table.actor == 0 else NONE


@compiled
def recall_trick(vector: Any, at: Any, table: Any) -> Any:
    """The trick under way."""
    table.trick_start = table.plays - size(read_cards(table, vector, at[TRICK_AT]))
    table.in_trick = 0
    for play in range(table.trick_start, table.plays):
        table.in_trick |= 1 << table.played_by[play]
    table.winning = read_one(vector, at[WINNING_AT], table.rules.players, NOBODY)
    table.married = vector[at[MARRIED_AT]] > 0
