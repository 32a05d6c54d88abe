"""What a game in OpenSpiel is set up with."""

from __future__ import annotations

import copy
import dataclasses
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from marriage_env.cards import card_set
from marriage_env.fields import Layout
from marriage_env.game import Game
from marriage_env.games import GAMES
from marriage_env.options import settle

FIRST_ROUND = 3  # cards that Boxes deals to each at once, at most (2.2)
FEWEST_SEEN = 3  # fewer players would leave the encoders less room than they write to
FEW_DEALS = 10_000  # so many matches can be told apart at most by their deals in a game whose positions are kept


@dataclass(frozen=True, eq=False)
class Setup:
    """What a game is set up with.

    Attributes:
        game: the game, ``GAMES["boxes"]`` or ``GAMES["saucers"]``.
        rules: its rule options; those of a reduced game hold what they could not be made with.
        cards: the ids of the cards that may be dealt, low to high.
        hand: cards for each; None: all are dealt.
        turn_up: the card that is always turned up; None: chance decides, or none is.
        dealer: who deals first; None: chance decides.
        skip_forced: whether what is forced is done at once.
        ahead: whether the utility is how far a player is ahead of the mean of all, or else his chips.
        reduced: whether there are fewer cards than in a full game.
    """

    game: Game
    rules: Any
    cards: tuple[int, ...]
    hand: int | None
    turn_up: int | None
    dealer: int | None
    skip_forced: bool
    ahead: bool
    reduced: bool

    def __getstate__(self) -> dict[str, Any]:
        own = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return own | {"game": self.game.name}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"game": GAMES[state["game"]]})

    @cached_property
    def players(self) -> int:
        """How many play."""
        return int(self.rules.players)

    @cached_property
    def table_laid(self) -> Any:
        """The rule options that observations are laid out for; two sit at a table for three, its last seat empty."""
        rules = copy.copy(self.rules)
        settle(rules, players=max(self.players, FEWEST_SEEN))
        return rules

    @cached_property
    def layout(self) -> Layout:
        """The layout of the observations."""
        return self.game.layout(self.table_laid)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The size of each hand, eldest's first."""
        return tuple(self.places.count(turn) for turn in range(self.players))

    @cached_property
    def places(self) -> list[int]:
        """Whose each card is, from the top of the pack: 0 is eldest, 1 the next to the left, and so on."""
        if self.hand is None:
            return [place % self.players for place in range(len(self.cards))]  # Saucers 2.2
        first = min(FIRST_ROUND, self.hand)
        return [turn for cards in (first, self.hand - first) for turn in range(self.players) for _ in range(cards)]

    @cached_property
    def draws_turn_up(self) -> bool:
        """Whether chance turns a card up."""
        return self.hand is not None and self.turn_up is None

    @cached_property
    def undealt(self) -> int:
        """How many cards stay in the pack, the turn-up not counted."""
        return len(self.cards) - len(self.places) - self.draws_turn_up

    @cached_property
    def deals(self) -> int:
        """How many deals can be told apart, from one dealer: hands that are the same sets are the same."""
        ways, left = 1, len(self.cards)
        for size in (*self.sizes, int(self.draws_turn_up)):
            ways *= math.comb(left, size)
            left -= size
        return ways

    @cached_property
    def may_fail(self) -> bool:
        """Whether a deal may fail, or a pack be faulty (Boxes 2.3, 2.4)."""
        return self.rate("misdeal_rate") > 0.0 or self.rate("faulty_pack_rate") > 0.0

    @cached_property
    def keeps_positions(self) -> bool:
        """Whether positions are kept once they are made, so that a solver meets the same ones again."""
        return self.reduced and self.deals**self.rules.deals <= FEW_DEALS

    def rate(self, name: str) -> float:
        """A rate among the rule options; 0 in a game that has no such option."""
        return float(getattr(self.rules, name, 0.0))

    def fill(self, record: Any) -> None:
        """Write the rules into a game's record of rules."""
        self.rules.fill(record)
        if self.reduced:
            pack = self.cards if self.turn_up is None else (*self.cards, self.turn_up)
            record["pack_size"], record["pack"] = len(pack), card_set(pack)
        if self.hand is not None:
            record["hand"] = self.hand
