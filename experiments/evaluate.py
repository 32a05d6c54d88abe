"""Measure agents against each other on the same deals.

Each deal is played once for each rotation of the agents round the table, so that luck of seat and cards is the same for
all. Reported are chips per deal with 95% confidence intervals, a deal with all its rotations being one block.
"""

from __future__ import annotations

import argparse
import csv
import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import Progress

from experiments.duplicate import Score, places_at, play_duplicate, scores
from experiments.match_records import told
from experiments.options import (
    AGENTS_HELP,
    DEFAULT_GAME,
    add_game_options,
    count,
    output_file,
    reported,
    rules_asked,
    seed,
)
from experiments.report import CONFIDENCE, Report, finite, json_text
from marriage_env import GAMES, MarriageError, make_agent
from marriage_env.options import make_rules
from marriage_env.records import Record, append_record


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.evaluate",
        description=__doc__,
        epilog="Example: python -m experiments.evaluate --game saucers --agents rules random --deals 500",
    )
    add_game_options(parser)
    group = parser.add_argument_group("the measurement")
    group.add_argument(
        "--agents",
        nargs="+",
        default=["rules", "random"],
        metavar="AGENT",
        help=f"who plays: {AGENTS_HELP}; one for each seat, the last one named takes all seats left "
        "(default: rules random)",
    )
    group.add_argument("--deals", type=count, default=1000, metavar="N", help="deals to play (default: %(default)s)")
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="makes the same result again (default: 0)")
    group.add_argument("--csv", type=output_file, metavar="FILE", help="write the scores as CSV")
    group.add_argument("--json", type=output_file, metavar="FILE", help="write the scores and all settings as JSON")
    group.add_argument("--records", type=output_file, metavar="FILE", help="add a record of each match to it")
    options = parser.parse_args(arguments)
    options.game = options.game or DEFAULT_GAME
    return options


def evaluate(
    game: str,
    rules: Mapping[str, Any],
    names: Sequence[str],
    deals: int,
    seed: int,
    console: Console,
    records: Path | None = None,
) -> list[Score]:
    """The scores of named agents, the last of which takes all seats left, on so many deals; records go to a file.

    Raises MarriageError for an agent that is not known, or more agents than seats.
    """
    players = make_rules(GAMES[game].rules, dict(rules)).players
    if len(names) > players:
        raise MarriageError(f"--agents names {len(names)} agents: allowed are at most {players}, one for each seat")
    seated = [*names, *[names[-1]] * (players - len(names))]
    agents = {name: make_agent(name, seed=seed) for name in dict.fromkeys(names)}
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{deals} deals x {players} rotations", total=deals * players)
        seats = [agents[name] for name in seated]
        keep = None if records is None else keeper(records, seated, seed)
        chips = play_duplicate(game, rules, seats, deals, seed, lambda matches: bar.advance(task, matches), keep)
    return scores(seated, chips)


def keeper(path: Path, seated: Sequence[str], seed: int) -> Callable[[int, Record], None]:
    """What adds the record of each match to a file, with who sat where."""
    places = places_at(len(seated))

    def keep(match: int, record: Record) -> None:
        deal, rotation = divmod(match, len(seated))
        players = [seated[place] for place in places[rotation]]
        append_record(path, told(record, players, {"seed": seed, "deal": deal, "rotation": rotation}))

    return keep


def score_report(title: str, results: Sequence[Score]) -> Report:
    """The scores as a table."""
    report = Report(title, CONFIDENCE, ["agent", "seats", "chips per deal", "ahead of others"])
    report.rows += [[score.agent, str(score.seats), str(score.chips), str(score.ahead)] for score in results]
    return report


def write_csv(path: Path, results: Sequence[Score]) -> None:
    """One row an agent."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["agent", "seats", "chips_per_deal", "chips_ci95", "ahead_of_others", "ahead_ci95"])
        for score in results:
            chips, ahead = score.chips, score.ahead
            row = [score.agent, score.seats, chips.mean, chips.error, ahead.mean, ahead.error]
            writer.writerow(finite(row))


def write_json(path: Path, arguments: argparse.Namespace, rules: object, results: Sequence[Score]) -> None:
    """The scores with all that reproduces them."""
    settings = {name: getattr(arguments, name) for name in ("game", "agents", "deals", "seed")}
    document = {
        **settings,
        "rules": dataclasses.asdict(rules),  # type: ignore[call-overload]
        "scores": [dataclasses.asdict(score) for score in results],
    }
    path.write_text(json_text(document), encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    console = Console()
    with reported("evaluate"):
        asked = rules_asked(options)
        results = evaluate(options.game, asked, options.agents, options.deals, options.seed, console, options.records)
        rules = make_rules(GAMES[options.game].rules, asked)
        title = f"{options.game}, {rules.players} players, {options.deals} duplicate deals"
        console.print(score_report(title, results).on_screen())
        if options.csv:
            write_csv(options.csv, results)
        if options.json:
            write_json(options.json, options, rules, results)


if __name__ == "__main__":
    main()
