"""The card of a model: what it plays, how it is built, where it comes from. A JSON file beside the weights."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from marriage_env import GAMES
from marriage_env.errors import AgentError, OptionError
from marriage_env.fields import Layout
from marriage_env.options import make_rules, one_of, shown
from marriage_env.table import ACTIONS

FORMAT = 1
OBSERVATIONS = "v0"  # the environments' version, which changes with what observations say
ACTIVATION = "tanh"
ADVICE = "rules"


class ModelError(AgentError):
    """A model's file that is missing, damaged, tampered with, or made for something else."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """What is written on a model's card.

    Args:
        game: ``"boxes"`` or ``"saucers"``.
        rules: all options of the game's rules.
        players, observation: what follows from them.
        steps: of the learner, in training.
        command, seed, commit: of that training, and of the code that did it; None where it is not known.
        results: how it fared where it was measured.
        layers, activation: the sizes of the hidden layers, and what is between them; filled in when a model is saved.
        advice: ``"rules"`` if the network is told, besides, what that player would do; filled in when a model is saved.
        weights: the SHA-256 of the tensors; filled in when a model is saved.
        format: of the model's files.
    """

    format: int = FORMAT
    game: str
    players: int
    rules: dict[str, Any]
    observation: dict[str, Any]
    layers: list[int] = field(default_factory=list)
    activation: str = ACTIVATION
    advice: str | None = None
    command: str | None = None
    seed: int | None = None
    commit: str | None = None
    steps: int = 0
    results: dict[str, Any] = field(default_factory=dict)
    weights: str = ""

    @property
    def inputs(self) -> int:
        """How many numbers its network takes."""
        return int(self.observation["size"]) + (0 if self.advice is None else ACTIONS)

    @property
    def layout(self) -> Layout:
        """How observations of its game under its rules are laid out."""
        game = GAMES[self.game]
        return game.layout(make_rules(game.rules, self.rules))

    def digest(self) -> str:
        """The SHA-256 of all that it says."""
        return hashlib.sha256(json.dumps(dataclasses.asdict(self), sort_keys=True).encode()).hexdigest()


#: The types of what a card says, as JSON has them.
TYPES: dict[str, tuple[type, ...]] = {
    "format": (int,),
    "game": (str,),
    "players": (int,),
    "rules": (dict,),
    "observation": (dict,),
    "layers": (list,),
    "activation": (str,),
    "advice": (str, type(None)),
    "command": (str, type(None)),
    "seed": (int, type(None)),
    "commit": (str, type(None)),
    "steps": (int,),
    "results": (dict,),
    "weights": (str,),
}


def new_card(game: str, rules: Any, **facts: Any) -> Card:
    """The card of a new model for a game under given rules, its dataclass; `facts` are the others that `Card` takes."""
    observation = observation_facts(GAMES[game].layout(rules))
    return Card(game=game, players=rules.players, rules=dataclasses.asdict(rules), observation=observation, **facts)


def observation_facts(layout: Layout) -> dict[str, Any]:
    """What a card says of the observation: its version and size, and a digest of its fields' names and lengths."""
    fields = [(field.name, len(field.labels)) for field in layout.fields]
    digest = hashlib.sha256(json.dumps(fields).encode()).hexdigest()[:16]
    return {"version": OBSERVATIONS, "size": layout.size, "digest": digest}


def card_path(path: Path) -> Path:
    """Where the card of a model lies: beside it, with another ending."""
    return path.with_suffix(".json")


def read_card(path: Path) -> tuple[Card, str]:
    """The card of the model at `path`, and its digest; ModelError if it is missing, or cannot be that of a model."""
    name = card_path(path)
    if not os.path.isfile(name):  # noqa: PTH113  (pathlib raises for a name that is too long)
        raise ModelError(f"{path}: its card {name.name} is not beside it; allowed is a model with its card")
    try:
        card = card_said_by(name.read_bytes().decode("utf-8"))
        return card, card.digest()
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{name}: no card of a model: {str(error).partition(chr(10))[0]:.300}") from error


def card_said_by(text: str) -> Card:
    """The card of a JSON text; ValueError or RecursionError for one that is none."""
    return check_facts(json.loads(text, parse_constant=no_number, object_pairs_hook=no_twins))


def no_number(text: str) -> float:
    """Refuse what JSON has no numbers for, by ValueError."""
    raise ValueError(f"{text} is no number; allowed are finite ones")


def no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON; ValueError if it says something twice."""
    facts: dict[str, Any] = {}
    for name, value in pairs:
        if name in facts:
            raise ValueError(f"{name!r:.100} is there twice; allowed is once")
        facts[name] = value
    return facts


def check_facts(facts: Any) -> Card:
    """The card that says `facts`; ValueError for those that no card says."""
    if not isinstance(facts, dict):
        raise ValueError(f"it is a {type(facts).__name__}; allowed is a JSON object")
    for name in sorted(TYPES.keys() ^ facts.keys()):
        raise ValueError(f"{name!r:.100} is {'missing' if name in TYPES else 'not known'}; it has {', '.join(TYPES)}")
    for name, types in TYPES.items():
        if type(facts[name]) not in types:
            allowed = " or ".join(kind.__name__ for kind in types)
            raise ValueError(f"{name} is a {type(facts[name]).__name__}; allowed is {allowed}")
    one_of("format", facts["format"], (FORMAT,))
    one_of("activation", facts["activation"], (ACTIVATION,))
    one_of("advice", facts["advice"], (None, ADVICE))
    if not facts["layers"] or not all(type(size) is int and size > 0 for size in facts["layers"]):
        raise ValueError(f"layers={facts['layers']!r:.100}; allowed are whole numbers above 0")
    if facts["steps"] < 0:
        raise ValueError(f"steps={shown(facts['steps']):.100}; allowed is a whole number of at least 0")
    card = Card(**facts)
    check_game(card)
    return card


def check_game(card: Card) -> None:
    """Raise OptionError (a ValueError) if there is no such game, or it is not played or observed so today."""
    game = GAMES[one_of("game", card.game, tuple(GAMES))]
    rules = make_rules(game.rules, card.rules)
    today = dataclasses.asdict(rules)
    for name in today:
        if name not in card.rules:
            raise OptionError(f"rules: {name} is missing; it has {', '.join(today)}")
    one_of("players", card.players, (rules.players,))
    observed = observation_facts(game.layout(rules))
    if card.observation != observed:
        raise OptionError(f"observation {card.observation!r:.200}; under these rules it is {observed}")
