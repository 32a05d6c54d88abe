"""Payments in words, merged for reading."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from marriage_env.chips import POT, Reason
from marriage_env.render.words import chips_words, listed

Entry = tuple[int, int, int, int]  # payers, payees, chips, reason: see `chips.ENTRY`
Party = int | str  # a player by his seat, or a pot by its name


@dataclass(frozen=True)
class PaymentWords:
    """The words of a game's payments.

    Args:
        names: of the players.
        reasons: the game's.
        pots: what a party set of pots is called, with the preposition for chips that go there.
    """

    names: Sequence[str]
    reasons: Sequence[Reason]
    pots: Mapping[int, tuple[str, str]]

    def lines(self, entries: Iterable[Entry]) -> Iterator[str]:
        """Ledger entries in words, those told in one breath together."""
        for _, group in itertools.groupby(entries, key=self.breath):
            together = list(group)
            payers, payees, _, number = together[0]
            if payers >> POT:
                sums = [(chips, f"from {self.pots[pot][1]}") for pot, _, chips, _ in together]
                text = f"{self.names[seats_in(payees)[0]]} takes {sums_words(sums)}"
            elif payees >> POT:
                sums = [(chips, self.place(payers, pots)) for _, pots, chips, _ in together]
                text = f"{self.pay(payers)} {sums_words(sums)}"
            else:
                text = self.between_players(together[0])
            words, clause = self.reasons[number]
            yield f"{text}: {words}" + (f" ({clause})" if clause else "")

    @staticmethod
    def breath(entry: Entry) -> tuple[int, ...]:
        """What entries told in one breath share: the reason and the players, whatever the pots."""
        payers, payees, _, reason = entry
        players = (1 << POT) - 1
        return payers & players, payees & players, reason

    def pay(self, payers: int) -> str:
        """Who pays."""
        return f"{self.some(seats_in(payers))} {'pay' if seats_in(payers)[1:] else 'pays'}"

    def place(self, payers: int, pots: int) -> str:
        """Where chips go, and that each of several players puts them there."""
        each = "each " if seats_in(payers)[1:] and pots.bit_count() == 1 else ""
        return each + " ".join(self.pots[pots])

    def between_players(self, entry: Entry) -> str:
        """Who pays how much to whom: some to one, or one to all others."""
        payers, payees, chips, _ = entry
        if seats_in(payees)[1:]:
            return f"{self.pay(payers)} {chips_words(chips)} to each other player"
        payee = self.names[seats_in(payees)[0]]
        if not seats_in(payers)[1:]:
            return f"{self.pay(payers)} {chips_words(chips)} to {payee}"
        everybody = payers | payees == (1 << len(self.names)) - 1
        return f"{'all others pay' if everybody else self.pay(payers)} {chips_words(chips)} each to {payee}"

    def some(self, seats: list[int]) -> str:
        """The names of some players, or of those who are not among them where that is shorter."""
        missing = [name for seat, name in enumerate(self.names) if seat not in seats]
        if not missing:
            return "all"
        if len(missing) <= 2 < len(seats) - len(missing):
            return f"all but {listed(missing)}"
        return listed([self.names[seat] for seat in seats])


def sums_words(sums: Sequence[tuple[int, str]]) -> str:
    """So many chips here, and so many there."""
    (first, where), *more = sums
    return listed([f"{chips_words(first)} {where}", *(f"{chips} {where}" for chips, where in more)])


def seats_in(parties: int) -> list[int]:
    """The seats in a set of parties."""
    return [seat for seat in range(POT) if parties >> seat & 1]


def parties_in(parties: int, pot_names: Sequence[str]) -> tuple[Party, ...]:
    """A party set: players by seats, then pots by names."""
    pots = (name for number, name in enumerate(pot_names) if parties >> (POT + number) & 1)
    return (*seats_in(parties), *pots)
