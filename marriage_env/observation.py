"""What the observations of both games have in common: the first fields, and how compiled code writes and reads them.

A game lists its fields once (`boxes/observation.py`, `saucers/observation.py`): these, then its own. An encoder writes
field k from place ``at[k]`` on (`Layout.at`), with k by the names below.

Seats are relative to the observer: 0 is he himself, 1 his left-hand neighbour, and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from marriage_env.cards import CARD_NAMES, CARDS, NONE, lowest, only, without_lowest
from marriage_env.compiled import compiled, inlined
from marriage_env.fields import CHIPS, Code, Field, Layout, marks, one_of, seat_code, set_of, share, values
from marriage_env.table import ALL_CLAIMS, CLAIMS, DECLARE, OVER, PHASE_NAMES

HALF = np.float32(0.5)
FULL = np.float32(1.0)

# The fields that both games have, in their order; a game's own follow, from OWN_FIELDS on.

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
    PLAYED_BY_AT,
    PLAY_ORDER_AT,
    POTS_AT,
    OPENING_POTS_AT,
    BALANCES_AT,
    GAINS_AT,
) = range(15)
OWN_FIELDS = 15


def common_fields(
    rules: Any, rule_codes: Mapping[str, Code], claims: Sequence[str], pots: Sequence[str], plays: int, answer: str
) -> tuple[Field, ...]:
    """The fields that both games have.

    Args:
        rules: the game's rule options.
        rule_codes: of each of them, and of the game.
        claims: the names of the claims, in the rulebook's order.
        pots: the names of the pots.
        plays: how many cards are played in a deal at most.
        answer: what the phase of that name is about.
    """
    seats = range(rules.players)
    cards = CARD_NAMES[CARDS - rules.pack_size :]
    by_seat = seat_code(rules.players)
    return (
        values("rules", tuple(rule_codes), tuple(rule_codes.values()), "the rule options"),
        one_of("phase", PHASE_NAMES[DECLARE:], f"what is being done; answer: {answer}"),
        one_of("actor", seats, "who is to act"),
        one_of("dealer", seats, "who dealt"),
        values("deal", ("deals played",), CHIPS, "deals of the match played to their end"),
        set_of("hand", cards, "the observer's hand"),
        marks(
            "claims",
            [(seat, claim) for seat in seats for claim in claims],
            share(CLAIMS),
            "k where the seat's k-th declaration was this claim (3)",
        ),
        set_of("gave_up", seats, "who passed with something left to declare (3.1)"),
        marks("shown_by", cards, by_seat, "who showed the card by declaring (3)"),
        marks("played_by", cards, by_seat, "who played the card (4)"),
        marks("play_order", cards, share(plays), "as which card of the deal it was played"),
        values("pots", pots, CHIPS, "the chips in each pot"),
        values("opening_pots", pots, CHIPS, "the chips in each pot when all had contributed (2.1)"),
        values("balances", seats, CHIPS, "won or lost in the match so far"),
        values("gains", seats, CHIPS, "won or lost in this deal so far, contributions included"),
    )


def make_layout(game: str, rules: Any, rule_codes: Mapping[str, Code], fields: Sequence[Field]) -> Layout:
    """The layout of a game's fields; its blank says which game it is, by which rules."""
    options = {"game": game} | {name: getattr(rules, name) for name in rule_codes if name != "game"}
    return Layout(fields, [code.write(options[name]) for name, code in rule_codes.items()])


# Numbers and sets


@compiled
def chips_written(amount: Any) -> Any:
    """The code `CHIPS` of an amount (float64)."""
    return np.float32(0.5 + 0.5 * amount / (abs(amount) + 64.0))


FEW_CHIPS = 256
CHIPS_WRITTEN = np.array([CHIPS.write(chips) for chips in range(-FEW_CHIPS, FEW_CHIPS)], np.float32)


@inlined
def relative(table: Any, observer: Any, seat: Any) -> Any:
    """A seat as its observer counts it."""
    players = table.rules.players  # read before the comparison, so that it compiles without a branch
    places = seat - observer
    return places + players if places < 0 else places


