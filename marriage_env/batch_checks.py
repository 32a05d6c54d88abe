"""Checks that a batch's arguments go through."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.errors import OptionError
from marriage_env.opening import check_pots
from marriage_env.options import items, one_of, whole
from marriage_env.table import ACTIONS
from marriage_env.tables import PLAYERS

SEEDS = 2**64


def as_array(name: str, given: Any) -> NDArray[Any]:
    """What was given as an array; OptionError if it is none, such as a list of lists of several lengths."""
    try:
        return np.asarray(given)
    except ValueError as error:
        raise OptionError(f"{name}={given!r:.100}: allowed are numbers in rows of one length") from error


def as_actions(actions: Any, count: int) -> NDArray[np.int64]:
    """Actions as an int64 array of their own, of shape (count,); OptionError if their type or shape cannot be."""
    chosen = as_array("actions", actions)
    if chosen.size == 0:
        chosen = chosen.astype(np.int64)
    if chosen.dtype.kind not in "iu" or chosen.shape != (count,):
        found = f"actions of type {chosen.dtype} and shape {chosen.shape}"
        raise OptionError(f"{found}: allowed are whole numbers, one for each table: shape ({count},)")
    if chosen.dtype == np.uint64:
        chosen = np.minimum(chosen, ACTIONS)
    return np.array(chosen, np.int64)  # a copy: what was given may be a buffer that is about to change


def one_for_each(name: str, given: Any, count: int, low: int, high: int) -> NDArray[np.int64]:
    """A number from `low` to `high` for each of `count` tables, from one for all, or one for each; a copy."""
    numbers = as_array(name, given)
    if numbers.ndim == 0:
        return np.full(count, whole(name, given, low, high), np.int64)
    if numbers.shape != (count,) or (count and numbers.dtype.kind not in "iu"):
        found = f"{name} of type {numbers.dtype} and shape {numbers.shape}"
        raise OptionError(f"{found}: allowed are whole numbers of shape ({count},)")
    wrong = np.flatnonzero((numbers < low) | (numbers > high))
    if len(wrong):
        whole(f"{name}[{wrong[0]}]", numbers[wrong[0]].item(), low, high)
    return np.array(numbers, np.int64)


def check_rows(rows: Any, count: int, *, once: bool = True) -> NDArray[np.int64]:
    """The tables meant, of so many: indices, or a bool for each table; OptionError otherwise, or if one comes twice."""
    meant = as_array("rows", rows)
    if meant.dtype == np.bool_:
        if meant.shape != (count,):
            raise OptionError(f"rows: bools of shape {meant.shape}: allowed is one for each table, ({count},)")
        return np.flatnonzero(meant)
    chosen = one_for_each("rows", rows, meant.size, 0, count - 1)
    if once and len(np.unique(chosen)) < len(chosen):
        raise OptionError("rows: a table is given twice: allowed is each once")
    return chosen


def check_seeds(seed: Any, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The seed of each of `rows`: s + row for an int s (beyond the largest it begins at 0 again), or as given."""
    several = isinstance(seed, (Sequence, np.ndarray)) and not isinstance(seed, str)
    if not several or as_array("seed", seed).ndim == 0:
        return np.uint64(whole("seed", seed, 0, SEEDS - 1)) + rows.astype(np.uint64)
    given = list(seed)
    if len(given) != len(rows):
        raise OptionError(f"seed: {len(given)} of them: allowed is one, or one for each of {len(rows)} tables")
    return np.array([whole(f"seed[{place}]", one, 0, SEEDS - 1) for place, one in enumerate(given)], np.uint64)


def random_seeds(count: int) -> NDArray[np.uint64]:
    """So many seeds that nobody knows."""
    return np.frombuffer(secrets.token_bytes(8 * count), np.uint64)


def check_pots_of_each(pots: Any, count: int, names: tuple[str, ...]) -> NDArray[np.int64]:
    """The chips in each pot, a row for each of `count` tables, from one for all, or one for each."""
    if as_array("pots", pots).ndim < 2:
        return np.tile(np.array(check_pots(pots, names), np.int64), (count, 1))
    if len(pots) != count:
        raise OptionError(f"pots of {len(pots)} tables: allowed is one row, or one for each of {count}")
    return np.array([check_pots(row, names) for row in pots], np.int64)


def check_seating(seats: Any, count: int, players: int) -> NDArray[np.uint8]:
    """Who plays each seat, as codes that fit into `count` rows of the seating."""
    if isinstance(seats, np.ndarray) and seats.dtype == np.uint8:
        most = max(PLAYERS.values())
        if seats.shape != (count, players) or (seats > most).any():
            raise OptionError(f"seats of shape {seats.shape}: allowed is ({count}, {players}), numbers up to {most}")
        return seats
    names = [seats] * players if seats is None or isinstance(seats, str) else items(seats)
    if names is None or len(names) != players:
        raise OptionError(f"seats={seats!r:.100}: allowed is one player for all, or one for each of {players} seats")
    codes = [PLAYERS[one_of(f"seats[{seat}]", name, tuple(PLAYERS))] for seat, name in enumerate(names)]
    return np.array(codes, np.uint8)
