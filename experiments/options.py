"""Command-line options that the scripts share."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from marriage_env import GAMES, MarriageError
from marriage_env.agents import allowed_agents
from marriage_env.options import make_rules, parse_rule

AGENTS_HELP = allowed_agents()
DEFAULT_GAME = "boxes"
DAY = 86_400  # seconds


def add_game_options(parser: argparse.ArgumentParser) -> None:
    """The game, its players and its rules."""
    group = parser.add_argument_group("the game")
    group.add_argument("--game", choices=sorted(GAMES), help=f"which to play (default: {DEFAULT_GAME})")
    counts = ", ".join(f"{game.name} {game.min_players} to {game.max_players}" for game in GAMES.values())
    group.add_argument("--players", type=int, metavar="N", help=f"how many play: {counts} (default: the fewest)")
    group.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a rule option by the rulebook's name, such as conduct=fined or deals=4; may be given several times",
    )


def rules_asked(arguments: argparse.Namespace) -> dict[str, Any]:
    """The rule options that the command line asks for; OptionError for those that cannot be."""
    rules = dict(parse_rule(text) for text in arguments.rule)
    if arguments.players is not None:
        if "players" in rules:
            raise MarriageError("--players and --rule players: allowed is one of them")
        rules["players"] = arguments.players
    make_rules(GAMES[arguments.game or DEFAULT_GAME].rules, rules)
    return rules


def count(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    return bounded(text, 1, 10**9)


def seed(text: str) -> int:
    """A seed that every library takes, for argparse."""
    return bounded(text, 0, 2**32 - 1)


def layer(text: str) -> int:
    """The size of a layer that fits into memory, for argparse."""
    return bounded(text, 1, 2**16)


def bounded(text: str, low: int, high: int) -> int:
    """A whole number from `low` to `high`, for argparse."""
    if not text.isdecimal() or len(text) > 20 or not low <= int(text) <= high:
        raise argparse.ArgumentTypeError(f"{text!r:.50}: allowed is a whole number from {low} to {high}")
    return int(text)


def above_zero(text: str) -> float:
    """A number above 0, for argparse."""
    number = not_negative(text)
    if number == 0.0:
        raise argparse.ArgumentTypeError(f"{text!r:.50}: allowed is a number above 0")
    return number


def not_negative(text: str) -> float:
    """A number of at least 0, for argparse."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0.0 <= number < 1e9:
        raise argparse.ArgumentTypeError(f"{text!r:.50}: allowed is a number of at least 0, below 1e9")
    return number


def time_limit(text: str) -> float:
    """Seconds, above 0, of a day at most, for argparse."""
    seconds = above_zero(text)
    if seconds > DAY:
        raise argparse.ArgumentTypeError(f"{text!r:.50}: allowed is a number of seconds of at most {DAY}, a day")
    return seconds


def share(text: str) -> float:
    """A number from 0 to 1, for argparse."""
    number = not_negative(text)
    if number > 1.0:
        raise argparse.ArgumentTypeError(f"{text!r:.50}: allowed is a number from 0 to 1")
    return number


def output_file(text: str) -> Path:
    """The path of a file that can be written, for argparse: tried before the work, not after it."""
    path = Path(text)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.open("a", encoding="utf-8").close()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"{text!r:.100} cannot be written: {error.strerror or error}") from None
    return path


@contextlib.contextmanager
def reported(script: str) -> Iterator[None]:
    """End a script with one line, not with a traceback, for what its user can put right."""
    try:
        yield
    except (MarriageError, OSError) as error:
        sys.exit(f"{script}: {error}")
    except KeyboardInterrupt:
        sys.exit(f"{script}: stopped by Ctrl-C")
