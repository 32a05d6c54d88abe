"""The positions of a reduced game: its tree, made as far as it is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.small_rules import Hands, SmallRules
from marriage_env.cards import CARD_NAMES, CARDS
from marriage_env.record_arrays import copy_records
from marriage_env.table import ACTIONS, NOBODY, OVER, open_match


class Position:
    """Where a reduced game stands after the deal.

    It never changes; what is asked of it is made when first asked for, and kept.

    Attributes:
        actor: the seat that is to act, if the match is not over.
        actions: what he may do, low to high; empty if the match is over.
        over: whether it is.
    """

    def __init__(self, rules: SmallRules, hands: Hands, tables: NDArray[Any], seen: str) -> None:
        self.rules, self.hands, self.tables, self.seen = rules, hands, tables, seen
        self._known: dict[int, str] = {}
        table = tables[0]
        self.over = bool(table["phase"] == OVER)
        self.actor = int(table["actor"])
        legal = int(table["legal"])
        self.actions = [action for action in range(ACTIONS) if legal >> action & 1]
        self._followers: dict[int, Position] = {}

    def __deepcopy__(self, memo: object) -> Position:
        return self  # as nobody changes it, all copies of a state share it

    @classmethod
    def dealt(cls, rules: SmallRules, hands: Hands) -> Position:
        """The first decision when these hands have been dealt."""
        tables = rules.game.new_tables(1, rules)
        before = copy_records(tables)[0]
        before["shown_by"] = NOBODY
        open_match(tables[0], rules.players - 1)
        rules.game.deal(tables[0], rules.packs(hands))
        return cls(rules, hands, tables, told(rules, before, tables[0]))._decision()

    def after(self, action: int) -> Position:
        """The next decision, or the end, when the actor has taken a legal action."""
        if action not in self._followers:
            self._followers[action] = self._taken(action)._decision()
        return self._followers[action]

    def all(self) -> Iterator[Position]:
        """This position, and all that may follow."""
        yield self
        for action in self.actions:
            yield from self.after(action).all()

    def balances(self) -> NDArray[np.float64]:
        """What each seat has won or lost."""
        balances: NDArray[np.float64] = self.tables["balances"][0, : self.rules.players].astype(np.float64)
        return balances

    def known_to(self, seat: int) -> str:
        """All that a seat knows: his hand as it was dealt, and what everybody has seen, in order."""
        if seat not in self._known:
            hand = " ".join(CARD_NAMES[card] for card in self.hands[seat])
            self._known[seat] = f"{seat}: {hand} |{self.seen} | {'over' if self.over else self.actor}"
        return self._known[seat]

    def record_for(self, seat: int) -> Any:
        """The record without what a seat does not know."""
        table = copy_records(self.tables)[0]
        for other in range(self.rules.players):
            if other != seat:
                table["hands"][other] = 0
                table["open_claims"][other] = 0
        return table

    def _taken(self, action: int) -> Position:
        """The position right after an action."""
        tables = copy_records(self.tables)
        self.rules.game.step(tables[0], action)
        done = f" {self.actor} {self.rules.game.action_names[action]}"
        seen = self.seen + done + told(self.rules, self.tables[0], tables[0])
        return Position(self.rules, self.hands, tables, seen)

    def _decision(self) -> Position:
        """This position, or the next one in which there is a choice, or the end: what is forced is done at once."""
        position = self
        while len(position.actions) == 1:
            position = position._taken(position.actions[0])
        return position


def told(rules: SmallRules, before: Any, after: Any) -> str:
    """What a step tells everybody beside the action: cards that have been shown, and chips that have moved."""
    fresh = [card for card in range(CARDS) if after["shown_by"][card] != before["shown_by"][card]]
    shown = "".join(f" {after['shown_by'][card]} shows {CARD_NAMES[card]}" for card in fresh)
    gains = after["rewards"][: rules.players].tolist()
    return f"{shown} {gains}" if any(gains) else shown
