"""What a table is opened with, and what can be chosen for it."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from marriage_env.agents import agent_names
from marriage_env.app.match import HUMAN, harmless
from marriage_env.errors import OptionError
from marriage_env.game import Game
from marriage_env.games import GAMES
from marriage_env.options import make_rules, one_of, shown

LONGEST_NAME = 40
MOST_DEALS = 100  # a match is saved whole after each step
MOST_SEARCH = 20_000  # playouts an action: some seconds
OFFERED = ("rules", "trained", "search:2000", "random")


@dataclass(frozen=True)
class Order:
    """A table as it was asked for, checked: a game, its rule options, and who sits at each seat, by what name."""

    game: str
    rules: dict[str, Any]
    seats: list[str]
    names: list[str]


def order_of(data: Any) -> Order:
    """What was asked for, checked as far as it can be without sitting down.

    Raises:
        OptionError: it says what was wrong, and what is allowed.
    """
    fields = ("game", "rules", "seats")
    if not isinstance(data, dict) or set(data) != set(fields):
        raise OptionError(f"a table is asked for by an object of {', '.join(fields)}")
    game = GAMES[one_of("game", data["game"], tuple(GAMES))]
    if not isinstance(data["rules"], dict):
        raise OptionError(f"rules={shown(data['rules']):.60}: allowed is an object")
    rules = make_rules(game.rules, data["rules"])
    if rules.deals > MOST_DEALS:
        raise OptionError(f"deals={rules.deals}: allowed is a whole number from 1 to {MOST_DEALS} at a table here")
    seats = data["seats"]
    if not isinstance(seats, list) or len(seats) != rules.players:
        raise OptionError(f"seats: allowed is a list of {rules.players}, one for each player")
    sitting = [seat_of(number, seat) for number, seat in enumerate(seats)]
    names = [name for _, name in sitting]
    alike = [unicodedata.normalize("NFKC", name).casefold() for name in names]
    for name, key in zip(names, alike, strict=True):
        if alike.count(key) > 1:
            raise OptionError(f"name {name!r} is there twice: allowed is one name for each player")
    return Order(game.name, dict(data["rules"]), [player for player, _ in sitting], names)


def seat_of(number: int, data: Any) -> tuple[str, str]:
    """Who sits at a seat, and by what name."""
    if not isinstance(data, dict) or set(data) != {"player", "name"}:
        raise OptionError(f"seat {number}: allowed is an object of player and name")
    player, name = data["player"], data["name"]
    if not isinstance(player, str) or not (player == HUMAN or harmless(player)):
        allowed = f"{HUMAN!r}, 'random', 'rules', 'trained', 'search:N'"
        raise OptionError(f"seat {number}: player {shown(player):.60}: allowed are {allowed}")
    kind, _, argument = player.partition(":")
    if kind == "search" and argument and not 1 <= int(argument) <= MOST_SEARCH:
        raise OptionError(f"seat {number}: player {player!r}: allowed are search:1 to search:{MOST_SEARCH}")
    if not isinstance(name, str) or not name.isprintable() or not 1 <= len(" ".join(name.split())) <= LONGEST_NAME:
        raise OptionError(f"seat {number}: name: allowed are 1 to {LONGEST_NAME} printable characters")
    return player, " ".join(name.split())


# What can be chosen


def choices() -> dict[str, Any]:
    """Games with their rule options, and agents: what the lobby offers."""
    known = set(agent_names())
    games = [
        {
            "name": game.name,
            "title": game.name.capitalize(),
            "options": options_of(game),
        }
        for game in GAMES.values()
    ]
    return {
        "games": games,
        "agents": [agent for agent in OFFERED if agent.partition(":")[0] in known],
        "longest_name": LONGEST_NAME,
    }


def options_of(game: Game) -> list[dict[str, Any]]:
    """The rule options of a game: name, default, kind, what is allowed, and what they do."""
    helps = option_helps(game.rules)
    return [
        {"name": field.name, "default": field.default, "help": helps[field.name], **kind_of(game, field.name)}
        for field in dataclasses.fields(game.rules)
    ]


def kind_of(game: Game, option: str) -> dict[str, Any]:
    """Of what kind an option is, and what it allows.

    The rules themselves are asked, with a value that is never right: their answer cannot fall behind them.
    """
    try:
        make_rules(game.rules, {option: ...})
    except OptionError as error:
        allowed = str(error).partition("allowed is ")[2]
    bounds = re.fullmatch(r"a (whole )?number from (\S+) to (\S+)", allowed)
    if bounds:
        least, most = ast.literal_eval(bounds[2]), ast.literal_eval(bounds[3])
        if option == "deals":
            most = min(most, MOST_DEALS)
        return {"kind": "whole" if bounds[1] else "rate", "least": least, "most": most}
    values = [ast.literal_eval(value) for value in allowed.split(" or ")]
    return {"kind": "switch" if values == [False, True] else "choice", "allowed": values}


def option_helps(rules: type) -> Mapping[str, str]:
    """What a rules class says about each of its options: its docstring has a paragraph for each."""
    _, _, arguments = inspect.getdoc(rules).partition("Args:\n")  # type: ignore[union-attr]  # it has one
    found = re.finditer(r"^ {4}(\w+): (.*(?:\n {6,}.*)*)", arguments, re.MULTILINE)
    return {option[1]: " ".join(option[2].replace("``", "").split()) for option in found}
