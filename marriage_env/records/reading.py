"""A line of JSON as a record: every field is looked at, and nothing is taken on trust."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from marriage_env.cards import CARD_NAMES, card_id, card_set
from marriage_env.errors import OptionError, RecordFieldError, RecordSizeError, RecordSyntaxError, RecordVersionError
from marriage_env.game import Game
from marriage_env.games import GAMES
from marriage_env.opening import Opening, check_packs, check_pots
from marriage_env.options import make_rules, one_of, shown, whole
from marriage_env.records.record import MARK, VERSION, Deal, Paid, Record, Step, checked_players

MOST_PAID = 200  # payments of a step
MOST_CHIPS = 2**31 - 1
FIELDS = [
    "game",
    "rules",
    "players",
    "about",
    "chance",
    "dealer",
    "pots",
    "packs",
    "deals",
    "balances",
    "pots_left",
    "over",
]


def from_json(line: str | bytes) -> Record:
    """The record in a line of JSON.

    Raises:
        RecordSyntaxError: it is no JSON object in UTF-8, or has a name twice in an object.
        RecordVersionError: it is no record, or one of another version.
        RecordFieldError: a field is missing, unknown, or not what it can be.
        RecordSizeError: something in it is larger than any game's.
    """
    try:
        return from_data(parsed(line))
    except RecursionError:
        raise RecordSyntaxError("no record: brackets within brackets, deeper than any record's") from None


def parsed(line: str | bytes) -> Any:
    """A line of JSON as data."""
    try:
        text = line if isinstance(line, str) else line.decode("utf-8")
        return json.loads(text, object_pairs_hook=no_name_twice, parse_constant=no_number)
    except RecordSyntaxError:
        raise
    except UnicodeDecodeError as error:
        raise RecordSyntaxError(f"no UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}") from None
    except ValueError as error:  # JSONDecodeError is one, and so is a number of thousands of digits
        raise RecordSyntaxError(f"no JSON: {error}") from None


def no_name_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; RecordSyntaxError if it has two values for a name."""
    data = dict(pairs)
    if len(data) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise RecordSyntaxError(f"an object names {twice!r:.100} twice: allowed is each name once")
    return data


def no_number(name: str) -> Any:
    """RecordSyntaxError for NaN and infinities, which JSON has not."""
    raise RecordSyntaxError(f"{name} is no JSON: allowed are finite numbers")


def from_data(data: Any) -> Record:
    """The record in parsed JSON: see `from_json`."""
    if not isinstance(data, dict):
        raise RecordSyntaxError(f"{data!r:.60} is no record: allowed is a JSON object")
    version = data.get(MARK)
    if version is None:
        raise RecordVersionError(f"no record: it has no field {MARK!r}")
    if type(version) is not int or version != VERSION:
        raise RecordVersionError(f"{MARK}={shown(version):.60}: this library reads version {VERSION}")
    try:
        return record_in(taken({name: value for name, value in data.items() if name != MARK}, "record", FIELDS))
    except OptionError as error:  # of rules, pots, packs and numbers: their checks are those of every reset
        raise RecordFieldError(str(error)) from None


def record_in(data: Mapping[str, Any]) -> Record:
    """The record in an object with the right names."""
    game = GAMES[one_of("game", data["game"], tuple(GAMES))]
    rules = make_rules(game.rules, dict(taken(data["rules"], "rules", [field.name for field in fields(game.rules)])))
    seats = rules.players
    chance = taken(data["chance"], "chance", ["seed", "draws"])
    dealer = data["dealer"]
    opening = Opening(
        game=game.name,
        rules=rules,
        seed=long_number("chance.seed", chance["seed"]),
        draws=long_number("chance.draws", chance["draws"]),
        dealer=None if dealer is None else whole("dealer", dealer, 0, seats - 1),
        pots=check_pots(listed("pots", data["pots"], len(game.pot_names)), game.pot_names),
        packs=packs_in(data["packs"], rules),
    )
    reader = StepReader(game, rules)
    deals = listed("deals", data["deals"], most=rules.deals)
    if not deals:
        raise RecordFieldError("deals=[]: allowed is one deal or more")
    return Record(
        opening=opening,
        players=checked_players(data["players"], seats),
        deals=tuple(reader.deal(f"deals[{number}]", deal) for number, deal in enumerate(deals)),
        balances=chips_of("balances", data["balances"], seats),
        pots=chips_of("pots_left", data["pots_left"], len(game.pot_names)),
        over=one_of("over", data["over"], (False, True)),
        about=data["about"],
    )


