"""What the observations of both games have in common: the first fields, and how compiled code writes and reads them.

A game lists its fields once (`boxes/observation.py`, `saucers/observation.py`): these, then its own. An encoder writes
field k from place ``at[k]`` on (`Layout.at`), with k by the names below.

Seats are relative to the observer: 0 is he himself, 1 his left-hand neighbour, and so on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from marriage_env.cards import CARD_NAMES, CARDS, NONE, ONE, only
from marriage_env.compiled import compiled, inlined
from marriage_env.fields import CHIPS, Code, Field, Layout, marks, one_of, seat_code, set_of, share, values
from marriage_env.table import ALL_CLAIMS, CLAIMS, DECLARE, NOBODY, OVER, PHASE_NAMES

HALF = np.float32(0.5)
NIL = np.float32(0.0)
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
def place_of(at: Any, field: Any) -> Any:
    """Where a field begins. Unsigned: only then does LLVM see that what is written from there on are neighbours."""
    return np.uint64(at[field])


@inlined
def card_zero(table: Any, at: Any, field: Any) -> Any:
    """Where card 0 would stand in a field over the pack.

    Such fields are written for all 52 cards, since a loop of fixed length is the fastest. What a pack of 36 lacks falls
    on the 16 places before the field, so these are written after it.
    """
    return np.uint64(at[field] - (CARDS - table.rules.pack_size))


@inlined
def next_seat(players: Any, seat: Any) -> Any:
    """The seat to the left, unsigned. It compiles without a branch, which would be hard to predict."""
    left = seat + np.uint64(1)
    return left if left < np.uint64(players) else np.uint64(0)


@inlined
def write_cards(table: Any, cards: Any, at: Any, field: Any, out: Any) -> Any:
    """Write a set of cards into a field over the pack."""
    start = card_zero(table, at, field)
    for card in range(CARDS):
        out[start + np.uint64(card)] = np.float32((cards >> np.uint64(card)) & ONE)


@inlined
def seat_mark(players: Any, observer: Any, seat: Any) -> Any:
    """A seat as its observer counts it, plus one; all are float32, of which vector instructions hold most."""
    places = seat - observer
    return places + (players + FULL if places < NIL else FULL)


@inlined
def clear(length: Any, out: Any, start: Any) -> Any:
    """Write zeros."""
    for place in range(length):
        out[start + np.uint64(place)] = NIL


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
    out[start + np.uint64(index)] = FULL


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
    """Write the common fields as a seat sees them, those over the pack before the others; `plays`: `common_fields`."""
    write_plays(table, observer, plays, at, out)
    write_shown(table, observer, at, out)
    write_cards(table, table.hands[observer], at, HAND_AT, out)
    write_head(table, observer, blank, at, out)
    write_claims(table, observer, at, out)
    write_pots(table, at, out)
    write_seats(table, observer, at, out)


@inlined
def write_head(table: Any, observer: Any, blank: Any, at: Any, out: Any) -> Any:
    """Write the first fields: the rules, which the blank has, and where the game stands."""
    for place in range(at[DEAL_AT]):
        out[np.uint64(place)] = blank[np.uint64(place)]
    write_one(table.phase - DECLARE, out, place_of(at, PHASE_AT))
    if table.phase != OVER:
        write_one(relative(table, observer, table.actor), out, place_of(at, ACTOR_AT))
    write_one(relative(table, observer, table.dealer), out, place_of(at, DEALER_AT))
    out[place_of(at, DEAL_AT)] = write_chips(table.deals)


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
    """Write who declared what, and in which order."""
    start, own = place_of(at, CLAIMS_AT), np.uint64(CLAIMS * observer)
    after = np.uint64(CLAIMS * table.rules.players) - own
    unit = np.float32(1 / CLAIMS)
    for place in range(after):
        out[start + np.uint64(place)] = np.float32(table.claim_order[own + np.uint64(place)]) * unit
    for place in range(own):
        out[start + after + np.uint64(place)] = np.float32(table.claim_order[np.uint64(place)]) * unit


@inlined
def write_shown(table: Any, observer: Any, at: Any, out: Any) -> Any:
    """Write who has shown each card by declaring."""
    players, own = np.float32(table.rules.players), np.float32(observer)
    unit, start = FULL / players, card_zero(table, at, SHOWN_BY_AT)
    for card in range(CARDS):
        mark = seat_mark(players, own, np.float32(table.shown_by[card]))
        out[start + np.uint64(card)] = mark * unit if table.shown_by[card] != NOBODY else NIL


@compiled
def read_claims(table: Any, vector: Any, at: Any) -> Any:
    """Read back what `write_claims` and `write_shown` wrote, and who gave up something."""
    players = table.rules.players
    for seat in range(players):
        table.open_claims[seat] = 0
        table.gave_up[seat] = vector[at[GAVE_UP_AT] + seat] > HALF
    for place in range(CLAIMS * players):
        table.claim_order[place] = read_share(vector[at[CLAIMS_AT] + place], CLAIMS)
    first = CARDS - table.rules.pack_size
    for place in range(table.rules.pack_size):
        by = read_share(vector[at[SHOWN_BY_AT] + place], players)
        table.shown_by[first + place] = by - 1 if by else NOBODY


@compiled
def reopen_claims(table: Any, claims: Any) -> Any:
    """Of the claims in the observer's hand, those still open while there is declaring."""
    if table.phase == DECLARE and not table.gave_up[0]:
        table.open_claims[0] = claims
        for claim in range(CLAIMS):
            if table.claim_order[claim]:
                table.open_claims[0] &= ALL_CLAIMS - (1 << claim)


