"""The games there are, and what an observation says of its own game and rules."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env import boxes, saucers
from marriage_env.errors import OptionError
from marriage_env.fields import Layout
from marriage_env.game import Game
from marriage_env.options import make_rules, one_of

#: Every game by its name.
GAMES: dict[str, Game] = {game.name: game for game in (boxes.GAME, saucers.GAME)}


def rule_options(game: str, options: dict[str, Any]) -> Any:
    """The rules of a game with the given options; OptionError if there is no such game, or for an option."""
    return make_rules(GAMES[one_of("game", game, tuple(GAMES))].rules, options)


def origin(vector: NDArray[Any]) -> tuple[Game, Any, Layout]:
    """The game, the rules and the layout of an observation vector: its first field tells them.

    Raises OptionError for a vector that no game can have written.
    """
    try:
        head = np.asarray(vector, np.float32)
    except (TypeError, ValueError) as error:
        raise OptionError(f"observation {vector!r:.100}: allowed is the vector of one observation") from error
    if head.ndim != 1 or len(head) < _longest_rules():
        raise OptionError(f"observation of shape {np.shape(vector)}: allowed is the vector of one observation")
    if not ((head >= 0.0) & (head <= 1.0)).all():
        raise OptionError("observation with numbers outside [0, 1]: no game has written it")
    return _origin(head[: _longest_rules()].tobytes(), len(head))


@functools.cache
def _longest_rules() -> int:
    return max(len(game.layout(game.rules()).fields[0].labels) for game in GAMES.values())


@functools.lru_cache(maxsize=256)
def _origin(head: bytes, size: int) -> tuple[Game, Any, Layout]:
    numbers = np.frombuffer(head, np.float32)
    game = list(GAMES.values())[int(numbers[0] >= 0.5)]
    field = game.layout(game.rules()).fields[0]
    options = field.read(numbers[: len(field.labels)].tolist())
    del options["game"]
    try:
        rules = game.rules(**options)
    except OptionError as error:
        raise OptionError(f"observation that no game has written: its rules say {options} of {game.name}") from error
    layout = game.layout(rules)
    if layout.size != size:
        raise OptionError(f"observation of {size} numbers: allowed are {layout.size} for {game.name} under {rules}")
    return game, rules, layout


def decode(observation: Any) -> dict[str, Any]:
    """Any observation of any game, field by field, by names.

    Args:
        observation: the vector, or the dict that holds it under ``"observation"``.
    """
    vector = observation["observation"] if isinstance(observation, Mapping) else observation
    return origin(vector)[2].decode(vector)
