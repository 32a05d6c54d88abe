"""Reduced games, small enough to look at every deal and every line of play: games of `marriage_env.interop.openspiel`.

A match is one deal, seat 0 is eldest, and what is forced is done at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyspiel

from marriage_env.interop.openspiel import MarriageGame
from marriage_env.interop.openspiel.node import Node
from marriage_env.interop.openspiel.position import Position
from marriage_env.interop.openspiel.tree import after
from marriage_env.options import one_of
from marriage_env.record_arrays import copy_records

BOXES, SAUCERS = "python_marriage_boxes", "python_marriage_saucers"

#: The reduced games by name: the full game's name in OpenSpiel, and the parameters.
SMALL_GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "boxes-tiny": (BOXES, {"players": 2, "cards": "JD QH KH AC", "hand": 1, "turn_up": "9C"}),
    "boxes-2": (BOXES, {"players": 2, "cards": "JD QC KC AC QH KH", "hand": 2, "turn_up": "9C"}),
    "boxes-2-auto": (
        BOXES,
        {"players": 2, "cards": "JD QC KC AC QH KH AH", "hand": 3, "turn_up": "9C", "declaring": "auto"},
    ),
    "boxes-3": (BOXES, {"players": 3, "cards": "QC KC AC QD KD QS KS", "hand": 2, "turn_up": "9C"}),
    "saucers-tiny": (SAUCERS, {"players": 2, "cards": "KC AC KD AD"}),
    "saucers-2": (SAUCERS, {"players": 2, "cards": "QC KC AC QD KD AD"}),
    "saucers-3": (SAUCERS, {"players": 3, "cards": "QC KC AC QD KD AD"}),
}


def load(name: str, utility: str = "chips") -> MarriageGame:
    """A reduced game by its name in `SMALL_GAMES`, for a utility of ``"chips"`` or ``"ahead"``; else OptionError."""
    full, parameters = SMALL_GAMES[one_of("game", name, tuple(SMALL_GAMES))]
    usual = {"dealer": parameters["players"] - 1, "skip_forced": True, "utility": utility}
    game: MarriageGame = pyspiel.load_game(full, usual | parameters)
    return game


def positions(game: MarriageGame) -> list[Position]:
    """All positions: those in which a player has a choice, and ends."""
    return [node for node in all_after(game.root) if isinstance(node, Position)]


def all_after(node: Node) -> Iterator[Node]:
    """Where a game stands, and wherever it may come to from there."""
    yield node
    for action in node.actions:
        yield from all_after(after(node, action))


def record_for(position: Position, seat: int) -> Any:
    """The table's record without what a seat does not know."""
    table = copy_records(position.tables)[0]
    for other in range(position.setup.players):
        if other != seat:
            table["hands"][other] = 0
            table["open_claims"][other] = 0
    return table
