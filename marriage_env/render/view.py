"""A table as its viewer sees it: what the views of both games share. A game's own view adds what only that game has.

A view reads one record; `View.lines` writes it in words, `scene.scene_of` tells it as plain data. Only
`View.seen_hand`, `View.choices` and `View.why_not` tell of the cards of a hand; what the last two say is for the actor,
and for whoever sees his hand. How many cards a hand has is for all to see.
"""

from __future__ import annotations

import abc
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from marriage_env.cards import card_set, card_symbol
from marriage_env.game import Game
from marriage_env.render.payments import Entry, PaymentWords
from marriage_env.render.words import cards_text, claim_words, cut, listed, signed
from marriage_env.table import CLAIMS, DECLARE, FIRST_CLAIM, OVER, PASS

WIDEST, NARROWEST = 100, 80  # columns
LABEL = 10  # columns of the words a line begins with
LONGEST_NAME = 24  # of a player in the table of players
TOGETHER = "\N{NO-BREAK SPACE}"  # between words that a line break must not part
APART = f"{TOGETHER}· "

Play = tuple[int, int]  # a seat and the card it played
#: Whose hands are shown: those of a seat, of all seats, of none ("public"), or of whoever is to act (None).
Viewer = int | Literal["all", "public"] | None


class View(abc.ABC):
    """One table as its viewer sees it.

    A game's view sets the words below, writes the methods that are not written here, and adds to those it has more to
    say in.

    Args:
        game, rules: what is played.
        table: its record.
        names: of the players, by seats; None for those of the agents.
        viewer: who looks.
        columns: of the text, 80 to 100.
    """

    title: str
    #: The verb of playing a card.
    playing: str
    #: Heading of the column of `count`.
    counted: str
    #: What each pot is called where its chips are told.
    pot_titles: tuple[str, ...]
    #: What the pots are called in a payment: see `PaymentWords`.
    pots_paid: ClassVar[dict[int, tuple[str, str]]]

    def __init__(
        self,
        game: Game,
        rules: Any,
        table: Any,
        *,
        names: Sequence[str] | None = None,
        viewer: Viewer = None,
        columns: int = WIDEST,
    ) -> None:
        self.width = min(max(columns, NARROWEST), WIDEST)
        self.table = table
        self.rules = rules
        self.game = game
        self.viewer = viewer
        self.seats = range(rules.players)
        self.names = [f"player_{seat}" for seat in self.seats] if names is None else list(names)
        self.phase, self.actor, self.dealer = int(table["phase"]), int(table["actor"]), int(table["dealer"])
        self.eldest = (self.dealer + 1) % len(self.names)
        self.plays = self.first_plays(int(table["plays"]))
        self.ledger: list[Entry] = table["ledger"][: table["entries"]].tolist()
        self.payment_words = PaymentWords(self.names, self.game.reasons, self.pots_paid)
        clauses = [self.game.reasons[reason].clause for *_, reason in self.ledger]
        opened = clauses.index("2.1") if "2.1" in clauses else len(clauses)
        #: Whether the last step ended a deal and opened this one.
        self.anew = bool(table["deals"] > 0 and opened < len(clauses))
        #: How many payments of the last step belong to the deal before this one.
        self.payments_before = opened if self.anew else 0
        self.broken_off = any(self.game.reasons[reason].words == "illegal action" for *_, reason in self.ledger)

    # What a game fills in

    @abc.abstractmethod
    def now(self) -> str:
        """What is to be done, and by whom, when all have declared."""

    @abc.abstractmethod
    def played(self) -> list[Play]:
        """The cards on the table: the trick or the row under way, or the last one if none is."""

    @abc.abstractmethod
    def played_title(self) -> str:
        """What the cards on the table are."""

    @abc.abstractmethod
    def outcome(self) -> str:
        """What has become of them, or would as they lie; empty for nothing to say."""

    @abc.abstractmethod
    def played_words(self) -> str:
        """The cards on the table with who played them."""

    @abc.abstractmethod
    def why_not_card(self, card: int) -> str:
        """Why the actor may not play a card that he holds, with the clause, where play is under way."""

    @abc.abstractmethod
    def count(self, seat: int) -> int:
        """A number for each player: tricks taken, cards held."""

    def last_play(self, seat: int, card: int) -> str:
        """What the last step was, when the last card played is this."""
        return f"{self.names[seat]} {self.playing} {card_symbol(card)}"

    @abc.abstractmethod
    def plays_of_last_deal(self) -> list[Play]:
        """The plays of the deal that the last step ended; the record keeps them until others take their place."""

    def turn_up(self) -> str | None:
        """The card turned up, if the game has one."""
        return None

    def trumps(self) -> str | None:
        """The name of the trump suit, if there is one."""
        return None

    def staked_card(self, pot: int) -> str | None:
        """The card that lies on a pot."""
        return None

    def heading(self) -> list[str]:
        """What the title says beside game, deal and dealer."""
        return []

    def known(self, seat: int) -> int:
        """The set of cards everybody knows a seat was dealt."""
        return self.shown(seat)

    def shown(self, seat: int) -> int:
        """The set of cards a seat has shown by declaring."""
        return card_set(np.flatnonzero(self.table["shown_by"] == seat).tolist())

    def remarks(self) -> list[str]:
        """What is to be said of a settlement without payments."""
        return []

    # The whole

    def lines(self) -> Iterator[str]:
        """The view, line by line."""
        yield self.title_line()
        yield from self.section("Last", [self.last()])
        yield from self.section("Now", [self.what_now()])
        yield from self.section("Choices", [self.choices()] if self.sees(self.actor) and self.phase != OVER else [])
        yield ""
        yield from self.players_table()
        yield ""
        yield from self.section("Declared", [self.declarations()])
        if self.played():
            outcome = self.outcome()
            yield from self.section(self.played_title(), [self.played_words() + (f" → {outcome}" if outcome else "")])
        yield from self.section(self.game.name.capitalize(), [self.pots_line()])
        yield from self.section("Paid", self.payments() or ["nothing in this step"])

    def title_line(self) -> str:
        """Game, deal, dealer, and what else a game has."""
        done, of = int(self.table["deals"]), self.rules.deals
        deal = f"deal {min(done + 1, of)} of {of}"
        title = " · ".join([self.title, deal, f"{self.names[self.dealer]} deals", *self.heading()])
        return f"── {title} ".ljust(self.width, "─")

    def section(self, label: str, texts: Iterable[str]) -> Iterator[str]:
        """A label and the texts it stands for, each from a new line and broken where it is too long."""
        for text in filter(None, texts):
            for place, line in enumerate(textwrap.wrap(text, self.width - LABEL - 2, break_on_hyphens=False)):
                indent = "  " if place else ""
                yield f"{label:<{LABEL}}{indent}{line}".replace(TOGETHER, " ")
                label = ""

    def players_table(self) -> Iterator[str]:
        """A line for each player: his chips, his count, his hand."""
        yield f"  {'player':<20}{'chips':>6}{'this deal':>11}{self.counted:>9}   hand"
        for seat in self.seats:
            role = " (dealer)" if seat == self.dealer else " (eldest)" if seat == self.eldest else ""
            mark = ">" if seat == self.actor and self.phase != OVER else " "
            balance = int(self.table["balances"][seat])
            gain = balance - int(self.table["opening_balances"][seat])
            numbers = f"{signed(balance):>6}{signed(gain):>11}{self.count(seat):>9}"
            start = f"{mark} {cut(self.names[seat], LONGEST_NAME) + role:<20}{numbers}   "
            hand, *rest = textwrap.wrap(self.hand(seat), self.width - len(start)) or [""]
            yield (start + hand).rstrip()
            yield from (" " * len(start) + more for more in rest)

    def hand(self, seat: int) -> str:
        """A hand, as far as the viewer may see it."""
        seen = self.seen_hand(seat)
        unseen = self.held(seat) - seen.bit_count()
        return " + ".join([cards_text(seen)] * bool(seen) + [f"{unseen} unseen"] * bool(unseen))

    def held(self, seat: int) -> int:
        """How many cards a seat holds."""
        return int(self.table["hands"][seat]).bit_count()

    def seen_hand(self, seat: int) -> int:
        """The set of cards in a hand that the viewer may see."""
        hand = int(self.table["hands"][seat])
        return hand if self.sees(seat) else hand & self.known(seat)

    def sees(self, seat: int) -> bool:
        """Whether the viewer may look into the hand of a seat."""
        if self.viewer is None:
            return seat == self.actor and self.phase != OVER
        return self.viewer in ("all", seat)

    def pots_line(self) -> str:
        """The chips in the pots."""
        pots = zip(self.pot_titles, self.table["pots"].tolist(), strict=True)
        return "   ".join(f"{title} {chips}".replace(" ", TOGETHER) for title, chips in pots)

    # What happened, and what is to be done

    def last(self) -> str:
        """What the last step was."""
        if self.table["fresh"]:
            return "the cards are dealt; nobody has acted yet"
        if self.broken_off:
            return f"{self.names[self.actor]} tried what is not legal"
        if self.anew:
            return f"{self.last_play(*self.plays_of_last_deal()[-1])}: deal {self.table['deals']} is over"
        return self.last_play(*self.plays[-1]) if self.plays else self.last_declaration()

    def last_declaration(self) -> str:
        """The last step, when it was one of declaring: its player is the last who has done anything."""
        seat = [seat for seat in self.from_eldest() if self.claims(seat) or self.table["gave_up"][seat]][-1]
        if self.table["gave_up"][seat]:
            return f"{self.names[seat]} passes, and gives up what he has not declared"
        return f"{self.names[seat]} declares {self.claims(seat)[-1]}"

    def what_now(self) -> str:
        """What is to be done, and by whom."""
        if self.phase == OVER:
            return self.result()
        if self.phase == DECLARE:
            return f"{self.names[self.actor]} is to declare, or to pass (3.1)"
        return self.now()

    def choices(self) -> str:
        """What the actor can do."""
        legal = int(self.table["legal"])
        cards = cards_text(legal)
        claims = [
            claim_words(name) for claim, name in enumerate(self.game.claim_names) if legal >> FIRST_CLAIM + claim & 1
        ]
        ways = [f"{self.playing[:-1]} {cards}"] * bool(cards) + [f"declare {', '.join(claims)}"] * bool(claims)
        return " or ".join(ways + ["pass"] * (legal >> PASS & 1))

    def why_not(self, action: int) -> str:
        """Why the actor may not take an action, with the clause; empty for one that is legal. It tells of his hand."""
        if int(self.table["legal"]) >> action & 1:
            return ""
        if self.phase == OVER:
            return "the match is over"
        if action == PASS:
            return "there is nothing to pass here: a card is due"
        if action >= FIRST_CLAIM:
            return self.why_not_claim(action - FIRST_CLAIM)
        if not int(self.table["hands"][self.actor]) >> action & 1:
            return f"{card_symbol(action)} is not in the hand"
        if self.phase == DECLARE:
            return "first come the declarations: declare, or pass (3.1)"
        return self.why_not_card(action)

    def why_not_claim(self, claim: int) -> str:
        """Why the actor may not declare a claim."""
        words = claim_words(self.game.claim_names[claim])
        if self.phase != DECLARE:
            return f"{words}: the declarations are over (3.1)"
        if self.table["claim_order"][CLAIMS * self.actor + claim]:
            return f"{words} has been declared"
        return f"{words}: its cards are not in the hand (3.2)"

    def action_words(self, action: int) -> str:
        """An action as an order: ``"play Q♥"``, ``"declare marriage of clubs"``, ``"pass"``."""
        if action == PASS:
            return "pass"
        if action >= FIRST_CLAIM:
            return f"declare {claim_words(self.game.claim_names[action - FIRST_CLAIM])}"
        return f"{self.playing[:-1]} {card_symbol(action)}"

    def result(self) -> str:
        """How the match ended."""
        balances = [int(self.table["balances"][seat]) for seat in self.seats]
        best = max(balances)
        winners = [self.names[seat] for seat in self.seats if balances[seat] == best]
        verb = "comes" if len(winners) == 1 else "come"
        how = "broken off" if self.broken_off else "over"
        return f"the match is {how}: {listed(winners)} {verb} out best, with a balance of {signed(best)}"

    def declarations(self) -> str:
        """Who has declared what, and the cards he showed for it."""
        texts = []
        for seat in self.from_eldest():
            words = ", ".join(self.claims(seat))
            shown = f" ({cards_text(self.shown(seat))})" if words else ""
            rest = ["then passed" if words else "passed"] * bool(self.table["gave_up"][seat])
            if words or rest:
                texts.append(f"{self.names[seat]} {', '.join([words + shown] * bool(words) + rest)}")
        return APART.join(text.replace(" ", TOGETHER) for text in texts)

    def claims(self, seat: int) -> list[str]:
        """What a seat has declared, in the order in which it did."""
        order = self.table["claim_order"][CLAIMS * seat :][:CLAIMS]
        declared = sorted((int(order[claim]), claim) for claim in range(CLAIMS) if order[claim])
        return [claim_words(self.game.claim_names[claim]) for _, claim in declared]

    def payments(self) -> list[str]:
        """The payments of the last step, and what is to be said where there were none."""
        before = [*self.payment_words.lines(self.ledger[: self.payments_before]), *self.remarks()]
        after = [*self.payment_words.lines(self.ledger[self.payments_before :])]
        if not self.anew:
            return after + before
        deals = int(self.table["deals"])
        return [f"deal {deals}: {text}" for text in before] + [f"deal {deals + 1}: {text}" for text in after]

    def from_eldest(self) -> list[int]:
        """The seats in the order of play."""
        return [*self.seats[self.eldest :], *self.seats[: self.eldest]]

    def first_plays(self, count: int) -> list[Play]:
        """The first so many plays in the record."""
        by, card = self.table["played_by"], self.table["played_card"]
        return [(int(by[card[play]]), int(card[play])) for play in range(count)]
