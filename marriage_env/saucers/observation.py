"""What a player of Saucers sees: the fields, the encoder, and the way back."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from marriage_env.cards import NONE, RANKS, size
from marriage_env.compiled import compiled, inlined
from marriage_env.fields import Field, Layout, choice, marks, one_of, seat_code, share, values
from marriage_env.observation import (
    FULL,
    OWN_FIELDS,
    clear,
    common_fields,
    make_layout,
    next_seat,
    place_of,
    read_common,
    read_one,
    read_share,
    relative,
    reopen_claims,
    write_common,
    write_one,
)
from marriage_env.saucers.play import claims_in, legal
from marriage_env.saucers.rules import SaucersRules
from marriage_env.saucers.state import CLAIM_NAMES, NO_ROW, POTS
from marriage_env.table import NOBODY

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
    answer = "whether K♣ follows Q♣ (4.5)"
    return (
        *common_fields(rules, RULE_CODES, CLAIM_NAMES, POTS, rules.pack_size, answer),
        one_of("row", RANKS, "the rank on which the row stands; none: a new row is to be started (4.1)"),
        marks("declined", ("K♣",), seat_code(rules.players), "who kept K♣ back after Q♣ (4.5)"),
        values("hand_sizes", range(rules.players), share(rules.pack_size), "cards in each hand"),
    )


ROW_AT, DECLINED_AT, HAND_SIZES_AT = range(OWN_FIELDS, OWN_FIELDS + 3)


@functools.lru_cache(maxsize=256)
def layout(rules: SaucersRules) -> Layout:
    """The observation's layout under given rules."""
    return make_layout("saucers", rules, RULE_CODES, fields(rules))


@inlined
def observe(table: Any, observer: Any, blank: Any, at: Any, out: Any) -> Any:
    """Write what a seat sees into `out`, float32 of the layout's size; `blank` and `at` are the layout's."""
    write_common(table, observer, table.rules.pack_size, blank, at, out)
    players = table.rules.players
    clear(13, out, place_of(at, ROW_AT))
    if table.row != NO_ROW:
        write_one(table.row, out, place_of(at, ROW_AT))
    by = relative(table, observer, table.declined) + 1 if table.declined != NOBODY else 0
    out[place_of(at, DECLINED_AT)] = np.float32(by) / np.float32(players)
    start, unit = place_of(at, HAND_SIZES_AT), FULL / np.float32(table.rules.pack_size)
    seat = np.uint64(observer)
    for place in range(players):
        out[start + np.uint64(place)] = np.float32(size(table.hands[seat])) * unit
        seat = next_seat(players, seat)


@compiled
def recall(vector: Any, at: Any, table: Any) -> Any:
    """Set up `table`, whose rules are set, as the observer knows it: he is seat 0, the hands of others are empty."""
    read_common(vector, at, table.rules.pack_size, table)
    reopen_claims(table, claims_in(table.hands[0]))
    table.row = read_one(vector, at[ROW_AT], 13, NO_ROW)
    by = read_share(vector[at[DECLINED_AT]], table.rules.players)
    table.declined = by - 1 if by else NOBODY
    table.legal = legal(table) if table.actor == 0 else NONE