class StepReader:
    """Reads deals and steps of a game under its rules."""

    def __init__(self, game: Game, rules: Any) -> None:
        self.seats, self.rules = rules.players, rules
        self.actions = {name: action for action, name in enumerate(game.action_names)}
        self.reasons = {reason.words for reason in game.reasons}
        self.parties = {*range(self.seats), *game.pot_names}
        self.has_turn_up = "turn_up" in (game.table.names or ())
        self.most_steps = rules.pack_size * 2 + len(game.claim_names) * self.seats  # no deal has so many

    def deal(self, where: str, data: Any) -> Deal:
        """A deal."""
        needed = ["dealer", "hands", *["turn_up"] * self.has_turn_up, "steps"]
        deal = taken(data, where, needed, maybe=["missing"] * self.has_turn_up)
        hands = listed(f"{where}.hands", deal["hands"], self.seats)
        steps = listed(f"{where}.steps", deal["steps"], most=self.most_steps)
        return Deal(
            dealer=whole(f"{where}.dealer", deal["dealer"], 0, self.seats - 1),
            hands=tuple(self.hand(f"{where}.hands[{seat}]", hand) for seat, hand in enumerate(hands)),
            turn_up=card(f"{where}.turn_up", deal["turn_up"]) if self.has_turn_up else None,
            missing=card(f"{where}.missing", deal["missing"]) if "missing" in deal else None,
            steps=tuple(self.step(f"{where}.steps[{place}]", step) for place, step in enumerate(steps)),
        )

    def hand(self, where: str, data: Any) -> int:
        """A hand, as a card set."""
        names = listed(where, data, most=self.rules.pack_size)
        ids = {card(f"{where}[{place}]", name) for place, name in enumerate(names)}
        if len(ids) < len(names):
            raise RecordFieldError(f"{where}: allowed is each card once")
        return card_set(ids)

    def step(self, where: str, data: Any) -> Step:
        """A step."""
        step = taken(data, where, ["seat", "action"], maybe=["illegal", "paid"])
        name = step["action"]
        if not isinstance(name, str) or name not in self.actions:
            raise RecordFieldError(f"{where}.action={shown(name):.60}: allowed are {', '.join(self.actions)}")
        paid = listed(f"{where}.paid", step.get("paid", []), most=MOST_PAID)
        return Step(
            seat=whole(f"{where}.seat", step["seat"], 0, self.seats - 1),
            action=self.actions[name],
            illegal=one_of(f"{where}.illegal", step.get("illegal", False), (False, True)),
            paid=tuple(self.paid(f"{where}.paid[{place}]", entry) for place, entry in enumerate(paid)),
        )

    def paid(self, where: str, data: Any) -> Paid:
        """A payment."""
        entry = taken(data, where, ["from", "to", "chips", "reason"])
        if not isinstance(entry["reason"], str) or entry["reason"] not in self.reasons:
            allowed = ", ".join(sorted(self.reasons))
            raise RecordFieldError(f"{where}.reason={shown(entry['reason']):.60}: allowed are {allowed}")
        payers, payees = (self.parties_in(f"{where}.{side}", entry[side]) for side in ("from", "to"))
        return Paid(payers, payees, whole(f"{where}.chips", entry["chips"], 1, MOST_CHIPS), entry["reason"])

    def parties_in(self, where: str, data: Any) -> tuple[int | str, ...]:
        """Players by seats, pots by names."""
        parties = listed(where, data, most=len(self.parties))
        for party in parties:
            if type(party) not in (int, str) or party not in self.parties:
                allowed = ", ".join(map(repr, sorted(self.parties, key=str)))
                raise RecordFieldError(f"{where} has {shown(party):.60}: allowed are {allowed}")
        return tuple(parties)


def taken(data: Any, where: str, names: Iterable[str], maybe: Iterable[str] = ()) -> Mapping[str, Any]:
    """An object; RecordFieldError if a field is missing, or is unknown."""
    found, needed, optional = mapping(where, data), list(names), list(maybe)
    for name in needed:
        if name not in found:
            raise RecordFieldError(f"{where} has no {name!r}: needed are {', '.join(needed)}")
    for name in found:
        if name not in needed and name not in optional:
            raise RecordFieldError(f"{where} has {name!r:.60}: allowed are {', '.join([*needed, *optional])}")
    return found


def mapping(where: str, data: Any) -> Mapping[str, Any]:
    """An object; RecordFieldError for anything else."""
    if not isinstance(data, dict):
        raise RecordFieldError(f"{where}={shown(data):.60}: allowed is an object")
    return data


def listed(where: str, data: Any, count: int | None = None, most: int | None = None) -> list[Any]:
    """A list of `count` items, or of `most` at most; RecordFieldError for anything else."""
    if not isinstance(data, list) or (count is not None and len(data) != count):
        allowed = "a list" if count is None else f"a list of {count}"
        raise RecordFieldError(f"{where}={shown(data):.60}: allowed is {allowed}")
    if most is not None and len(data) > most:
        raise RecordSizeError(f"{where} has {len(data)} items: allowed are {most} at most")
    return data


def chips_of(where: str, data: Any, count: int) -> tuple[int, ...]:
    """Chips of each."""
    numbers = listed(where, data, count)
    return tuple(whole(f"{where}[{place}]", chips, -MOST_CHIPS, MOST_CHIPS) for place, chips in enumerate(numbers))


def long_number(where: str, data: Any) -> int:
    """A number below 2**64, as text."""
    if not isinstance(data, str) or not data.isascii() or not data.isdecimal() or len(data) > 20 or int(data) >= 2**64:
        raise RecordFieldError(f"{where}={shown(data):.60}: allowed is the text of a whole number below 2**64")
    return int(data)


def card(where: str, data: Any) -> int:
    """A card by its name."""
    if not isinstance(data, str) or data not in CARD_NAMES:
        raise RecordFieldError(f"{where}={shown(data):.60}: allowed is a card, such as 'QH'")
    return card_id(data)


def packs_in(data: Any, rules: Any) -> tuple[tuple[int, ...], ...]:
    """The packs that are set."""
    packs = [
        [
            card(f"packs[{number}][{place}]", name)
            for place, name in enumerate(listed(f"packs[{number}]", pack, rules.pack_size))
        ]
        for number, pack in enumerate(listed("packs", data, most=rules.deals))
    ]
    return check_packs(packs, rules.pack_size, rules.deals)
