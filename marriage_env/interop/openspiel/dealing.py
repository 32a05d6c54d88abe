"""Where a game in OpenSpiel stands at a move of chance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.cards import CARD_NAMES
from marriage_env.interop.openspiel.deal import Deal, Outcomes, decide, due, in_words, outcomes
from marriage_env.interop.openspiel.node import CHANCE_PLAYER, Node
from marriage_env.interop.openspiel.setup import Setup


class Dealing(Node):
    """A move of chance. What it has decided of a deal is shown when the deal stands, and not before.

    Attributes:
        deal: what it has decided.
        outcomes: what it may decide next, and how likely; none: the deal stands.
    """

    player = CHANCE_PLAYER

    def __init__(self, setup: Setup, tables: NDArray[Any], past: tuple[str, ...], deal: Deal) -> None:
        super().__init__(setup, tables, past)
        self.deal = deal
        self.outcomes: Outcomes = outcomes(setup, deal) if due(setup, deal) else []
        self.actions = [outcome for outcome, _ in self.outcomes]

    def taken(self, action: int) -> Dealing:
        """When chance has decided so."""
        return Dealing(self.setup, self.tables, self.past, decide(self.setup, self.deal, action))

    def action_name(self, action: int) -> str:
        """What chance decides, in words."""
        return in_words(self.setup, self.deal, action)

    def known_to(self, seat: int) -> str:
        """What a seat knows of the deals before this one."""
        return self.past[seat]

    def observe(self, seat: int, vector: NDArray[np.float32]) -> None:
        """Write what every observation under these rules has in common."""
        vector[:] = self.setup.layout.blank

    def utilities(self) -> list[float]:
        """0 for each seat: the match is not over."""
        return [0.0] * self.setup.players

    def __str__(self) -> str:
        hands = [[CARD_NAMES[card] for card in hand] for hand in self.deal.hands]
        return f"deal {self.tables[0]['deals'] + 1}: {self.deal._replace(hands=())} {hands}"
