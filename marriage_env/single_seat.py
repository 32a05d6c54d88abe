"""One seat of an AEC game as a Gymnasium environment, with agents at the other seats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv

from marriage_env.aec import TableEnv
from marriage_env.agents import Agent, as_agents, label_of, seed_agents
from marriage_env.errors import ResetNeededError
from marriage_env.mask_place import MASK_IN, observation_of, observation_space, vector_and_mask
from marriage_env.options import one_of, whole


class SingleSeatEnv(gymnasium.Env[Any, Any]):
    """What one player of an AEC game lives through, for learners that know Gymnasium.

    A step is the learner's action and all that the others do until he is to act again. Every reward that falls to him
    in between, on whosever action, is in the step's reward, so that an episode's sum is his gain. If a match is over
    before he was ever to act, the episode has one step all the same: any action is allowed, and the reward arrives.

    Args:
        env: any AEC environment with action masks in the observation or the info, such as ``boxes_v0.env()``.
        opponents: the agents at the seats to the learner's left, or their names, in order; fewer are repeated. One
            agent may sit at several seats.
        seat: the learner's seat, or None: it rotates, and so does the dealer of our games: episode k is played at seat
            k mod n and dealt by seat (k div n) mod n. A reset with a seed k goes on from episode k.
        mask_in: ``"info"``: the learner's observation is the vector; ``"observation"``: it is a dict of ``observation``
            and ``action_mask``, for learners that look for the mask there.

    The learner's mask is in the info in any case, and from `action_masks`, as MaskablePPO asks. In records of our
    games, if `env` keeps them, he is called ``learner``, house players by their names, others by their classes.
    """

    def __init__(
        self,
        env: AECEnv[str, Any, Any],
        opponents: Sequence[Agent | str] | Agent | str,
        *,
        seat: int | None = None,
        mask_in: str = "info",
    ) -> None:
        self.env = env
        self.metadata = {name: env.metadata[name] for name in ("render_modes", "render_fps") if name in env.metadata}
        self.render_mode = getattr(env, "render_mode", None)
        self.players = len(env.possible_agents)
        self.opponents = as_agents("opponents", opponents)
        self.seat = None if seat is None else whole("seat", seat, 0, self.players - 1)
        first = env.possible_agents[0]
        self.mask_in = one_of("mask_in", mask_in, MASK_IN)
        space = env.observation_space(first)
        vectors = space["observation"] if isinstance(space, gymnasium.spaces.Dict) else space
        self.action_space = env.action_space(first)
        self.observation_space = observation_space(vectors, int(self.action_space.n), self.mask_in)  # type: ignore[attr-defined]
        self._episode = -1
        self._learner: str | None = None
        self._before_first = 0.0  # what fell to the learner before his first action, due with its reward
        self._mask = np.zeros(int(self.action_space.n), np.int8)  # type: ignore[attr-defined]
        self._ended: tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]] | None = None

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin the next match.

        `seed` and `options` go to the game; a seed also seeds the opponents, and says where the rotation goes on.
        """
        super().reset(seed=seed)
        episode = self._episode + 1 if seed is None else seed
        seat = episode % self.players if self.seat is None else self.seat
        if self.seat is None and isinstance(self.env.unwrapped, TableEnv):
            options = {"dealer": episode // self.players % self.players, **(options or {})}
        self.env.reset(seed=seed, options=options)
        self._episode = episode
        if seed is not None:
            seed_agents(self.opponents, seed)
        agents = self.env.possible_agents
        self._learner = None
        self._company = {
            agents[(seat + 1 + place) % self.players]: self.opponents[place % len(self.opponents)]
            for place in range(self.players - 1)
        }
        if isinstance(self.env.unwrapped, TableEnv):
            self.env.unwrapped.names = [
                "learner" if agent == agents[seat] else label_of(self._company[agent]) for agent in agents
            ]
        vector, self._before_first, terminated, truncated, info = self._play_on(agents[seat])
        self._learner = agents[seat]
        self._ended = None
        if terminated or truncated:
            self._ended = vector, 0.0, terminated, truncated, info
            self._mask = np.ones_like(self._mask)
            info = {**info, "action_mask": self._mask.copy()}
        return self._seen(vector), info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Let the learner act, and the others until it is his turn again.

        Returns:
            His observation, the sum of his rewards, terminated, truncated, and the info with his mask and seat.
        """
        if self._learner is None:
            raise ResetNeededError("step: no match is under way; call reset() first")
        if self._ended is None:
            self.env.step(action)
            learner, self._learner = self._learner, None  # if an opponent fails, the match is over
            vector, reward, terminated, truncated, info = self._play_on(learner)
        else:
            learner = None
            vector, reward, terminated, truncated, info = self._ended
            self._mask = info["action_mask"].copy()
        self._learner = None if terminated or truncated else learner
        reward += self._before_first
        self._before_first = 0.0
        return self._seen(vector), reward, terminated, truncated, info

    def action_masks(self) -> NDArray[np.bool_]:
        """What the learner may do now, bool of shape (actions,)."""
        return self._mask.astype(bool)

    def render(self) -> Any:
        """The game's own view."""
        return self.env.render()

    def close(self) -> None:
        """Close the game."""
        self.env.close()

    def _seen(self, vector: NDArray[np.float32]) -> Any:
        return observation_of(vector, self._mask.copy(), self.mask_in)

    def _play_on(self, learner: str) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Let the others act until the learner is to act, or is out."""
        for agent in self.env.agent_iter():
            observation, reward, terminated, truncated, info = self.env.last()
            vector, mask = vector_and_mask(observation, info)
            if agent == learner:
                self._mask = mask
                seat = self.env.possible_agents.index(agent)
                truncated = truncated and not terminated  # PettingZoo sets both after an illegal action
                return vector, float(reward), terminated, truncated, {"action_mask": mask.copy(), "seat": seat}
            self.env.step(None if terminated or truncated else self._company[agent].act(vector, mask))
        raise ResetNeededError("step: the match is over; call reset() first")
