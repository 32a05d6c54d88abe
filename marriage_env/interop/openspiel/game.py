"""The games."""

from __future__ import annotations

from typing import Any, ClassVar

import pyspiel

from marriage_env.game import Game
from marriage_env.games import GAMES
from marriage_env.interop.openspiel import bounds
from marriage_env.interop.openspiel.observer import Observer, has_tensor
from marriage_env.interop.openspiel.parameters import make_setup, parameters
from marriage_env.interop.openspiel.setup import Setup
from marriage_env.interop.openspiel.state import MarriageState
from marriage_env.interop.openspiel.tree import root
from marriage_env.table import ACTIONS


def game_type(game: Game, setup: Setup | None = None) -> pyspiel.GameType:
    """What OpenSpiel is told of a game in general, or as it is set up."""
    utility = pyspiel.GameType.Utility
    return pyspiel.GameType(
        short_name=f"python_marriage_{game.name}",
        long_name=f"Marriage: {game.name.capitalize()}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility.ZERO_SUM if setup and setup.ahead else utility.GENERAL_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=game.max_players,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=setup is None or has_tensor(setup),
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=parameters(game),
    )


class MarriageGame(pyspiel.Game):  # type: ignore[misc]
    """A game under given parameters, of which the package tells; `BoxesGame` or `SaucersGame`.

    Raises OptionError for a parameter that cannot be; the message says what is allowed.
    """

    kernel: ClassVar[Game]

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        self.setup = setup = make_setup(self.kernel, params or {})
        self.kernel.warm_up_rules()
        self.root = root(setup)
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTIONS,
            max_chance_outcomes=bounds.most_outcomes(setup),
            num_players=setup.players,
            min_utility=-float(bounds.most_lost(setup)),
            max_utility=float(bounds.most_won(setup)),
            utility_sum=0.0 if setup.ahead else None,
            max_game_length=bounds.most_actions(setup),
        )
        usual = parameters(self.kernel)
        given = {name: value for name, value in (params or {}).items() if value != usual[name]}
        super().__init__(game_type(self.kernel, setup), info, given)

    def new_initial_state(self) -> MarriageState:
        """The state before the first deal."""
        return MarriageState(self)

    def max_chance_nodes_in_history(self) -> int:
        """The most moves of chance in a match."""
        return bounds.most_chance_moves(self.setup)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Observer:
        """An observer, its tensor in parts by the fields' names."""
        return Observer(self.setup, iig_obs_type, params)


class BoxesGame(MarriageGame):
    """Boxes in OpenSpiel."""

    kernel = GAMES["boxes"]


class SaucersGame(MarriageGame):
    """Saucers in OpenSpiel."""

    kernel = GAMES["saucers"]