@inlined
def write_cards(table: Any, cards: Any, value: Any, out: Any, start: Any) -> Any:
    """Write `value` for each card of a set into a field over the pack."""
    first = start - (CARDS - table.rules.pack_size)
    rest = cards
    while rest != NONE:
        out[first + lowest(rest)] = value
        rest = without_lowest(rest)


@compiled
def read_cards(table: Any, vector: Any, start: Any) -> Any:
    """The set of cards whose element in a field over the pack is not 0."""
    cards = NONE
    lowest_card = CARDS - table.rules.pack_size
    for place in range(table.rules.pack_size):
        if vector[start + place] > 0:
            cards |= only(lowest_card + place)
    return cards


@inlined
def write_one(index: Any, out: Any, start: Any) -> Any:
    """Write a flag."""
    out[start + index] = FULL


@compiled
def read_one(vector: Any, start: Any, length: Any, otherwise: Any) -> Any:
    """The index of the one flag that is set in a field, or `otherwise`."""
    for index in range(length):
        if vector[start + index] > HALF:
            return index
    return otherwise


@compiled
def read_share(x: Any, limit: Any) -> Any:
    """The whole number, 0 to `limit`, that was written as its share of `limit`."""
    return min(max(np.int64(np.float64(x) * limit + 0.5), 0), limit)


@inlined
def write_chips(chips: Any) -> Any:
    """Chips in the code `CHIPS`."""
    if -FEW_CHIPS <= chips < FEW_CHIPS:  # nearly always
        return CHIPS_WRITTEN[chips + FEW_CHIPS]
    return chips_written(np.float64(chips))


@compiled
def read_chips(x: Any) -> Any:
    """The chips that were written in the code `CHIPS`."""
    y = 2.0 * np.float64(x) - 1.0
    return np.int64(np.floor(y * 64.0 / max(1.0 - abs(y), 1e-7) + 0.5))


# The common fields


@inlined
def write_common(table: Any, observer: Any, plays: Any, blank: Any, at: Any, out: Any) -> Any:
    """Write the blank, and on it the common fields as a seat sees them; `plays` as in `common_fields`."""
    for place in range(len(blank)):
        out[place] = blank[place]
    write_one(table.phase - DECLARE, out, at[PHASE_AT])
    if table.phase != OVER:
        write_one(relative(table, observer, table.actor), out, at[ACTOR_AT])
    write_one(relative(table, observer, table.dealer), out, at[DEALER_AT])
    out[at[DEAL_AT]] = write_chips(table.deals)
    write_cards(table, table.hands[observer], FULL, out, at[HAND_AT])
    write_claims(table, observer, at, out)
    write_plays(table, observer, plays, at, out)
    write_account(table, observer, at, out)


@compiled
def read_common(vector: Any, at: Any, plays: Any, table: Any) -> Any:
    """Read back what `write_common` wrote, the observer being seat 0; of other hands nothing is known."""
    players = table.rules.players
    for seat in range(players):
        table.hands[seat] = 0
    table.phase = DECLARE + read_one(vector, at[PHASE_AT], OVER, OVER)
    table.actor = read_one(vector, at[ACTOR_AT], players, 0)
    table.dealer = read_one(vector, at[DEALER_AT], players, 0)
    table.deals = read_chips(vector[at[DEAL_AT]])
    table.hands[0] = read_cards(table, vector, at[HAND_AT])
    read_claims(table, vector, at)
    read_plays(table, vector, plays, at)
    read_account(table, vector, at)


