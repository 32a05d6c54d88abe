"""Command-line options that the scripts share."""

from __future__ import annotations

import argparse
import ast
from collections.abc import Callable
from typing import Any

from marriage_env import GAMES, MarriageError, agent_names, boxes_v0, saucers_v0
from marriage_env.aec import TableEnv

#: The environment class of each game, the one that raises on an illegal action.
ENVIRONMENTS: dict[str, type[TableEnv]] = {"boxes": boxes_v0.raw_env, "saucers": saucers_v0.raw_env}
AGENTS_HELP = f"names ({', '.join(agent_names())} with a path before .zip) or paths of models"


def add_game_options(parser: argparse.ArgumentParser) -> None:
    """The game, its players and its rules."""
    group = parser.add_argument_group("the game")
    group.add_argument(
        "--game", choices=sorted(GAMES), default="boxes", help="which game to play (default: %(default)s)"
    )
    group.add_argument(
        "--players", type=int, metavar="N", help="how many play: boxes 5-10 (default 5), saucers 3-6 (3)"
    )
    group.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a rule option by the rulebook's name, such as conduct=fined or deals=4; may be given several times",
    )


def environment_maker(arguments: argparse.Namespace) -> Callable[..., TableEnv]:
    """What makes the environment that the options ask for; its own options (``mask_in``) may be added.

    Raises OptionError, as the environment does, for options that cannot be.
    """
    rules: dict[str, Any] = dict(parse_rule(text) for text in arguments.rule)
    if arguments.players is not None:
        rules["players"] = arguments.players
    make = ENVIRONMENTS[arguments.game]
    make(**rules)
    return lambda **options: make(**rules, **options)


def parse_rule(text: str) -> tuple[str, Any]:
    """``deals=4`` as ``("deals", 4)``; what is no Python literal is a word."""
    name, equals, value = text.partition("=")
    if not equals:
        raise MarriageError(f"--rule {text}: allowed is NAME=VALUE, such as conduct=fined")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return name, value


def count(text: str) -> int:
    """A whole number of at least 1, for argparse."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text}: allowed is a whole number of at least 1")
    return number


def seed(text: str) -> int:
    """A whole number of at least 0, for argparse."""
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text}: allowed is a whole number of at least 0")
    return number
