"""A tournament of any agents: who earns how much against whom, and who is how good.

Every agent plays every seat of the same deals in the company of every other; then all meet at mixed tables, which rate
them. An agent that fails, takes too long or chooses what is not legal forfeits that match, and the tournament goes on.
What has been played is kept: the same command again goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.external import SECONDS, ExternalAgent
from agents.files import write_whole
from experiments import tournament_page, tournament_tables
from experiments.house_speed import house_seconds
from experiments.options import (
    AGENTS_HELP,
    DEFAULT_GAME,
    add_game_options,
    count,
    reported,
    rules_asked,
    seed,
    time_limit,
)
from experiments.patience import Patience
from experiments.spread import Workers, add_spread_options, workers_asked
from experiments.standings import Standings, standings
from experiments.tournament_folder import Folder, settings_of
from experiments.tournament_play import Piece, Tournament, matches_of, parts, play_piece
from marriage_env import GAMES, Agent, MarriageError, make_agent
from marriage_env.agents import HOUSE_PLAYERS
from marriage_env.options import make_rules

CSV, JSON, HTML = "results.csv", "results.json", "report.html"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.tournament",
        description=__doc__,
        epilog="Example: python -m experiments.tournament --game boxes --agents random rules import:bots:Mine",
    )
    add_game_options(parser)
    group = parser.add_argument_group("the tournament")
    group.add_argument("--agents", nargs="+", required=True, metavar="AGENT", help=f"two or more: {AGENTS_HELP}")
    group.add_argument(
        "--deals", type=count, default=1000, metavar="N", help="deals for each line-up (default: %(default)s)"
    )
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="makes the same result again (default: 0)")
    group.add_argument(
        "--time-limit",
        type=time_limit,
        default=SECONDS,
        metavar="SECONDS",
        help="for a decision; who takes longer forfeits the match (default: %(default)s)",
    )
    group.add_argument("--out", type=Path, metavar="FOLDER", help="for the results (default: results/GAME-PLAYERS)")
    group.add_argument(
        "--records", action="store_true", help="write a record of each match, into records/ of that folder"
    )
    group.add_argument("--overwrite", action="store_true", help="throw away the tournament that is in that folder")
    add_spread_options(parser)
    options = parser.parse_args(arguments)
    options.game = options.game or DEFAULT_GAME
    return options


def tournament_asked(options: argparse.Namespace) -> Tournament:
    """The tournament that the command line asks for; MarriageError for one that cannot be."""
    rules = make_rules(GAMES[options.game].rules, rules_asked(options))
    names = options.agents
    if len(names) < 2:
        raise MarriageError(f"--agents {names[0]}: allowed are two agents or more")
    for place, name in enumerate(names):
        if name in names[:place]:
            raise MarriageError(f"--agents names {name!r} twice: allowed is each once")
        if not name.isprintable():
            raise MarriageError(f"--agents {name!r}: allowed are names of printable characters")
    settings = options.deals, options.seed, options.time_limit
    return Tournament(options.game, dataclasses.asdict(rules), tuple(names), *settings)


def enter(tournament: Tournament) -> list[Agent]:
    """The agents, each made and seeded once; MarriageError for one that cannot start."""
    entered = []
    for number, name in enumerate(tournament.agents):
        own = tournament.agent_seed(number)
        try:
            agent = make_agent(name, seed=own)
            agent.seed(own)
        except MarriageError:
            raise
        except Exception as error:
            raise MarriageError(f"agent {name!r} cannot start: {type(error).__name__}: {error}") from error
        if isinstance(agent, ExternalAgent):
            agent.seconds = tournament.time_limit
        entered.append(agent)
    return entered


def play_missing(
    tournament: Tournament, agents: Sequence[Agent], folder: Folder, console: Console, workers: Workers
) -> None:
    """Play what the folder does not have yet.

    Who is asked in a part follows from the parts before it, whenever and wherever they were played. Where some of these
    are still being played, it is taken that nobody runs out of patience there. A part for which that was wrong is
    played again.
    """
    columns = TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        places = {part: place for place, part in enumerate(parts(tournament))}
        matches = {part: matches_of(tournament, part) for part in places}
        task = bar.add_task("matches", total=sum(matches.values()))
        patience, work = Patience(), functools.partial(play_piece, tournament, agents)
        for part in filter(folder.has, places):
            patience.note(places[part], folder.load(part).conduct)
        while missing := [part for part in places if not patience.played(places[part])]:
            bar.update(task, completed=sum(matches.values()) - sum(matches[part] for part in missing))
            pieces = (Piece(part, frozenset(patience.unasked(places[part])), folder.with_records) for part in missing)
            for (part, *_), result in workers.as_done(work, pieces):
                folder.save(part, result)
                patience.note(places[part], result.conduct)
                bar.advance(task, matches[part])


def seconds_per_decision(tournament: Tournament, found: Standings) -> dict[str, float]:
    """Of each agent: as it was asked; of the house players, who are not, over a sample of positions."""
    sampled = functools.partial(house_seconds, tournament.game, tournament.rules, seed=tournament.seed)
    return {
        name: sampled(name) if name in HOUSE_PLAYERS else conduct.seconds_each
        for name, conduct in found.conduct.items()
    }


def write_results(tournament: Tournament, folder: Path, found: Standings, console: Console) -> None:
    """On the screen, and as CSV, JSON and HTML."""
    seconds = seconds_per_decision(tournament, found)
    tables = {
        "matrix": tournament_tables.matrix(found),
        "gains": tournament_tables.gains(found),
        "ranking": tournament_tables.ranking(found),
        "behaviour": tournament_tables.behaviour(found, seconds),
        "complaints": tournament_tables.complaints(found),
    }
    title, settings = tournament_tables.title_of(tournament), settings_of(tournament)
    console.print(title, style="bold")
    complaints = tables["complaints"]
    for report in tables.values():
        if report is not complaints:
            console.print(report.on_screen())
    for agent, kind, message in complaints.rows:
        console.print(f"{agent}, first {kind}: {message}", markup=False, highlight=False, soft_wrap=True)
    write_whole(folder / CSV, tournament_tables.as_csv(found, seconds).encode())
    write_whole(folder / JSON, tournament_tables.as_json(settings, found, seconds).encode())
    write_whole(folder / HTML, tournament_page.page(title, settings, tables, found).encode())
    console.print(f"{folder / CSV}, {folder / JSON}, {folder / HTML}", soft_wrap=True, markup=False, highlight=False)


def play_all(options: argparse.Namespace, tournament: Tournament, out: Path, console: Console) -> Folder:
    """Play what has not been played; the folder with all of it, which is touched when all who play are there."""
    agents = enter(tournament)
    try:
        with workers_asked(options) as workers:
            folder = Folder(out, tournament, overwrite=options.overwrite, with_records=options.records)
            play_missing(tournament, agents, folder, console, workers)
            return folder
    finally:
        for agent in agents:
            if isinstance(agent, ExternalAgent):
                agent.close()


def run(options: argparse.Namespace, console: Console) -> None:
    """Play what has not been played, and report."""
    tournament = tournament_asked(options)
    out = options.out or Path("results") / f"{tournament.game}-{tournament.seats}"
    folder = play_all(options, tournament, out, console)
    write_results(tournament, out, standings(tournament, folder.load), console)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    with reported("tournament"):
        run(options, Console())


if __name__ == "__main__":
    main()
