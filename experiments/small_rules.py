"""Reduced games: fewer players and fewer cards, played by the very rules of the full games.

A reduced game is a record whose rules hold other numbers than the full game's options allow, and packs that are set. So
few deals are left that all can be listed, each as likely as any other.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env import GAMES
from marriage_env.cards import CARDS, card_id, card_set
from marriage_env.game import Game
from marriage_env.options import make_rules

Hands = tuple[tuple[int, ...], ...]  # card ids of each seat's hand, low to high
FIRST_ROUND = 3  # cards that Boxes deals to each at once, at most (2.2)


@dataclass(frozen=True)
class SmallRules:
    """The rules of a reduced game. Seat 0 is eldest; a match is one deal.

    Args:
        name: of the full game, ``"boxes"`` or ``"saucers"``.
        players: 2 or more, at most as many as in the full game.
        cards: names of the cards that may be dealt, with spaces between.
        hand: cards for each, the others staying undealt (Boxes); None: all are dealt (Saucers).
        turn_up: the card that is always turned up (Boxes).
        options: rule options of the full game, but for its players and its pack.
    """

    name: str
    players: int
    cards: str
    hand: int | None = None
    turn_up: str | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def game(self) -> Game:
        """The full game."""
        return GAMES[self.name]

    @cached_property
    def turned(self) -> tuple[int, ...]:
        """The id of the turn-up, if there is one."""
        return () if self.turn_up is None else (card_id(self.turn_up),)

    @cached_property
    def dealt_from(self) -> tuple[int, ...]:
        """The ids of the cards that may be dealt, low to high."""
        return tuple(sorted(map(card_id, self.cards.split())))

    @cached_property
    def places(self) -> list[int]:
        """The seat to which each card goes, from the top of the pack."""
        if self.hand is None:
            return [place % self.players for place in range(len(self.dealt_from))]
        first = min(FIRST_ROUND, self.hand)
        return [seat for cards in (first, self.hand - first) for seat in range(self.players) for _ in range(cards)]

    @cached_property
    def deals(self) -> list[Hands]:
        """Every deal, each as likely as any other: in what order a hand's cards came is of no account."""
        return list(split(self.dealt_from, [self.places.count(seat) for seat in range(self.players)]))

    def fill(self, record: Any) -> None:
        """Write the rules into a game's record of rules."""
        make_rules(self.game.rules, dict(self.options)).fill(record)
        pack = (*self.dealt_from, *self.turned)
        record["players"] = self.players
        record["pack_size"] = len(pack)
        record["pack"] = card_set(pack)
        if self.hand is not None:
            record["hand"] = self.hand

    def packs(self, hands: Hands) -> NDArray[np.uint8]:
        """The pack that deals these hands, as the rules take it: uint8 of shape (1, 52), top card first."""
        coming = [iter(hand) for hand in hands]
        dealt = [next(coming[seat]) for seat in self.places]
        undealt = set(self.dealt_from) - set(dealt)
        pack = [*dealt, *self.turned, *undealt]
        packs = np.zeros((1, CARDS), np.uint8)
        packs[0, : len(pack)] = pack
        return packs


def split(cards: Sequence[int], sizes: Sequence[int]) -> Iterator[Hands]:
    """Every way to make hands of these sizes, the cards of each in order; what is over stays undealt."""
    if not sizes:
        yield ()
        return
    for hand in itertools.combinations(cards, sizes[0]):
        for others in split([card for card in cards if card not in hand], sizes[1:]):
            yield (hand, *others)


#: The reduced games by name.
SMALL_GAMES = {
    "boxes-tiny": SmallRules("boxes", 2, "JD QH KH AC", hand=1, turn_up="9C"),
    "boxes-2": SmallRules("boxes", 2, "JD QC KC AC QH KH", hand=2, turn_up="9C"),
    "boxes-2-auto": SmallRules("boxes", 2, "JD QC KC AC QH KH AH", hand=3, turn_up="9C", options={"declaring": "auto"}),
    "boxes-3": SmallRules("boxes", 3, "QC KC AC QD KD QS KS", hand=2, turn_up="9C"),
    "saucers-tiny": SmallRules("saucers", 2, "KC AC KD AD"),
    "saucers-2": SmallRules("saucers", 2, "QC KC AC QD KD AD"),
    "saucers-3": SmallRules("saucers", 3, "QC KC AC QD KD AD"),
}
