"""How one thing follows another in a game in OpenSpiel."""

from __future__ import annotations

from marriage_env.errors import IllegalActionError
from marriage_env.interop.openspiel.deal import Deal
from marriage_env.interop.openspiel.dealing import Dealing
from marriage_env.interop.openspiel.node import Node
from marriage_env.interop.openspiel.position import Position
from marriage_env.interop.openspiel.setup import Setup
from marriage_env.options import shown
from marriage_env.table import CHANCE


def root(setup: Setup) -> Node:
    """Where a match begins."""
    tables = setup.game.new_tables(1, setup)
    return settled(Dealing(setup, tables, ("",) * setup.players, Deal(setup.dealer)))


def after(node: Node, action: int) -> Node:
    """Where the game stands after an action, or an outcome of chance; IllegalActionError for one that cannot be."""
    follower = node.followers.get(action)
    if follower is None:
        if action not in node.actions:
            allowed = ", ".join(f"{choice} ({node.action_name(choice)})" for choice in node.actions) or "none"
            raise IllegalActionError(f"action {shown(action)} is not legal: allowed are {allowed}")
        follower = settled(node.taken(action))
        if node.setup.keeps_positions:
            node.followers[action] = follower
    return follower


def settled(node: Node) -> Node:
    """The same, or where the game stands when what leaves no choice has been done."""
    while True:
        forced = len(node.actions) == 1 and (isinstance(node, Dealing) or node.setup.skip_forced)
        if forced:
            node = node.taken(node.actions[0])
        elif isinstance(node, Dealing) and not node.actions:
            node = Position.dealt(node)
        elif isinstance(node, Position) and node.tables[0]["phase"] == CHANCE:
            node = next_deal(node)
        else:
            return node


def next_deal(ended: Position) -> Dealing:
    """When a deal is over, but not the match."""
    past = tuple(f"{ended.known_to(seat)}\n" for seat in range(ended.setup.players))
    return Dealing(ended.setup, ended.tables, past, Deal(int(ended.tables[0]["dealer"])))
