"""The functions that faces over one table call, written once for every game.

These are templates: plain functions in which some names stand for a game's own. They are never called here; a `Game`
has each as a compiled function of its own (`game.Bound`). Tables come as an array of records.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marriage_env.cards import CARDS, NONE, holds, nth, size
from marriage_env.compiled import compiled
from marriage_env.randomness import below
from marriage_env.table import ACTIONS, CHANCE, OVER, open_match

# What a game binds to its own functions.
deal: Any = None
step: Any = None
forfeit: Any = None
observe: Any = None
recall: Any = None
choose: Any = None
is_sound: Any = None

DRAWN = -1  # a dealer who is to be drawn

#: What `advance` says beside the seat that is to act.
SEAT_BITS = 15
PAID = 16
ENDED = 32
ILLEGAL = -1


@compiled
def write_mask(legal: Any, mask: Any) -> Any:
    """Write a set of actions as a mask, 0 or 1 for each action."""
    for action in range(ACTIONS):
        mask[action] = (legal >> np.uint64(action)) & np.uint64(1)


def start(table: Any, dealer: Any, packs: Any) -> Any:
    """Begin a match, the pots being set, and make its first deal; a dealer of `DRAWN` is drawn."""
    open_match(table, dealer if dealer != DRAWN else below(table, table.rules.players))
    deal(table, packs)


def take(table: Any, action: Any, packs: Any) -> Any:
    """Take a legal action, and deal anew where a deal is due."""
    step(table, action)
    if table.phase == CHANCE:
        deal(table, packs)


def begin(tables: Any, dealer: Any, packs: Any, mask: Any) -> Any:
    """Begin a match at the first table, as `start`, and write the actor's mask; the actor."""
    table = tables[0]
    start(table, dealer, packs)
    write_mask(table.legal, mask)
    return np.int64(table.actor)


def advance(tables: Any, action: Any, packs: Any, blank: Any, at: Any, vector: Any, mask: Any) -> Any:
    """Take an action, 0 to 60, at the first table, and deal anew where a deal is due.

    Writes what he sees who is to act then, and his mask. Returns his seat, plus `PAID` if chips moved, plus `ENDED` if
    the match is over; or `ILLEGAL`, with nothing changed.
    """
    table = tables[0]
    if not holds(table.legal, action):
        return np.int64(ILLEGAL)
    take(table, action, packs)
    observe(table, table.actor, blank, at, vector)
    write_mask(table.legal, mask)
    return np.int64(table.actor) + PAID * (table.entries > 0) + ENDED * (table.phase == OVER)


def forfeit_match(tables: Any) -> Any:
    """End the match at the first table: its actor has tried an illegal action (`forfeit`)."""
    forfeit(tables[0])


def perceive(tables: Any, seat: Any, blank: Any, at: Any, vector: Any, mask: Any) -> Any:
    """Write what a seat at the first table sees, and the mask of what it may do now."""
    table = tables[0]
    observe(table, seat, blank, at, vector)
    write_mask(table.legal if table.actor == seat else NONE, mask)


def advise(scratch: Any, at: Any, vectors: Any, actions: Any) -> Any:
    """Let the game's rule-based player choose for each observation vector; `scratch` is a table that has its rules.

    `ILLEGAL` stands for his action where he is not to act, or where nobody can have seen such a vector.
    """
    table = scratch[0]
    for row in range(len(vectors)):
        recall(vectors[row], at, table)
        actions[row] = choose(table, np.int64(0)) if table.legal != NONE and is_sound(table) else ILLEGAL


def rollout(tables: Any, steps: Any, streams: Any, blank: Any, at: Any, vector: Any) -> Any:
    """Play `steps` random steps at the first table, match after match, the choices drawn from the first of `streams`.

    Writes the actor's observation at each step, if `vector` has a size. For the benchmark: what the compiled rules
    alone can do. The table must be new, or one that was left so.
    """
    table = tables[0]
    packs = np.zeros((0, CARDS), np.uint8)
    for _ in range(steps):
        if table.phase == OVER or table.phase == CHANCE:
            start(table, DRAWN, packs)
        if len(vector):
            observe(table, table.actor, blank, at, vector)
        take(table, nth(table.legal, below(streams[0], size(table.legal))), packs)
