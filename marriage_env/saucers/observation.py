"""What a player of Saucers sees: the fields, the encoder, and the way back.

`fields` is the one list: an encoder writes field k from place ``at[k]`` on (`Layout.at`), with k by the names below.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from marriage_env.cards import NONE, RANKS, size
from marriage_env.compiled import compiled
from marriage_env.observation import (
    CHIPS,
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
from marriage_env.saucers.play import claims_in, legal
from marriage_env.saucers.rules import SaucersRules
from marriage_env.saucers.state import CLAIM_NAMES, NO_ROW, NOBODY, POTS
from marriage_env.table import ALL_CLAIMS, DECLARE, OVER, PHASE_NAMES

#: Each rule option in the observation, with its code. The first element tells the games apart.
RULE_CODES = {
    "game": choice("boxes", "saucers"),
    "players": share(10),
    "pack_size": share(52),
    "declaring": choice("choice", "auto"),
    "row_start": choice("any", "lowest"),
    "court_points": choice("ten", "low"),
    "deals": share(1000),
}


def fields(rules: SaucersRules) -> tuple[Field, ...]:
    """The observation's fields under given rules, in order."""
    seats = range(rules.players)
    cards = cards_of_pack(rules.pack_size)
    return (
        values("rules", tuple(RULE_CODES), tuple(RULE_CODES.values()), "the rule options"),
        one_of("phase", PHASE_NAMES[DECLARE:], "what is being done; answer: whether K♣ follows Q♣ (4.5)"),
        one_of("actor", seats, "who is to act"),
        one_of("dealer", seats, "who dealt"),
        values("deal", ("deals played",), CHIPS, "deals of the match played to their end"),
        set_of("hand", cards, "the observer's hand"),
        marks(
            "claims",
            [(seat, claim) for seat in seats for claim in CLAIM_NAMES],
            share(8),
            "k where the seat's k-th declaration was this claim (3)",
        ),
        set_of("gave_up", seats, "who passed with something left to declare (3.1)"),
        marks("shown_by", cards, seat_code(rules.players), "who showed the card by declaring (3.4)"),
        marks("laid_by", cards, seat_code(rules.players), "who laid the card"),
        marks("laid_at", cards, share(rules.pack_size), "as which card of the deal it was laid"),
        one_of("row", RANKS, "the rank on which the row stands; none: a new row is to be started (4.1)"),
        marks("declined", ("K♣",), seat_code(rules.players), "who kept K♣ back after Q♣ (4.5)"),
        values("hand_sizes", seats, share(rules.pack_size), "cards in each hand"),
        values("pots", POTS, CHIPS, "chips on the staked cards and in the saucers"),
        values("opening_pots", POTS, CHIPS, "the same when all had contributed (2.1)"),
        values("balances", seats, CHIPS, "won or lost in the match so far"),
        values("gains", seats, CHIPS, "won or lost in this deal so far, contributions included"),
    )


(
    RULES_AT,
    PHASE_AT,
    ACTOR_AT,
    DEALER_AT,
    DEAL_AT,
    HAND_AT,
    CLAIMS_AT,
    GAVE_UP_AT,
    SHOWN_BY_AT,
    LAID_BY_AT,
    LAID_AT_AT,
    ROW_AT,
    DECLINED_AT,
    HAND_SIZES_AT,
    POTS_AT,
    OPENING_POTS_AT,
    BALANCES_AT,
    GAINS_AT,
) = range(18)


@functools.lru_cache(maxsize=256)
def layout(rules: SaucersRules) -> Layout:
    """The observation's layout under given rules."""
    options = {"game": "saucers"} | {name: getattr(rules, name) for name in RULE_CODES if name != "game"}
    return Layout(fields(rules), [code.write(options[name]) for name, code in RULE_CODES.items()])


@compiled
def observe(table: Any, seat: Any, blank: Any, at: Any, out: Any) -> Any:
    """Write what a seat sees into `out`, float32 of the layout's size; `blank` and `at` are the layout's."""
    players = table.rules.players
    for place in range(len(blank)):
        out[place] = blank[place]
    write_one(table.phase - DECLARE, out, at[PHASE_AT])
    if table.phase != OVER:
        write_one(relative(table, seat, table.actor), out, at[ACTOR_AT])
    write_one(relative(table, seat, table.dealer), out, at[DEALER_AT])
    out[at[DEAL_AT]] = write_chips(table.deals)
    write_cards(table, table.hands[seat], np.float32(1), out, at[HAND_AT])
    write_claims(table, seat, out, at[CLAIMS_AT], at[GAVE_UP_AT], at[SHOWN_BY_AT])
    write_plays(table, seat, table.rules.pack_size, out, at[LAID_BY_AT], at[LAID_AT_AT])
    if table.row != NO_ROW:
        write_one(table.row, out, at[ROW_AT])
    if table.declined != NOBODY:
        out[at[DECLINED_AT]] = np.float32(relative(table, seat, table.declined) + 1) / np.float32(players)
    for other in range(players):
        cards_held = np.float32(size(table.hands[other]))
        out[at[HAND_SIZES_AT] + relative(table, seat, other)] = cards_held / np.float32(table.rules.pack_size)
    write_account(table, seat, out, at[POTS_AT], at[OPENING_POTS_AT], at[BALANCES_AT], at[GAINS_AT])


@compiled
def recall(vector: Any, at: Any, table: Any) -> Any:
    """Set up `table`, whose rules are set, as the observer knows it: he is seat 0, the hands of others are empty."""
    players = table.rules.players
    for seat in range(players):
        table.hands[seat] = 0
        table.shown[seat] = 0
        table.open_claims[seat] = 0
    table.phase = DECLARE + read_one(vector, at[PHASE_AT], OVER, OVER)
    table.actor = read_one(vector, at[ACTOR_AT], players, 0)
    table.dealer = read_one(vector, at[DEALER_AT], players, 0)
    table.deals = read_chips(vector[at[DEAL_AT]])
    table.hands[0] = read_cards(table, vector, at[HAND_AT])
    read_claims(table, vector, at[CLAIMS_AT], at[GAVE_UP_AT], at[SHOWN_BY_AT])
    if table.phase == DECLARE and not table.gave_up[0]:
        table.open_claims[0] = claims_in(table.hands[0])
        for claim in range(len(CLAIM_NAMES)):
            if table.claim_order[0, claim]:
                table.open_claims[0] &= ALL_CLAIMS - (1 << claim)
    read_plays(table, vector, table.rules.pack_size, at[LAID_BY_AT], at[LAID_AT_AT])
    table.row = read_one(vector, at[ROW_AT], 13, NO_ROW)
    by = read_share(vector[at[DECLINED_AT]], players)
    table.declined = by - 1 if by else NOBODY
    read_account(table, vector, at[POTS_AT], at[OPENING_POTS_AT], at[BALANCES_AT], at[GAINS_AT])
    table.legal = legal(table) if table.actor == 0 else NONE
