"""One seat at each of many tables, as Stable-Baselines3 and sb3-contrib want it. (SB3 has to be installed.)"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from marriage_env.agents import Agent
from marriage_env.errors import OptionError, ResetNeededError
from marriage_env.games import rule_options
from marriage_env.single_seat_vector import SingleSeatVectorEnv


class SingleSeatVecEnv(VecEnv):  # type: ignore[misc]
    """`SingleSeatVectorEnv` as an SB3 ``VecEnv`` with masks, for MaskablePPO and whatever else learns from one.

    Args:
        game: ``"boxes"`` or ``"saucers"``.
        num_envs: how many tables.
        opponents: the agents at the other seats, or their names, as for `SingleSeatVectorEnv`.
        draw_opponents, seat, threads, dtype, record: as for `SingleSeatVectorEnv`.
        **rules: the game's rule options.
    """

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponents: Sequence[Agent | str] | Agent | str = ("rules",),
        *,
        draw_opponents: bool = False,
        seat: int | None = None,
        threads: int = 1,
        dtype: Any = "float32",
        record: str | os.PathLike[str] | None = None,
        **rules: Any,
    ) -> None:
        rule_options(game, rules)  # so that what else SingleSeatVectorEnv takes is refused: SB3 needs its own
        self.env = SingleSeatVectorEnv(
            game,
            num_envs,
            opponents,
            draw_opponents=draw_opponents,
            seat=seat,
            autoreset_mode=AutoresetMode.SAME_STEP,
            threads=threads,
            dtype=dtype,
            record=record,
            **rules,
        )
        self._actions: Any = None
        super().__init__(self.env.num_envs, self.env.single_observation_space, self.env.single_action_space)

    def reset(self) -> NDArray[Any]:
        """Begin an episode at every table, under the seeds that `seed` set, if it did; the learner's observations."""
        seeds, options = [seed for seed in self._seeds if seed is not None], self._options
        self._reset_seeds()
        self._reset_options()
        if any(options):
            raise OptionError(f"options={options!r:.100}: allowed are none")
        observations: NDArray[Any]
        observations, infos = self.env.reset(seed=seeds or None)
        self.reset_infos = [{"seat": seat} for seat in infos["seat"].tolist()]
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the learner's actions, for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        """Play: observations, rewards (float32), dones, and an info for each table.

        Where an episode has ended, its last observation is in the info, as ``terminal_observation``, and the first of
        the next in the observations.
        """
        if self._actions is None:
            raise ResetNeededError("step_wait: no actions have been given; call step_async() first")
        actions, self._actions = self._actions, None
        observations, rewards, ended, _, infos = self.env.step(actions)
        of_each: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for row in np.flatnonzero(ended):
            of_each[row] = {"terminal_observation": infos["final_obs"][row], "TimeLimit.truncated": False}
        return observations, rewards.astype(np.float32), ended, of_each

    def action_masks(self) -> NDArray[np.bool_]:
        """What the learner may do now, bool (num_envs, 61)."""
        return self.env.action_masks()

    def close(self) -> None:
        """Close the tables."""
        self.env.close()

    # The tables are no environments by themselves: what is asked of one is answered by all.

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute, for each table meant."""
        return [getattr(self.env, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute of all tables; one alone has none of its own."""
        if indices is not None:
            raise OptionError(f"indices={indices!r}: allowed is None, for all tables")
        setattr(self.env, attr_name, value)

    def env_method(self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any) -> Any:
        """What ``action_masks`` says of each table meant; there are no other methods that speak of one table."""
        if method_name != "action_masks":
            raise AttributeError(f"env_method({method_name!r}): allowed is 'action_masks'")
        masks = self.action_masks()
        return masks if indices is None else masks[list(self._get_indices(indices))]

    def env_is_wrapped(self, wrapper_class: type[Any], indices: Any = None) -> list[bool]:
        """False for each table meant."""
        return [False for _ in self._get_indices(indices)]
