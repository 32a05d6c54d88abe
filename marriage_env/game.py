"""What a game gives its faces."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env import batch_engine, engine, search_engine, world_engine
from marriage_env.cards import CARDS, NONE
from marriage_env.chips import Reason
from marriage_env.compiled import bind, compiling
from marriage_env.fields import Layout
from marriage_env.knowledge import KNOWLEDGE
from marriage_env.randomness import STREAM
from marriage_env.record_arrays import new_records
from marriage_env.search_engine import NODE, TREE
from marriage_env.table import ACTIONS


class Bound:
    """An attribute of a game: a template, compiled when first wanted.

    Args:
        template: a function of `engine` or `batch_engine`.
        *names: of those in it that stand for the game's own: rules of play, and other templates by their names here.
        inline: whether it is to become part of what calls it.
    """

    def __init__(self, template: Callable[..., Any], *names: str, inline: bool = False) -> None:
        self.template, self.names, self.inline = template, names, inline

    def __set_name__(self, owner: type[Any], name: str) -> None:
        self.name = name

    def __get__(self, game: Any, owner: type[Any]) -> Any:
        if game is None:
            return self
        function = bind(self.template, self.inline, **{name: getattr(game, name) for name in self.names})
        game.__dict__[self.name] = function  # found there from now on
        return function


_WARM: set[str] = set()  # what is ready in this process


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
        deal, legal, step, forfeit, observe, recall, choose: the rules of play, on one record.
        is_sound: whether a recalled table can be one at play.
        claims_in, learn, misfit, hand_size, out_of_hands, settle_world: what a seat knows of the others' hands.
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
    legal: Callable[..., Any]
    step: Callable[..., Any]
    forfeit: Callable[..., Any]
    observe: Callable[..., Any]
    recall: Callable[..., Any]
    choose: Callable[..., Any]
    is_sound: Callable[..., Any]
    claims_in: Callable[..., Any]
    learn: Callable[..., Any]
    misfit: Callable[..., Any]
    hand_size: Callable[..., Any]
    out_of_hands: Callable[..., Any]
    settle_world: Callable[..., Any]

    def new_tables(self, count: int, rules: Any) -> NDArray[Any]:
        """`count` tables with the given rules, waiting for a match."""
        tables = new_records(count, self.table)
        rules.fill(tables[0]["rules"])
        tables.view(np.ndarray)["rules"][1:] = tables.view(np.ndarray)["rules"][0]
        return tables

    def warm_up(self, what: str, work: Callable[[], Any]) -> None:
        """Do `work`, which has `what` compiled or loaded from disk, once in this process; say so if it takes long."""
        key = f"{what} of {self.name.capitalize()}"
        if key not in _WARM:
            with compiling(key):
                work()
            _WARM.add(key)

    def warm_up_rules(self) -> None:
        """Have the functions of an environment's step ready."""
        self.warm_up("the rules", self._play_a_step)

    def _play_a_step(self) -> None:
        rules = self.rules()
        layout = self.layout(rules)
        tables, packs = self.new_tables(1, rules), np.zeros((0, CARDS), np.uint8)
        vector, mask = layout.blank.copy(), np.zeros(ACTIONS, np.int8)
        self.begin(tables, 0, packs, mask)
        self.advance(tables, int(mask.argmax()), packs, layout.blank, layout.at, vector, mask)
        self.perceive(tables, 0, layout.blank, layout.at, vector, mask)

    def warm_up_player(self) -> None:
        """Have the rule-based player's function ready."""
        layout = self.layout(self.rules())
        vectors, actions = np.zeros((0, layout.size), np.float32), np.zeros(0, np.int64)
        scratch = self.new_tables(1, self.rules())
        self.warm_up("the rule-based player", lambda: self.advise(scratch, layout.at, vectors, actions))

    def warm_up_worlds(self) -> None:
        """Have the function that samples worlds ready."""
        rules = self.rules()
        layout, table = self.layout(rules), self.new_tables(1, rules)
        known, stream = new_records(1, KNOWLEDGE), new_records(1, STREAM)
        at, vector = layout.at, layout.blank
        self.warm_up("worlds", lambda: self.sample_worlds(vector, at, known, stream, table[:0]))

    def warm_up_search(self) -> None:
        """Have a search's functions ready."""
        self.warm_up("the search", self._search_nothing)

    def _search_nothing(self) -> None:
        rules = self.rules()
        layout, tables = self.layout(rules), self.new_tables(2, rules)
        known, tree, stream = (new_records(1, kind) for kind in (KNOWLEDGE, TREE, STREAM))
        nodes = np.empty(1, NODE)
        self.open_search(layout.blank, layout.at, tables, known, nodes, tree, stream)
        self.play_worlds(tables, known, nodes, tree, stream, NONE, 0)

    # What faces over one table call.
    start = Bound(engine.start, "deal")
    take = Bound(engine.take, "step", "deal", inline=True)
    begin = Bound(engine.begin, "start")
    advance = Bound(engine.advance, "take", "observe")
    forfeit_match = Bound(engine.forfeit_match, "forfeit")
    perceive = Bound(engine.perceive, "observe")
    advise = Bound(engine.advise, "recall", "choose", "is_sound")
    rollout = Bound(engine.rollout, "start", "take", "observe")

    # What a batch calls.
    play_on = Bound(batch_engine.play_on, "take", "choose")
    open_table = Bound(batch_engine.open_table, "start", "play_on")
    write_view = Bound(batch_engine.write_view, "observe", inline=True)
    show = Bound(batch_engine.show, "write_view", inline=True)
    open_tables = Bound(batch_engine.open_tables, "open_table", "show")
    step_tables = Bound(batch_engine.step_tables, "take", "play_on", "open_table", "show")
    show_many = Bound(batch_engine.show_many, "show")
    choose_many = Bound(batch_engine.choose_many, "choose")
    observe_many = Bound(batch_engine.observe_many, "write_view")

    # What sampling worlds and searching in them calls.
    exchange = Bound(world_engine.exchange, "misfit")
    walk = Bound(world_engine.walk, "exchange")
    open_worlds = Bound(world_engine.open_worlds, "is_sound", "learn", "misfit", "hand_size", "out_of_hands", "walk")
    reopen_others = Bound(world_engine.reopen_others, "claims_in", "legal")
    draw_world = Bound(world_engine.draw_world, "walk", "reopen_others", "settle_world")
    sample_worlds = Bound(world_engine.sample_worlds, "recall", "open_worlds", "draw_world")
    open_search = Bound(search_engine.open_search, "recall", "open_worlds")
    select = Bound(search_engine.select, "choose")
    play_out = Bound(search_engine.play_out, "step", "choose", "select")
    play_worlds = Bound(search_engine.play_worlds, "draw_world", "play_out")
