"""A learner who is told what the rule-based player would do in his place."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy
from stable_baselines3.common.vec_env import VecEnvWrapper

from agents.advice import with_advice
from agents.ppo import linear_layers
from marriage_env.sb3 import SingleSeatVecEnv
from marriage_env.table import ACTIONS

# How a new network passes the advice on: the size of the weights on its way. It begins by following it mostly.
IN, ON, OUT = 1.0, 1.3, 4.0


class AdvisedVecEnv(VecEnvWrapper):  # type: ignore[misc]
    """The learner's tables, with the rule-based player's advice after each observation (`agents.advice`).

    Args:
        envs: the tables.
    """

    def __init__(self, envs: SingleSeatVecEnv) -> None:
        size = envs.env.tables.row_size + ACTIONS
        super().__init__(envs, gymnasium.spaces.Box(0.0, 1.0, (size,), np.float32))
        self._tables = envs.env.tables

    def reset(self) -> NDArray[np.float32]:
        """See `SingleSeatVecEnv.reset`."""
        return self._advised(self.venv.reset())

    def step_wait(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """See `SingleSeatVecEnv.step_wait`. There is no advice for an episode that has ended."""
        observations, rewards, ended, infos = self.venv.step_wait()
        for row in np.flatnonzero(ended):
            last = infos[row]["terminal_observation"]
            infos[row]["terminal_observation"] = np.concatenate([last, np.zeros(ACTIONS, np.float32)])
        return self._advised(observations), rewards, ended, infos

    def _advised(self, observations: Any) -> NDArray[np.float32]:
        advice = np.zeros(len(observations), np.int64)
        self._tables.choose("rules", self._tables.all_rows(), advice)
        return with_advice(observations, advice)


def follow_advice(policy: MaskableActorCriticPolicy) -> None:
    """Let a new policy that is given advice follow it at first. Its layers have to be as wide as there are actions."""
    first, *between, last = linear_layers(policy)
    size = first.in_features - ACTIONS
    actions = torch.arange(ACTIONS)
    with torch.no_grad():
        for layer, shift, weight in ((first, size, IN), *((layer, 0, ON) for layer in between)):
            layer.weight[:ACTIONS] = 0.0
            layer.weight[actions, shift + actions] = weight
        last.weight[actions, actions] = OUT
