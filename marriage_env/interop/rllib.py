"""All seats of a table as an RLlib multi-agent environment (Ray's new API stack)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
from ray.rllib.env.multi_agent_env import MultiAgentEnv

from marriage_env.errors import IllegalActionError, OptionError, ResetNeededError
from marriage_env.games import GAMES
from marriage_env.options import one_of
from marriage_env.registration import MODULES

Steps = tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, Any]]


class TableMultiAgentEnv(MultiAgentEnv):  # type: ignore[misc]
    """One table of a game, every seat an RLlib agent.

    The dicts hold the agent that is to act and nobody else, until the match is over: then they hold all. An agent's
    reward is all that fell to him since his own last action. What falls to him before his first, such as his first
    contributions, is owed until then and comes with that action's reward: RLlib drops rewards that come with an agent's
    first observation.

    Args:
        config: ``{"game": "saucers", "players": 3}``: the game, and whatever else `raw_env` of that game takes.

    Raises:
        OptionError: the game or an option is missing, unknown or cannot be; the message says what is allowed.
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        if config is not None and not (isinstance(config, Mapping) and all(isinstance(name, str) for name in config)):
            raise OptionError(f"config={config!r:.100}: allowed is a dict, such as {{'game': 'saucers', 'players': 3}}")
        options = dict(config or {})
        game = one_of("game", options.pop("game", None), tuple(GAMES))
        self.env = MODULES[game].raw_env(**options)
        self.render_mode = self.env.render_mode
        self.metadata = dict(self.env.metadata)  # RLlib writes into it
        self.agents = self.env.possible_agents.copy()
        self.possible_agents = self.env.possible_agents.copy()
        self.observation_spaces = {agent: self.env.observation_space(agent) for agent in self.agents}
        self.action_spaces = {agent: self.env.action_space(agent) for agent in self.agents}
        self.observation_space = gymnasium.spaces.Dict(self.observation_spaces)
        self.action_space = gymnasium.spaces.Dict(self.action_spaces)
        self._acted: set[str] = set()
        self._owed: dict[str, float] = {}
        super().__init__()

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Begin a match; the observation and info of the agent that is to act. See `TableEnv.reset`."""
        self.env.reset(seed=seed, options=options)
        self._acted = set()
        self._owed = dict.fromkeys(self.possible_agents, 0.0)
        observation, _, _, _, info = self.env.last()
        agent = self.env.agent_selection
        return {agent: observation}, {agent: info}

    def step(self, action_dict: Mapping[str, Any]) -> Steps:
        """Let the agent that is to act take his action.

        Args:
            action_dict: his action, by his name; of nobody else.

        Returns:
            Observations, rewards, terminated, truncated and infos, each of the agent that is to act next, or of all if
            the match is over; terminated and truncated also hold ``"__all__"``.

        Raises:
            IllegalActionError: the action is not legal, or not of the agent that is to act. Nothing has changed.
            ResetNeededError: no match is under way.
        """
        if not self.env.agents:
            raise ResetNeededError("step: no match is under way; call reset() first")
        actor = self.env.agent_selection
        if not isinstance(action_dict, Mapping) or set(action_dict) != {actor}:
            raise IllegalActionError(f"actions {action_dict!r:.200}: allowed is a dict of one action, of {actor}")
        self.env.step(action_dict[actor])
        self._acted.add(actor)
        observations, rewards, infos = self._collect()
        terminated = dict.fromkeys([*observations, "__all__"], not self.env.agents)
        return observations, rewards, terminated, dict.fromkeys(terminated, False), infos

    def _collect(self) -> tuple[dict[str, Any], dict[str, float], dict[str, Any]]:
        """Observations, rewards and infos of the agent that is to act, or of all if the match is over."""
        observations: dict[str, Any] = {}
        rewards: dict[str, float] = {}
        infos: dict[str, Any] = {}
        for agent in self.env.agent_iter():
            observations[agent], reward, over, _, infos[agent] = self.env.last()
            self._owed[agent] += reward
            if over or agent in self._acted:
                rewards[agent], self._owed[agent] = self._owed[agent], 0.0
            if not over:
                break
            self.env.step(None)
        return observations, rewards, infos

    def render(self) -> str | None:
        """The table in words: see `TableEnv.render`."""
        text: str | None = self.env.render()
        return text

    def close(self) -> None:
        """Close the table."""
        self.env.close()
