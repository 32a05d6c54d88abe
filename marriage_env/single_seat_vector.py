"""One seat at each of many tables as a Gymnasium vector environment, with agents at the other seats."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from marriage_env.agents import Agent, as_agents, label_of, seed_agents
from marriage_env.batch import MOST_TABLES, check_dtype, check_threads, need_legal
from marriage_env.batch_agents import AWAITED, numbered, play_on, seating_codes
from marriage_env.batch_checks import as_actions, check_rows, check_seeds, random_seeds
from marriage_env.errors import OptionError, ResetNeededError
from marriage_env.games import GAMES, rule_options
from marriage_env.mask_place import MASK_IN, observation_of, observation_space
from marriage_env.options import one_of, whole
from marriage_env.recorded_tables import RecordedTables, tables_for
from marriage_env.records import record_path
from marriage_env.table import ACTIONS

#: Where a table stands: no episode has begun; the learner is to act; the match was over before he could act; the
#: episode has ended.
UNREADY, TURN, LATE, ENDED = range(4)
MODES = tuple(mode.value for mode in AutoresetMode)


class SingleSeatVectorEnv(VectorEnv[Any, Any, Any]):  # type: ignore[misc]
    """What one player lives through at each of many tables: `SingleSeatEnv`, many times over, on one `Batch`.

    A step is the learner's action at every table, and all that the others do until he is to act again. Every reward
    that falls to him in between, on whosever action, is in the step's reward, so that an episode's sum is his gain. If
    a match is over before he was ever to act, the episode has one step all the same: any action is allowed, and the
    reward arrives. Under a seed, table k plays like a `SingleSeatEnv` under seed + k, as far as its opponents leave
    nothing to chance of their own.

    Args:
        game: ``"boxes"`` or ``"saucers"``.
        num_envs: how many tables.
        opponents: the agents to the learner's left, or their names, in order; fewer are repeated. ``"random"`` and
            ``"rules"`` (`RandomAgent`, `RulesAgent`) play in compiled code, by the tables' own streams; any other agent
            is asked once for all the tables at which it is to act.
        draw_opponents: whether, instead, each opponent of each episode is drawn from `opponents`, by the table's seed.
        seat: the learner's, or None: it rotates, and so does the dealer, as in `SingleSeatEnv`.
        autoreset_mode: an `AutoresetMode`, or its value: how an episode follows another.
        threads: over which the tables are spread.
        dtype: of the observations: ``"float32"``, or ``"uint8"`` (`marriage_env.compact`).
        copy: whether observations and masks are the caller's to keep; otherwise the next step overwrites them.
        mask_in: ``"info"``: observations are the vectors, (num_envs, size); ``"observation"``: they are dicts of
            ``observation``, the vectors, and ``action_mask``, int8 (num_envs, 61). The masks are in the infos, too.
        render_mode: None: tables of a batch are not rendered.
        record: a file to which the record of each match is added when it is over, or left (`reset`, `close`) after an
            action of the learner's or of an agent that is asked: see `marriage_env.records`. Copies write none.
        **rules: the game's rule options.

    ``infos`` hold ``action_mask``, int8 (num_envs, 61), and ``seat``, the learner's; with `AutoresetMode.SAME_STEP`
    also ``final_obs`` and ``final_info`` of the tables whose episode has ended, as in Gymnasium. Where an action is not
    looked at (with `AutoresetMode.NEXT_STEP`, in the step that begins the next episode), the mask allows all. With
    `AutoresetMode.DISABLED` nothing is allowed where an episode has ended; so in ``final_info``.
    """

    metadata: dict[str, Any]

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        opponents: Sequence[Agent | str] | Agent | str = ("rules",),
        *,
        draw_opponents: bool = False,
        seat: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        threads: int = 1,
        dtype: Any = "float32",
        copy: bool = True,
        mask_in: str = "info",
        render_mode: None = None,
        record: str | os.PathLike[str] | None = None,
        **rules: Any,
    ) -> None:
        self.tables = tables_for(
            record_path(record),
            GAMES[one_of("game", game, tuple(GAMES))],
            rule_options(game, rules),
            whole("num_envs", num_envs, 1, MOST_TABLES),
            threads=check_threads(threads),
            dtype=check_dtype(dtype),
            names=self._names,
        )
        self.num_envs = len(self.tables)
        self.players = self.tables.players
        self._seat = None if seat is None else whole("seat", seat, 0, self.players - 1)
        self.render_mode = one_of("render_mode", render_mode, (None,))
        self.draw_opponents = one_of("draw_opponents", draw_opponents, (True, False))
        self.copy = one_of("copy", copy, (True, False))
        self.mask_in = one_of("mask_in", mask_in, MASK_IN)
        self.autoreset_mode = AutoresetMode(one_of("autoreset_mode", mode_value(autoreset_mode), MODES))
        self.metadata = {"autoreset_mode": self.autoreset_mode, "render_modes": []}
        high, kind = (255, np.uint8) if self.tables.dtype == "uint8" else (1.0, np.float32)
        vectors = gymnasium.spaces.Box(0, high, (self.tables.row_size,), kind)
        self.single_observation_space = observation_space(vectors, ACTIONS, self.mask_in)
        self.single_action_space = gymnasium.spaces.Discrete(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        count = self.num_envs
        self._episodes = np.zeros(count, np.int64)  # the number of each table's next
        self._seats = np.zeros(count, np.int64)
        self._players = np.full((count, self.players), AWAITED)  # who sits where, by numbers of `_agents`
        self._agents: list[Agent] = []
        self._credited = np.zeros(count, np.float32)  # of the learner's gains, what he has been rewarded with
        self._status = np.full(count, UNREADY)
        self.opponents = opponents  # type: ignore[assignment]  # the property makes them agents

    @property
    def seat(self) -> int | None:
        """The learner's seat; None if it rotates."""
        return self._seat

    @property
    def opponents(self) -> tuple[Agent, ...]:
        """Who sits at the other seats; new ones, when they are set, take their seats as new episodes begin."""
        return self._opponents

    @opponents.setter
    def opponents(self, opponents: Sequence[Agent | str] | Agent | str) -> None:
        self._opponents = tuple(as_agents("opponents", opponents))
        seated = sorted(set(self._players.ravel().tolist()) - {AWAITED})
        kept = [self._agents[number] for number in seated]
        numbers = np.full(len(self._agents) + 1, AWAITED)  # the last stands for the learner
        numbers[seated] = np.arange(len(seated))
        self._players = numbers[self._players]
        self._agents, numbers_of = numbered([*kept, *self._opponents])
        self._numbers = np.array(numbers_of[len(kept) :])

    # Gymnasium's interface

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode at every table, or at those of ``options["reset_mask"]``.

        Args:
            seed: an int s: table k gets s + k; or one for each table. It also seeds the opponents, and says where the
                rotation of seats goes on. Without one, the tables' random streams go on.
            options: ``reset_mask``: a bool for each table.

        Raises:
            OptionError: the seed or an option cannot be. Nothing has changed.
        """
        rows = self._reset_rows({} if options is None else options)
        if seed is None:
            new = rows[~self.tables.begun[rows]]
            self.tables.seed(new, random_seeds(len(new)))
        else:
            seeds = check_seeds(seed, self.tables.all_rows())[rows]
            seed_agents(self._opponents, int(seeds[0]))
            super().reset(seed=int(seeds[0] % np.uint64(2**32)))  # for `np_random`, which takes no greater one
            self.tables.seed(rows, seeds)
            self._episodes[rows] = seeds % np.uint64(self.players**2)  # after which seat and dealer come round again
        self._status[rows] = UNREADY  # until all has gone well
        self._status[rows] = self._begin(rows)
        return self._seen()

    def step(
        self, actions: Any, rows: Any = None
    ) -> tuple[Any, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Let the learner act at every table, or at `rows` alone, and the others until it is his turn again.

        Args:
            actions: whole numbers 0 to 60, of shape (num_envs,), or one for each of `rows`.
            rows: the tables meant, as indices, or as a bool for each; None for all. The others stay as they are: their
                rewards are 0, and none of their episodes ends.

        Returns:
            Observations, as `mask_in` says; the sums of the learner's rewards, float64 (num_envs,); whether episodes
            have ended, bool (num_envs,); truncated, which none is; infos.

        Raises:
            IllegalActionError: an action is not legal. Nothing has changed.
            ResetNeededError: a table meant has no episode under way. Nothing has changed.
            OptionError: the rows, or the type or shape of the actions, cannot be. Nothing has changed.

        What an opponent raises, and AgentError or IllegalActionError for his answer, come through; then every table
        needs a reset.
        """
        meant = self.tables.all_rows() if rows is None else check_rows(rows, self.num_envs)
        self._need_episodes(meant)
        stands = self._status[meant]
        chosen = as_actions(actions, len(meant))[stands == TURN]
        turns, late, again = (meant[stands == status] for status in (TURN, LATE, ENDED))
        need_legal(self.tables, turns, chosen)
        status, self._status = self._status, np.full(self.num_envs, UNREADY)  # until all has gone well
        self.tables.advance(turns, chosen)
        ended = np.union1d(self._play_on(turns), late)
        rewards = np.zeros(self.num_envs)
        for acted in (turns, late):
            gains = self.tables.buffers.returns[acted, self._seats[acted]]
            rewards[acted] = gains - self._credited[acted]
            self._credited[acted] = gains
        terminated = np.zeros(self.num_envs, np.bool_)
        terminated[ended] = True
        status[ended] = ENDED
        self._mask_ended(ended)
        final: dict[str, Any] = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            final = self._final(ended, terminated)
            status[ended] = self._begin(ended)
        elif self.autoreset_mode is AutoresetMode.NEXT_STEP:
            status[again] = self._begin(again)
        self._status = status
        observations, infos = self._seen()
        return observations, rewards, terminated, np.zeros(self.num_envs, np.bool_), infos | final

    def action_masks(self) -> NDArray[np.bool_]:
        """What the learner may do now, bool (num_envs, 61)."""
        return self.tables.buffers.masks.astype(np.bool_)

    def close_extras(self, **kwargs: Any) -> None:
        """Save the records of matches under way, if records are kept."""
        if isinstance(self.tables, RecordedTables):
            self.tables.leave()

    # Within

    def _names(self, row: int) -> list[str]:
        """Who sits at a table, for its record."""
        return ["learner" if number == AWAITED else label_of(self._agents[number]) for number in self._players[row]]

    def _begin(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Begin the next episode at each of `rows`; where each stands then."""
        rounds, seats = np.divmod(self._episodes[rows], self.players)
        dealers = rounds % self.players if self.seat is None else None
        seats = seats if self.seat is None else np.full(len(rows), self.seat)
        self._episodes[rows] += 1
        places = np.arange(self.players - 1)
        if self.draw_opponents:
            lots = self.tables.draw_lots(rows, self.players - 1, len(self._numbers))
        else:
            lots = np.broadcast_to(places % len(self._numbers), (len(rows), self.players - 1))
        self._seats[rows] = seats
        self._players[rows, seats] = AWAITED
        self._players[rows[:, None], (seats[:, None] + 1 + places) % self.players] = self._numbers[lots]
        self._credited[rows] = 0.0
        self.tables.seating[rows] = seating_codes(self._agents, self._players[rows])
        self.tables.open(rows, dealers)
        return np.where(np.isin(rows, self._play_on(rows)), LATE, TURN)

    def _play_on(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Let the others play until it is the learner's turn at each of `rows`, or its match is over.

        Returns the tables where it is over, whose end is shown.
        """
        play_on(self.tables, self._agents, self._players, rows)
        over = rows[self.tables.over(rows)]
        self._show_end(over)
        return over

    def _show_end(self, over: NDArray[np.int64]) -> None:
        """Show the learner's view of the end where a match is over, and a mask that allows all."""
        out = self.tables.buffers
        seen = np.empty((len(over), self.tables.row_size), out.observations.dtype)
        self.tables.observe(over, self._seats[over], seen)
        out.observations[over] = seen
        out.masks[over] = 1

    def _mask_ended(self, ended: NDArray[np.int64]) -> None:
        """Where an episode has ended and none will begin by itself, nothing is allowed."""
        if self.autoreset_mode is AutoresetMode.DISABLED:
            self.tables.buffers.masks[ended] = 0

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        rows = np.flatnonzero(self.tables.begun)
        self._show_end(rows[self.tables.over(rows)])  # of whose learner the tables know nothing
        self._mask_ended(np.flatnonzero(self._status == ENDED))

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        """Observations and infos as they are now."""
        out, every = self.tables.buffers, np.ones(self.num_envs, np.bool_)
        vectors, masks = (out.observations.copy(), out.masks.copy()) if self.copy else (out.observations, out.masks)
        return observation_of(vectors, masks, self.mask_in), {
            "action_mask": masks,
            "_action_mask": every,
            "seat": self._seats.copy(),
            "_seat": every.copy(),
        }

    def _final(self, rows: NDArray[np.int64], ended: NDArray[np.bool_]) -> dict[str, Any]:
        """What infos say of the episodes that have ended at `rows`, in Gymnasium's form."""
        if not len(rows):
            return {}
        observations = np.full(self.num_envs, None, dtype=object)
        for row, vector in zip(rows, self.tables.buffers.observations[rows], strict=True):
            observations[row] = observation_of(vector, np.zeros(ACTIONS, np.int8), self.mask_in)
        final = {
            "action_mask": np.zeros((self.num_envs, ACTIONS), np.int8),
            "_action_mask": ended.copy(),
            "seat": np.where(ended, self._seats, 0),
            "_seat": ended.copy(),
        }
        return {"final_obs": observations, "_final_obs": ended.copy(), "final_info": final, "_final_info": ended.copy()}

    def _reset_rows(self, options: Mapping[str, Any]) -> NDArray[np.int64]:
        """The tables that a reset means; OptionError otherwise."""
        if not isinstance(options, Mapping) or set(options) - {"reset_mask"}:
            raise OptionError(f"options={options!r:.200}: allowed is a dict, with a reset_mask or without")
        mask = options.get("reset_mask")
        if mask is None:
            return self.tables.all_rows()
        fits = isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (self.num_envs,)
        if not fits or not mask.any():
            raise OptionError(f"reset_mask={mask!r:.100}: allowed is a bool for each table, not all False")
        return np.flatnonzero(mask)

    def _need_episodes(self, rows: NDArray[np.int64]) -> None:
        """Raise ResetNeededError if one of `rows` has no episode under way, and none will begin by itself."""
        idle = self._status[rows] == UNREADY
        if self.autoreset_mode is AutoresetMode.DISABLED:
            idle |= self._status[rows] == ENDED
        if idle.any():
            raise ResetNeededError(f"table {rows[np.argmax(idle)]}: no episode is under way; call reset() first")


def mode_value(mode: Any) -> Any:
    """The value of an `AutoresetMode`, or what was given instead."""
    return mode.value if isinstance(mode, AutoresetMode) else mode
