"""A game record: what it holds, and how it is written as one line of JSON."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from marriage_env.cards import CARD_NAMES, card_ids
from marriage_env.errors import RecordFieldError, RecordSizeError
from marriage_env.games import GAMES
from marriage_env.opening import Opening
from marriage_env.options import items, shown
from marriage_env.render.payments import Party

#: Of the format. It moves when an old reader would misread a new record.
VERSION = 1
MARK = "marriage_record"  # the field that says what a line is, and by which version
MOST_TEXT = 200  # characters of a name
MOST_ABOUT = 50  # texts


@dataclass(frozen=True)
class Paid:
    """Each of `payers` paid each of `payees` so many chips; players are seats, pots have their names."""

    payers: tuple[Party, ...]
    payees: tuple[Party, ...]
    chips: int
    reason: str

    def as_data(self) -> dict[str, Any]:
        """As JSON has it."""
        return {"from": list(self.payers), "to": list(self.payees), "chips": self.chips, "reason": self.reason}


@dataclass(frozen=True)
class Step:
    """What a seat did, and the payments of the step, as in ``env.ledger``.

    So the first step of a match has the first contributions, too, and the last of a deal those to the next.

    Attributes:
        seat: whose turn it was.
        action: 0 to 60.
        illegal: whether it was not legal, and ended the match (in an `env`, which lets it be tried).
        paid: in the order the payments were made.
    """

    seat: int
    action: int
    illegal: bool
    paid: tuple[Paid, ...]

    def as_data(self, action_names: tuple[str, ...]) -> dict[str, Any]:
        """As JSON has it."""
        data: dict[str, Any] = {"seat": self.seat, "action": action_names[self.action]}
        if self.illegal:
            data["illegal"] = True
        if self.paid:
            data["paid"] = [paid.as_data() for paid in self.paid]
        return data


@dataclass(frozen=True)
class Deal:
    """A deal: its cards as they were dealt, and its steps.

    Attributes:
        dealer: his seat.
        hands: card sets, by seats.
        turn_up: of Boxes, a card; None in Saucers.
        missing: of Boxes, the card a faulty pack lacks, unnoticed (2.4); mostly None.
        steps: in order.
    """

    dealer: int
    hands: tuple[int, ...]
    turn_up: int | None
    missing: int | None
    steps: tuple[Step, ...] = ()

    def as_data(self, action_names: tuple[str, ...]) -> dict[str, Any]:
        """As JSON has it."""
        data: dict[str, Any] = {"dealer": self.dealer, "hands": [names_of(card_ids(hand)) for hand in self.hands]}
        if self.turn_up is not None:
            data["turn_up"] = CARD_NAMES[self.turn_up]
        if self.missing is not None:
            data["missing"] = CARD_NAMES[self.missing]
        data["steps"] = [step.as_data(action_names) for step in self.steps]
        return data


@dataclass(frozen=True)
class Record:
    """A match, or as much of it as has been played.

    Attributes:
        opening: what it began with: enough, with the actions, to play it again.
        players: their names, by seats: agents, people, whatever is told of them.
        deals: in order, each with its steps.
        balances: of the players, after the last step.
        pots: the chips in them, after the last step.
        over: whether the match is over.
        about: whatever else its writer has to say, text by text; nothing of it bears on the play.

    Raises RecordFieldError or RecordSizeError for names and texts that cannot be: allowed are 1 to 200 printable
    characters each, so that they can be shown anywhere.
    """

    opening: Opening
    players: tuple[str, ...]
    deals: tuple[Deal, ...]
    balances: tuple[int, ...]
    pots: tuple[int, ...]
    over: bool
    about: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        checked_players(self.players, self.opening.rules.players)
        check_about(self.about)

    @property
    def steps(self) -> list[Step]:
        """All steps of the match, in order."""
        return [step for deal in self.deals for step in deal.steps]

    def as_data(self) -> dict[str, Any]:
        """As dicts, lists, strings, numbers and booleans."""
        game, opening = GAMES[self.opening.game], self.opening
        return {
            MARK: VERSION,
            "game": opening.game,
            "rules": dataclasses.asdict(opening.rules),
            "players": list(self.players),
            "about": dict(self.about),
            "chance": {"seed": str(opening.seed), "draws": str(opening.draws)},  # JavaScript's numbers end at 2**53
            "dealer": opening.dealer,
            "pots": list(opening.pots),
            "packs": [names_of(pack) for pack in opening.packs],
            "deals": [deal.as_data(game.action_names) for deal in self.deals],
            "balances": list(self.balances),
            "pots_left": list(self.pots),
            "over": self.over,
        }

    def as_json(self) -> str:
        """As one line of JSON, without its end; ASCII alone."""
        return json.dumps(self.as_data(), separators=(",", ":"))


def checked_players(names: Any, seats: int) -> tuple[str, ...]:
    """The players' names, if they are texts, one for each seat."""
    texts = items(names)
    if texts is None or len(texts) != seats:
        raise RecordFieldError(f"players={shown(names):.60}: allowed is a list of {seats} names")
    return tuple(text(f"players[{seat}]", name) for seat, name in enumerate(texts))


def check_about(about: Any) -> None:
    """What a writer has to say."""
    if not isinstance(about, Mapping):
        raise RecordFieldError(f"about={shown(about):.60}: allowed is an object")
    if len(about) > MOST_ABOUT:
        raise RecordSizeError(f"about has {len(about)} texts: allowed are {MOST_ABOUT} at most")
    for name, value in about.items():
        text("a name in about", name)
        text(f"about.{name}", value)


def text(where: str, data: Any) -> str:
    """A text that can be shown anywhere: without control characters, invisible ones, and changes of direction."""
    if not isinstance(data, str) or not data.isprintable() or not data:
        raise RecordFieldError(f"{where}={shown(data):.60}: allowed is a text of printable characters")
    if len(data) > MOST_TEXT:
        raise RecordSizeError(f"{where} has {len(data)} characters: allowed are {MOST_TEXT} at most")
    return data


def names_of(ids: Iterable[int]) -> list[str]:
    """The names of cards."""
    return [CARD_NAMES[card] for card in ids]
