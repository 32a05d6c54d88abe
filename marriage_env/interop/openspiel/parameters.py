"""The parameters of a game in OpenSpiel, checked.

Beside the rule options, some reduce a game: to fewer players, fewer cards, a fixed turn-up. It is played by the very
rules of the full one, on a record whose rules hold numbers that the options do not allow.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Mapping
from typing import Any

from marriage_env.cards import CARD_NAMES, CARDS, card_id, card_ids, whole_pack
from marriage_env.errors import OptionError
from marriage_env.game import Game
from marriage_env.interop.openspiel.setup import Setup
from marriage_env.options import make_rules, one_of, settle, whole

BY_PLAYERS = 0  # as `pack_size`: what the rules say for so many players
NOT_GIVEN = ""  # as `cards` and `turn_up`
UTILITIES = ("chips", "ahead")
SHORT_PACK, FULL_PACK = 36, 52
DECIMALS = 15  # with which OpenSpiel writes numbers into a game's name


def parameters(game: Game) -> dict[str, Any]:
    """The names of all parameters of a game, with what they are if they are not given."""
    defaults = {field.name: field.default for field in dataclasses.fields(game.rules)}
    reducing = {"cards": NOT_GIVEN} | ({"hand": 0, "turn_up": NOT_GIVEN} if deals_hands(game) else {})
    return defaults | {"pack_size": BY_PLAYERS} | reducing | {"dealer": -1, "skip_forced": False, "utility": "chips"}


def deals_hands(game: Game) -> bool:
    """Whether a game deals hands of a fixed size and turns a card up (Boxes), or else all cards (Saucers)."""
    return "hand" in (game.table["rules"].names or ())


def make_setup(game: Game, given: Mapping[str, Any]) -> Setup:
    """The setup by given parameters, each of which may be left out; OptionError for one that cannot be."""
    chosen = all_of(parameters(game), given)
    check_decimals(chosen)
    reduced = chosen["cards"] != NOT_GIVEN
    rules = (reduced_rules if reduced else full_rules)(game, chosen)
    hand = hand_for(game, rules, chosen)
    turn_up = turn_up_of(chosen)
    dealer = whole("dealer", chosen["dealer"], -1, rules.players - 1)
    return Setup(
        game=game,
        rules=rules,
        cards=enough(chosen, rules.players, hand, turn_up) if reduced else tuple(card_ids(whole_pack(rules.pack_size))),
        hand=hand,
        turn_up=turn_up,
        dealer=None if dealer < 0 else dealer,
        skip_forced=one_of("skip_forced", chosen["skip_forced"], (False, True)),
        ahead=one_of("utility", chosen["utility"], UTILITIES) == "ahead",
        reduced=reduced,
    )


def all_of(known: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters as given, or else as known; those of a reduced game need `cards`."""
    for name in given:
        if name not in known:
            raise OptionError(f"{name} is not a parameter: allowed are {', '.join(known)}")
    chosen = dict(known) | dict(given)
    for name in ("hand", "turn_up"):
        if chosen["cards"] == NOT_GIVEN and chosen.get(name) != known.get(name):
            raise OptionError(
                f"{name}={chosen[name]!r} without cards: allowed is {known[name]!r}, as the rulebook has it"
            )
    return chosen


def check_decimals(chosen: Mapping[str, Any]) -> None:
    """OptionError for a number that OpenSpiel would write into the game's name as another one."""
    for name, number in chosen.items():
        if isinstance(number, float) and number != round(number, DECIMALS):
            raise OptionError(f"{name}={number!r}: allowed are numbers of at most {DECIMALS} decimals, as 0.25")


def full_rules(game: Game, chosen: Mapping[str, Any]) -> Any:
    """The rule options of a full game."""
    return make_rules(game.rules, rule_options(game, chosen) | {"players": chosen["players"]} | pack_option(chosen))


def reduced_rules(game: Game, chosen: Mapping[str, Any]) -> Any:
    """The rule options of a reduced game, the pack being the one that observations are laid out for."""
    if pack_option(chosen):
        raise OptionError(f"pack_size={chosen['pack_size']} with cards: allowed is one of them")
    for name in ("misdeal_rate", "faulty_pack_rate"):
        if chosen.get(name):
            raise OptionError(f"{name}={chosen[name]} with cards: allowed is 0 in a reduced game")
    rules = copy.copy(make_rules(game.rules, rule_options(game, chosen)))
    short = min(cards_of(chosen["cards"])) >= CARDS - SHORT_PACK
    players = whole("players", chosen["players"], 2, game.max_players)
    settle(rules, players=players, pack_size=SHORT_PACK if short else FULL_PACK)
    return rules


def rule_options(game: Game, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The rule options among the parameters, but for players and pack."""
    names = [field.name for field in dataclasses.fields(game.rules)]
    return {name: chosen[name] for name in names if name not in ("players", "pack_size")}


def pack_option(chosen: Mapping[str, Any]) -> dict[str, int]:
    """The size of the pack, if it is given."""
    given = isinstance(chosen["pack_size"], bool) or chosen["pack_size"] != BY_PLAYERS
    return {"pack_size": chosen["pack_size"]} if given else {}


def hand_for(game: Game, rules: Any, chosen: Mapping[str, Any]) -> int | None:
    """How many cards each is dealt; None: all there are."""
    if not deals_hands(game):
        return None
    usual = int(game.new_tables(1, rules)[0]["rules"]["hand"])
    return whole("hand", chosen["hand"], 0, usual) or usual


def turn_up_of(chosen: Mapping[str, Any]) -> int | None:
    """The card that is always turned up, if there is one."""
    name = chosen.get("turn_up", NOT_GIVEN)
    return None if name == NOT_GIVEN else one_card("turn_up", name)


def enough(chosen: Mapping[str, Any], players: int, hand: int | None, turn_up: int | None) -> tuple[int, ...]:
    """The cards of a reduced game, if they are enough and the turn-up is beside them."""
    cards = cards_of(chosen["cards"])
    needed = players * (hand or 1) + (hand is not None and turn_up is None)
    if len(cards) < needed or turn_up in cards:
        beside = ", none of them the turn_up" if turn_up in cards else ""
        raise OptionError(f"cards={chosen['cards']!r:.100}: allowed are {needed} or more for {players} players{beside}")
    return cards


def cards_of(text: str) -> tuple[int, ...]:
    """The ids of the cards named in a text, low to high."""
    ids = [one_card("cards", name) for name in text.split()]
    if len(set(ids)) < len(ids) or not ids:
        raise OptionError(
            f"cards={text!r:.100}: allowed are names of different cards with spaces between, such as 'QC KC'"
        )
    return tuple(sorted(ids))


def one_card(parameter: str, name: str) -> int:
    """The id of a card named by a parameter."""
    if name not in CARD_NAMES:
        allowed = "allowed are a rank and a suit, such as 'QH', or 'TH' for the ten"
        raise OptionError(f"{parameter}: {name!r:.100} is no card; {allowed}")
    return card_id(name)
