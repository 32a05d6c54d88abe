"""The reduced games as Python games of OpenSpiel, for its solvers: `load` makes one.

Chance makes one move, the deal. A player's information state is his hand as it was dealt, and all that everybody has
seen since, in order.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel

from experiments.small_positions import Position
from experiments.small_rules import SMALL_GAMES
from marriage_env import MarriageError
from marriage_env.table import ACTIONS, CLAIMS

NAME = "marriage_small"
KING_ANSWERS = 4  # the actions out of turn that a deal can have (Boxes 5.1), which may be passes


def game_type(utility: Any) -> Any:
    """What OpenSpiel is told of these games in general."""
    return pyspiel.GameType(
        short_name=NAME,
        long_name="Marriage, reduced",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=max(rules.players for rules in SMALL_GAMES.values()),
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=False,
        provides_observation_tensor=False,
        parameter_specification={"game": "boxes-2", "ahead": False},
    )


GENERAL_SUM = game_type(pyspiel.GameType.Utility.GENERAL_SUM)
ZERO_SUM = game_type(pyspiel.GameType.Utility.ZERO_SUM)


class SmallGame(pyspiel.Game):  # type: ignore[misc]
    """A reduced game.

    Args:
        params: ``game``, the name of the reduced game in `SMALL_GAMES`; ``ahead``, whether the utility is how far a
            player is ahead of the mean of all, which makes the game zero-sum, or else (False) the chips he wins or
            loses. Chips that stay in the pots are nobody's, so in chips it is general-sum.

    Raises MarriageError for a game that is not known.
    """

    def __init__(self, params: dict[str, Any]) -> None:
        name = params.get("game", "boxes-2")
        if name not in SMALL_GAMES:
            raise MarriageError(f"reduced game {name!r} is not known: allowed are {', '.join(SMALL_GAMES)}")
        self.rules = SMALL_GAMES[name]
        self.ahead = params.get("ahead", False)
        self._openings: dict[int, Position] = {}
        players, cards = self.rules.players, len(self.rules.dealt_from)
        most = 20.0 * players + 11.0 * cards  # more than all contributions, and claims or points of all cards
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTIONS,
            max_chance_outcomes=len(self.rules.deals),
            num_players=players,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0 if self.ahead else None,
            max_game_length=(CLAIMS + 1) * players + cards + KING_ANSWERS,
        )
        super().__init__(ZERO_SUM if self.ahead else GENERAL_SUM, info, params)

    def opening(self, deal: int) -> Position:
        """The position after a deal, by its number."""
        if deal not in self._openings:
            self._openings[deal] = Position.dealt(self.rules, self.rules.deals[deal])
        return self._openings[deal]

    def positions(self) -> list[Position]:
        """All positions."""
        return [position for deal in range(len(self.rules.deals)) for position in self.opening(deal).all()]

    def new_initial_state(self) -> SmallState:
        """The state before the deal."""
        return SmallState(self)

    def make_py_observer(self, iig_obs_type: object = None, params: object = None) -> Observer:
        """What tells OpenSpiel's compiled code the information states."""
        return Observer()


class SmallState(pyspiel.State):  # type: ignore[misc]
    """A state of a reduced game: before the deal, or at a position."""

    def __init__(self, game: SmallGame) -> None:
        super().__init__(game)
        self.position: Position | None = None

    def current_player(self) -> int:
        """Who is to act: a seat, chance, or nobody."""
        if self.position is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.position.over else self.position.actor

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Every deal, by its number, with its probability."""
        deals = len(self.get_game().rules.deals)
        return [(deal, 1.0 / deals) for deal in range(deals)]

    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return self.position is not None and self.position.over

    def returns(self) -> list[float]:
        """The utility of each player; 0 before the end."""
        game = self.get_game()
        if self.position is None or not self.position.over:
            return [0.0] * game.num_players()
        chips = self.position.balances()
        return list(chips - chips.mean() if game.ahead else chips)

    def information_state_string(self, player: int | None = None) -> str:
        """All that a player knows; the actor, unless it is said whose."""
        if self.position is None:
            return ""
        return self.position.known_to(self.position.actor if player is None else player)

    def _legal_actions(self, player: int) -> list[int]:
        return [] if self.position is None else self.position.actions

    def _apply_action(self, action: int) -> None:
        self.position = self.get_game().opening(action) if self.position is None else self.position.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return f"deal {action}" if player < 0 else str(self.get_game().rules.game.action_names[action])

    def __str__(self) -> str:
        position = self.position
        return "" if position is None else "\n".join(map(position.known_to, range(position.rules.players)))


class Observer:
    """The information state as OpenSpiel's compiled code asks for it: in words alone, as no tensor is provided."""

    def __init__(self) -> None:
        self.tensor = np.zeros(0, np.float32)
        self.dict: dict[str, Any] = {}

    def set_from(self, state: SmallState, player: int) -> None:
        """Fill the tensor, of which there is none."""

    def string_from(self, state: SmallState, player: int) -> str:
        """All that a player knows."""
        return state.information_state_string(player)


pyspiel.register_game(GENERAL_SUM, SmallGame)


def load(name: str, *, ahead: bool = False) -> SmallGame:
    """A reduced game by its name in `SMALL_GAMES`, in chips or as a zero-sum game (see `SmallGame`)."""
    game: SmallGame = pyspiel.load_game(NAME, {"game": name, "ahead": ahead})
    return game
