"""How fast the batch is: called from Python, a step at a time."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator
from typing import Any

from experiments.report import Report, in_turns, millions
from marriage_env import GAMES, Batch

TABLES = 1024
MANY_TABLES = 16_384  # enough for two threads
SIZES = (1, 10, 100, 1_000, 10_000, 100_000)


def sizes_of_games() -> Iterator[tuple[str, int]]:
    """Each game with its fewest and its most players."""
    for game in GAMES.values():
        yield game.name, game.min_players
        yield game.name, game.max_players


def per_second(call: Callable[[], Any], work: int, seconds: float) -> float:
    """How much work is done in a second by a call that does `work`."""
    call()
    calls, begun = 0, time.perf_counter()
    while not calls or time.perf_counter() - begun < seconds:
        call()
        calls += 1
    return calls * work / (time.perf_counter() - begun)


def stepping(batch: Batch, seconds: float) -> Callable[[], float]:
    """Steps a second, random legal actions chosen in compiled code; the batch is reset first."""
    batch.reset(seed=0)
    actions = batch.choose("random")

    def step() -> None:
        batch.step(batch.choose("random", out=actions))

    return lambda: per_second(step, len(batch), seconds)


def filling(batch: Batch, seconds: float) -> Callable[[], float]:
    """Rows a second of a plain fill of the batch's buffers."""

    def fill() -> None:
        for buffer in batch.buffers:
            buffer.fill(1)

    return lambda: per_second(fill, len(batch), seconds)


def whole_deals(game: str, players: int, seconds: float) -> Callable[[], float]:
    """Actions a second of whole deals played by rule-based players, without observations."""
    batch = Batch(game, TABLES, players=players, seats="rules", observe=False)
    batch.reset(seed=0)

    def measure() -> float:
        before, begun = batch.actions_taken, time.perf_counter()
        while time.perf_counter() - begun < seconds:
            batch.reset()
        return (batch.actions_taken - before) / (time.perf_counter() - begun)

    return measure


def batch_report(seconds: float, rounds: int) -> Report:
    """What a step costs, beside what it costs to fill the same buffers."""
    report = Report(
        f"The batch, {TABLES:,} tables, called from Python a step at a time, one core",
        "Million steps a second, random legal actions chosen in compiled code; every step deals anew where a match has "
        "ended and writes seat, mask, rewards, ending and returns, and, but for the column without, the observation. "
        "Filling: rows a second that a plain `fill` of all these buffers does, with its GB/s. Deals: actions a second "
        "of whole deals played by compiled rule-based players. Medians of rounds in turn.",
        ["game", "float32", "filling", "GB/s", "of it", "uint8", "without", "deals", "bytes a table"],
    )
    for game, players in sizes_of_games():
        batches = {
            "float32": Batch(game, TABLES, players=players),
            "uint8": Batch(game, TABLES, players=players, dtype="uint8"),
            "without": Batch(game, TABLES, players=players, observe=False),
        }
        jobs = {name: stepping(batch, seconds) for name, batch in batches.items()}
        jobs |= {"filling": filling(batches["float32"], seconds), "deals": whole_deals(game, players, seconds)}
        found = in_turns(jobs, rounds)
        speeds = {name: statistics.median(results) for name, results in found.items()}
        row_bytes = sum(buffer[0].nbytes for buffer in batches["float32"].buffers)
        share = statistics.median(a / b for a, b in zip(found["float32"], found["filling"], strict=True))
        report.rows.append(
            [
                f"{game}, {players} players",
                millions(speeds["float32"]),
                millions(speeds["filling"]),
                f"{speeds['filling'] * row_bytes / 1e9:.0f}",
                f"{share:.0%}",
                *[millions(speeds[name]) for name in ("uint8", "without", "deals")],
                str(batches["float32"].bytes_per_table),
            ]
        )
    return report


def size_report(seconds: float, rounds: int) -> Report:
    """Batches of every size."""
    report = Report(
        "The batch, by the number of tables",
        "Million steps a second with float32 observations, one thread; the last column is the cost of a step at "
        f"{SIZES[-1]:,} tables over that at {SIZES[3]:,}. Medians of rounds in turn.",
        ["game", *[f"{size:,}" for size in SIZES], "cost"],
    )
    for game, players in sizes_of_games():
        jobs = {size: stepping(Batch(game, size, players=players), seconds) for size in SIZES}
        found = in_turns(jobs, rounds)
        cost = statistics.median(a / b for a, b in zip(found[SIZES[3]], found[SIZES[-1]], strict=True))
        speeds = [millions(statistics.median(found[size])) for size in SIZES]
        report.rows.append([f"{game}, {players} players", *speeds, f"{cost:.2f}"])
    return report


def thread_report(seconds: float, rounds: int) -> Report:
    """Two threads beside one."""
    report = Report(
        "The batch on two threads",
        "Million steps a second with float32 observations, and two threads over one. Medians of rounds in turn.",
        [
            "game",
            *[f"{tables:,} tables{more}" for tables in (TABLES, MANY_TABLES) for more in ("", ", 2 threads", ", x")],
        ],
    )
    for game, players in sizes_of_games():
        row = [f"{game}, {players} players"]
        for tables in (TABLES, MANY_TABLES):
            jobs = {n: stepping(Batch(game, tables, players=players, threads=n), seconds) for n in (1, 2)}
            found = in_turns(jobs, rounds)
            ratio = statistics.median(b / a for a, b in zip(found[1], found[2], strict=True))
            row += [*[millions(statistics.median(found[n])) for n in (1, 2)], f"{ratio:.2f}"]
        report.rows.append(row)
    return report
