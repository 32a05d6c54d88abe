"""Measure what wins: luck of the deal, claims given up, rules broken, seat and pots; write tables, plots and figures.

The tables go between the marks of a page, so that no number there is typed in by hand.
"""

from __future__ import annotations

import argparse
import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from experiments.options import count, reported, seed
from experiments.report import need_marks, replace_between
from experiments.strategy_breaches import Stakes, judged
from experiments.strategy_claims import claim_costs
from experiments.strategy_data import Setting
from experiments.strategy_luck import PAIRS, apart, luck
from experiments.strategy_seats import PLAYERS, POTS, full_pots, seats
from experiments.strategy_tables import DEAR, USUAL, Findings, draw_plots, figures, reports
from marriage_env import GAMES

SETTINGS = (Setting("boxes", 5), Setting("saucers", 4))
OTHER_STAKES = (
    *(Stakes(players) for players in range(6, GAMES["boxes"].max_players + 1)),
    Stakes(trick_pay=2, pots=10),
    Stakes(trick_pay=4, pots=20),
    DEAR,
)
EMPTY, FULL = POTS[0], POTS[-1]
MARKERS = ("command", "luck", "apart", "claims", "breaches", "situations", "tricks", "seats", "pots")

# How many deals, for each of --deals: by what they cost, and by how much they vary.
FOR_APART, FOR_CLAIMS, FOR_DETAILS, FOR_STAKES, FOR_SEATS, FOR_POTS = 3, 50, 5, 1, 200, 10


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.strategy",
        description=__doc__,
        epilog="Example: python -m experiments.strategy --deals 600 --seed 0 --out docs/strategy",
    )
    parser.add_argument(
        "--deals",
        type=count,
        default=600,
        metavar="N",
        help="deals of the mixed company; all else is played so many times over (default: %(default)s)",
    )
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="makes the same result again (default: 0)")
    parser.add_argument(
        "--out", type=Path, default=Path("docs/strategy"), metavar="FOLDER", help="of plots and figures (%(default)s)"
    )
    parser.add_argument(
        "--page", type=Path, default=Path("docs/strategy.md"), metavar="FILE", help="with the tables (%(default)s)"
    )
    return parser.parse_args(arguments)


@contextmanager
def steps_shown(console: Console) -> Iterator[Callable[[str, Callable[[], Any]], Any]]:
    """Do the work step by step, and show which is under way; each is printed when it is done."""
    columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("", total=None)

        def step(name: str, work: Callable[[], Any]) -> Any:
            bar.update(task, description=name)
            found = work()
            bar.advance(task)
            console.print(f"measured: {name}", highlight=False)
            return found

        yield step


def measure(deals: int, seed: int, step: Callable[[str, Callable[[], Any]], Any]) -> Findings:
    """Measure everything.

    Args:
        deals: see `parse`.
        seed: of deals, positions and the players' own choices.
        step: is given a name and some work, and does it.
    """

    def for_each(tables: Sequence[Any], what: str, work: Callable[[Any], Any]) -> dict[Any, Any]:
        return {table: step(f"{what}, {table}", functools.partial(work, table)) for table in tables}

    def breaches(stakes: Stakes) -> Any:
        return judged(stakes, (FOR_DETAILS if stakes in (USUAL, DEAR) else FOR_STAKES) * deals, seed)

    def by_seat(table: Setting) -> Any:
        return [seats(table, name, pots, FOR_SEATS * deals, seed) for name in PLAYERS for pots in (EMPTY, FULL)]

    return Findings(
        luck=for_each(SETTINGS, "luck", lambda table: luck(table, deals, seed)),
        apart=for_each(
            SETTINGS, "deals needed", lambda table: [apart(table, pair, FOR_APART * deals, seed) for pair in PAIRS]
        ),
        claims=for_each(SETTINGS, "claims", lambda table: claim_costs(table, FOR_CLAIMS * deals, seed)),
        breaches=for_each((USUAL, *OTHER_STAKES), "breaches", breaches),
        seats=for_each(SETTINGS, "seats", by_seat),
        pots=for_each(
            SETTINGS, "pots", lambda table: [full_pots(table, pots, FOR_POTS * deals, seed) for pots in POTS]
        ),
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    console = Console()
    with reported("strategy"):
        need_marks("--page", options.page, MARKERS)
        options.out.mkdir(parents=True, exist_ok=True)
        with steps_shown(console) as step:
            found = measure(options.deals, options.seed, step)
        command = f"python -m experiments.strategy --deals {options.deals} --seed {options.seed}"
        replace_between(options.page, "command", f"Measured by `{command}`.")
        for marker, report in reports(found).items():
            replace_between(options.page, marker, f"{report.note}\n\n{report.grid()}")
        draw_plots(found, options.out)
        settings = {"deals": options.deals, "seed": options.seed}
        (options.out / "figures.json").write_text(figures(found, settings), encoding="utf-8")
        console.print(f"written: {options.page}, {options.out}", highlight=False)


if __name__ == "__main__":
    main()
