"""Other deals in which a player may be, for all that he knows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from marriage_env.boxes.state import NO_CARD
from marriage_env.cards import card_ids, card_set
from marriage_env.interop.openspiel.deal import FAULTY, SOUND, Deal
from marriage_env.interop.openspiel.position import Position
from marriage_env.worlds import sample_worlds


def possible_deals(position: Position, player: int, random: np.random.Generator) -> Iterator[Deal]:
    """Random deals without end, each of those that a player may be in as likely as any other.

    In a full game they agree with all that he has seen; in a reduced one with the cards that he has seen, and it is
    left to the caller to see which of them agree with all else.
    """
    draw = shuffled if position.setup.reduced else sampled
    while True:
        yield draw(position, player, random)


def sampled(position: Position, player: int, random: np.random.Generator) -> Deal:
    """A deal of a full game, by `sample_worlds`."""
    setup, deal = position.setup, position.dealing.deal
    vector = np.empty(setup.layout.size, np.float32)
    position.observe(player, vector)
    world = sample_worlds(vector, seed=int(random.integers(2**63)))[0]
    hands = [
        int(world["hands"][(seat - player) % setup.players]) | card_set(played_by(position, seat))
        for seat in from_eldest(position)
    ]
    deal = deal._replace(hands=tuple(tuple(card_ids(hand)) for hand in hands))
    if deal.pack not in (SOUND, FAULTY):
        return deal
    missing = int(world["missing"])
    return (
        deal._replace(pack=SOUND, missing=None) if missing == NO_CARD else deal._replace(pack=FAULTY, missing=missing)
    )


def shuffled(position: Position, player: int, random: np.random.Generator) -> Deal:
    """A deal of a reduced game: what the player has not seen is shuffled and dealt anew."""
    setup, deal = position.setup, position.dealing.deal
    held = [
        set(position.hand(player)) if seat == player else seen_with(position, seat) for seat in from_eldest(position)
    ]
    gone = {deal.turn_up}.union(*held)
    unseen = iter(random.permutation([card for card in setup.cards if card not in gone]).tolist())
    for hand, size in zip(held, setup.sizes, strict=True):
        hand.update(next(unseen) for _ in range(size - len(hand)))
    return deal._replace(hands=tuple(tuple(sorted(hand)) for hand in held))


def from_eldest(position: Position) -> list[int]:
    """The seats from eldest on."""
    players, dealer = position.setup.players, int(position.dealing.deal.dealer or 0)
    return [(dealer + 1 + turn) % players for turn in range(players)]


def played_by(position: Position, seat: int) -> list[int]:
    """The cards that a seat has played in this deal."""
    table = position.tables[0]
    return [card for card in table["played_card"][: table["plays"]].tolist() if table["played_by"][card] == seat]


def seen_with(position: Position, seat: int) -> set[int]:
    """The cards that all have seen to be a seat's: played, or shown by declaring."""
    return {*played_by(position, seat), *np.flatnonzero(position.tables[0]["shown_by"] == seat).tolist()}
