"""Records and the rules: a record of what has been played, and a record played again."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from marriage_env.cards import CARD_NAMES, CARDS, card_ids
from marriage_env.errors import RecordMismatchError
from marriage_env.games import GAMES
from marriage_env.opening import Opening
from marriage_env.record_arrays import copy_records
from marriage_env.records.record import Deal, Paid, Record, Step, names_of
from marriage_env.render.payments import parties_in
from marriage_env.table import ACTIONS, OVER

Action = tuple[int, bool]  # its number, and whether it was illegal


class Playing:
    """One table that plays a match from its opening, action by action.

    Args:
        opening: of the match.
    """

    def __init__(self, opening: Opening) -> None:
        self.game, self.rules = GAMES[opening.game], opening.rules
        self.game.warm_up_rules()
        self._layout = self.game.layout(self.rules)
        self._tables = self.game.new_tables(1, self.rules)
        table = self._tables[0]
        table["seed"], table["draws"], table["pots"] = opening.seed, opening.draws, opening.pots
        self._packs = opening.pack_array
        self._vector, self._mask = self._layout.blank.copy(), np.zeros(ACTIONS, np.int8)
        self.game.begin(self._tables, opening.first_dealer, self._packs, self._mask)

    @property
    def table(self) -> Any:
        """The table's record, as it stands."""
        return self._tables[0]

    def table_now(self) -> Any:
        """A copy of the table's record."""
        return copy_records(self._tables)[0]

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return bool(self.table["phase"] == OVER)

    @property
    def dealt(self) -> int:
        """How many deals have been dealt."""
        return int(self.table["deals"]) + (not self.over or self.broken_off)

    @property
    def broken_off(self) -> bool:
        """Whether the match has been ended in the middle of a deal, by an illegal action."""
        return self.over and int(self.table["deals"]) < int(self.rules.deals)

    def deal(self) -> Deal:
        """The deal under way, when nobody has acted in it."""
        table = self.table
        turn_up, missing = (int(table[name]) if name in table.dtype.names else CARDS for name in ("turn_up", "missing"))
        return Deal(
            dealer=int(table["dealer"]),
            hands=tuple(table["hands"][: self.rules.players].tolist()),
            turn_up=turn_up if turn_up < CARDS else None,
            missing=missing if missing < CARDS else None,
        )

    def step(self, action: int, illegal: bool = False) -> Step:
        """Let the actor take an action; RecordMismatchError for one that is legal or not against what is said."""
        seat = int(self.table["actor"])
        if illegal == bool(int(self.table["legal"]) >> action & 1) or self.over:
            raise RecordMismatchError(f"{self.told(action)}, {self.allowed(illegal)}")
        if illegal:
            self.game.forfeit_match(self._tables)
        else:
            layout = self._layout
            self.game.advance(self._tables, action, self._packs, layout.blank, layout.at, self._vector, self._mask)
        return Step(seat, action, illegal, tuple(self.payments()))

    def told(self, action: int) -> str:
        """An action of the actor, in a message."""
        return f"player {self.table['actor']} does {self.game.action_names[action]}"

    def allowed(self, illegal: bool) -> str:
        """What was allowed instead, in a message."""
        if self.over:
            return "but the match is over"
        legal = int(self.table["legal"])
        names = [name for action, name in enumerate(self.game.action_names) if legal >> action & 1]
        return (
            f"which is legal: an illegal one is none of {', '.join(names)}"
            if illegal
            else f"legal are {', '.join(names)}"
        )

    def payments(self) -> Iterator[Paid]:
        """Those of the last step."""
        pots = self.game.pot_names
        for payers, payees, chips, reason in self.table["ledger"][: self.table["entries"]].tolist():
            yield Paid(parties_in(payers, pots), parties_in(payees, pots), chips, self.game.reasons[reason].words)

    @property
    def balances(self) -> tuple[int, ...]:
        """Of the players."""
        return tuple(self.table["balances"][: self.rules.players].tolist())

    @property
    def pots(self) -> tuple[int, ...]:
        """The chips in them."""
        return tuple(self.table["pots"].tolist())


