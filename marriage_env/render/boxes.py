"""What only Boxes shows: trumps, tricks, marriages on the table, calls for a queen."""

from __future__ import annotations

from typing import ClassVar

from marriage_env.boxes.state import BOXES, TRICKS
from marriage_env.cards import CARD_NAMES, KING, QUEEN, SUIT_NAMES, card_ids, card_symbol
from marriage_env.chips import POT
from marriage_env.render.view import APART, TOGETHER, Play, View
from marriage_env.render.words import listed
from marriage_env.table import ANSWER, NOBODY, OVER


class BoxesView(View):
    """A table of Boxes as its viewer sees it."""

    title = "Boxes"
    playing = "plays"
    counted = "tricks"
    pot_titles = BOXES
    pots_paid: ClassVar[dict[int, tuple[str, str]]] = {
        ((1 << len(BOXES)) - 1) << POT: ("into", "each box"),
        **{1 << (POT + box): ("into", f"the {name} box") for box, name in enumerate(BOXES)},
    }

    def turn_up(self) -> str:
        """Before the dealer (2.2)."""
        return CARD_NAMES[int(self.table["turn_up"])]

    def trumps(self) -> str:
        """Its suit."""
        return SUIT_NAMES[int(self.table["turn_up"]) % 4]

    def heading(self) -> list[str]:
        """The turn-up, and what it means."""
        return [f"{card_symbol(int(self.table['turn_up']))} turned up: {self.trumps()} are trumps"]

    def count(self, seat: int) -> int:
        """Tricks taken."""
        return int(self.table["tricks"][seat])

    def known(self, seat: int) -> int:
        """The cards shown, a queen who is called by her king, and one who was kept from him (8.2)."""
        cards = super().known(seat)
        for suit in range(4):
            cards |= int(self.table["lost_by"][suit] == seat) << (4 * QUEEN + suit)
        return cards | (1 << self.called_queen() if self.phase == ANSWER and seat == self.actor else 0)

    def called_queen(self) -> int:
        """The queen of the king played last."""
        return 4 * QUEEN + self.plays[-1][1] % 4

    def now(self) -> str:
        """Whose turn it is to play, and to what."""
        name = self.names[self.actor]
        if self.phase == ANSWER:
            player, king = self.plays[-1]
            queen = card_symbol(self.called_queen())
            fined = ", or be fined (8.2)" if self.rules.conduct == "fined" else ""
            call = f"called out of turn by {card_symbol(king)} of {self.names[player]}"
            return f"{name} is {call}: to play {queen} (5.1){fined}"
        trick = len(self.plays) // len(self.names) + 1
        if not self.table["in_trick"]:
            return f"{name} is to lead to trick {trick} of {TRICKS}"
        led = SUIT_NAMES[self.played()[0][1] % 4]
        fined = ", or be fined (8.2)" if self.rules.conduct == "fined" else ""
        return f"{name} is to play to trick {trick} of {TRICKS}: follow {led} if you can{fined}"

    def last_play(self, seat: int, card: int) -> str:
        """A play, a breach of 4.2, or a queen kept from her king."""
        kept_by = int(self.table["lost_by"][card % 4])
        if card // 4 == KING and kept_by != NOBODY and not self.anew:
            return f"{self.names[kept_by]} passes, and keeps {card_symbol(4 * QUEEN + card % 4)} from her king"
        revoke = int(self.table["revokes"]) >> card & 1 and not self.anew
        return super().last_play(seat, card) + " against 4.2, a revoke" * bool(revoke)

    def played(self) -> list[Play]:
        """The plays of the trick under way, or of the last one if none is."""
        if self.table["in_trick"]:
            return self.plays[int(self.table["trick_start"]) :]
        return (self.plays_of_last_deal() if self.anew else self.plays)[-len(self.names) :]

    def plays_of_last_deal(self) -> list[Play]:
        """A deal is five cards of each player."""
        return self.first_plays(TRICKS * len(self.names))

    def played_title(self) -> str:
        """The number of the trick."""
        return f"Trick {TRICKS if self.anew else (len(self.plays) - 1) // len(self.names) + 1}"

    def played_words(self) -> str:
        """The trick, card by card."""
        return APART.join(f"{self.names[seat]}{TOGETHER}{card_symbol(card)}" for seat, card in self.played())

    def outcome(self) -> str:
        """Who has the trick, or would have it as it stands; and what marriages are in it."""
        if self.anew or not self.plays:
            return ""
        marriages = self.marriages(self.played())
        why = f", {listed(marriages)} married" if marriages else ""
        if self.table["in_trick"]:
            return f"{self.names[int(self.table['winning'])]} would take it{why}"
        return f"{self.names[self.actor]} took it{why}"

    def marriages(self, trick: list[Play]) -> list[str]:
        """The marriages made in a trick (5.2, 5.5): a king and, next to him or by option before him, his queen."""
        cards = [card for _, card in trick]
        married = []
        for place, card in enumerate(cards):
            queen = 4 * QUEEN + card % 4
            if card // 4 != KING or queen not in cards:
                continue
            after = cards.index(queen) == place + 1 and self.table["lost_by"][card % 4] == NOBODY
            before = cards.index(queen) < place and self.rules.marriage_order == "either"
            if after or before:
                married.append(f"{card_symbol(card)} and {card_symbol(queen)}")
        return married

    def why_not_card(self, card: int) -> str:
        """A queen is called, or suit can be followed, or a trump must be played."""
        if self.phase == ANSWER:
            return (
                f"{card_symbol(self.plays[-1][1])} calls {card_symbol(self.called_queen())}: she must be played (5.1)"
            )
        led = self.played()[0][1] % 4
        if any(held % 4 == led for held in card_ids(int(self.table["hands"][self.actor]))):
            return f"{SUIT_NAMES[led]} were led, and there are some in the hand: follow suit (4.2)"
        return "who cannot follow must play a trump or Q♥ (4.2)"

    def remarks(self) -> list[str]:
        """A settlement without winners moves no chips."""
        settled = self.anew or (self.phase == OVER and not self.broken_off)
        reasons = [self.game.reasons[reason].words for *_, reason in self.ledger]
        return ["nobody took two tricks, and the boxes stay as they are (7.1)"] * (settled and "penalty" not in reasons)
