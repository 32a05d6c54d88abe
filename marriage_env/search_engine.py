"""What a search calls, written once for every game: worlds that agree with what was seen, and playouts in a tree.

Information-set Monte-Carlo tree search for many players. In each world drawn, every action that is still in question is
tried once, so that actions are compared by the same cards. From there on a playout goes down a tree of actions, in
which each seat has its own chips in view, and then to the end of the deal by the rule-based player, who also says which
action is to be thought likely at first (`select`). All see who takes which action, so a node of the tree is
what the searching player would have seen: worlds share it.

Templates, as in `engine`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from marriage_env.cards import NONE, holds, lowest, only, size, without_lowest
from marriage_env.compiled import compiled, inlined
from marriage_env.memory import unowned
from marriage_env.table import CHANCE, OVER, record_dtype

# What a game binds to its own functions; `open_worlds` and `draw_world` of `world_engine` too.
step: Any = None
choose: Any = None
recall: Any = None
open_worlds: Any = None
draw_world: Any = None

#: A node: a seat's action, and what came of it to that seat.
NODE = record_dtype(
    ("total", np.float64),  # of the chips that seat had at the ends
    ("visits", np.int32),
    ("child", np.int32),  # the first of its children, or NO_NODE
    ("sibling", np.int32),  # the next child of its parent, or NO_NODE
    ("action", np.uint8),
    ("seat", np.uint8),
)
NO_NODE = -1
NOTHING = -1  # where an action could stand
ROOT = 0

#: A tree: how many of its nodes are in use, and what came of all playouts to the searching seat.
TREE = record_dtype(("nodes", np.int64), ("playouts", np.int64), ("total", np.float64), ("squares", np.float64))
DEEPEST = 256  # actions; no deal has more

LIKELY = 0.85  # how likely the rule-based player's action is thought at first; the others share the rest
CURIOSITY = 2.0  # how much that counts beside what came of the actions, in standard deviations of it


def open_search(vector: Any, at: Any, tables: Any, known: Any, nodes: Any, tree: Any, stream: Any) -> Any:
    """Set up a search for who sees `vector` and is to act; what he may do, or nothing if nobody can have seen that.

    `tables` are two with its rules: the first becomes the table as he knows it, the second is for playing on. `nodes`
    are as many as may be used; `known`, `tree` and `stream` arrays of one.
    """
    recall(vector, at, tables[0])
    if not open_worlds(tables[0], known[0], stream[0]):
        return NONE
    tree[0].nodes = 1
    tree[0].playouts = 0
    tree[0].total = 0.0
    tree[0].squares = 0.0
    nodes[ROOT].child = NO_NODE
    nodes[ROOT].visits = 0
    return tables[0].legal


def play_worlds(tables: Any, known: Any, nodes: Any, tree: Any, stream: Any, candidates: Any, worlds: Any) -> Any:
    """Draw so many worlds, and play out each of a set of actions in each; False if no world agrees."""
    path = np.empty(DEEPEST, np.int32)
    for _ in range(worlds):
        if not draw_world(tables[0], known[0], stream[0]):
            return False
        rest = candidates
        while rest != NONE:
            tables[1] = tables[0]
            play_out(tables[1], unowned(nodes), tree[0], path, lowest(rest))
            rest = without_lowest(rest)
    return True


@inlined
def is_on(table: Any) -> Any:
    """Whether the deal is still on."""
    return table.phase != CHANCE and table.phase != OVER


def play_out(table: Any, nodes: Any, tree: Any, path: Any, first: Any) -> Any:
    """Take a first action, then go down the tree, add a node to it, play on to the end of the deal, and take stock."""
    searcher = table.actor
    depth, node, action = 0, ROOT, first
    while True:
        node = child_of(nodes, tree, node, np.int64(table.actor), action)
        if node == NO_NODE:
            break
        path[depth] = node
        depth += 1
        step(table, action)
        action = NOTHING
        if not is_on(table) or nodes[node].visits == 0:
            break
        action = select(table, nodes, node, tree)
    if action != NOTHING:
        step(table, action)
    while is_on(table):
        step(table, choose(table, np.int64(table.actor)))
    for place in range(depth):
        nodes[path[place]].visits += 1
        nodes[path[place]].total += worth(table, nodes[path[place]].seat)
    gain = worth(table, searcher)
    tree.playouts += 1
    tree.total += gain
    tree.squares += gain * gain


@inlined
def worth(table: Any, seat: Any) -> Any:
    """A seat's chips at the end of the deal; what lies in the pots, if deals are to come, is shared alike."""
    chips = np.float64(table.balances[seat])
    if table.phase == CHANCE:
        for pot in range(len(table.pots)):
            chips += table.pots[pot] / table.rules.players
    return chips


@compiled
def child_of(nodes: Any, tree: Any, node: Any, seat: Any, action: Any) -> Any:
    """The child of a node by a seat's action, made if there is none; NO_NODE if there is no room.

    After the same actions, worlds may differ in whose turn it is: he who holds the next card of a row, or a queen.
    """
    child = nodes[node].child
    while child != NO_NODE:
        if nodes[child].action == action and nodes[child].seat == seat:
            return np.int64(child)
        child = nodes[child].sibling
    new = tree.nodes
    if new == len(nodes):
        return np.int64(NO_NODE)
    tree.nodes += 1
    nodes[new].total = 0.0
    nodes[new].visits = 0
    nodes[new].action = action
    nodes[new].seat = seat
    nodes[new].child = NO_NODE
    nodes[new].sibling = nodes[node].child
    nodes[node].child = new
    return np.int64(new)


def select(table: Any, nodes: Any, node: Any, tree: Any) -> Any:
    """The action that promises most to who is to act: by what came of it so far, and by how likely it is thought.

    An action not yet tried is taken to bring what those tried have brought on average.
    """
    legal = table.legal
    if without_lowest(legal) == NONE:
        return lowest(legal)
    likely = choose(table, np.int64(table.actor))
    untried, visits, total = legal, 0, 0.0
    child = nodes[node].child
    while child != NO_NODE:
        if is_open(table, nodes[child]):
            untried &= ~only(nodes[child].action)
            visits += nodes[child].visits
            total += nodes[child].total
        child = nodes[child].sibling
    if visits == 0:
        return likely
    other = (1.0 - LIKELY) / size(legal)
    curiosity = CURIOSITY * spread(tree) * np.sqrt(np.float64(visits))
    best, action = -1e18, np.int64(likely)
    child = nodes[node].child
    while child != NO_NODE:
        if is_open(table, nodes[child]):
            share = other + LIKELY * (nodes[child].action == likely)
            promise = nodes[child].total / nodes[child].visits + curiosity * share / (1 + nodes[child].visits)
            if promise > best:
                best, action = promise, np.int64(nodes[child].action)
        child = nodes[child].sibling
    if untried != NONE:
        first = likely if holds(untried, likely) else lowest(untried)
        if total / visits + curiosity * (other + LIKELY * (first == likely)) > best:
            return first
    return action


@inlined
def is_open(table: Any, node: Any) -> Any:
    """Whether a node is an action that who is to act may take now."""
    return node.seat == table.actor and holds(table.legal, node.action)


@inlined
def spread(tree: Any) -> Any:
    """The standard deviation of what came of all playouts."""
    mean = tree.total / tree.playouts
    return np.sqrt(max(tree.squares / tree.playouts - mean * mean, 0.0))
