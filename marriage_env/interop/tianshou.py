"""One seat at each of many tables, and an actor with masks, as Tianshou wants them. (Tianshou has to be installed.)"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from tianshou.data import Batch
from tianshou.env import BaseVectorEnv
from tianshou.env.venvs import GYM_RESERVED_KEYS
from tianshou.utils.net.discrete import DiscreteActor

from marriage_env.agents import Agent
from marriage_env.batch_checks import check_rows, check_seeds
from marriage_env.errors import OptionError
from marriage_env.games import rule_options
from marriage_env.single_seat_vector import SingleSeatVectorEnv


class SingleSeatVenv(BaseVectorEnv):  # type: ignore[misc]
    """`SingleSeatVectorEnv` as a Tianshou vector environment, whose tables are stepped and reset in one call.

    Observations are a `Batch` of ``obs``, float32 (n, size), and ``mask``, bool (n, 61): the names by which Tianshou's
    own algorithms find a mask. An info has ``env_id``, the table's index, and ``seat``, the
    learner's.

    Args:
        game: ``"boxes"`` or ``"saucers"``.
        num_envs: how many tables.
        opponents: the agents at the other seats, or their names, as for `SingleSeatVectorEnv`.
        draw_opponents, seat, threads: as for `SingleSeatVectorEnv`.
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
        **rules: Any,
    ) -> None:
        rule_options(game, rules)  # so that what else SingleSeatVectorEnv takes is refused: Tianshou resets by itself
        self.env = SingleSeatVectorEnv(
            game,
            num_envs,
            opponents,
            draw_opponents=draw_opponents,
            seat=seat,
            autoreset_mode=AutoresetMode.DISABLED,
            threads=threads,
            **rules,
        )
        self.env_num = self.env.num_envs
        self.is_async = self.is_closed = False

    def reset(self, env_id: Any = None, *, seed: Any = None) -> tuple[Any, Any]:  # type: ignore[override]
        """Begin an episode at every table, or at those of `env_id`; their observations and infos.

        Args:
            env_id: one table's index, or some.
            seed: as for `SingleSeatVectorEnv.reset`.
        """
        rows = self._rows(env_id)
        meant = np.zeros(self.env_num, np.bool_)
        meant[rows] = True
        observations, infos = self.env.reset(seed=seed, options={"reset_mask": meant})
        return self._seen(rows, observations, infos)

    def step(self, action: Any, id: Any = None) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], Any]:
        """Let the learner act at every table, or at those of `id`, and the others until it is his turn again.

        Args:
            action: the learner's actions, one for each table meant.
            id: one table's index, or some.

        Returns:
            Of the tables meant, in their order: observations, rewards, terminated, truncated, infos.
        """
        rows = self._rows(id)
        observations, rewards, terminated, truncated, infos = self.env.step(np.atleast_1d(action), rows)
        seen, of_each = self._seen(rows, observations, infos)
        return seen, rewards[rows], terminated[rows], truncated[rows], of_each

    def seed(self, seed: Any = None) -> list[Any]:
        """Begin an episode at every table under a seed, as for `SingleSeatVectorEnv.reset`; each table's seed."""
        self.env.reset(seed=seed)
        return [None] * self.env_num if seed is None else check_seeds(seed, self._rows(None)).tolist()

    def render(self, **kwargs: Any) -> list[Any]:
        """Nothing for each table: tables of a batch are not rendered."""
        return [None] * self.env_num

    def close(self) -> None:
        """Close the tables."""
        self.env.close()
        self.is_closed = True

    # The tables are no environments by themselves: what is asked of one is answered by all.

    def get_env_attr(self, key: str, id: Any = None) -> list[Any]:
        """An attribute, for each table meant; the spaces are those of one table."""
        name = f"single_{key}" if key in ("observation_space", "action_space") else key
        return [getattr(self.env, name, None) if key in GYM_RESERVED_KEYS else getattr(self.env, name)] * len(
            self._rows(id)
        )

    def set_env_attr(self, key: str, value: Any, id: Any = None) -> None:
        """Set an attribute of all tables; one alone has none of its own."""
        if id is not None:
            raise OptionError(f"id={id!r:.100}: allowed is None, for all tables")
        setattr(self.env, key, value)

    def _rows(self, id: Any) -> NDArray[np.int64]:
        return np.arange(self.env_num) if id is None else check_rows(np.atleast_1d(id), self.env_num)

    def _seen(self, rows: NDArray[np.int64], observations: NDArray[Any], infos: dict[str, Any]) -> tuple[Any, Any]:
        """Observations and infos of the tables meant."""
        seen = Batch(obs=observations[rows], mask=infos["action_mask"][rows].astype(np.bool_))
        of_each = zip(rows.tolist(), infos["seat"][rows].tolist(), strict=True)
        return seen, np.array([{"env_id": row, "seat": seat} for row, seat in of_each])


class MaskedActor(DiscreteActor):  # type: ignore[misc]
    """A `DiscreteActor` that gives forbidden actions no chance: its logits there are the lowest number.

    The mask is in the observations, as ``mask`` (Tianshou's name, and `SingleSeatVenv`'s) or ``action_mask`` (that of
    ``gymnasium.make(..., mask_in="observation")``). The vector beside it is for the net that goes before.

    Args:
        preprocess_net: what makes features of the observations, such as a `Net` under `get_dict_state_decorator`.
        action_shape: the number of actions.
        hidden_sizes: of layers between the features and the logits.
    """

    def __init__(self, *, preprocess_net: Any, action_shape: Any, hidden_sizes: Sequence[int] = ()) -> None:
        super().__init__(
            preprocess_net=preprocess_net, action_shape=action_shape, hidden_sizes=hidden_sizes, softmax_output=False
        )

    def forward(self, obs: Any, state: Any = None, info: Any = None) -> tuple[torch.Tensor, Any]:
        """Logits for a batch of observations, float32 (n, 61); and the state of the net that goes before."""
        names = [name for name in ("mask", "action_mask") if name in obs]
        if not names:
            raise OptionError("observations without a mask: allowed are those with mask, or action_mask")
        logits, state = super().forward(obs, state, info)
        mask = torch.as_tensor(obs[names[0]], dtype=torch.bool, device=logits.device)
        return logits.masked_fill(~mask, torch.finfo(logits.dtype).min), state
