"""One seat at each of many tables, and an actor with masks, as Tianshou wants them. (Tianshou has to be installed.)"""

from __future__ import annotations

import os
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
from marriage_env.batch_checks import as_array, check_seeds, one_for_each
from marriage_env.errors import OptionError
from marriage_env.games import rule_options
from marriage_env.single_seat_vector import SingleSeatVectorEnv


class SingleSeatVenv(BaseVectorEnv):  # type: ignore[misc]
    """`SingleSeatVectorEnv` as a Tianshou vector environment, whose tables are stepped and reset in one call.

    Observations are a `Batch` of ``obs``, float32 (n, size), and ``mask``, bool (n, 61): the names by which Tianshou's
    own algorithms find a mask. An info has ``env_id``, the table's index, and ``seat``, the learner's.

    There are no workers, one environment each, as Tianshou's own vector environments have them, nor what these keep
    about workers. After `close` every method raises AssertionError, as theirs do.

    Args:
        game: ``"boxes"`` or ``"saucers"``.
        num_envs: how many tables.
        opponents: the agents at the other seats, or their names, as for `SingleSeatVectorEnv`.
        draw_opponents, seat, threads, record: as for `SingleSeatVectorEnv`.
        **rules: the game's rule options.

    Raises:
        OptionError: an option cannot be; the message says what is allowed.
        AgentError: an opponent cannot be had.
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
        record: str | os.PathLike[str] | None = None,
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
            record=record,
            **rules,
        )
        # Not the base's __init__: that makes workers of single environments, and here all tables are one environment.
        self.env_num = self.env.num_envs
        self.is_async = self.is_closed = False

    def reset(self, env_id: Any = None, *, seed: Any = None) -> tuple[Any, NDArray[Any]]:  # type: ignore[override]
        """Begin an episode at every table, or at those of `env_id`.

        Args:
            env_id: one table's index, or those of n tables; None for all.
            seed: as for `SingleSeatVectorEnv.reset`: an int s, from which table k gets s + k; or one for every table.

        Returns:
            Of the tables meant, in their order: observations, a `Batch` of ``obs`` and ``mask``; and infos, (n,).

        Raises:
            OptionError: a table or the seed cannot be. Nothing has changed.
        """
        rows = self._rows("env_id", env_id)
        meant = np.zeros(self.env_num, np.bool_)
        meant[rows] = True
        observations, infos = self.env.reset(seed=seed, options={"reset_mask": meant})
        return self._seen(rows, observations, infos)

    def step(self, action: Any, id: Any = None) -> tuple[Any, NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Let the learner act at every table, or at those of `id`, and the others until it is his turn again.

        Args:
            action: the learner's actions, whole numbers 0 to 60, (n,): one for each table meant.
            id: one table's index, or those of n tables; None for all.

        Returns:
            Of the tables meant, in their order: observations, a `Batch` of ``obs`` and ``mask``; rewards, float64 (n,);
            terminated, bool (n,); truncated, bool (n,), which none is; infos, (n,).

        Raises:
            IllegalActionError: an action is not legal. Nothing has changed.
            ResetNeededError: a table meant has no episode under way. Nothing has changed.
            OptionError: a table, or the type or number of the actions, cannot be. Nothing has changed.
        """
        rows = self._rows("id", id)
        observations, rewards, terminated, truncated, infos = self.env.step(np.atleast_1d(action), rows)
        seen, of_each = self._seen(rows, observations, infos)
        return seen, rewards[rows], terminated[rows], truncated[rows], of_each

    def seed(self, seed: Any = None) -> list[Any]:
        """Begin an episode at every table under a seed, as for `SingleSeatVectorEnv.reset`; each table's seed."""
        rows = self._rows("id", None)
        self.env.reset(seed=seed)
        return [None] * self.env_num if seed is None else check_seeds(seed, rows).tolist()

    def render(self, **kwargs: Any) -> list[Any]:
        """Nothing for each table: tables of a batch are not rendered."""
        self._assert_is_not_closed()
        return [None] * self.env_num

    def close(self) -> None:
        """Close the tables."""
        self._assert_is_not_closed()
        self.env.close()
        self.is_closed = True

    # The tables are no environments by themselves: what is asked of one is answered by all.

    def get_env_attr(self, key: str, id: Any = None) -> list[Any]:
        """An attribute, for each table meant; the spaces are those of one table."""
        rows = self._rows("id", id)
        name = f"single_{key}" if key in ("observation_space", "action_space") else key
        if key in GYM_RESERVED_KEYS and not hasattr(self.env, name):  # Tianshou asks for them, whether there or not
            return [None] * len(rows)
        return [getattr(self.env, name)] * len(rows)

    def set_env_attr(self, key: str, value: Any, id: Any = None) -> None:
        """Set an attribute of all tables; one alone has none of its own."""
        self._assert_is_not_closed()
        if id is not None:
            raise OptionError(f"id={id!r:.100}: allowed is None, for all tables")
        setattr(self.env, key, value)

    def _rows(self, name: str, given: Any) -> NDArray[np.int64]:
        """The tables meant by the argument of that name."""
        self._assert_is_not_closed()
        if given is None:
            return np.arange(self.env_num)
        ids = np.atleast_1d(as_array(name, given))
        rows = one_for_each(name, ids, ids.size, 0, self.env_num - 1)
        if not len(rows) or len(np.unique(rows)) < len(rows):
            raise OptionError(f"{name}={given!r:.100}: allowed is one table or more, each once")
        return rows

    def _seen(
        self, rows: NDArray[np.int64], observations: NDArray[Any], infos: dict[str, Any]
    ) -> tuple[Any, NDArray[Any]]:
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
        """Logits of a policy that takes legal actions alone.

        Args:
            obs: a `Batch` or dict of n observations: what the net that goes before takes, such as ``obs``, float32
                (n, size); and ``mask`` or ``action_mask``, bool or int8 (n, actions).
            state: of that net, if it keeps one.
            info: is not looked at.

        Returns:
            Logits, float32 (n, actions), and the net's state.

        Raises:
            OptionError: the observations have no mask.
        """
        names = [name for name in ("mask", "action_mask") if name in obs]
        if not names:
            raise OptionError("observations without a mask: allowed are those with mask, or action_mask")
        logits, state = super().forward(obs, state, info)
        mask = torch.as_tensor(obs[names[0]], dtype=torch.bool, device=logits.device)
        return logits.masked_fill(~mask, torch.finfo(logits.dtype).min), state
