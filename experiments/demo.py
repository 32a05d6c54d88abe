"""Watch both games being learned and measured: train an agent for each, and set it against the house players."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from experiments import train
from experiments.evaluate import evaluate
from experiments.options import count, reported
from experiments.report import CONFIDENCE, Report
from experiments.runs import MODEL
from marriage_env import GAMES


def learn_and_measure(game: str, seconds: int, deals: int, out: Path, console: Console) -> Report:
    """Train an agent for so many seconds, then measure one player at a time at a table of others."""
    console.print(f"[bold]{game.capitalize()}[/bold]: MaskablePPO learns for {seconds} s")
    train.main(["--game", game, "--seconds", str(seconds), "--out", str(out), "--overwrite"])
    report = Report(
        f"{game}, {GAMES[game].min_players} players, {deals} duplicate deals",
        f"One player against a table of others, the same deals from every seat; trained for {seconds} s; {CONFIDENCE}.",
        ["player", "against", "chips per deal", "ahead of them"],
    )
    model = str(out / MODEL)
    for player, company in ((model, "random"), ("rules", "random"), (model, "rules")):
        report.rows.append(measure("trained" if player == model else player, game, [player, company], deals, console))
    return report


def measure(name: str, game: str, lineup: list[str], deals: int, console: Console) -> list[str]:
    """How the first of two agents fares at a table of the other."""
    score, company = evaluate(game, {}, lineup, deals, 0, console)
    return [name, f"{company.seats} x {company.agent}", str(score.chips), str(score.ahead)]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m experiments.demo", description=__doc__)
    parser.add_argument("--seconds", type=count, default=60, metavar="N", help="training, each game (default: 60)")
    parser.add_argument("--deals", type=count, default=1000, metavar="N", help="duplicate deals a row (default: 1000)")
    parser.add_argument("--out", type=Path, default=Path("runs"), metavar="FOLDER", help="for models (default: runs)")
    options = parser.parse_args(arguments)
    console = Console()
    with reported("demo"):
        for game in GAMES:
            report = learn_and_measure(game, options.seconds, options.deals, options.out / f"demo-{game}", console)
            console.print(report.on_screen())


if __name__ == "__main__":
    main()
