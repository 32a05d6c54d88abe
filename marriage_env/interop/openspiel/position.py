"""Where a game in OpenSpiel stands at a table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.cards import CARD_NAMES, CARDS
from marriage_env.interop.openspiel.dealing import Dealing
from marriage_env.interop.openspiel.dealt import carry_out
from marriage_env.interop.openspiel.node import TERMINAL_PLAYER, Node
from marriage_env.options import whole
from marriage_env.record_arrays import copy_records
from marriage_env.render.text import VIEWS
from marriage_env.table import ACTIONS, CHANCE, NOBODY, OVER, PHASE_NAMES

NOTHING_SHOWN = np.full(CARDS, NOBODY, np.uint8)


class Position(Node):
    """A table at which a seat is to act, or the end of a match.

    Attributes:
        dealing: what chance has decided of this deal.
        seen: what all have seen in this deal, in order.
        moves: the actions taken in it, forced ones too.
        ended: whether the deal is over. The match is then, or the next deal is due (`tree.settled`).
    """

    def __init__(self, dealing: Dealing, tables: NDArray[Any], seen: str, moves: tuple[int, ...]) -> None:
        super().__init__(dealing.setup, tables, dealing.past)
        self.dealing, self.seen, self.moves = dealing, seen, moves
        self._known: dict[int, str] = {}
        table = tables[0]
        self.ended = table["phase"] in (CHANCE, OVER)
        self.player = TERMINAL_PLAYER if self.ended else int(table["actor"])
        legal = int(table["legal"])
        self.actions = [action for action in range(ACTIONS) if legal >> action & 1]

    @classmethod
    def dealt(cls, dealing: Dealing) -> Position:
        """When a deal stands, of which all is decided."""
        setup, deal = dealing.setup, dealing.deal
        before = dealing.tables[0]["balances"].copy()
        tables = carry_out(setup, dealing.tables, deal)
        seen = f"{tables[0]['dealer']} deals"
        if setup.may_fail:
            seen += f", misdeals {deal.misdeals}, faulty pack noticed {bool(tables[0]['fault_noticed'])}"
        if setup.draws_turn_up:
            seen += f", turns up {CARD_NAMES[tables[0]['turn_up']]}"
        return cls(dealing, tables, seen + told(NOTHING_SHOWN, before, tables[0], setup.players), ())

    def hand(self, seat: int) -> tuple[int, ...]:
        """A seat's hand as it was dealt, low to high."""
        deal = self.dealing.deal
        return deal.hands[(seat - int(deal.dealer or 0) - 1) % self.setup.players]

    def taken(self, action: int) -> Position:
        """Right after a legal action."""
        tables, game = copy_records(self.tables), self.setup.game
        game.step(tables[0], action)
        before = self.tables[0]
        events = told(before["shown_by"], before["balances"], tables[0], self.setup.players)
        seen = f"{self.seen}, {self.player} {game.action_names[action]}{events}"
        return Position(self.dealing, tables, seen, (*self.moves, action))

    def action_name(self, action: int) -> str:
        """An action in the rulebook's words: a card, a claim, or ``"pass"``."""
        return str(self.setup.game.action_names[whole("action", action, 0, ACTIONS - 1)])

    def known_to(self, seat: int) -> str:
        """All that a seat has been shown, in order: his hands as they were dealt, and what all have seen."""
        if seat not in self._known:
            phase = PHASE_NAMES[self.tables[0]["phase"]]
            due = "over" if self.ended else f"{self.player} to {phase}"
            hand = " ".join(CARD_NAMES[card] for card in self.hand(seat))
            self._known[seat] = f"{self.past[seat]}{seat}: {hand} | {self.seen} | {due}"
        return self._known[seat]

    def observe(self, seat: int, vector: NDArray[np.float32]) -> None:
        """Write what a seat sees into `vector`, float32 of shape (setup.layout.size,)."""
        tables, layout = self.tables, self.setup.layout
        if self.setup.reduced:  # it is laid out for a usual pack, and a table that is not too small
            tables, laid = copy_records(tables), self.setup.table_laid
            tables["rules"]["pack_size"], tables["rules"]["players"] = laid.pack_size, laid.players
        self.setup.game.perceive(tables, seat, layout.blank, layout.at, vector, np.empty(ACTIONS, np.int8))

    def utilities(self) -> list[float]:
        """What the match has been worth to each seat; 0 before its end."""
        if self.player != TERMINAL_PLAYER:
            return [0.0] * self.setup.players
        chips = self.tables["balances"][0, : self.setup.players].astype(np.float64)
        return [float(worth) for worth in (chips - chips.mean() if self.setup.ahead else chips)]

    def __str__(self) -> str:
        game = self.setup.game
        return "\n".join(VIEWS[game.name](game, self.setup.rules, self.tables[0], viewer="all").lines())


def told(shown_before: Any, balances_before: Any, table: Any, players: int) -> str:
    """What a step tells everybody beside the action: cards that have been shown, and chips that have moved."""
    fresh = np.flatnonzero(table["shown_by"] != shown_before).tolist()
    shown = "".join(f", {table['shown_by'][card]} shows {CARD_NAMES[card]}" for card in fresh)
    gains = (table["balances"] - balances_before)[:players].tolist()
    return f"{shown} {gains}" if any(gains) else shown
