"""The tables of a batch: arrays, and compiled calls over them that check nothing. `Batch` is what users call."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from marriage_env.batch_engine import (
    CALLER,
    HOUSE,
    RANDOM,
    RULES,
    State,
    draw_lots,
    find_illegal,
    pick_many,
    seed_tables,
)
from marriage_env.compact import expand
from marriage_env.engine import DRAWN
from marriage_env.errors import OptionError
from marriage_env.game import Game
from marriage_env.games import GAMES
from marriage_env.record_arrays import new_records
from marriage_env.table import ACTIONS, OVER
from marriage_env.thread_team import ThreadTeam

LIGHTNESS_OF_PICKING = 2  # threads choose at random from twice as many tables on; measured

#: Who can play a seat, with his code in the seating: the caller, by his actions; or a house player, within the call.
PLAYERS: dict[str | None, int] = {None: CALLER, "random": RANDOM, "rules": RULES}


class Buffers(NamedTuple):
    """What a batch writes to at each call; row r is table r's.

    Attributes:
        actors: int64 (n,), the seat that is to act.
        observations: float32 (n, size) in [0, 1], or uint8 (n, compact size), as that seat sees it; (n, 0) without.
        masks: int8 (n, 61), 1 for each legal action. All 0 where a match is over and waits for `reset`. All 1 where it
            was over before the caller could act: any action then brings its rewards, and ends it for him.
        rewards: float32 (n, players), the change of each balance since the step before, or since the match began.
        ended: bool (n,), whether this step has ended a match (`reset`: whether house players alone have played one).
        returns: float32 (n, players), each player's gain in the match; where one has ended, in that one.
    """

    actors: NDArray[np.int64]
    observations: NDArray[Any]
    masks: NDArray[np.int8]
    rewards: NDArray[np.float32]
    ended: NDArray[np.bool_]
    returns: NDArray[np.float32]


class Tables:
    """N tables of one game under the same rules.

    `rows`, actions, dealers, pots and seats are int64 arrays of what can be; nothing here sees to that.

    Args:
        game, rules: what is played.
        count: how many tables.
        threads: over which they are spread.
        dtype: of the observations, ``"float32"`` or ``"uint8"``.
        observe: whether observations are written.
        autoreset: whether a table begins anew by itself.
        buffers: arrays to write to, by the names in `Buffers`; OptionError if one does not fit.

    Attributes:
        records: a record of dtype ``game.table`` for each table.
        house: a record of dtype `HOUSE` for each table.
        seating: uint8 (n, players), by the codes of `PLAYERS`.
        begun: bool (n,), whether a match has ever begun at the table.
        buffers: what is written to.
        actions_taken: by whomever, so far.
    """

    def __init__(
        self,
        game: Game,
        rules: Any,
        count: int,
        *,
        threads: int = 1,
        dtype: str = "float32",
        observe: bool = True,
        autoreset: bool = False,
        buffers: Mapping[str, NDArray[Any]] | None = None,
    ) -> None:
        self.game, self.rules, self.layout, self.players = game, rules, game.layout(rules), int(rules.players)
        self.threads, self.dtype, self.observes, self.autoreset = threads, dtype, observe, autoreset
        self.actions_taken = 0
        self.row_size = self.layout.size if dtype == "float32" else self.layout.compact_size
        self.buffers = self._new_buffers(count, {} if buffers is None else buffers)
        self.records = game.new_tables(count, rules)
        self.house = new_records(count, HOUSE)
        self.seating = np.full((count, self.players), CALLER, np.uint8)
        self.begun = np.zeros(count, np.bool_)
        self._legal = np.zeros(count, np.uint64)
        self._team = ThreadTeam(threads)
        out, layout = self.buffers, self.layout
        board, view = (self.records, self.house, self.seating), (layout.blank, layout.at, layout.chips)
        account = (out.rewards, out.ended, out.returns)
        self._arrays = tuple(State(*board, *view, out.actors, out.masks, *account, self._legal))
        self._drafts = np.empty((threads, layout.size), np.float32)
        self._targets = self._targets_of(out.observations)
        self._own = [(*self._targets, draft) for draft in self._drafts]
        self._nothing = [()] * threads
        game.warm_up(f"the batch ({dtype})", self._call_each_with_no_table)

    def __len__(self) -> int:
        return len(self.begun)

    def all_rows(self) -> NDArray[np.int64]:
        """Every table."""
        return np.arange(len(self))

    # Play

    def seed(self, rows: NDArray[np.int64], seeds: NDArray[np.uint64]) -> None:
        """Let the random streams of `rows` begin anew."""
        seed_tables(self.records, self.house, rows, seeds)

    def open(
        self, rows: NDArray[np.int64], dealers: NDArray[np.int64] | None = None, pots: NDArray[np.int64] | None = None
    ) -> None:
        """Begin a match at each of `rows`, with a dealer (None: drawn) and a row of pots (None: empty) for each."""
        dealers = np.full(len(rows), DRAWN) if dealers is None else dealers
        pots = np.zeros((len(rows), len(self.game.pot_names)), np.int64) if pots is None else pots
        self.begun[rows] = True
        self.actions_taken += sum(
            self._team.run(self.game.open_tables, (self._arrays,), (rows, dealers, pots), self._own)
        )

    def advance(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Take an action at each of `rows`."""
        common = (self._arrays, self.autoreset)
        self.actions_taken += sum(self._team.run(self.game.step_tables, common, (rows, actions), self._own))

    def find_illegal(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> int:
        """The index of the first action that is not legal, or -1."""
        return int(find_illegal(self._legal, rows, actions))

    def legal(self, row: int) -> int:
        """The legal actions at a table, bit a for action a."""
        return int(self._legal[row])

    def over(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Whether the match is over at each of `rows`."""
        over: NDArray[np.bool_] = self.records.view(np.ndarray)["phase"][rows] == OVER
        return over

    def choose(self, player: str, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Write what a house player would do at each of `rows`."""
        if player == "random":
            self._team.run(pick_many, (self._legal, self.house), (rows, actions), self._nothing, LIGHTNESS_OF_PICKING)
        else:
            self._team.run(self.game.choose_many, (self.records,), (rows, actions), self._nothing)

    def draw_lots(self, rows: NDArray[np.int64], lots: int, limit: int) -> NDArray[np.int64]:
        """Numbers below `limit`, (rows, lots), from the house players' stream of each of `rows`."""
        drawn = np.zeros((len(rows), lots), np.int64)
        draw_lots(self.house, rows, limit, drawn)
        return drawn

    # Views

    def observe(self, rows: NDArray[np.int64], seats: NDArray[np.int64], seen: NDArray[Any]) -> None:
        """Write into `seen`, of this dtype, what a seat at each of `rows` sees."""
        drafts = [(draft,) for draft in self._drafts]
        self._team.run(self.game.observe_many, (self._arrays,), (rows, seats, *self._targets_of(seen)), drafts)

    def vectors(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """What those who are to act at `rows` see, float32 in any case."""
        seen = self.buffers.observations[rows]
        return expand(seen, self.layout) if seen.dtype == np.uint8 else seen

    def _targets_of(self, seen: NDArray[Any]) -> tuple[Any, Any]:
        """What `batch_engine` calls vectors and compact: one of them is None."""
        return (None, seen) if seen.dtype == np.uint8 else (seen, None)

    # Copies

    def contents(self) -> list[NDArray[np.uint8]]:
        """All that the tables are, as bytes, a row for each; a change in them is a change of the tables."""
        account = (self.buffers.rewards, self.buffers.ended, self.buffers.returns)
        return [as_bytes(array) for array in (self.records, self.house, self.seating, self.begun, *account)]

    def adopt(self, contents: Sequence[NDArray[np.uint8]]) -> None:
        """Become what the contents of others say; the other buffers follow from them."""
        for own, other in zip(self.contents(), contents, strict=True):
            own[:] = other
        self._team.run(self.game.show_many, (self._arrays,), (np.flatnonzero(self.begun),), self._own)

    def copies(self, rows: NDArray[np.int64]) -> Tables:
        """Tables that are copies of `rows`, in that order."""
        return made_again(self.game.name, self.rules, self.settings, [part[rows] for part in self.contents()], 0)

    @property
    def settings(self) -> dict[str, Any]:
        """How the tables are played, beside their rules."""
        how = {"dtype": self.dtype, "observe": self.observes, "autoreset": self.autoreset}
        return {"threads": self.threads, **how}

    def __reduce__(self) -> Any:
        return made_again, (self.game.name, self.rules, self.settings, self.contents(), self.actions_taken)

    @property
    def bytes_per_table(self) -> int:
        """The memory that a table takes beside its row of the buffers."""
        return sum(as_bytes(kept).shape[1] for kept in (*self._arrays[:3], self.begun, self._legal))

    # Within

    def _new_buffers(self, count: int, given: Mapping[str, NDArray[Any]]) -> Buffers:
        shapes: dict[str, tuple[tuple[int, ...], Any]] = {
            "actors": ((count,), np.int64),
            "observations": ((count, self.row_size if self.observes else 0), self.dtype),
            "masks": ((count, ACTIONS), np.int8),
            "rewards": ((count, self.players), np.float32),
            "ended": ((count,), np.bool_),
            "returns": ((count, self.players), np.float32),
        }
        if not isinstance(given, Mapping):
            raise OptionError(f"buffers={given!r:.100}: allowed is a dict of arrays by name")
        for name in given:
            if name not in shapes:
                raise OptionError(f"buffers: {name!r} is none: allowed are {', '.join(shapes)}")
        buffers = {name: check_buffer(name, given.get(name), *shapes[name]) for name in shapes}
        for one, other in itertools.combinations(buffers, 2):
            if np.may_share_memory(buffers[one], buffers[other]):
                raise OptionError(f"buffers: {one} and {other} share memory: allowed are arrays apart")
        return Buffers(**buffers)

    def _call_each_with_no_table(self) -> None:
        none = np.zeros(0, np.int64)
        self.open(none)
        self.advance(none, none)
        self.observe(none, none, self.buffers.observations[:0])
        self.adopt(self.contents())
        for player in ("random", "rules"):
            self.choose(player, none, none)


def made_again(
    game: str,
    rules: Any,
    settings: Mapping[str, Any],
    contents: Sequence[NDArray[np.uint8]],
    actions_taken: int,
    buffers: Mapping[str, NDArray[Any]] | None = None,
) -> Tables:
    """Tables with the contents of others."""
    tables = Tables(GAMES[game], rules, len(contents[0]), **settings, buffers=buffers)
    tables.adopt(contents)
    tables.actions_taken = actions_taken
    return tables


def as_bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    """The bytes of a C-contiguous array, a row for each of its rows; a view."""
    return array.view(np.ndarray).view(np.uint8).reshape(len(array), -1)


def check_buffer(name: str, given: NDArray[Any] | None, shape: tuple[int, ...], dtype: Any) -> NDArray[Any]:
    """A buffer that can be written to, made if none is given; OptionError if it does not fit."""
    if given is None:
        return np.zeros(shape, dtype)
    fits = isinstance(given, np.ndarray) and given.dtype == dtype and given.shape == shape
    if not fits or not given.flags.c_contiguous or not given.flags.writeable:
        found = f"{given.dtype} of shape {given.shape}" if isinstance(given, np.ndarray) else repr(given)[:100]
        allowed = f"a writable, C-contiguous array, {np.dtype(dtype)} of shape {shape}"
        raise OptionError(f"{name} is {found}: allowed is {allowed}")
    return given
