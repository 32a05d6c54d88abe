"""The JSON Schema of records: ``docs/records.schema.json`` is written from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from marriage_env.cards import CARD_NAMES
from marriage_env.game import Game
from marriage_env.games import GAMES
from marriage_env.opening import POT_LIMIT
from marriage_env.records.reading import MOST_CHIPS, MOST_PAID
from marriage_env.records.record import MARK, MOST_ABOUT, MOST_TEXT, VERSION

Schema = dict[str, Any]

TYPES = {bool: "boolean", int: "integer", float: "number", str: "string"}
#: What no name and no text has: control characters, changes of direction, ends of lines.
UNSEEN = r"\u0000-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
TEXT: Schema = {"type": "string", "minLength": 1, "maxLength": MOST_TEXT, "pattern": f"^[^{UNSEEN}]+$"}
LONG_NUMBER: Schema = {"type": "string", "pattern": "^[0-9]{1,20}$"}


def record_schema() -> Schema:
    """The schema, draft 2020-12. It tells a record's form: whether it agrees with the rules, `check` alone can tell."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Game records of Marriage, version {VERSION}",
        "description": "A line of a file of records: a match of Boxes or Saucers. docs/records.md tells what it means.",
        "oneOf": [of_game(game) for game in GAMES.values()],
    }


def of_game(game: Game) -> Schema:
    """The schema of a game's records."""
    players = {"minItems": game.min_players, "maxItems": game.max_players}
    pots = {"minItems": len(game.pot_names), "maxItems": len(game.pot_names)}
    return whole(
        {
            MARK: {"const": VERSION},
            "game": {"const": game.name},
            "rules": rules_of(game),
            "players": several(TEXT, **players),
            "about": {
                "type": "object",
                "maxProperties": MOST_ABOUT,
                "propertyNames": TEXT,
                "additionalProperties": TEXT,
            },
            "chance": whole({"seed": LONG_NUMBER, "draws": LONG_NUMBER}),
            "dealer": {"anyOf": [seat(game), {"type": "null"}]},
            "pots": several(number(0, POT_LIMIT), **pots),
            "packs": several(several(card(), minItems=36, maxItems=52, uniqueItems=True), maxItems=1000),
            "deals": several(deal(game), minItems=1, maxItems=1000),
            "balances": several(number(-MOST_CHIPS, MOST_CHIPS), **players),
            "pots_left": several(number(-MOST_CHIPS, MOST_CHIPS), **pots),
            "over": {"type": "boolean"},
        }
    )


def rules_of(game: Game) -> Schema:
    """The rule options, by their types; ``players`` and ``pack_size`` by their values."""
    usual = dataclasses.asdict(game.rules())
    options: dict[str, Schema] = {name: {"type": TYPES[type(value)]} for name, value in usual.items()}
    options["players"] = number(game.min_players, game.max_players)
    options["pack_size"] = {"enum": [36, 52]}
    return whole(options)


def deal(game: Game) -> Schema:
    """A deal: of Boxes with its turn-up, and a card that is missing, if one is."""
    hand = several(card(), maxItems=52, uniqueItems=True)
    fields: dict[str, Schema] = {
        "dealer": seat(game),
        "hands": several(hand, minItems=game.min_players, maxItems=game.max_players),
    }
    maybe: dict[str, Schema] = {}
    if "turn_up" in (game.table.names or ()):
        fields["turn_up"] = card()
        maybe["missing"] = card()
    return whole({**fields, "steps": several(step(game))}, maybe)


def step(game: Game) -> Schema:
    """A step, with its payments if there are any."""
    party = {"anyOf": [seat(game), {"enum": list(game.pot_names)}]}
    reasons = sorted({reason.words for reason in game.reasons})
    paid = {"from": several(party), "to": several(party), "chips": number(1, MOST_CHIPS), "reason": {"enum": reasons}}
    return whole(
        {"seat": seat(game), "action": {"enum": list(game.action_names)}},
        {"illegal": {"type": "boolean"}, "paid": several(whole(paid), maxItems=MOST_PAID)},
    )


def card() -> Schema:
    """A card by its name."""
    return {"enum": list(CARD_NAMES)}


def seat(game: Game) -> Schema:
    """A seat, from 0."""
    return number(0, game.max_players - 1)


def number(low: int, high: int) -> Schema:
    """A whole number."""
    return {"type": "integer", "minimum": low, "maximum": high}


def several(item: Schema, **bounds: Any) -> Schema:
    """A list of items."""
    return {"type": "array", "items": item, **bounds}


def whole(fields: Mapping[str, Schema], maybe: Mapping[str, Schema] | None = None) -> Schema:
    """An object that has these fields, perhaps some of others, and none else."""
    needed: Sequence[str] = list(fields)
    return {
        "type": "object",
        "required": needed,
        "additionalProperties": False,
        "properties": {**fields, **(maybe or {})},
    }
