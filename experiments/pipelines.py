"""How well the pipelines' pages learn: each page's own code, for more steps, then its player among random ones.

The pages in `docs/pipelines` train for some seconds. This runs the very same code with another number of steps, lets
what has been learned play duplicate deals at a table of random players, and says how far ahead of them it is.
"""

from __future__ import annotations

import argparse
import os
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from experiments.duplicate import Estimate, play_duplicate, scores
from experiments.options import count, reported, seed
from experiments.report import CONFIDENCE, Report, need_marks, replace_between
from marriage_env import Agent, MarriageError, make_agent

PAGES = Path(__file__).parent.parent / "docs" / "pipelines"
GAME, PLAYERS = "saucers", 3  # what every page trains for
STEPS = re.compile(r"^steps = [\d_]+", re.MULTILINE)
MARK = "learned"


def block_of(page: str) -> str:
    """The Python code of a page, by the page's text; MarriageError unless there is one block."""
    blocks: list[str] = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    if len(blocks) != 1:
        raise MarriageError(f"a page with {len(blocks)} blocks of Python: allowed is one")
    return blocks[0]


def learning_pages() -> list[str]:
    """The names of the pages whose code learns for a number of steps."""
    return [path.stem for path in sorted(PAGES.glob("*.md")) if STEPS.search(path.read_text(encoding="utf-8"))]


@dataclass(frozen=True)
class Learned:
    """What a page's code has learned.

    Attributes:
        pipeline: the page's name.
        steps: the learner's.
        seconds: that the code took, compiling and starting included.
        ahead: of the random players, chips per deal.
    """

    pipeline: str
    steps: int
    seconds: float
    ahead: Estimate


def run_page(name: str, steps: int) -> tuple[Agent, float]:
    """The player that a page's code trains for so many steps, and the seconds it takes."""
    code, changes = STEPS.subn(f"steps = {steps}", block_of((PAGES / f"{name}.md").read_text(encoding="utf-8")))
    if changes != 1:
        raise MarriageError(f"{name}: allowed is a page whose code has one line `steps = ...`")
    names: dict[str, Any] = {"__name__": "__main__"}
    begun = time.perf_counter()
    exec(compile(code, f"docs/pipelines/{name}.md", "exec"), names)
    return names["player"], time.perf_counter() - begun


def measure(name: str, steps: int, deals: int, seed: int) -> Learned:
    """Let a page's code learn, and its player play so many duplicate deals."""
    player, seconds = run_page(name, steps)
    lineup = [player, *[make_agent("random", seed=seed)] * (PLAYERS - 1)]
    chips = play_duplicate(GAME, {"players": PLAYERS}, lineup, deals, seed)
    score = scores([name, *["random"] * (PLAYERS - 1)], chips)[0]
    return Learned(name, steps, seconds, score.ahead)


def table(deals: int, results: Sequence[Learned]) -> Report:
    """The results as a table."""
    title = f"{GAME}, {PLAYERS} players: what the pages' code has learned"
    note = f"Chips per deal ahead of two random players, {deals:,} duplicate deals, {CONFIDENCE}."
    rows = [[found.pipeline, f"{found.steps:,}", f"{found.seconds:.0f}", str(found.ahead)] for found in results]
    return Report(title, note, ["pipeline", "steps", "seconds", "ahead"], rows)


def sentence(deals: int, found: Learned) -> str:
    """A result for its page."""
    command = f"`python -m experiments.pipelines {found.pipeline} --steps {found.steps}`"
    effort = f"{found.steps:,} steps: {found.seconds:.0f} s on {os.cpu_count()} cores"
    result = f"{found.ahead} chips per deal ahead of two random players ({deals:,} duplicate deals, {CONFIDENCE})"
    return f"**Learned.** {command} runs this very code for {effort}. Its player is then {result}."


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    known = learning_pages()
    parser = argparse.ArgumentParser(
        prog="python -m experiments.pipelines",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Example: python -m experiments.pipelines sb3 pytorch --steps 200000",
    )
    parser.add_argument("pipelines", nargs="+", choices=known, metavar="NAME", help=f"pages: {', '.join(known)}")
    parser.add_argument(
        "--steps", type=count, default=200_000, metavar="N", help="learner's steps for each (default: %(default)s)"
    )
    parser.add_argument("--deals", type=count, default=1000, metavar="N", help="to be played (default: %(default)s)")
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="of deals and random players (default: 0)")
    parser.add_argument("--pages", action="store_true", help="write each result into its page")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    with reported("pipelines"):
        results = []
        for name in options.pipelines:
            page = PAGES / f"{name}.md"
            if options.pages:
                need_marks("--pages", page, [MARK])
            results.append(measure(name, options.steps, options.deals, options.seed))
            if options.pages:
                replace_between(page, MARK, sentence(options.deals, results[-1]))
        Console().print(table(options.deals, results).on_screen())


if __name__ == "__main__":
    main()
