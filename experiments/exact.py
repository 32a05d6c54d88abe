"""Solve reduced games, and tell exactly how exploitable players are in them.

A reduced game has fewer players and cards but the very rules of the full one, and is small enough to look at every deal
and every line of play. OpenSpiel's CFR+ solves it. For its strategies as it goes on, for the house player `rules` and
for random play, this prints what each seat wins or loses, what each seat would gain by a best response to the others,
and the sum of these gains: NashConv, which is 0 for an equilibrium and for nothing else. Seat 0 is eldest.

In *chips* a game is general-sum, as what stays in the pots is nobody's; *ahead*, how far a player is ahead of the mean
of all, makes it zero-sum. CFR+ is sure to find an equilibrium of a zero-sum game of two players; of others it may.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel
from open_spiel.python.algorithms import exploitability
from rich.console import Console

from experiments.options import count, output_file, reported
from experiments.report import Report, json_text, need_marks, replace_between
from experiments.small_games import SMALL_GAMES, load, positions, record_for
from marriage_env.interop.openspiel import MarriageGame
from marriage_env.interop.openspiel.parameters import UTILITIES

MARK = "exact figures"
USUAL = [name for name in SMALL_GAMES if not name.endswith("tiny")]


@dataclass(frozen=True)
class Exploited:
    """How a player fares at all seats of a reduced game, and how he can be exploited there.

    Attributes:
        player: the player's name.
        nash_conv: the sum of `gains`.
        values: what each seat wins on average.
        gains: how much more each seat would win by a best response to the same player at the other seats.
    """

    player: str
    nash_conv: float
    values: tuple[float, ...]
    gains: tuple[float, ...]


def exploited(game: MarriageGame, player: str, policy: Any) -> Exploited:
    """How a player fares whose policy, one of OpenSpiel's, is given."""
    result = exploitability.nash_conv(game, policy, return_only_nash_conv=False)
    values = pyspiel.expected_returns(game.new_initial_state(), policy, -1, True)
    return Exploited(player, float(result.nash_conv), tuple(values), tuple(map(float, result.player_improvements)))


def rules_policy(game: MarriageGame) -> Any:
    """The house player `rules` as a policy: he is shown what his seat knows, and no more."""
    choose = game.kernel.choose
    chances = {}
    for position in positions(game):
        if not position.ended:
            seat = position.player
            choice = choose(record_for(position, seat), np.int64(seat))
            chances[position.known_to(seat)] = [(action, float(action == choice)) for action in position.actions]
    return pyspiel.TabularPolicy(chances)


def solving(game: MarriageGame, iterations: int) -> Iterator[Exploited]:
    """CFR+'s average strategies, all seats' together, after 1, 3, 10, 30 ... iterations, and after the last."""
    solver = pyspiel.CFRPlusSolver(game)
    for iteration in range(1, iterations + 1):
        solver.evaluate_and_update_policy()
        if iteration == iterations or str(iteration).rstrip("0") in ("1", "3"):
            yield exploited(game, f"CFR+ after {iteration}", solver.average_policy())


def solve(game: MarriageGame, iterations: int) -> list[Exploited]:
    """The results for one game: CFR+ as it goes on, the house players."""
    results = list(solving(game, iterations))
    results.append(exploited(game, "rules", rules_policy(game)))
    results.append(exploited(game, "random", pyspiel.UniformRandomPolicy(game)))
    return results


def chips(*numbers: float) -> str:
    """What seats win, to a thousandth."""
    return " ".join(f"{number:.3f}" for number in numbers)


def gains(*numbers: float) -> str:
    """What seats would gain, or the sum of it, to a ten-thousandth; a computed gain may be a hair below 0."""
    return " ".join(f"{max(number, 0.0):.4f}" for number in numbers)


def game_report(title: str, game: MarriageGame, results: Sequence[Exploited], seconds: float) -> Report:
    """The results for one game as a table."""
    found = positions(game)
    known = {position.known_to(position.player) for position in found if not position.ended}
    size = f"{game.setup.deals} deals, {len(found)} positions, {len(known)} information states"
    note = f"{size}; {seconds:.0f} s. Values and gains: of each seat, per deal."
    report = Report(title, note, ["player", "NashConv", "values", "gains"])
    for result in results:
        report.rows.append([result.player, gains(result.nash_conv), chips(*result.values), gains(*result.gains)])
    return report


def summary(found: Mapping[tuple[str, str], Sequence[Exploited]]) -> str:
    """The NashConv of all players in all games, and the values of what CFR+ came to, as a Markdown table."""
    players = [result.player for result in next(iter(found.values()))]
    report = Report("", "", ["game", "counts", *players, "values"])
    for (name, utility), results in found.items():
        *_, solved, _rules, _random = results
        nash_convs = [gains(result.nash_conv) for result in results]
        report.rows.append([f"`{name}`", utility, *nash_convs, chips(*solved.values)])
    return report.grid()


def write_json(path: Path, iterations: int, found: Mapping[tuple[str, str], Sequence[Exploited]]) -> None:
    """The results of all games."""
    games = [
        {"game": name, "utility": utility, "players": [dataclasses.asdict(result) for result in results]}
        for (name, utility), results in found.items()
    ]
    path.write_text(json_text({"iterations": iterations, "games": games}), encoding="utf-8")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.exact",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="Example: python -m experiments.exact --games boxes-2 saucers-3 --iterations 100",
    )
    known = ", ".join(SMALL_GAMES)
    parser.add_argument(
        "--games",
        nargs="+",
        choices=SMALL_GAMES,
        default=USUAL,
        metavar="NAME",
        help=f"reduced games: {known} (default: all but the tiny ones)",
    )
    parser.add_argument(
        "--utility", nargs="+", choices=UTILITIES, default=list(UTILITIES), help="what counts (default: each in turn)"
    )
    parser.add_argument("--iterations", type=count, default=100, metavar="N", help="of CFR+ (default: %(default)s)")
    parser.add_argument("--json", type=output_file, metavar="FILE", help="write the results as JSON")
    parser.add_argument("--page", type=Path, metavar="FILE", help=f"put a summary between this page's {MARK!r} marks")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    console = Console()
    found = {}
    with reported("exact"):
        if options.page:
            need_marks("--page", options.page, [MARK])
        for name, utility in itertools.product(dict.fromkeys(options.games), dict.fromkeys(options.utility)):
            began = time.monotonic()
            game = load(name, utility)
            found[name, utility] = solve(game, options.iterations)
            report = game_report(f"{name}, {utility}", game, found[name, utility], time.monotonic() - began)
            console.print(report.on_screen())
        if options.json:
            write_json(options.json, options.iterations, found)
        if options.page:
            replace_between(options.page, MARK, summary(found))


if __name__ == "__main__":
    main()
