"""How fast the search is: playouts a second, drawing of worlds and the tree included."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.search import TREES, Budget, Tree
from experiments.batch_speed import per_second
from experiments.report import Report, in_turns
from marriage_env import GAMES, Batch
from marriage_env.table import FIRST_CLAIM

PLAYOUTS = 1000  # of a tree
POSITIONS, TABLES, MOVES = 64, 256, 48
CONFIGURATIONS = (("boxes", 5), ("boxes", 10), ("saucers", 3), ("saucers", 4), ("saucers", 6))


def positions(game: str, players: int, first: bool) -> NDArray[np.float32]:
    """Observations of self-play by `rules` in which a card is to be chosen: the first of a deal, or any."""
    batch = Batch(game, TABLES, players=players, seats=[None] * players)
    starts = {field.name: start for field, start in zip(batch.layout.fields, batch.layout.at[:-1], strict=True)}
    cards = slice(starts["play_order"], starts["play_order"] + batch.rules.pack_size)
    out = batch.reset(seed=0)
    found: list[NDArray[np.float32]] = []
    for _ in range(MOVES):
        choices = out.masks[:, :FIRST_CLAIM].sum(1) > 1
        if first:
            choices &= ~out.observations[:, cards].any(1)
        found += list(out.observations[choices].copy())
        out = batch.step(batch.choose("rules"))
    return np.stack(found[:: max(len(found) // POSITIONS, 1)])


def searching(game: str, players: int, first: bool, seconds: float) -> Callable[[], float]:
    """Playouts a second at positions of one configuration, one after the other."""
    rules = GAMES[game].rules(players=players)
    GAMES[game].warm_up_search()
    vectors, budget = positions(game, players, first), Budget(TREES * PLAYOUTS)
    done = 0

    def search() -> None:
        nonlocal done
        for number, vector in enumerate(vectors):
            tree = Tree(GAMES[game], rules, GAMES[game].layout(rules), budget)
            done += int(tree.grow(vector, number)[0].sum())

    search()
    return functools.partial(per_second, search, done, seconds)


def search_report(seconds: float, rounds: int) -> Report:
    """Playouts a second of the search, on one core."""
    jobs: dict[tuple[Any, ...], Callable[[], float]] = {
        (*table, first): searching(*table, first, seconds) for table in CONFIGURATIONS for first in (True, False)
    }
    results = in_turns(jobs, rounds)
    report = Report(
        "The search, one core",
        f"Playouts a second in trees of {PLAYOUTS:,}, worlds drawn and all; each to the end of its deal by the "
        "rule-based player. Where the first card of a deal is to be chosen, and where any. Medians of rounds in turn.",
        ["game", "first card", "any card"],
    )
    for game, players in CONFIGURATIONS:
        speeds = [statistics.median(results[game, players, first]) for first in (True, False)]
        report.rows.append([f"{game}, {players} players", *[f"{speed:,.0f}" for speed in speeds]])
    return report
