"""How long a tournament takes in one process, and spread by Ray over so many workers on this machine.

Each command is run from its start to its end, with what Ray takes to start and to stop; all in turn, round by round.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from rich.console import Console

from experiments.options import count, reported
from experiments.ray_cluster import ROOT
from experiments.report import Report, in_turns, need_marks, replace_between
from marriage_env import MarriageError

TOURNAMENT = "--game saucers --players 4 --agents rules search:500"
MARK = "scaling"  # of a page


def seconds(deals: int, workers: int | None) -> float:
    """That a tournament takes, on so many workers, or without Ray; MarriageError if it fails."""
    spread = [] if workers is None else ["--ray", "--workers", str(workers)]
    words = [*TOURNAMENT.split(), "--deals", str(deals), *spread]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "experiments.tournament", *words, "--out", folder]
        begun = time.perf_counter()
        run = subprocess.run(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        taken = time.perf_counter() - begun
    if run.returncode:
        raise MarriageError(f"{' '.join(words)} failed: {run.stderr.strip()[-500:]}")
    return taken


def measure(deals: int, workers: Sequence[int], rounds: int) -> dict[int | None, float]:
    """The median seconds by the number of workers; without Ray by None."""
    jobs = {number: functools.partial(seconds, deals, number) for number in (None, *workers)}
    return {number: statistics.median(taken) for number, taken in in_turns(jobs, rounds).items()}


def scaling_report(options: argparse.Namespace, found: Mapping[int | None, float]) -> Report:
    """The seconds as a table, and how many times as fast as with the first number of workers."""
    first = found[options.workers[0]]
    names = {None: "without `--ray`", **{number: named(number) for number in options.workers}}
    return Report(
        "Tournaments, spread",
        f"`{TOURNAMENT} --deals {options.deals}`: medians of {options.rounds} rounds in turn, on a machine of "
        f"{os.cpu_count()} cores; times as fast as {named(options.workers[0])}.",
        ["", "seconds", "×"],
        [[names[number], f"{taken:.0f}", f"{first / taken:.2f}"] for number, taken in found.items()],
    )


def named(workers: int) -> str:
    """So many workers, in words."""
    return f"{workers} worker{'s' * (workers > 1)}"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.tournament_scaling",
        description=__doc__,
        epilog="Example: python -m experiments.tournament_scaling --workers 1 2 8 --deals 2000",
    )
    parser.add_argument(
        "--workers", type=count, nargs="+", default=[1, 2], metavar="N", help="numbers of workers (default: 1 2)"
    )
    parser.add_argument("--deals", type=count, default=400, metavar="N", help="for each line-up (default: 400)")
    parser.add_argument("--rounds", type=count, default=3, metavar="N", help="of all commands (default: 3)")
    parser.add_argument("--page", type=Path, metavar="FILE", help=f"put the table between this page's marks: {MARK}")
    options = parser.parse_args(arguments)
    options.workers = list(dict.fromkeys(options.workers))
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    with reported("tournament_scaling"):
        if options.page:
            need_marks("--page", options.page, [MARK])
        report = scaling_report(options, measure(options.deals, options.workers, options.rounds))
        Console().print(report.on_screen())
        if options.page:
            replace_between(options.page, MARK, f"{report.grid()}\n\n{report.note}")


if __name__ == "__main__":
    main()
