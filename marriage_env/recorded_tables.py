"""The tables of a batch, with a record of each match: what house players did in compiled code is found again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from marriage_env.batch_engine import CALLER
from marriage_env.engine import DRAWN
from marriage_env.errors import RecordMismatchError
from marriage_env.game import Game
from marriage_env.opening import Opening
from marriage_env.records import Record, append_record, record_of
from marriage_env.tables import PLAYERS, Tables

HOUSE_CODES = {code: name for name, code in PLAYERS.items() if name is not None}
ROOM = 64  # actions of the caller's, for which there is room at first


class Streams(NamedTuple):
    """Where the random streams of some tables stand, uint64 (n,) each: the table's, and the house players'."""

    seeds: NDArray[np.uint64]
    draws: NDArray[np.uint64]
    house_seeds: NDArray[np.uint64]
    house_draws: NDArray[np.uint64]


class RecordedTables(Tables):
    """Tables of which each match is recorded when it is over, or left for another after an action of the caller's.

    House players act in compiled code, where nobody sees them. But what they do follows from the table and from their
    random stream. So what a match began with is noted, and what the caller does; at its end it is played again, side by
    side with others that end in the same call, and then every action is known. Copies of all kinds are plain `Tables`.

    Args:
        game, rules, count, **settings: as for `Tables`.
        keep: takes the index of a table and the record of its match. If it raises, it is given the record again with
            the next.
        names: of the players at a table, asked as a match begins there; None for ``random`` and ``rules``, where these
            sit, and ``player_2`` for seat 2 of the caller's.

    `open`, `advance` and `leave`, when all else is done, raise what `keep` raises, and RecordMismatchError for a match
    that has no record, since its table was changed by other code; so have those after it, until `open`.
    """

    def __init__(
        self,
        game: Game,
        rules: Any,
        count: int,
        *,
        keep: Callable[[int, Record], None],
        names: Callable[[int], Sequence[str]] | None = None,
        **settings: Any,
    ) -> None:
        self._keep, self._names_at = keep, names or self._seated_names
        self._due: list[tuple[int, Record]] = []  # records that are still to be kept
        self._changed: list[int] = []  # tables whose matches can have none
        self._under_way = np.zeros(count, np.bool_)  # whether a match is, of which all is noted
        self._began = Streams(*(np.zeros(count, np.uint64) for _ in Streams._fields))
        self._dealers = np.zeros(count, np.int64)
        self._pots = np.zeros((count, len(game.pot_names)), np.int64)
        self._seated = np.zeros((count, rules.players), np.uint8)
        self._names: list[tuple[str, ...]] = [()] * count
        self._done = np.zeros(count, np.int64)  # actions of the caller's, by number, and what they were:
        self._actions = np.zeros((count, ROOM), np.uint8)
        self._lots = np.zeros((count, ROOM), np.uint64)  # drawn from the house players' stream by then: he may, too
        super().__init__(game, rules, count, **settings)

    # Play

    def open(
        self, rows: NDArray[np.int64], dealers: NDArray[np.int64] | None = None, pots: NDArray[np.int64] | None = None
    ) -> None:
        """See `Tables.open`."""
        left = rows[self._under_way[rows] & (self._done[rows] > 0)]
        self._end(left, self._balances(left))
        self._begin(rows, self._streams(rows), dealers, pots)
        super().open(rows, dealers, pots)
        self._end_at_once(rows)
        self._hand_over()

    def advance(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """See `Tables.advance`."""
        late, before = self.over(rows), self._streams(rows)  # a match that is over is recorded, and has no actions
        self._note(rows[~late], actions[~late])
        super().advance(rows, actions)
        ended = self.buffers.ended[rows]
        finished = rows[ended & ~late]
        known, after = self._end(finished, self.buffers.returns[finished])
        if self.autoreset:
            self._begin(known, after)
            skipped = ended & late
            self._begin(rows[skipped], Streams(*(stream[skipped] for stream in before)))
            self._end_at_once(rows[ended])
        self._hand_over()

    def leave(self) -> None:
        """Have all matches recorded in which the caller has acted; what is played on in them is not."""
        left = np.flatnonzero(self._under_way & (self._done > 0))
        self._end(left, self._balances(left))
        self._hand_over()

    # Within

    def _begin(
        self,
        rows: NDArray[np.int64],
        streams: Streams,
        dealers: NDArray[np.int64] | None = None,
        pots: NDArray[np.int64] | None = None,
    ) -> None:
        """Note what a match at each of `rows` begins with."""
        self._dealers[rows] = DRAWN if dealers is None else dealers
        self._pots[rows] = 0 if pots is None else pots
        self._seated[rows] = self.seating[rows]
        self._done[rows] = 0
        for began, now in zip(self._began, streams, strict=True):
            began[rows] = now
        for row in rows.tolist():
            self._names[row] = tuple(self._names_at(row))
        self._under_way[rows] = True

    def _note(self, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        """Note what the caller does at each of `rows`, and how far the house players' stream is."""
        if len(rows) and self._done[rows].max() == self._actions.shape[1]:
            self._actions = np.concatenate([self._actions, np.zeros_like(self._actions)], 1)
            self._lots = np.concatenate([self._lots, np.zeros_like(self._lots)], 1)
        places = self._done[rows]
        self._actions[rows, places] = actions
        self._lots[rows, places] = self._streams(rows).house_draws
        self._done[rows] += 1

    def _end_at_once(self, rows: NDArray[np.int64]) -> None:
        """Have those matches recorded, of the ones that have just begun, that are over already."""
        over = rows[self.over(rows) & self._under_way[rows]]
        self._end(over, self._balances(over))

    def _end(self, rows: NDArray[np.int64], balances: NDArray[Any]) -> tuple[NDArray[np.int64], Streams]:
        """Make the records of the matches at `rows`, which have come to these balances.

        Returns the rows where they come to the same when they are played again, and where the streams stand then.
        """
        if not len(rows):
            return rows, self._streams(rows)
        again = Tables(self.game, self.rules, len(rows), dtype=self.dtype, observe=False)
        places = np.arange(len(rows))
        actions = self._play_again(again, rows)
        same = self._under_way[rows] & (balances_of(again, places) == balances).all(1)
        for place, row in enumerate(rows.tolist()):
            played = actions[place]
            if played is None or not same[place]:
                same[place] = False
                self._changed.append(row)
            else:
                legal = [(action, False) for action in played]
                self._due.append((row, record_of(self._opening(row), legal, self._names[row])))
        self._under_way[rows] = False
        return rows[same], streams_of(again, places[same])

    def _play_again(self, again: Tables, rows: NDArray[np.int64]) -> list[list[int] | None]:
        """Play the matches at `rows` again, as far as the caller acted; all actions of each; None if illegal."""
        playing, done = np.arange(len(rows)), np.zeros(len(rows), np.int64)
        taken: list[list[int]] = [[] for _ in rows]
        illegal: set[int] = set()
        self._open_again(again, rows)
        while True:
            playing = playing[~again.over(playing)]
            players = self._seated[rows[playing], again.buffers.actors[playing]]
            known = (players != CALLER) | (done[playing] < self._done[rows[playing]])
            playing, players = playing[known], players[known]
            if not len(playing):
                return [None if place in illegal else actions for place, actions in enumerate(taken)]
            actions = self._choices(again, rows, playing, players, done)
            while (wrong := again.find_illegal(playing, actions)) >= 0:
                illegal.add(int(playing[wrong]))
                playing, actions = np.delete(playing, wrong), np.delete(actions, wrong)
            again.advance(playing, actions)
            for place, action in zip(playing.tolist(), actions.tolist(), strict=True):
                taken[place].append(action)

    def _open_again(self, again: Tables, rows: NDArray[np.int64]) -> None:
        """Begin the matches at `rows` again; all seats are the caller's, so that each call takes one action."""
        fields = (again.records, "seed"), (again.records, "draws"), (again.house, "seed"), (again.house, "draws")
        for (records, field), stream in zip(fields, self._began, strict=True):
            records.view(np.ndarray)[field] = stream[rows]
        again.open(np.arange(len(rows)), self._dealers[rows], self._pots[rows])

    def _choices(
        self,
        again: Tables,
        rows: NDArray[np.int64],
        playing: NDArray[np.int64],
        players: NDArray[np.uint8],
        done: NDArray[np.int64],
    ) -> NDArray[np.int64]:
        """What was done at each of `playing`: as noted (`done` is counted on), or by house players anew."""
        actions = np.zeros(len(playing), np.int64)
        own = playing[players == CALLER]
        actions[players == CALLER] = self._actions[rows[own], done[own]]
        again.house.view(np.ndarray)["draws"][own] = self._lots[rows[own], done[own]]
        done[own] += 1
        for code, player in HOUSE_CODES.items():
            chosen = actions[players == code]
            again.choose(player, playing[players == code], chosen)
            actions[players == code] = chosen
        return actions

    def _opening(self, row: int) -> Opening:
        """What the match at a table began with."""
        seed, draws, *_ = (int(stream[row]) for stream in self._began)
        dealer = None if self._dealers[row] == DRAWN else int(self._dealers[row])
        return Opening(self.game.name, self.rules, seed, draws, dealer, tuple(self._pots[row].tolist()))

    def _hand_over(self) -> None:
        """Give the records that are due to who keeps them; RecordMismatchError if there could be none of some match."""
        while self._due:
            self._keep(*self._due[0])
            del self._due[0]
        if changed := self._changed:
            self._changed = []
            raise RecordMismatchError(
                f"table {changed[0]}: its match has no record, since its table or seating was changed in the middle of "
                "a match; allowed with record=... is to change them by reset() alone"
            )

    def _seated_names(self, row: int) -> list[str]:
        """What players are called whom nobody has named."""
        return [HOUSE_CODES.get(code, f"player_{seat}") for seat, code in enumerate(self.seating[row].tolist())]

    def _streams(self, rows: NDArray[np.int64]) -> Streams:
        return streams_of(self, rows)

    def _balances(self, rows: NDArray[np.int64]) -> NDArray[np.int32]:
        return balances_of(self, rows)


def tables_for(
    path: str | None,
    game: Game,
    rules: Any,
    count: int,
    *,
    names: Callable[[int], Sequence[str]] | None = None,
    **settings: Any,
) -> Tables:
    """Tables, made as `Tables` are, that add the record of each match to a file; without a path, plain ones."""
    if path is None:
        return Tables(game, rules, count, **settings)

    def keep(row: int, record: Record) -> None:
        append_record(path, record)

    return RecordedTables(game, rules, count, keep=keep, names=names, **settings)


def streams_of(tables: Tables, rows: NDArray[np.int64]) -> Streams:
    """Where the streams of `rows` stand."""
    records, house = tables.records.view(np.ndarray), tables.house.view(np.ndarray)
    return Streams(records["seed"][rows], records["draws"][rows], house["seed"][rows], house["draws"][rows])


def balances_of(tables: Tables, rows: NDArray[np.int64]) -> NDArray[np.int32]:
    """The players' balances at `rows`, (n, players)."""
    balances: NDArray[np.int32] = tables.records.view(np.ndarray)["balances"][rows, : tables.players]
    return balances
