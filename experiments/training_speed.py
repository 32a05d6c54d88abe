"""How fast MaskablePPO trains: over the batch, over an environment that costs nothing, and one table at a time."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv, VecMonitor

from marriage_env.registration import single_seat
from marriage_env.sb3 import SingleSeatVecEnv

OPPONENTS = ["rules"]


@dataclass(frozen=True)
class Settings:
    """How a learner learns: tables side by side, steps of each in a rollout, steps a gradient, passes over it all."""

    tables: int
    rollout: int
    batch: int
    epochs: int

    def learner(self, env: Any) -> MaskablePPO:
        """MaskablePPO with the default network."""
        return MaskablePPO(
            "MlpPolicy", env, n_steps=self.rollout, batch_size=self.batch, n_epochs=self.epochs, seed=0, device="cpu"
        )


OURS = Settings(tables=256, rollout=32, batch=2048, epochs=4)
TUTORIAL = Settings(tables=1, rollout=2048, batch=64, epochs=10)  # SB3's defaults, as PettingZoo's tutorial has them


class FreeVecEnv(VecEnv):  # type: ignore[misc]
    """An environment that costs nothing: it shows what another shows at its beginning, whatever is done.

    Every `episode` steps, the episode of a table ends.
    """

    def __init__(self, model: SingleSeatVecEnv, episode: int) -> None:
        self._observations, self._masks = model.reset(), model.action_masks()
        super().__init__(model.num_envs, model.observation_space, model.action_space)
        self._rewards = np.zeros(self.num_envs, np.float32)
        tables = np.arange(self.num_envs)
        self._ends = [tables % episode == step for step in range(episode)]
        self._steps = 0

    def reset(self) -> NDArray[Any]:
        """The observations there are."""
        return self._observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Nothing comes of it."""

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """The same observations, no reward; the episodes of some tables are over."""
        ends = self._ends[self._steps % len(self._ends)]
        self._steps += 1
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(ends):
            infos[row] = {"terminal_observation": self._observations[row], "TimeLimit.truncated": False}
        return self._observations, self._rewards, ends, infos

    def close(self) -> None:
        """There is nothing to close."""

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """`render_mode` and `action_masks`, as SB3 asks."""
        return [{"render_mode": None, "action_masks": self._masks}[attr_name]] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Nobody sets anything."""

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> Any:
        """The masks."""
        return self._masks

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """It is not."""
        return [False] * self.num_envs


def over_batch(game: str, players: int, settings: Settings) -> MaskablePPO:
    """A learner at the tables of a batch, against compiled opponents."""
    return settings.learner(VecMonitor(SingleSeatVecEnv(game, settings.tables, OPPONENTS, players=players)))


def over_nothing(game: str, players: int, settings: Settings) -> MaskablePPO:
    """The same learner, where the game costs nothing."""
    tables = SingleSeatVecEnv(game, settings.tables, OPPONENTS, players=players)
    return settings.learner(VecMonitor(FreeVecEnv(tables, episode=8)))


def over_one_table(game: str, players: int) -> MaskablePPO:
    """A learner over one AEC environment, as in PettingZoo's tutorial, but that every reward reaches him."""
    return TUTORIAL.learner(single_seat(game, OPPONENTS, players=players))


def training_speed(model: MaskablePPO, rollouts: int) -> float:
    """Learner's steps a second over so many rollouts, what is learned from them included."""
    torch.set_num_threads(1)
    steps = rollouts * model.n_steps * model.n_envs
    begun = time.perf_counter()
    model.learn(steps, reset_num_timesteps=False)
    return steps / (time.perf_counter() - begun)


#: Each way of training, by name: what makes the learner, and how many rollouts are timed at once.
WAYS: dict[str, tuple[Callable[[str, int], MaskablePPO], int]] = {
    "over the batch": (lambda game, players: over_batch(game, players, OURS), 2),
    "over nothing": (lambda game, players: over_nothing(game, players, OURS), 2),
    "one table, as the tutorial": (over_one_table, 1),
}