def record_of(
    opening: Opening,
    actions: Iterable[Action],
    players: Sequence[str] | None = None,
    about: Mapping[str, str] | None = None,
) -> Record:
    """The record of a match, by its opening and its actions.

    Args:
        opening: of the match.
        actions: each with whether it was illegal, as the last may have been.
        players: their names, by seats; None for ``player_0`` and so on.
        about: see `Record`.

    Raises:
        RecordMismatchError: an action was not legal where it is said to be, or the other way round.
        RecordFieldError, RecordSizeError: a name or a text cannot be, as told there.
    """
    playing = Playing(opening)
    deals = [playing.deal()]
    steps: list[list[Step]] = [[]]
    for action, illegal in actions:
        steps[-1].append(playing.step(action, illegal))
        if playing.dealt > len(deals):
            deals.append(playing.deal())
            steps.append([])
    names = [f"player_{seat}" for seat in range(opening.rules.players)] if players is None else players
    played = tuple(dataclasses.replace(deal, steps=tuple(own)) for deal, own in zip(deals, steps, strict=True))
    return Record(
        opening,
        tuple(names),
        played,
        playing.balances,
        playing.pots,
        playing.over,
        {} if about is None else dict(about),
    )


class Moment(NamedTuple):
    """A moment of a match: how many steps have been taken, the last of them, and the table after it."""

    steps: int
    step: Step | None
    table: NDArray[Any]


def moments(record: Record) -> Iterator[Moment]:
    """Each moment of a recorded match, from the deal on: the table, a record of dtype ``game.table``, is a copy.

    RecordMismatchError where an action is not legal.
    """
    playing = Playing(record.opening)
    yield Moment(0, None, playing.table_now())
    for number, step in enumerate(record.steps, 1):
        yield Moment(number, playing.step(step.action, step.illegal), playing.table_now())


def check(record: Record) -> None:
    """Play a record again through the rules.

    Raises:
        RecordMismatchError: something in it is otherwise than the rules have it; the message tells the first such
            thing, with its deal and step (both counted from 1), what the record says, and what it is by the rules.
    """
    playing = Playing(record.opening)
    for number, deal in enumerate(record.deals, 1):
        where = f"deal {number}"
        if number > playing.dealt:
            raise RecordMismatchError(f"{where}: the record goes on, but by the rules there is no such deal")
        compare_deals(where, deal, playing.deal())
        for place, step in enumerate(deal.steps, 1):
            check_step(f"{where}, step {place}", step, playing, number)
        ended = playing.dealt > number or playing.over
        if not ended and number < len(record.deals):
            raise RecordMismatchError(f"{where}: the record breaks off, and goes on with another deal")
    if playing.dealt > len(record.deals):
        raise RecordMismatchError(f"deal {playing.dealt}: it has been dealt by the rules, but is not in the record")
    differ("at the end: balances", record.balances, playing.balances)
    differ("at the end: pots_left", record.pots, playing.pots)
    differ("at the end: over", record.over, playing.over)


def check_step(where: str, step: Step, playing: Playing, deal: int) -> None:
    """Take a step of a record; RecordMismatchError if the rules have it otherwise."""
    if playing.over or playing.dealt > deal:
        raise RecordMismatchError(f"{where}: by the rules the deal is over before it")
    differ(f"{where}: seat", step.seat, int(playing.table["actor"]))
    try:
        taken = playing.step(step.action, step.illegal)
    except RecordMismatchError as error:
        raise RecordMismatchError(f"{where}: {error}") from None
    differ(f"{where}: paid", [paid.as_data() for paid in step.paid], [paid.as_data() for paid in taken.paid])


def compare_deals(where: str, recorded: Deal, dealt: Deal) -> None:
    """RecordMismatchError if the cards of a deal are others than those in the record."""
    differ(f"{where}: dealer", recorded.dealer, dealt.dealer)
    for seat, (said, held) in enumerate(zip(recorded.hands, dealt.hands, strict=True)):
        differ(f"{where}: hand of player {seat}", names_of(card_ids(said)), names_of(card_ids(held)))
    for name in ("turn_up", "missing"):
        said, was = getattr(recorded, name), getattr(dealt, name)
        differ(f"{where}: {name}", said if said is None else CARD_NAMES[said], was if was is None else CARD_NAMES[was])


def differ(what: str, recorded: Any, by_rules: Any) -> None:
    """RecordMismatchError if what a record says is not what it is by the rules."""
    if recorded != by_rules:
        raise RecordMismatchError(f"{what}: recorded {recorded!r:.300}, by the rules {by_rules!r:.300}")
