"""Measure speed and strength, side by side with other suites, and write them down.

Timings are taken in turns, several rounds of each, and medians are reported: machines are shared, so trust the ratios.
"""

from __future__ import annotations

import argparse
import csv
import functools
import importlib
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from experiments.batch_speed import batch_report, size_report, sizes_of_games, thread_report
from experiments.comparisons import peer_report, training_report
from experiments.demo import learn_and_measure
from experiments.evaluate import evaluate
from experiments.options import above_zero, count, output_file, reported
from experiments.peers import PETTINGZOO, play_loop
from experiments.plot import plot
from experiments.report import CONFIDENCE, Report, in_turns, millions, need_marks, replace_between
from experiments.search_speed import search_report
from marriage_env import GAMES, boxes_v0, saucers_v0
from marriage_env.game import Game
from marriage_env.randomness import STREAM
from marriage_env.record_arrays import new_records

PARTS = ("loop", "rules", "batch", "sizes", "threads", "peers", "training", "search", "start", "strength", "demo")
PACKAGES = ("numba", "numpy", "gymnasium", "pettingzoo", "open_spiel", "pgx", "jax", "rlcard", "sb3_contrib", "torch")
IN_README = ("loop", "batch", "peers", "training", "demo")
FIRST_STEP = """
import time
begun = time.perf_counter()
from marriage_env import {game}_v0
env = {game}_v0.env()
env.reset(seed=0)
observation, *_ = env.last()
env.step(int(observation["action_mask"].argmax()))
print(time.perf_counter() - begun)
"""


def aec_loop(seconds: float, rounds: int) -> Report:
    """The AEC loop of both games beside PettingZoo classic."""
    envs: dict[str, Any] = {}
    for module in (boxes_v0, saucers_v0):
        for make in (module.env, module.raw_env):
            envs[f"{make.metadata['name']} {make.__name__}"] = make()
    for peer, path in PETTINGZOO.items():
        module = importlib.import_module(path)
        envs |= {f"{peer} env": module.env(), f"{peer} raw_env": module.raw_env()}
    for env in envs.values():
        env.reset(seed=0)
    results = in_turns({name: functools.partial(play_loop, env, seconds) for name, env in envs.items()}, rounds)
    report = Report(
        "The AEC loop from Python",
        "`agent_iter`, `last`, a random legal action from the mask, `step`; medians of rounds in turn. The ratios (x) "
        "to the peers, Texas hold'em and connect four, are medians of the rounds' ratios.",
        ["environment", "steps/s", *[f"x {name} {kind}" for name in ("texas", "four") for kind in ("env", "raw")]],
    )
    for name, speeds in results.items():
        ratios = [
            statistics.median(own / other for own, other in zip(speeds, results[f"{peer} {kind}"], strict=True))
            for peer in PETTINGZOO
            for kind in ("env", "raw_env")
        ]
        report.rows.append([name, f"{statistics.median(speeds):,.0f}", *[f"{ratio:.1f}" for ratio in ratios]])
    return report


def compiled_rules(steps: int, rounds: int) -> Report:
    """Random play with no Python in the loop."""
    report = Report(
        "The compiled rules, random play, one core, no Python in the loop",
        "Deal, legal actions, step; and with the actor's observation written at every step. Medians of rounds in turn.",
        ["game", "million steps/s", "with observation", "numbers in it", "bytes a table"],
    )
    for name, players in sizes_of_games():
        game = GAMES[name]
        rules = game.rules(players=players)
        jobs = {observed: functools.partial(rollout_speed, game, rules, observed, steps) for observed in (False, True)}
        for job in jobs.values():
            job()  # compiles, or loads
        speeds = [millions(statistics.median(found)) for found in in_turns(jobs, rounds).values()]
        sizes = [str(game.layout(rules).size), str(game.table.itemsize)]
        report.rows.append([f"{name}, {players} players", *speeds, *sizes])
    return report


def rollout_speed(game: Game, rules: Any, observed: bool, steps: int) -> float:
    """Steps a second of compiled random play."""
    layout = game.layout(rules)
    vector = np.zeros(layout.size if observed else 0, np.float32)
    tables, streams = game.new_tables(1, rules), new_records(1, STREAM)
    begun = time.perf_counter()
    game.rollout(tables, steps, streams, layout.blank, layout.at, vector)
    return steps / (time.perf_counter() - begun)


def first_step(rounds: int) -> Report:
    """How long a user waits for the first step of all."""
    report = Report(
        "From import to the first step, seconds",
        "A new process each time; cold: nothing compiled yet; warm: the machine code is on disk. Medians.",
        ["game", "cold", "warm"],
    )
    for game in GAMES:
        cold, warm = [], []
        for _ in range(rounds):
            with tempfile.TemporaryDirectory() as cache:
                cold.append(first_step_seconds(game, cache))
                warm.append(first_step_seconds(game, cache))
        report.rows.append([game, f"{statistics.median(cold):.1f}", f"{statistics.median(warm):.2f}"])
    return report


