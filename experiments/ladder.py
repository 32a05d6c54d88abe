"""The ladder of players, in every configuration for which a trained player ships.

Each rung is one player at a table of those a rung below, on the same deals from every seat: rules over random, trained
over rules, search over rules. A rung holds if the 95% confidence interval of his lead in chips per deal is clear of 0.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from agents.models import fill_results
from agents.trained import WEIGHTS, shipped_cards
from experiments.duplicate import Score
from experiments.evaluate import evaluate
from experiments.options import count, output_file, reported, seed
from experiments.report import CONFIDENCE, Report, json_text, need_marks, replace_between
from marriage_env import MarriageError


@dataclass(frozen=True)
class Rung:
    """A player, the company he is to be ahead of, and on how many deals that is tried."""

    player: str
    company: str
    deals: int

    @property
    def name(self) -> str:
        """As a heading."""
        return f"{self.player.partition(',')[0]} over {self.company}"


def rungs(options: argparse.Namespace) -> list[Rung]:
    """The ladder's, from the ground up."""
    return [
        Rung("rules", "random", options.deals),
        Rung("trained", "rules", options.deals),
        Rung(f"search:{options.playouts},threads={options.threads}", "rules", options.search_deals),
    ]


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.ladder",
        description=__doc__,
        epilog="Example: python -m experiments.ladder --only boxes-5 saucers-3",
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", help="configurations, such as boxes-5 (default: all)")
    parser.add_argument("--deals", type=count, default=40_000, metavar="N", help="deals a rung (default: %(default)s)")
    parser.add_argument(
        "--search-deals", type=count, default=400, metavar="N", help="the same, for search (default: %(default)s)"
    )
    parser.add_argument(
        "--playouts", type=count, default=2000, metavar="N", help="of search, a decision (default: %(default)s)"
    )
    parser.add_argument("--threads", type=count, default=2, metavar="N", help="of search (default: %(default)s)")
    parser.add_argument("--seed", type=seed, default=0, metavar="N", help="makes the same result again (default: 0)")
    parser.add_argument("--json", type=output_file, metavar="FILE", help="write the figures as JSON")
    parser.add_argument("--readme", type=Path, metavar="FILE", help="replace the table between its ladder comments")
    parser.add_argument("--cards", action="store_true", help="write what was found on the cards of the trained players")
    return parser.parse_args(arguments)


def climb(path: Path, options: argparse.Namespace, console: Console) -> list[tuple[Rung, Score]]:
    """How the player of each rung fares in the configuration of the model at `path`."""
    card = shipped_cards(WEIGHTS)[path]
    results = []
    for rung in rungs(options):
        console.print(f"{path.stem}: {rung.name}, {rung.deals:,} deals", highlight=False)
        lineup = [rung.player, rung.company]
        score, _ = evaluate(card.game, card.rules, lineup, rung.deals, options.seed, console)
        results.append((rung, score))
    return results


def lead(score: Score) -> str:
    """A player's lead with its interval: to the thousandth of a chip, as trained players' leads are small."""
    return f"{score.ahead.mean:+.3f} ± {score.ahead.error:.3f}"


def as_facts(results: Sequence[tuple[Rung, Score]]) -> dict[str, Any]:
    """The results of a configuration, for JSON."""
    return {
        rung.name: {"deals": rung.deals, "ahead": score.ahead.mean, "ci95": score.ahead.error}
        for rung, score in results
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    console = Console()
    with reported("ladder"):
        if options.readme:
            need_marks("--readme", options.readme, ["ladder"])
        paths = {path.stem: path for path in shipped_cards(WEIGHTS)}
        for name in options.only or ():
            if name not in paths:
                raise MarriageError(f"--only {name}: allowed are {', '.join(paths)}")
        report = Report(
            "The ladder",
            f"Chips per deal ahead of the others at the table, one player against a table of those a rung below; "
            f"{options.deals:,} duplicate deals, for search {options.search_deals:,}; {CONFIDENCE}.",
            ["configuration", *(rung.name for rung in rungs(options))],
        )
        facts = {}
        for name in options.only or paths:
            results = climb(paths[name], options, console)
            facts[name] = as_facts(results)
            report.rows.append([name, *(lead(score) for _, score in results)])
            if options.cards:
                fill_results(paths[name], facts[name])
        console.print(report.on_screen())
        if options.json:
            options.json.write_text(json_text(facts), encoding="utf-8")
        if options.readme:
            replace_between(options.readme, "ladder", f"{report.note}\n\n{report.grid()}")


if __name__ == "__main__":
    main()
