"""Where a game in OpenSpiel stands: what moves of chance and tables have in common."""

from __future__ import annotations

import abc
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.interop.openspiel.setup import Setup

CHANCE_PLAYER, TERMINAL_PLAYER = -1, -4  # OpenSpiel's numbers


class Node(abc.ABC):
    """Where a game stands: at a move of chance (`Dealing`), or at a table (`Position`).

    It never changes, so all copies of a state share it.

    Attributes:
        setup: what the game is set up with.
        tables: the table's record, as an array of one.
        past: what each seat has known of the deals before this one, to their ends.
        player: the seat that is to act, or OpenSpiel's number for chance or for nobody.
        actions: what he may do, low to high; none at the end.
        followers: where the game stands after an action, as far as that is kept (`tree.after`).
    """

    player: int
    actions: list[int]

    def __init__(self, setup: Setup, tables: NDArray[Any], past: tuple[str, ...]) -> None:
        self.setup, self.tables, self.past = setup, tables, past
        self.followers: dict[int, Node] = {}

    def __deepcopy__(self, memo: object) -> Node:
        return self

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"followers": {}}

    @abc.abstractmethod
    def taken(self, action: int) -> Node:
        """Where the game stands right after a legal action, or outcome of chance."""

    @abc.abstractmethod
    def action_name(self, action: int) -> str:
        """An action, or an outcome, in the rulebook's words."""

    @abc.abstractmethod
    def known_to(self, seat: int) -> str:
        """All that a seat has been shown, in order: his hands as they were dealt, and what all have seen."""

    @abc.abstractmethod
    def observe(self, seat: int, vector: NDArray[np.float32]) -> None:
        """Write what a seat sees into `vector`, float32 of shape (setup.layout.size,)."""

    @abc.abstractmethod
    def utilities(self) -> list[float]:
        """What the match has been worth to each seat; 0 before its end."""
