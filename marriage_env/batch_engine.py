"""What a batch calls, written once for every game: many tables in one call, the house players' turns within it.

Templates, as in `engine`. `rows` says which tables are meant; of every array, row r belongs to table r.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from marriage_env.cards import CARDS, NONE, holds, nth, size
from marriage_env.compact import write_compact
from marriage_env.compiled import compiled, inlined, multiply
from marriage_env.engine import DRAWN, start, take, write_mask
from marriage_env.memory import prefetch_row, unowned
from marriage_env.randomness import GOLDEN, below, mix
from marriage_env.table import ACTIONS, ALL_ACTIONS, OVER

# What a game binds to its own functions; `start` and `take` too.
observe: Any = None
choose: Any = None

#: Who plays a seat: the caller, or a house player, whose turns are part of the call.
CALLER, RANDOM, RULES = range(3)

#: What a batch keeps for each table beside its record: the house players' random stream; whether the caller has acted
#: in this match; and the seat whose view is shown. (Packed: memory counts where there are many.)
HOUSE = np.dtype([("seed", np.uint64), ("draws", np.uint64), ("caller_acted", np.bool_), ("viewer", np.uint8)])

AHEAD = 2  # tables: so far from being needed, one is fetched. With 100,000 tables that saves a third of a step


class State(NamedTuple):
    """All arrays of a batch but its observations.

    Attributes:
        tables: the records.
        house: a `HOUSE` for each table.
        seating: uint8 (n, players), who plays each seat.
        blank, at, chips: of the observation's layout.
        actors, masks, rewards, ended, returns: of `Buffers`.
        legal: uint64 (n,), the masks as sets.
    """

    tables: Any
    house: Any
    seating: Any
    blank: Any
    at: Any
    chips: Any
    actors: Any
    masks: Any
    rewards: Any
    ended: Any
    returns: Any
    legal: Any


@inlined
def unowned_state(arrays: Any) -> Any:
    """The state, without counts of references, from its arrays as a plain tuple, which Numba takes in faster."""
    return State(
        unowned(arrays[0]),
        unowned(arrays[1]),
        unowned(arrays[2]),
        unowned(arrays[3]),
        unowned(arrays[4]),
        unowned(arrays[5]),
        unowned(arrays[6]),
        unowned(arrays[7]),
        unowned(arrays[8]),
        unowned(arrays[9]),
        unowned(arrays[10]),
        unowned(arrays[11]),
    )


# On one table


@inlined
def at_house(table: Any, seating: Any, row: Any) -> Any:
    """Whether it is a house player's turn at a table."""
    return table.phase != OVER and seating[row, table.actor] != CALLER


@inlined
def pick(legal: Any, stream: Any) -> Any:
    """Any of a set of legal actions, each equally likely."""
    return nth(legal, below(stream, size(legal)))


def play_on(table: Any, seating: Any, row: Any, house: Any, packs: Any) -> Any:
    """Let house players act until it is the caller's turn or the match is over; how many actions that was."""
    actions = 0
    while at_house(table, seating, row):
        by_rules = seating[row, table.actor] == RULES
        take(table, choose(table, np.int64(table.actor)) if by_rules else pick(table.legal, house), packs)
        actions += 1
    return actions


def open_table(table: Any, seating: Any, row: Any, house: Any, dealer: Any, packs: Any) -> Any:
    """Begin a match, the pots being set, and let house players act; how many actions that was."""
    house.caller_acted = False
    start(table, dealer, packs)
    return play_on(table, seating, row, house, packs)


@compiled
def first_of_caller(seating: Any, row: Any) -> Any:
    """The first seat that the caller plays at a table, or -1."""
    for seat in range(seating.shape[1]):
        if seating[row, seat] == CALLER:
            return seat
    return -1


@inlined
def is_late(table: Any, seating: Any, row: Any, house: Any) -> Any:
    """Whether the match was over before the caller, who plays a seat, could act: its rewards are still due."""
    return table.phase == OVER and not house.caller_acted and first_of_caller(seating, row) >= 0


def write_view(state: Any, row: Any, seat: Any, place: Any, vectors: Any, compact: Any, draft: Any) -> Any:
    """Write what a seat sees into a place of `vectors`, or, if that is None, as bytes into one of `compact`.

    `draft` has room for one vector, on its way to bytes.
    """
    table = state.tables[row]
    if compact is not None:
        observe(table, seat, state.blank, state.at, unowned(draft))
        write_compact(unowned(draft), state.chips, unowned(compact)[place])
    if vectors is not None:
        out = unowned(vectors)[place]
        if len(out):
            observe(table, seat, state.blank, state.at, out)


def show(state: Any, row: Any, vectors: Any, compact: Any, draft: Any) -> Any:
    """Write into a row whether its table's match has ended, who is to act, what he may do, and what he sees.

    If the match is over, there is nothing to do, and the seat stays the one that was shown last. If it was over before
    the caller could act, he may do anything: the next step brings him its rewards, and ends it for him.
    """
    table, house, seating = state.tables[row], state.house[row], state.seating
    legal = table.legal
    if table.phase != OVER:
        house.viewer = table.actor
    elif is_late(table, seating, row, house):
        legal = ALL_ACTIONS
        house.viewer = first_of_caller(seating, row)
    state.actors[row] = house.viewer
    state.legal[row] = legal
    write_mask(legal, state.masks[row])
    write_view(state, row, np.int64(house.viewer), row, vectors, compact, draft)


