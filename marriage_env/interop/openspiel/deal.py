"""What chance decides of a deal, in order: see `Deal`.

A hand's cards are dealt in ascending order, with the probabilities that make every deal as likely as any other: so
hands that are the same sets are dealt in one way alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from marriage_env.cards import CARD_NAMES
from marriage_env.interop.openspiel.setup import Setup

Outcomes = list[tuple[int, float]]  # what chance may decide, and how likely
#: The pack: whole; lacking a card, as is noticed at the deal; or as is not (Boxes 2.4).
SOUND, NOTICED, FAULTY = range(3)
PACK_WORDS = ("the pack is sound", "the pack is faulty and that is noticed", "the pack is faulty unnoticed")
NEVER = 2.0**-53  # what is less likely than this does not happen


class Deal(NamedTuple):
    """What chance has decided of a deal so far, in this order; None, or nothing, is still to come.

    Attributes:
        dealer: who deals; the later deals of a match have theirs from the beginning.
        misdeals: before the deal stood: with the first pack, and with a sound one for a faulty one (Boxes 2.3).
        pack: `SOUND`, `NOTICED` or `FAULTY` (Boxes 2.4).
        hands: the cards of each hand, eldest's first; the last of them may not be whole yet.
        turn_up: the card that is turned up (Boxes 2.2).
        missing: the card that a pack lacks unnoticed.
    """

    dealer: int | None = None
    misdeals: tuple[int, ...] = ()
    pack: int | None = None
    hands: tuple[tuple[int, ...], ...] = ()
    turn_up: int | None = None
    missing: int | None = None


def due(setup: Setup, deal: Deal) -> str | None:
    """What chance decides next: an attribute of `Deal`; None: the deal stands."""
    if deal.dealer is None:
        return "dealer"
    if setup.rate("misdeal_rate") and len(deal.misdeals) < 1 + (deal.pack == NOTICED):
        return "misdeals"
    if setup.rate("faulty_pack_rate") and deal.pack is None:
        return "pack"
    if sum(map(len, deal.hands)) < len(setup.places):
        return "hands"
    if setup.draws_turn_up and deal.turn_up is None:
        return "turn_up"
    if deal.pack == FAULTY and deal.missing is None:
        return "missing"
    return None


def outcomes(setup: Setup, deal: Deal) -> Outcomes:
    """How chance may decide what is due, and how likely."""
    what = due(setup, deal)
    if what == "dealer":
        return evenly(list(range(setup.players)))
    if what == "misdeals":
        rate, most = setup.rate("misdeal_rate"), most_misdeals(setup)
        return [*((count, rate**count * (1.0 - rate)) for count in range(most)), (most, rate**most)]
    if what == "pack":
        faulty = setup.rate("faulty_pack_rate")
        noticed = setup.rate("fault_noticed_rate") if setup.undealt else 1.0
        chances = (1.0 - faulty, faulty * noticed, faulty * (1.0 - noticed))
        return [(pack, chance) for pack, chance in enumerate(chances) if chance]
    return next_cards(setup, deal) if what == "hands" else evenly(undealt(setup, deal))


def evenly(choices: list[int]) -> Outcomes:
    """Each as likely as any other."""
    return [(choice, 1.0 / len(choices)) for choice in choices]


def most_misdeals(setup: Setup) -> int:
    """The most misdeals in a row: more are less likely than `NEVER`, and counted as so many."""
    rate = setup.rate("misdeal_rate")
    return math.ceil(math.log(NEVER) / math.log(rate)) if rate else 0


def undealt(setup: Setup, deal: Deal) -> list[int]:
    """The cards not yet dealt or turned up."""
    gone = {card for hand in deal.hands for card in hand} | {deal.turn_up}
    return [card for card in setup.cards if card not in gone]


def next_cards(setup: Setup, deal: Deal) -> Outcomes:
    """The next card, upwards, of the hand that is being dealt."""
    *whole, hand = whole_hands_and_next(setup, deal)
    wanted = setup.sizes[len(whole)] - len(hand)
    left = [card for card in undealt(setup, deal) if not hand or card > hand[-1]]
    ways = math.comb(len(left), wanted)
    return [
        (card, math.comb(len(left) - 1 - place, wanted - 1) / ways)
        for place, card in enumerate(left[: len(left) - wanted + 1])
    ]


def whole_hands_and_next(setup: Setup, deal: Deal) -> tuple[tuple[int, ...], ...]:
    """The hands, the last of which is to be dealt a card."""
    hands = deal.hands
    return hands if hands and len(hands[-1]) < setup.sizes[len(hands) - 1] else (*hands, ())


def decide(setup: Setup, deal: Deal, outcome: int) -> Deal:
    """The deal when chance has decided what is due."""
    what = due(setup, deal)
    if what == "misdeals":
        return deal._replace(misdeals=(*deal.misdeals, outcome))
    if what == "hands":
        *whole, hand = whole_hands_and_next(setup, deal)
        return deal._replace(hands=(*whole, (*hand, outcome)))
    return Deal(**deal._asdict() | {str(what): outcome})


def planned(setup: Setup, deal: Deal, plan: Deal) -> int:
    """How chance must decide what is due so that it comes to a planned deal."""
    what = str(due(setup, deal))
    if what == "misdeals":
        return plan.misdeals[len(deal.misdeals)]
    if what == "hands":
        *whole, hand = whole_hands_and_next(setup, deal)
        return plan.hands[len(whole)][len(hand)]
    return int(getattr(plan, what))


def in_words(setup: Setup, deal: Deal, outcome: int) -> str:
    """What chance decides by an outcome."""
    what = due(setup, deal)
    if what == "dealer":
        return f"player_{outcome} deals"
    if what == "misdeals":
        return f"{outcome} misdeals"
    if what == "pack":
        return PACK_WORDS[outcome]
    if what == "hands":
        turn = len(whole_hands_and_next(setup, deal))
        return f"player_{((deal.dealer or 0) + turn) % setup.players} is dealt {CARD_NAMES[outcome]}"
    return f"{CARD_NAMES[outcome]} is {'turned up' if what == 'turn_up' else 'missing'}"
