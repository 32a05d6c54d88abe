"""Duplicate play: the same deals, once for each rotation of the players round the table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env import GAMES, Agent
from marriage_env.agents import seed_agents
from marriage_env.batch_agents import answers, numbered, play_on, seating_codes
from marriage_env.engine import DRAWN
from marriage_env.games import rule_options
from marriage_env.recorded_tables import RecordedTables
from marriage_env.records import Record
from marriage_env.tables import Tables

TABLES = 2048  # played side by side, so that agents choose for many at once
CONFIDENCE_95 = 1.959964  # standard errors on either side; deals number in the hundreds


def play_duplicate(
    game: str,
    rules: Mapping[str, Any],
    agents: Sequence[Agent],
    deals: int,
    seed: int,
    progress: Callable[[int], Any] = lambda matches: None,
    keep: Callable[[int, Record], None] | None = None,
) -> NDArray[np.float64]:
    """Play each deal once for each rotation of the agents round the table.

    Args:
        game: ``"boxes"`` or ``"saucers"``.
        rules: the rule options.
        agents: who sits at each seat in rotation 0; in rotation r, he sits r seats further to the left. One object may
            sit at several seats.
        deals: how many deals (matches, where the rules say several deals a match).
        seed: of the deals and of the agents' own choices: the same seed, the same result to the last bit.
        progress: called with a number of matches that have been played.
        keep: takes the number of a match that is over, rotations * deal + rotation, and its record, in any order.

    Returns:
        Chips per deal, float64 of shape (deals, rotations, agents), by the agents' places in `agents`.
    """
    players, numbers = numbered(agents)
    return play_lineups(game, rules, players, np.tile(numbers, (deals, 1)), seed, progress=progress, keep=keep)


def play_lineups(
    game: str,
    rules: Mapping[str, Any],
    players: Sequence[Agent],
    lineups: NDArray[np.int64],
    seed: int,
    *,
    rotations: int | None = None,
    dealer: int | None = None,
    pots: int = 0,
    ask: Callable[[Tables, Agent, NDArray[np.int64]], NDArray[np.int64]] = answers,
    progress: Callable[[int], Any] = lambda matches: None,
    keep: Callable[[int, Record], None] | None = None,
) -> NDArray[np.float64]:
    """Play deals, each with its own company, once for each rotation of the company round the table.

    Args:
        game: see `play_duplicate`.
        rules: see there.
        players: distinct agents.
        lineups: numbers of `players`, (deals, seats): who sits at each seat of each deal in rotation 0.
        seed: see `play_duplicate`.
        rotations: only so many of them; None for all.
        dealer: the seat that deals first; None for one drawn with each deal.
        pots: chips that lie in each pot when the match opens.
        ask: see `play_on`.
        progress: see `play_duplicate`.
        keep: see `play_duplicate`.

    Returns:
        Chips per deal, float64 of shape (deals, rotations, seats), by the places in `lineups`.
    """
    deals, seats = lineups.shape
    of_deals = deal_seeds(seed, deals)
    seed_agents(players, seed)
    places = places_at(seats)[:rotations]
    turns = len(places)
    at_once = max(TABLES // turns, 1)
    made = rule_options(game, dict(rules))
    first = 0  # of the deals that are being played
    what = GAMES[game], made, min(deals, at_once) * turns
    if keep is None:
        tables = Tables(*what)
    else:
        tables = RecordedTables(*what, keep=lambda row, record: keep(first * turns + row, record))
    chips = np.zeros((deals, turns, seats))
    dealers = np.full(len(tables), DRAWN if dealer is None else dealer)
    opening = np.full((len(tables), len(tables.game.pot_names)), pots)
    for first in range(0, deals, at_once):
        seeds = of_deals[first : first + at_once]
        rows = np.arange(len(seeds) * turns)
        who = lineups[first : first + at_once][:, places].reshape(-1, seats)
        tables.seating[rows] = seating_codes(players, who)
        tables.seed(rows, seeds.repeat(turns))
        tables.open(rows, dealers[rows], opening[rows])
        play_on(tables, players, who, rows, ask)
        returns = tables.buffers.returns[rows].reshape(len(seeds), turns, seats)
        chips[first : first + at_once] = ordered_by_place(returns) / made.deals
        progress(len(rows))
    return chips


def deal_seeds(seed: int, count: int) -> NDArray[np.uint64]:
    """A seed for each of so many deals, uint64 (count,)."""
    return np.random.SeedSequence(seed).generate_state(count, np.uint64).astype(np.uint64)


def places_at(seats: int) -> NDArray[np.int64]:
    """The place in the line-up of who sits at each seat, in each rotation: (rotations, seats).

    At seat s in rotation r sits who has place (s - r) mod n.
    """
    places: NDArray[np.int64] = (np.arange(seats) - np.arange(seats)[:, None]) % seats
    return places


def ordered_by_place(by_seat: NDArray[Any]) -> NDArray[Any]:
    """What is ordered by seats, (deals, rotations, seats), ordered by the places in the line-up."""
    _, turns, seats = by_seat.shape
    return np.take_along_axis(by_seat, places_at(seats)[:turns].argsort(1)[None], 2)


@dataclass(frozen=True)
class Estimate:
    """A mean with the half-width of its 95% confidence interval."""

    mean: float
    error: float

    @classmethod
    def over_deals(cls, values: NDArray[np.float64]) -> Estimate:
        """From one value a deal, (deals,); the interval is infinite for a single deal, the mean no number for none."""
        if not len(values):
            return cls(float("nan"), float("inf"))
        spread = float(values.std(ddof=1)) if len(values) > 1 else float("inf")
        return cls(float(values.mean()), CONFIDENCE_95 * spread / len(values) ** 0.5)

    @property
    def clear_of_zero(self) -> bool:
        """Whether the whole interval is on one side of 0."""
        return abs(self.mean) > self.error

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ± {self.error:.2f}"


@dataclass(frozen=True)
class Score:
    """How an agent fared: chips per deal, and how far ahead of the others at the table, deal by deal."""

    agent: str
    seats: int
    chips: Estimate
    ahead: Estimate


def scores(names: Sequence[str], chips: NDArray[np.float64]) -> list[Score]:
    """The score of each name, in order of first mention.

    Args:
        names: of the agent at each place.
        chips: as `play_duplicate` returns them. A deal with all its rotations is one block: one value of each mean.
    """
    by_place = chips.mean(axis=1)
    result = []
    for name in dict.fromkeys(names):
        mine = np.array([other == name for other in names])
        own = by_place[:, mine].mean(axis=1)
        rest = by_place[:, ~mine].mean(axis=1) if not mine.all() else own
        result.append(Score(name, int(mine.sum()), Estimate.over_deals(own), Estimate.over_deals(own - rest)))
    return result
