"""What only Saucers shows: the row, who was passed over, the staked cards."""

from __future__ import annotations

import itertools
from typing import ClassVar

from marriage_env.cards import ACE, CARD_NAMES, CLUBS, card_symbol
from marriage_env.chips import POT
from marriage_env.render.view import APART, TOGETHER, Play, View
from marriage_env.render.words import listed
from marriage_env.saucers.state import (
    KING_OF_CLUBS,
    LOWEST_STAKED_RANK,
    MARRIAGE_SAUCER,
    NO_ROW,
    POTS,
    QUEEN_OF_CLUBS,
    STAKED,
    TRYNKA_SAUCER,
)
from marriage_env.table import ANSWER, NOBODY

RANK_NAMES = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace")
STAKED_NAMES = tuple(card_symbol(4 * (LOWEST_STAKED_RANK + stake) + CLUBS) for stake in range(STAKED))
POT_NAMES = (*STAKED_NAMES, *(f"{saucer} saucer" for saucer in POTS[STAKED:]))


class SaucersView(View):
    """A table of Saucers as its viewer sees it."""

    title = "Saucers"
    playing = "lays"
    counted = "cards"
    pot_titles = POT_NAMES
    pots_paid: ClassVar[dict[int, tuple[str, str]]] = {
        ((1 << STAKED) - 1) << POT: ("on", "each staked card"),
        (1 << (POT + MARRIAGE_SAUCER)) | (1 << (POT + TRYNKA_SAUCER)): ("into", "each saucer"),
        **{1 << (POT + pot): ("on", name) for pot, name in enumerate(POT_NAMES[:STAKED])},
        **{1 << (POT + pot): ("into", f"the {POT_NAMES[pot]}") for pot in (MARRIAGE_SAUCER, TRYNKA_SAUCER)},
    }

    def staked_card(self, pot: int) -> str | None:
        """The club that is staked (1.4)."""
        return CARD_NAMES[4 * (LOWEST_STAKED_RANK + pot) + CLUBS] if pot < STAKED else None

    def count(self, seat: int) -> int:
        """Cards held."""
        return self.held(seat)

    def known(self, seat: int) -> int:
        """The cards shown, and K♣ of a player who may lay him after Q♣, or did not (4.5)."""
        king = seat == int(self.table["declined"]) or (self.phase == ANSWER and seat == self.actor)
        return super().known(seat) | king << KING_OF_CLUBS

    def now(self) -> str:
        """Whose turn it is to lay, on what, and why his."""
        name = self.names[self.actor]
        if self.phase == ANSWER:
            return f"{name} may lay K♣ on his Q♣ at once, or pass (4.5)"
        if self.table["row"] != NO_ROW:
            return f"{name} is to lay {an(int(self.table['row']) + 1)}{self.passed_over()}"
        if not self.plays:
            return f"{name} is to start the first row (4.1){self.lowest_only()}"
        return f"{name} is to start a new row{self.lowest_only()}"

    def lowest_only(self) -> str:
        """What the option for the start of a row asks for."""
        return ", with a card of his lowest rank (4.1)" if self.rules.row_start == "lowest" else ""

    def passed_over(self) -> str:
        """Who was looked at for the next card before the actor, and had none (4.3, 4.4)."""
        seat, card = self.plays[-1]
        if is_staked(card):
            seat = (seat + 1) % len(self.names)
        over = []
        while seat != self.actor:
            over.append(self.names[seat])
            seat = (seat + 1) % len(self.names)
        return f" ({listed(over)} had none)" if over else ""

    def last_play(self, seat: int, card: int) -> str:
        """A card laid, his last card, or K♣ kept back."""
        if self.anew or not self.table["hands"][seat]:
            return f"{super().last_play(seat, card)}, his last card, and is out"
        if card == QUEEN_OF_CLUBS and self.table["declined"] != NOBODY:
            return f"{self.names[seat]} passes, and keeps K♣ back"
        return super().last_play(seat, card)

    def plays_of_last_deal(self) -> list[Play]:
        """A deal ends with the first player whose dealt cards are all laid; its eldest is the dealer of this one."""
        left = [0] * len(self.names)
        for place in range(self.rules.pack_size):
            left[(self.dealer + place) % len(self.names)] += 1
        plays = self.first_plays(self.rules.pack_size)
        for number, (seat, _) in enumerate(plays):
            left[seat] -= 1
            if not left[seat]:
                return plays[: number + 1]
        return plays

    def played(self) -> list[Play]:
        """The plays of the row under way, or of the last one if none is: its ranks rise one by one."""
        plays = self.plays_of_last_deal() if self.anew else self.plays
        start = len(plays) - 1
        while start > 0 and plays[start - 1][1] // 4 + 1 == plays[start][1] // 4:
            start -= 1
        return plays[start:] if plays else []

    def played_title(self) -> str:
        """There is one row at a time."""
        return "Row"

    def played_words(self) -> str:
        """The row, run by run."""
        runs = itertools.groupby(self.played(), key=lambda play: play[0])
        cards = [" ".join([self.names[seat], *(card_symbol(card) for _, card in run)]) for seat, run in runs]
        return APART.join(run.replace(" ", TOGETHER) for run in cards)

    def outcome(self) -> str:
        """Why the row has ended, if it has by itself."""
        if self.anew or not self.plays or self.table["row"] != NO_ROW:
            return ""
        rank = self.plays[-1][1] // 4
        return "ended by the ace (4.6)" if rank == ACE else f"ended: nobody holds {an(rank + 1)} (4.7)"

    def why_not_card(self, card: int) -> str:
        """K♣ alone may follow his Q♣ at once; a row rises by one; a new one may have to start low."""
        if self.phase == ANSWER:
            return "after Q♣ only K♣ may be laid at once: lay it, or pass (4.5)"
        if self.table["row"] != NO_ROW:
            return f"the row asks for {an(int(self.table['row']) + 1)} (4.3)"
        return "a row is started with a card of the lowest rank held (4.1)"


def is_staked(card: int) -> bool:
    """Whether a card is one of those that lie staked on the table."""
    return card % 4 == CLUBS and card // 4 >= LOWEST_STAKED_RANK


def an(rank: int) -> str:
    """A card of a rank, in words."""
    return f"{'an' if RANK_NAMES[rank] in ('eight', 'ace') else 'a'} {RANK_NAMES[rank]}"