@inlined
def write_claims(table: Any, observer: Any, at: Any, out: Any) -> Any:
    """Write who declared what, in which order, who gave up something, and which cards were shown."""
    players = table.rules.players
    seat_unit = FULL / np.float32(players)
    for seat in range(players):
        other = relative(table, observer, seat)
        out[at[GAVE_UP_AT] + other] = table.gave_up[seat]
        if table.shown[seat] != NONE:  # who declares, shows
            for claim in range(CLAIMS):
                order = np.float32(table.claim_order[seat, claim])
                out[at[CLAIMS_AT] + CLAIMS * other + claim] = order * np.float32(1 / CLAIMS)
            write_cards(table, table.shown[seat], np.float32(other + 1) * seat_unit, out, at[SHOWN_BY_AT])


@compiled
def read_claims(table: Any, vector: Any, at: Any) -> Any:
    """Read back what `write_claims` wrote."""
    players = table.rules.players
    for seat in range(players):
        table.shown[seat] = 0
        table.open_claims[seat] = 0
        table.gave_up[seat] = vector[at[GAVE_UP_AT] + seat] > HALF
        for claim in range(CLAIMS):
            table.claim_order[seat, claim] = read_share(vector[at[CLAIMS_AT] + CLAIMS * seat + claim], CLAIMS)
    lowest_card = CARDS - table.rules.pack_size
    for place in range(table.rules.pack_size):
        shower = read_share(vector[at[SHOWN_BY_AT] + place], players)
        if shower:
            table.shown[shower - 1] |= only(lowest_card + place)


@compiled
def reopen_claims(table: Any, claims: Any) -> Any:
    """Of the claims in the observer's hand, those still open while there is declaring."""
    if table.phase == DECLARE and not table.gave_up[0]:
        table.open_claims[0] = claims
        for claim in range(CLAIMS):
            if table.claim_order[0, claim]:
                table.open_claims[0] &= ALL_CLAIMS - (1 << claim)


@inlined
def write_plays(table: Any, observer: Any, plays: Any, at: Any, out: Any) -> Any:
    """Write who played each card, and its place in the order of play."""
    first = CARDS - table.rules.pack_size
    seat_unit = FULL / np.float32(table.rules.players)
    play_unit = FULL / np.float32(plays)
    for play in range(table.plays):
        place = table.played_card[play] - first
        by = relative(table, observer, table.played_by[play])
        out[at[PLAYED_BY_AT] + place] = np.float32(by + 1) * seat_unit
        out[at[PLAY_ORDER_AT] + place] = np.float32(play + 1) * play_unit


@compiled
def read_plays(table: Any, vector: Any, plays: Any, at: Any) -> Any:
    """Read back what `write_plays` wrote."""
    first = CARDS - table.rules.pack_size
    table.plays = 0
    for place in range(table.rules.pack_size):
        order = read_share(vector[at[PLAY_ORDER_AT] + place], plays)
        if order:
            table.played_card[order - 1] = first + place
            table.played_by[order - 1] = read_share(vector[at[PLAYED_BY_AT] + place], table.rules.players) - 1
            table.plays += 1


@inlined
def write_account(table: Any, observer: Any, at: Any, out: Any) -> Any:
    """Write the pots now and when all had contributed, the balances, and their change in this deal."""
    for pot in range(len(table.pots)):
        out[at[POTS_AT] + pot] = write_chips(table.pots[pot])
        out[at[OPENING_POTS_AT] + pot] = write_chips(table.opening_pots[pot])
    for seat in range(table.rules.players):
        other = relative(table, observer, seat)
        out[at[BALANCES_AT] + other] = write_chips(table.balances[seat])
        out[at[GAINS_AT] + other] = write_chips(table.balances[seat] - table.opening_balances[seat])


@compiled
def read_account(table: Any, vector: Any, at: Any) -> Any:
    """Read back what `write_account` wrote."""
    for pot in range(len(table.pots)):
        table.pots[pot] = read_chips(vector[at[POTS_AT] + pot])
        table.opening_pots[pot] = read_chips(vector[at[OPENING_POTS_AT] + pot])
    for seat in range(table.rules.players):
        table.balances[seat] = read_chips(vector[at[BALANCES_AT] + seat])
        table.opening_balances[seat] = table.balances[seat] - read_chips(vector[at[GAINS_AT] + seat])
