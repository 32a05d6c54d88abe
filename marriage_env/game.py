"""What a game gives its faces."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env import engine
from marriage_env.cards import CARDS
from marriage_env.chips import Reason
from marriage_env.compiled import bind, compiling, new_records
from marriage_env.fields import Layout
from marriage_env.table import ACTIONS

_WARM: set[str] = set()  # games whose functions are ready in this process


@dataclass(frozen=True, eq=False)
class Game:
    """A game: its names, its record, its observation, and its rules as compiled functions over records.

    Attributes:
        name: ``"boxes"`` or ``"saucers"``.
        rules: the dataclass of its rule options.
        min_players, max_players: how many can play.
        table: dtype of a table's record.
        action_names: what each of the 61 actions is called.
        claim_names, pot_names: in the rulebook's order.
        reasons: why chips move, by the ledger's number.
        layout: rules to the observation's `Layout`.
        deal, step, forfeit, observe, recall, choose: the rules of play, on one record.
    """

    name: str
    rules: type[Any]
    min_players: int
    max_players: int
    table: np.dtype[Any]
    action_names: tuple[str, ...]
    claim_names: tuple[str, ...]
    pot_names: tuple[str, ...]
    reasons: tuple[Reason, ...]
    layout: Callable[[Any], Layout]
    deal: Callable[..., Any]
    step: Callable[..., Any]
    forfeit: Callable[..., Any]
    observe: Callable[..., Any]
    recall: Callable[..., Any]
    choose: Callable[..., Any]

    def new_tables(self, count: int, rules: Any) -> NDArray[Any]:
        """`count` tables with the given rules, waiting for a match."""
        tables = new_records(count, self.table)
        for table in tables:
            rules.fill(table["rules"])
        return tables

    def warm_up(self) -> None:
        """Have the functions of an environment's step ready: compiled (with a line to say so), or loaded from disk."""
        if self.name in _WARM:
            return
        _WARM.add(self.name)
        rules = self.rules()
        layout = self.layout(rules)
        tables, packs = self.new_tables(1, rules), np.zeros((0, CARDS), np.uint8)
        vector, mask = layout.blank.copy(), np.zeros(ACTIONS, np.int8)
        with compiling(f"the rules of {self.name.capitalize()}"):
            self.begin(tables, 0, packs, mask)
            self.advance(tables, int(mask.argmax()), packs, layout.blank, layout.at, vector, mask)
            self.perceive(tables, 0, layout.blank, layout.at, vector, mask)

    # The functions faces call, bound to this game when first wanted: an attribute each, by the template's name.

    def _bind(self, template: Callable[..., Any]) -> Callable[..., Any]:
        names = ("deal", "step", "forfeit", "observe", "recall", "choose")
        return bind(template, **{name: getattr(self, name) for name in names})

    @functools.cached_property
    def begin(self) -> Callable[..., Any]:
        """`engine.begin` of this game."""
        return self._bind(engine.begin)

    @functools.cached_property
    def advance(self) -> Callable[..., Any]:
        """`engine.advance` of this game."""
        return self._bind(engine.advance)

    @functools.cached_property
    def give_up_match(self) -> Callable[..., Any]:
        """`engine.give_up_match` of this game."""
        return self._bind(engine.give_up_match)

    @functools.cached_property
    def perceive(self) -> Callable[..., Any]:
        """`engine.perceive` of this game."""
        return self._bind(engine.perceive)

    @functools.cached_property
    def advise(self) -> Callable[..., Any]:
        """`engine.advise` of this game."""
        return self._bind(engine.advise)

    @functools.cached_property
    def rollout(self) -> Callable[..., Any]:
        """`engine.rollout` of this game."""
        return self._bind(engine.rollout)