@inlined
def write_plays(table: Any, observer: Any, plays: Any, at: Any, out: Any) -> Any:
    """Write who played each card, and its place in the order of play."""
    unit, start = FULL / np.float32(plays), card_zero(table, at, PLAY_ORDER_AT)
    for card in range(CARDS):
        out[start + np.uint64(card)] = np.float32(table.play_order[card]) * unit
    players, own = np.float32(table.rules.players), np.float32(observer)
    unit, start = FULL / players, card_zero(table, at, PLAYED_BY_AT)
    for card in range(CARDS):
        mark = seat_mark(players, own, np.float32(table.played_by[card]))
        out[start + np.uint64(card)] = mark * unit if table.play_order[card] else NIL


@compiled
def read_plays(table: Any, vector: Any, plays: Any, at: Any) -> Any:
    """Read back what `write_plays` wrote."""
    first = CARDS - table.rules.pack_size
    table.plays = 0
    for place in range(table.rules.pack_size):
        order = read_share(vector[at[PLAY_ORDER_AT] + place], plays)
        table.play_order[first + place] = order
        if order:
            table.played_card[order - 1] = first + place
            table.played_by[first + place] = read_share(vector[at[PLAYED_BY_AT] + place], table.rules.players) - 1
            table.plays += 1


@inlined
def write_pots(table: Any, at: Any, out: Any) -> Any:
    """Write the pots now, and when all had contributed."""
    start, opening = place_of(at, POTS_AT), place_of(at, OPENING_POTS_AT)
    for pot in range(len(table.pots)):
        out[start + np.uint64(pot)] = write_chips(table.pots[pot])
        out[opening + np.uint64(pot)] = write_chips(table.opening_pots[pot])


@inlined
def write_seats(table: Any, observer: Any, at: Any, out: Any) -> Any:
    """Write who gave up something, the balances, and their change in this deal."""
    gave_up, balances, gains = place_of(at, GAVE_UP_AT), place_of(at, BALANCES_AT), place_of(at, GAINS_AT)
    players, seat = table.rules.players, np.uint64(observer)
    for place in range(players):
        other = np.uint64(place)
        out[gave_up + other] = np.float32(table.gave_up[seat])
        out[balances + other] = write_chips(table.balances[seat])
        out[gains + other] = write_chips(table.balances[seat] - table.opening_balances[seat])
        seat = next_seat(players, seat)


@compiled
def read_account(table: Any, vector: Any, at: Any) -> Any:
    """Read back what `write_pots` and `write_seats` wrote, but for who gave up something."""
    for pot in range(len(table.pots)):
        table.pots[pot] = read_chips(vector[at[POTS_AT] + pot])
        table.opening_pots[pot] = read_chips(vector[at[OPENING_POTS_AT] + pot])
    for seat in range(table.rules.players):
        table.balances[seat] = read_chips(vector[at[BALANCES_AT] + seat])
        table.opening_balances[seat] = table.balances[seat] - read_chips(vector[at[GAINS_AT] + seat])
