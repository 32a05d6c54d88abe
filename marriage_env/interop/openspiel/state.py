"""The states of the games."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from marriage_env.errors import MarriageError
from marriage_env.interop.openspiel.deal import Deal, Outcomes, planned
from marriage_env.interop.openspiel.dealing import Dealing
from marriage_env.interop.openspiel.node import CHANCE_PLAYER, TERMINAL_PLAYER, Node
from marriage_env.interop.openspiel.position import Position
from marriage_env.interop.openspiel.tree import after
from marriage_env.interop.openspiel.worlds import possible_deals
from marriage_env.options import whole

MOST_TRIES = 1_000_000  # deals that are looked at for one that agrees with what a player knows


class MarriageState(pyspiel.State):  # type: ignore[misc]
    """A state of a `MarriageGame`.

    Attributes:
        node: where the game stands. It never changes, and all copies of the state share it.
    """

    def __init__(self, game: Any) -> None:
        super().__init__(game)
        self.node: Node = game.root

    def current_player(self) -> int:
        """Who is to act: a seat, chance, or nobody."""
        return self.node.player

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return self.node.player == TERMINAL_PLAYER

    def chance_outcomes(self) -> Outcomes:
        """What chance may decide, with its probability."""
        return self.node.outcomes if isinstance(self.node, Dealing) else []

    def returns(self) -> list[float]:
        """The utility of each player; 0 before the end."""
        return self.node.utilities()

    def information_state_string(self, player: int | None = None) -> str:
        """All that a player knows; the one who is to act, unless it is said whose."""
        seat = self.node.player if player is None else player
        return self.node.known_to(whole("player", seat, 0, self.node.setup.players - 1))

    def resample_from_infostate(self, player: int, probability_sampler: Any) -> MarriageState:
        """A state that may be the true one for all that a player knows, each of them as likely as any other.

        Args:
            player: the seat.
            probability_sampler: called without arguments for a number in [0, 1), of which all chance is made.

        Raises:
            MarriageError: nobody is to act.
        """
        position, seat = self.node, whole("player", player, 0, self.node.setup.players - 1)
        if not isinstance(position, Position) or position.ended:
            raise MarriageError("resample_from_infostate: allowed is a state in which a player is to act")
        random = np.random.default_rng(int(probability_sampler() * 2**53))
        known = position.known_to(seat)
        for _, deal in zip(range(MOST_TRIES), possible_deals(position, seat, random), strict=False):
            state = self._played_again(deal, position.moves)
            if state.node.known_to(seat) == known:
                return state
        raise MarriageError(f"resample_from_infostate: no deal found for player {seat} that agrees with {known}")

    def _played_again(self, deal: Deal, moves: tuple[int, ...]) -> MarriageState:
        """The match so far, but with another deal in place of the last one, and the same moves as far as they go."""
        history = self.full_history()
        opened = max(place for place, done in enumerate(history) if done.player == CHANCE_PLAYER)
        while opened and history[opened - 1].player == CHANCE_PLAYER:
            opened -= 1
        state = MarriageState(self.get_game())
        for done in history[:opened]:
            state.apply_action(done.action)
        while isinstance(state.node, Dealing):
            state.apply_action(planned(state.node.setup, state.node.deal, deal))
        while isinstance(state.node, Position) and len(state.node.moves) < len(moves):
            action = moves[len(state.node.moves)]
            if action not in state.node.actions:
                break
            state.apply_action(action)
        return state

    def _legal_actions(self, player: int) -> list[int]:
        return self.node.actions if player == self.node.player else []

    def _apply_action(self, action: int) -> None:
        self.node = after(self.node, action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.node.action_name(action)

    def __str__(self) -> str:
        return str(self.node)
