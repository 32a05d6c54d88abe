"""Many tables of one game at once, in compiled code."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.aec import TableEnv
from marriage_env.batch_checks import (
    as_actions,
    check_pots_of_each,
    check_rows,
    check_seating,
    check_seeds,
    one_for_each,
    random_seeds,
)
from marriage_env.batch_saving import from_bytes, to_bytes
from marriage_env.compact import expand
from marriage_env.errors import IllegalActionError, OptionError, ResetNeededError
from marriage_env.games import GAMES, rule_options
from marriage_env.options import one_of, whole
from marriage_env.recorded_tables import RecordedTables, tables_for
from marriage_env.records import record_path
from marriage_env.table import ACTIONS
from marriage_env.tables import Buffers, Tables, as_bytes, check_buffer

MOST_TABLES = 10_000_000
MOST_THREADS = 1024
DTYPES = ("float32", "uint8")


class Batch:
    """N tables of one game: one compiled call deals, acts, pays and observes at all of them.

    Every table has its own random streams, so that it plays alike in a batch of any size on any number of threads, and
    like the AEC environment under the same seed and actions. Where a match has ended, the next begins within the step,
    as by `reset()`, unless `autoreset` is False. A batch is for one thread of the caller's at a time.

    Args:
        game: ``"boxes"`` or ``"saucers"``.
        tables: how many, 1 to 10,000,000.
        seats: who plays each seat, from the first on: None (you, by `step`), ``"random"`` or ``"rules"`` (compiled,
            within the call); one for all, or one for each. Default: you play all.
        threads: over which the tables are spread, as far as a call is of 2,048 or more for each.
        dtype: of the observations: ``"float32"``, or ``"uint8"``, as told in `marriage_env.compact`.
        observe: whether observations are written.
        autoreset: whether a table begins anew by itself.
        buffers: arrays of your own to write to, by the names in `Buffers`, of the types and shapes told there.
        record: a file to which the record of each match is added when it is over, or left by `reset` after an action of
            yours: see `marriage_env.records`. Copies of all kinds write none.
        **rules: the game's rule options, by name.

    Attributes:
        game: what is played.
        rules: by which options.
        layout: where each field of an observation stands.
        players: how many play at a table.
        buffers: the `Buffers` that every call writes to.
        records: a record of dtype ``game.table`` for each table, for compiled code of your own.
        seating: uint8 (n, players), who plays each seat: 0 you, 1 ``"random"``, 2 ``"rules"``.
        threads: as given.
        dtype: as given.
        autoreset: as given.

    Raises:
        OptionError: an argument cannot be; the message says what is allowed.
        RecordFileError: the records cannot be written; `reset` and `step` raise it too, when all else is done.
        RecordMismatchError: by them, too: a match has no record, for its table or seating was changed in the middle.
    """

    def __init__(
        self,
        game: str,
        tables: int,
        *,
        seats: Sequence[str | None] | str | None = None,
        threads: int = 1,
        dtype: Any = "float32",
        observe: bool = True,
        autoreset: bool = True,
        buffers: Mapping[str, NDArray[Any]] | None = None,
        record: str | os.PathLike[str] | None = None,
        **rules: Any,
    ) -> None:
        checked = rule_options(game, rules)
        count = whole("tables", tables, 1, MOST_TABLES)
        seating = check_seating(seats, count, checked.players)
        self._adopt(
            tables_for(
                record_path(record),
                GAMES[game],
                checked,
                count,
                threads=check_threads(threads),
                dtype=check_dtype(dtype),
                observe=one_of("observe", observe, (True, False)),
                autoreset=one_of("autoreset", autoreset, (True, False)),
                buffers=buffers,
            )
        )
        self.seating[:] = seating

    def _adopt(self, tables: Tables) -> None:
        """Become a batch over these tables."""
        self._tables = tables
        self.game, self.rules, self.layout, self.players = tables.game, tables.rules, tables.layout, tables.players
        self.threads, self.dtype, self.autoreset = tables.threads, tables.dtype, tables.autoreset
        self.buffers, self.records, self.seating = tables.buffers, tables.records, tables.seating

    def __len__(self) -> int:
        return len(self._tables)

    # Play

    def reset(
        self,
        seed: Any = None,
        *,
        rows: Any = None,
        seats: Any = None,
        dealers: Any = None,
        pots: Any = None,
    ) -> Buffers:
        """Begin a match at every table, or at those given.

        Args:
            seed: of the random streams: an int s: table r gets s + r; or one for each table meant. Without one they go
                on where they are; the very first time they begin anywhere.
            rows: the tables meant, as indices, or as a bool for each table. Default: all.
            seats: who plays, as for the class; or codes as in `seating`, uint8 of shape (tables meant, players).
                Default: everybody keeps his seat.
            dealers: a seat, or one for each table meant. Default: drawn.
            pots: the chips in each pot, 0 to 10,000, or a row of them for each table meant. Default: none.

        Raises:
            OptionError: an argument cannot be. Nothing has changed.
        """
        meant = self._rows(rows)
        if seed is None:  # those that have had none
            seeded = meant[~self._tables.begun[meant]]
            seeds = random_seeds(len(seeded))
        else:
            seeded, seeds = meant, check_seeds(seed, meant)
        seating = self.seating[meant] if seats is None else check_seating(seats, len(meant), self.players)
        dealing = None if dealers is None else one_for_each("dealers", dealers, len(meant), 0, self.players - 1)
        chips = None if pots is None else check_pots_of_each(pots, len(meant), self.game.pot_names)
        self.seating[meant] = seating
        self._tables.seed(seeded, seeds)
        self._tables.open(meant, dealing, chips)
        return self.buffers

    def step(self, actions: Any, rows: Any = None) -> Buffers:
        """Let whoever is to act at every table, or at those given, take an action.

        Args:
            actions: whole numbers 0 to 60, one for each table meant.
            rows: the tables meant, as in `reset`. The others, and their rows of the buffers, stay as they are.

        Raises:
            IllegalActionError: an action is not legal. Nothing has changed at any table.
            ResetNeededError: a table meant has no match under way. Nothing has changed.
            OptionError: the rows, or the type or shape of the actions, cannot be. Nothing has changed.
        """
        meant = self._rows(rows)
        chosen = as_actions(actions, len(meant))
        need_legal(self._tables, meant, chosen)
        self._tables.advance(meant, chosen)
        return self.buffers

    def choose(self, player: str, rows: Any = None, out: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        """What a house player would do for whoever is to act at every table, or at those given.

        Args:
            player: ``"random"`` (draws from the house players' stream of each table) or ``"rules"``.
            rows: the tables meant, as in `reset`.
            out: int64 of shape (tables meant,) to write to.

        Returns:
            An action for each table meant, int64; where its match is over, it means nothing.

        Raises:
            OptionError: an argument cannot be.
            ResetNeededError: no match has begun at a table meant.
        """
        meant = self._begun_rows(rows)
        actions = check_buffer("out", out, (len(meant),), np.int64)
        self._tables.choose(one_of("player", player, ("random", "rules")), meant, actions)
        return actions

    def observe(self, seats: Any, rows: Any = None, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """What a seat sees at every table, or at those given, whoever is to act.

        Args:
            seats: a seat, or one for each table meant.
            rows: the tables meant, as in `reset`.
            out: of shape (tables meant, size) and the batch's `dtype`, to write to.

        Returns:
            A row for each table meant.

        Raises:
            OptionError: an argument cannot be.
            ResetNeededError: no match has begun at a table meant.
        """
        meant = self._begun_rows(rows)
        chosen = one_for_each("seats", seats, len(meant), 0, self.players - 1)
        seen = check_buffer("out", out, (len(meant), self._tables.row_size), self.dtype)
        self._tables.observe(meant, chosen, seen)
        return seen

    def reseed(self, seed: Any, rows: Any = None) -> None:
        """Let random streams begin anew, by seeds as in `reset`, in the middle of matches: other chance is to come.

        Raises OptionError or ResetNeededError as `observe` does; OptionError of a batch that writes records, in which
        a match has one seed.
        """
        if isinstance(self._tables, RecordedTables):
            raise OptionError(
                "reseed: matches of a batch that writes records have one seed: allowed without record=..."
            )
        meant = self._begun_rows(rows)
        self._tables.seed(meant, check_seeds(seed, meant))

    # Copies

    def take(self, rows: Any) -> Batch:
        """A batch of copies of the tables given, in that order; one may be given many times.

        Copies go on exactly like the original, unless `reseed` parts their ways. They hold all that it holds: the hands
        of others, and the cards to come. Raises OptionError for rows that cannot be.
        """
        meant = check_rows(rows, len(self), once=False)
        whole("tables", len(meant), 1, MOST_TABLES)
        return batch_over(self._tables.copies(meant))

    @classmethod
    def from_env(cls, env: TableEnv, tables: int, **arguments: Any) -> Batch:
        """A batch of copies of an AEC environment's table, as it stands in the middle of a match.

        Args:
            env: `raw_env` or `env` of either game, its match not over.
            tables: how many.
            **arguments: of the class, but for the rules. Seats that house players get are played by them from the
                second action on.

        Packs set for deals to come are not taken over: the batch draws them. Raises OptionError if `env` is none of
        ours, or if `record` is given, which needs matches from their beginning; ResetNeededError if its match is over
        or has not begun.
        """
        if arguments.get("record") is not None:
            raise OptionError("record of matches from the middle on: allowed is None; env.record has the beginning")
        if not isinstance(env, TableEnv):
            raise OptionError(f"env={env!r:.100}: allowed is an environment of boxes_v0 or saucers_v0, not wrapped")
        if not env.agents or env.terminations[env.agent_selection]:
            raise ResetNeededError("Batch.from_env: the environment has no match under way; call its reset() first")
        rules = {name: getattr(env.rules, name) for name in env.rules.__dataclass_fields__}
        batch = cls(env.game.name, tables, **arguments, **rules)
        record, of = env._tables, batch._tables
        of.seed(np.zeros(1, np.int64), record["seed"])  # the house players' stream; the table's goes on:
        as_bytes(of.records)[0] = as_bytes(record)[0]
        of.house["caller_acted"][0] = not record["fresh"][0]
        of.begun[0] = True
        of.adopt([contents[[0] * tables] for contents in of.contents()])
        return batch

    def save(self) -> bytes:
        """The whole batch as bytes: every table, who plays, all settings, and the last rewards. See `load`."""
        return to_bytes(self._tables)

    @classmethod
    def load(
        cls, data: bytes, *, threads: int | None = None, buffers: Mapping[str, NDArray[Any]] | None = None
    ) -> Batch:
        """The batch that was saved, to the last bit.

        Args:
            data: what `save` returned.
            threads: over which the tables are spread. Default: as they were.
            buffers: as for the class.

        Raises OptionError for bytes that are damaged, or that another version of the library has saved. What is in them
        is believed: load only what you trust.
        """
        return batch_over(from_bytes(data, None if threads is None else check_threads(threads), buffers))

    def __reduce__(self) -> Any:
        return batch_over, (self._tables,)

    # What is seen from outside the game

    def decode(self, observation: NDArray[Any]) -> dict[str, Any]:
        """One observation of this batch, float32 or bytes, field by field, by names."""
        vector = np.asarray(observation)
        return self.layout.decode(expand(vector, self.layout) if vector.dtype == np.uint8 else vector)

    @property
    def pots(self) -> NDArray[np.int32]:
        """int32 (n, pots), the chips in each pot at each table, in the order of `game.pot_names`."""
        return np.array(self.records["pots"])

    @property
    def actions_taken(self) -> int:
        """How many actions have been taken at the tables so far, by whomever."""
        return self._tables.actions_taken

    @property
    def bytes_per_table(self) -> int:
        """The memory that a table takes beside its row of the buffers."""
        return self._tables.bytes_per_table

    # Within

    def _rows(self, rows: Any) -> NDArray[np.int64]:
        return self._tables.all_rows() if rows is None else check_rows(rows, len(self))

    def _begun_rows(self, rows: Any) -> NDArray[np.int64]:
        meant = self._rows(rows)
        need_begun(self._tables, meant)
        return meant


def batch_over(tables: Tables) -> Batch:
    """A batch over tables that are there."""
    batch = object.__new__(Batch)
    batch._adopt(tables)
    return batch


def check_threads(threads: Any) -> int:
    """A number of threads; OptionError if it cannot be."""
    return whole("threads", threads, 1, MOST_THREADS)


def check_dtype(dtype: Any) -> str:
    """The name of a type of observations, given by name or as NumPy's; OptionError if it cannot be."""
    name: str = one_of("dtype", getattr(dtype, "__name__", str(dtype)), DTYPES)
    return name


def need_begun(tables: Tables, rows: NDArray[np.int64]) -> None:
    """Raise ResetNeededError if no match has begun at one of `rows`."""
    begun = tables.begun[rows]
    if not begun.all():
        raise ResetNeededError(f"table {rows[np.argmin(begun)]}: no match has begun; call reset() first")


def need_legal(tables: Tables, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
    """Raise IllegalActionError, or ResetNeededError, if one of the actions is not legal at its table."""
    wrong = tables.find_illegal(rows, actions)
    if wrong < 0:
        return
    table, action = int(rows[wrong]), int(actions[wrong])
    need_begun(tables, rows[wrong : wrong + 1])
    legal = tables.legal(table)
    if not legal:
        raise ResetNeededError(f"table {table}: its match is over; call reset(rows=[{table}]) first")
    names = tables.game.action_names
    name = f" ({names[action]})" if 0 <= action < ACTIONS else ""
    allowed = ", ".join(f"{number} ({names[number]})" for number in range(ACTIONS) if legal >> number & 1)
    said = f"action {action}{name} of player_{tables.buffers.actors[table]} at table {table}"
    raise IllegalActionError(f"{said} is not legal: allowed are {allowed}")