# On many


@compiled
def seed_tables(tables: Any, house: Any, rows: Any, seeds: Any) -> Any:
    """Begin the tables' random streams, and apart from them the house players': no deal depends on who plays."""
    for index in range(len(rows)):
        row, seed = rows[index], seeds[index]
        tables[row].seed = seed
        tables[row].draws = 0
        house[row].seed = mix(multiply(seed, GOLDEN))
        house[row].draws = 0


@compiled
def draw_lots(house: Any, rows: Any, limit: Any, drawn: Any) -> Any:
    """Fill `drawn` with numbers below `limit`, a row from the house players' stream of each table."""
    for index in range(len(rows)):
        for lot in range(drawn.shape[1]):
            drawn[index, lot] = below(house[rows[index]], limit)


@compiled
def find_illegal(legal: Any, rows: Any, actions: Any) -> Any:
    """The index of the first action that is not legal at its table, or -1."""
    for index in range(len(rows)):
        action = actions[index]
        if action < 0 or action >= ACTIONS or not holds(legal[rows[index]], action):
            return index
    return -1


@compiled
def pick_many(legal: Any, house: Any, rows: Any, actions: Any) -> Any:
    """Write a random legal action for whoever is to act at each table where there is one."""
    for index in range(len(rows)):
        row = rows[index]
        if legal[row] != NONE:
            actions[index] = pick(legal[row], unowned(house)[row])


def choose_many(tables: Any, rows: Any, actions: Any) -> Any:
    """Write what the rule-based player would do for whoever is to act at each table where a match is on."""
    for index in range(len(rows)):
        table = unowned(tables)[rows[index]]
        if table.legal != NONE:
            actions[index] = choose(table, np.int64(table.actor))


def open_tables(arrays: Any, rows: Any, dealers: Any, pots: Any, vectors: Any, compact: Any, draft: Any) -> Any:
    """Begin a match at each table; how many actions the house players took."""
    state = unowned_state(arrays)
    tables, house, seating = state.tables, state.house, state.seating
    packs = np.zeros((0, CARDS), np.uint8)
    taken = 0
    for index in range(len(rows)):
        row = rows[index]
        table = tables[row]
        for pot in range(len(table.pots)):
            table.pots[pot] = pots[index, pot]
        taken += open_table(table, seating, row, house[row], dealers[index], packs)
        for seat in range(table.rules.players):
            state.rewards[row, seat] = 0
            state.returns[row, seat] = table.balances[seat]
        show(state, row, vectors, compact, draft)
        state.ended[row] = state.legal[row] == NONE  # there is nothing to do; a match over too early is to be stepped
    return taken


def step_tables(arrays: Any, autoreset: Any, rows: Any, actions: Any, vectors: Any, compact: Any, draft: Any) -> Any:
    """Take a legal action at each table, then let house players act; begin anew where a match is over (`autoreset`).

    Returns how many actions were taken.
    """
    state = unowned_state(arrays)
    tables, house, seating = state.tables, state.house, state.seating
    rewards, ended, returns = state.rewards, state.ended, state.returns
    packs = np.zeros((0, CARDS), np.uint8)
    taken = 0
    for index in range(len(rows)):
        row = rows[index]
        table = tables[row]
        if index + AHEAD < len(rows):
            prefetch_row(tables, rows[index + AHEAD])
            if vectors is not None:
                prefetch_row(vectors, rows[index + AHEAD])
        for seat in range(table.rules.players):
            rewards[row, seat] = -table.balances[seat] if house[row].caller_acted else 0
        if table.phase != OVER:
            take(table, actions[index], packs)
            taken += 1
            if at_house(table, seating, row):
                taken += play_on(table, seating, row, house[row], packs)
        house[row].caller_acted = True
        for seat in range(table.rules.players):
            rewards[row, seat] += table.balances[seat]
            returns[row, seat] = table.balances[seat]
        ended[row] = table.phase == OVER
        if ended[row] and autoreset:
            for pot in range(len(table.pots)):
                table.pots[pot] = 0
            taken += open_table(table, seating, row, house[row], DRAWN, packs)
        show(state, row, vectors, compact, draft)
    return taken


def show_many(arrays: Any, rows: Any, vectors: Any, compact: Any, draft: Any) -> Any:
    """Write for each table who is to act, what he may do, and what he sees."""
    state = unowned_state(arrays)
    for index in range(len(rows)):
        show(state, rows[index], vectors, compact, draft)


def observe_many(arrays: Any, rows: Any, seats: Any, vectors: Any, compact: Any, draft: Any) -> Any:
    """Write what a seat at each table sees, in the order of `rows`."""
    state = unowned_state(arrays)
    for index in range(len(rows)):
        write_view(state, rows[index], seats[index], index, vectors, compact, draft)