def first_step_seconds(game: str, cache: str) -> float:
    """Import and first step in a new process whose machine code is kept in `cache`."""
    run = subprocess.run(
        [sys.executable, "-c", FIRST_STEP.format(game=game)],
        env={**os.environ, "NUMBA_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(run.stdout)


def strength(deals: int, console: Console) -> Report:
    """The rule-based player among random ones, for every number of players."""
    report = Report(
        "The rule-based player against random players, chips per deal",
        f"One rule-based player at a table of random ones, {deals:,} duplicate deals; {CONFIDENCE}.",
        ["game", "rules", "random", "ahead"],
    )
    for game in GAMES.values():
        for players in range(game.min_players, game.max_players + 1):
            rules, random = evaluate(game.name, {"players": players}, ["rules", "random"], deals, 0, console)
            row = [f"{game.name}, {players} players", str(rules.chips), str(random.chips), str(rules.ahead)]
            report.rows.append(row)
    return report


def installed(package: str) -> str:
    """The version of a package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def page(reports: Sequence[Report], command: str) -> str:
    """The report as a page."""
    packages = ", ".join(f"{name} {installed(name)}" for name in PACKAGES)
    parts = [
        "# Benchmarks",
        f"Measured by `{command}` on {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{packages}. Such machines are shared and their speed drifts: trust ratios more than single figures.",
    ]
    return "\n\n".join([*parts, *[report.markdown() for report in reports]])


def write_csv(path: Path, reports: Sequence[Report]) -> None:
    """Every cell of every table, a row for each."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["table", "row", "column", "value"])
        for report in reports:
            for name, *cells in report.rows:
                columns = report.header[1:]
                writer.writerows([report.title, name, *pair] for pair in zip(columns, cells, strict=True))


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m experiments.benchmark", description=__doc__)
    parser.add_argument(
        "--only",
        nargs="+",
        choices=PARTS,
        default=PARTS,
        help="what to measure (default: all)",
    )
    parser.add_argument("--rounds", type=count, default=5, metavar="N", help="rounds of each timing (default: 5)")
    parser.add_argument("--seconds", type=above_zero, default=1.0, metavar="X", help="of each timing (default: 1)")
    parser.add_argument(
        "--steps", type=count, default=2_000_000, metavar="N", help="compiled a round (default: 2000000)"
    )
    parser.add_argument("--deals", type=count, default=1000, metavar="N", help="duplicate deals (default: 1000)")
    parser.add_argument("--markdown", type=output_file, metavar="FILE", help="write the report as a page, too")
    parser.add_argument("--csv", type=output_file, metavar="FILE", help="write all figures as CSV, too")
    parser.add_argument("--plot", type=output_file, metavar="FILE", help="draw sizes and peers, if measured, as PNG")
    parser.add_argument("--readme", type=Path, metavar="FILE", help="put the tables between this page's marks, too")
    options = parser.parse_args(arguments)
    if options.plot and not {"sizes", "peers"} <= set(options.only):
        parser.error("--plot: allowed with sizes and peers among what is measured (--only)")
    if options.readme and not set(IN_README) <= set(options.only):
        parser.error(f"--readme: allowed if all that stands there is measured: --only {' '.join(IN_README)}")
    console = Console()
    measure: dict[str, Callable[[], list[Report]]] = {
        "loop": lambda: [aec_loop(options.seconds, options.rounds)],
        "rules": lambda: [compiled_rules(options.steps, options.rounds)],
        "batch": lambda: [batch_report(options.seconds, options.rounds)],
        "sizes": lambda: [size_report(options.seconds, options.rounds)],
        "threads": lambda: [thread_report(options.seconds, options.rounds)],
        "peers": lambda: [peer_report(options.seconds, options.rounds, console)],
        "training": lambda: [training_report(options.rounds)],
        "search": lambda: [search_report(options.seconds, options.rounds)],
        "start": lambda: [first_step(options.rounds)],
        "strength": lambda: [strength(options.deals, console)],
        "demo": lambda: [
            learn_and_measure(game, 60, options.deals, Path("runs") / f"demo-{game}", console) for game in GAMES
        ],
    }
    with reported("benchmark"):
        if options.readme:
            need_marks("--readme", options.readme, ["benchmarks"])
        measured: dict[str, list[Report]] = {}
        for name in options.only:
            console.print(f"measuring: {name} ...")
            measured[name] = measure[name]()
            for report in measured[name]:
                console.print(report.on_screen())
        reports = [report for found in measured.values() for report in found]
        if options.csv:
            write_csv(options.csv, reports)
        if options.plot:
            plot(measured["sizes"][0], measured["peers"][0], options.plot)
        if options.markdown:
            command = " ".join(["python -m experiments.benchmark", *(sys.argv[1:] if arguments is None else arguments)])
            options.markdown.write_text(page(reports, command), encoding="utf-8")
        if options.readme:
            shown = [report for name in IN_README for report in measured.get(name, [])]
            text = [f"**{report.title}.** {report.note}\n\n{report.grid()}" for report in shown]
            replace_between(options.readme, "benchmarks", "\n\n".join(text))


if __name__ == "__main__":
    main()
