"""What a match begins with: its rules, its chance, its dealer, its pots, and packs that are set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.cards import CARD_NAMES, CARDS
from marriage_env.engine import DRAWN
from marriage_env.errors import OptionError
from marriage_env.options import items, whole

POT_LIMIT = 10_000  # up to which observations are exact


@dataclass(frozen=True)
class Opening:
    """What a match begins with. The same opening and the same actions are the same match, to the last chip.

    Attributes:
        game: its name.
        rules: its rule options, `BoxesRules` or `SaucersRules`.
        seed: of the table's random stream.
        draws: how many numbers had been drawn from that stream.
        dealer: the first dealer's seat, or None: he is drawn from the stream.
        pots: the chips in each pot before the first contributions.
        packs: the card ids of the packs that are set for the first deals, top first; others come from the stream.
    """

    game: str
    rules: Any
    seed: int
    draws: int
    dealer: int | None
    pots: tuple[int, ...]
    packs: tuple[tuple[int, ...], ...] = ()

    @property
    def first_dealer(self) -> int:
        """The dealer as the rules of play take him: `DRAWN` for none."""
        return DRAWN if self.dealer is None else self.dealer

    @property
    def pack_array(self) -> NDArray[np.uint8]:
        """The packs as the rules of play take them, (packs, 52)."""
        array = np.zeros((len(self.packs), CARDS), np.uint8)
        for number, pack in enumerate(self.packs):
            array[number, : len(pack)] = pack
        return array


def check_pots(pots: Any, names: tuple[str, ...]) -> tuple[int, ...]:
    """The pots of a reset; OptionError if they are not a number of chips for each pot."""
    numbers = items(pots)
    if numbers is None or len(numbers) != len(names):
        raise OptionError(f"pots={pots!r:.100}: allowed is a list of {len(names)} numbers of chips: {', '.join(names)}")
    return tuple(whole(f"pots[{place}]", chips, 0, POT_LIMIT) for place, chips in enumerate(numbers))


def check_packs(packs: Any, pack_size: int, deals: int) -> tuple[tuple[int, ...], ...]:
    """The packs of a reset; OptionError if one is not a whole pack, or there are more than `deals`."""
    all_packs = items(packs)
    if all_packs is None or len(all_packs) > deals:
        raise OptionError(f"packs={packs!r:.100}: allowed is a list of at most {deals} packs, one for each deal")
    return tuple(check_pack(f"packs[{number}]", pack, pack_size) for number, pack in enumerate(all_packs))


def check_pack(name: str, pack: Any, pack_size: int) -> tuple[int, ...]:
    """The cards of a pack; OptionError if it is not a whole one."""
    ids = items(pack)
    if ids is None or len(ids) != pack_size:
        found = f"{pack!r:.100}" if ids is None else f"{len(ids)} cards"
        raise OptionError(f"{name} is {found}: allowed is a list of all {pack_size} card ids, top first")
    lowest = CARDS - pack_size
    cards = [whole(f"{name}[{place}]", card, lowest, CARDS - 1) for place, card in enumerate(ids)]
    for card in cards:
        if cards.count(card) > 1:
            twice = f"{name} has {card} ({CARD_NAMES[card]}) twice"
            raise OptionError(f"{twice}: allowed is each of {lowest} to {CARDS - 1} once")
    return tuple(cards)
