"""What a game gives its faces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env import engine
from marriage_env.cards import CARDS
from marriage_env.chips import Reason
from marriage_env.compiled import bind, compiling
from marriage_env.fields import Layout
from marriage_env.record_arrays import new_records
from marriage_env.table import ACTIONS


class Bound:
    """An attribute of a game: a template of `engine`, compiled with the game's own functions when first wanted."""

    def __init__(self, template: Callable[..., Any]) -> None:
        self.template = template

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.name = name

    def __get__(self, game: Any, owner: type[Any]) -> Any:
        if game is None:
            return self
        own = {name: getattr(game, name) for name in ("deal", "step", "forfeit", "observe", "recall", "choose")}
        function = bind(self.template, **own)
        game.__dict__[self.name] = function  # found there from now on
        return function


_WARM: set[str] = set()  # what is ready in this process: games, and their players


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
        rules = self.rules()
        layout = self.layout(rules)
        tables, packs = self.new_tables(1, rules), np.zeros((0, CARDS), np.uint8)
        vector, mask = layout.blank.copy(), np.zeros(ACTIONS, np.int8)
        with compiling(f"the rules of {self.name.capitalize()}"):
            self.begin(tables, 0, packs, mask)
            self.advance(tables, int(mask.argmax()), packs, layout.blank, layout.at, vector, mask)
            self.perceive(tables, 0, layout.blank, layout.at, vector, mask)
        _WARM.add(self.name)

    def warm_up_player(self) -> None:
        """Have the rule-based player's function ready, with a line to say so if it must be compiled."""
        if f"{self.name} player" not in _WARM:
            with compiling(f"the rule-based player of {self.name.capitalize()}"):
                layout = self.layout(self.rules())
                vectors, actions = np.zeros((0, layout.size), np.float32), np.zeros(0, np.int64)
                self.advise(self.new_tables(1, self.rules()), layout.at, vectors, actions)
            _WARM.add(f"{self.name} player")

    # What faces call: the templates of `engine`, bound to this game.
    begin = Bound(engine.begin)
    advance = Bound(engine.advance)
    forfeit_match = Bound(engine.forfeit_match)
    perceive = Bound(engine.perceive)
    advise = Bound(engine.advise)
    rollout = Bound(engine.rollout)
