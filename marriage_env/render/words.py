"""Words for cards and chips."""

from __future__ import annotations

from collections.abc import Sequence

from marriage_env.cards import CLUBS, DIAMONDS, HEARTS, SPADES, SUIT_NAMES, card_ids, card_symbol

SUIT_ORDER = (SPADES, HEARTS, CLUBS, DIAMONDS)  # black and red by turns, as people sort a hand


def cards_text(cards: int) -> str:
    """A set of cards as people write a hand: suit by suit, high to low."""
    ids = card_ids(cards)
    suits = [[card for card in reversed(ids) if card % 4 == suit] for suit in SUIT_ORDER]
    return "  ".join(" ".join(map(card_symbol, suit)) for suit in suits if suit)


def claim_words(name: str) -> str:
    """A claim within a sentence: ``"marriage_clubs"`` is a marriage of clubs."""
    kind, _, suit = name.partition("_")
    return f"{kind} of {suit}" if suit in SUIT_NAMES else name


def signed(chips: int) -> str:
    """Chips won or lost."""
    return f"{chips:+}" if chips else "0"


def chips_words(chips: int) -> str:
    """So many chips."""
    return f"{chips} {'chip' if chips == 1 else 'chips'}"


def listed(names: Sequence[str]) -> str:
    """Some names as a list within a sentence."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if names[1:] else names[0]


def cut(text: str, most: int) -> str:
    """A text of so many characters at most."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
