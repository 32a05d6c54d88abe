"""How well the pipelines' pages learn: each page's own code, for more steps, then its player among random ones.

The pages in `docs/pipelines` train for some seconds. This runs the very same code with another number of steps, lets
what has been learned play duplicate deals at a table of random players, and says how far ahead of them it is.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import re
import textwrap
import time
import traceback
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments.duplicate import Estimate, play_duplicate, scores
from experiments.options import count, reported, seed
from experiments.report import CONFIDENCE, Report, need_marks, replace_between
from marriage_env import MarriageError, make_agent

PAGES = Path(__file__).parent.parent / "docs" / "pipelines"
GAME, PLAYERS = "saucers", 3  # what every page trains for
STEPS = re.compile(r"^steps = [\d_]+", re.MULTILINE)
MARK = "learned"


def block_of(page: str) -> str:
    """The first block of Python in a page, by the page's text: its example; MarriageError if there is none."""
    found = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    if found is None:
        raise MarriageError("a page without a block of Python: allowed is one with an example")
    return found[1]


def learning_pages() -> list[str]:
    """The names of the pages whose code learns for a number of steps."""
    return [path.stem for path in sorted(PAGES.glob("*.md")) if STEPS.search(path.read_text(encoding="utf-8"))]


@dataclass(frozen=True)
class Learned:
    """What a page's code has learned.

    Attributes:
        pipeline: the page's name.
        steps: that were asked for; pages make whole rollouts, so it may be some more or fewer.
        seconds: that the code took, compiling and starting included.
        ahead: of the random players, chips per deal.
    """

    pipeline: str
    steps: int
    seconds: float
    ahead: Estimate


def code_of(page: Path, steps: int) -> str:
    """A page's example, with so many steps in place of its own."""
    code, changes = STEPS.subn(f"steps = {steps}", block_of(page.read_text(encoding="utf-8")))
    if changes != 1:
        raise MarriageError(f"{page.name}: allowed is a page whose example has one line `steps = ...`")
    return code


def run(code: str, page: Path) -> dict[str, Any]:
    """Run a page's code; the names it leaves.

    Raises:
        MarriageError: it failed; the page, and the last line of its error.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    try:
        exec(compile(code, str(page), "exec"), names)
    except (Exception, SystemExit) as error:
        raise MarriageError(f"{page.name}: {traceback.format_exception_only(error)[-1].strip()}") from error
    return names


def measure(page: Path, steps: int, deals: int, seed: int) -> Learned:
    """Let a page's example learn, and its player play so many duplicate deals."""
    begun = time.perf_counter()
    names = run(code_of(page, steps), page)
    seconds = time.perf_counter() - begun
    if "player" not in names:
        raise MarriageError(f"{page.name}: allowed is a page whose example leaves a `player`")
    lineup = [names["player"], *[make_agent("random", seed=seed)] * (PLAYERS - 1)]
    chips = play_duplicate(GAME, {"players": PLAYERS}, lineup, deals, seed)
    score = scores([page.stem, *["random"] * (PLAYERS - 1)], chips)[0]
    return Learned(page.stem, steps, seconds, score.ahead)


def measure_apart(page: Path, steps: int, deals: int, seed: int) -> Learned:
    """`measure` in a process of its own, so that no page bears on another's time by its threads or what it loads."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
        try:
            return process.submit(measure, page, steps, deals, seed).result()
        except BrokenProcessPool as error:
            raise MarriageError(f"{page.name}: its process has ended before its example did") from error


def table(deals: int, results: Sequence[Learned]) -> Report:
    """The results as a table."""
    title = f"{GAME}, {PLAYERS} players: what the pages' code has learned"
    note = f"Chips per deal ahead of two random players, {deals:,} duplicate deals, {CONFIDENCE}."
    rows = [[found.pipeline, f"{found.steps:,}", f"{found.seconds:.0f}", str(found.ahead)] for found in results]
    return Report(title, note, ["pipeline", "steps", "seconds", "ahead"], rows)


def sentence(deals: int, found: Learned) -> str:
    """A result for its page."""
    command = f"`python -m experiments.pipelines {found.pipeline} --steps {found.steps}`"
    effort = f"about {found.steps:,} steps: {found.seconds:.0f} s on {os.cpu_count()} cores"
    result = f"{found.ahead} chips per deal ahead of two random players ({deals:,} duplicate deals, {CONFIDENCE})"
    told = f"**Learned.** {command} runs this very code for {effort}. Its player is then {result}."
    return textwrap.fill(told, 120, break_long_words=False, break_on_hyphens=False)


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    known = learning_pages()
    parser = argparse.ArgumentParser(
        prog="python -m experiments.pipelines",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Example: python -m experiments.pipelines sb3 pytorch --steps 200000 --pages",
    )
    parser.add_argument("pipelines", nargs="+", choices=known, metavar="NAME", help=f"pages: {', '.join(known)}")
    parser.add_argument(
        "--steps", type=count, default=100_000, metavar="N", help="learner's, about (default: %(default)s)"
    )
    parser.add_argument("--deals", type=count, default=1000, metavar="N", help="to be played (default: %(default)s)")
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="of deals and random players (default: 0)")
    parser.add_argument("--pages", action="store_true", help="write each result into its page")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    with reported("pipelines"):
        pages = [PAGES / f"{name}.md" for name in dict.fromkeys(options.pipelines)]
        for page in pages if options.pages else ():
            need_marks("--pages", page, [MARK])
        results = []
        for page in pages:
            results.append(measure_apart(page, options.steps, options.deals, options.seed))
            if options.pages:
                replace_between(page, MARK, sentence(options.deals, results[-1]))
        Console().print(table(options.deals, results).on_screen())


if __name__ == "__main__":
    main()
