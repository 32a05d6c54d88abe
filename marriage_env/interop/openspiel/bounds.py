"""How long a match in OpenSpiel can be at most, and how many chips can be won or lost in it."""

from __future__ import annotations

from marriage_env.interop.openspiel.deal import most_misdeals
from marriage_env.interop.openspiel.setup import Setup
from marriage_env.table import CLAIMS

#: Boxes: a contribution to each box; two and three chips for others' marriages in hand; four marriages on the table;
#: the jester, or a chip to whoever covers him; the penalty (2.1, 3.2, 5.3, 6, 7.2).
BOXES_LOSS = 5 + 5 + 4 + 1 + 1
#: Saucers: the contributions (2.1); for each rank of the pack, the most points of a card that is left (5.2).
SAUCERS_LOSS, SAUCERS_LOSS_FOR_RANK = 10, 11
KING_ANSWERS = 4  # the actions out of turn that a deal can have, which may be passes (Boxes 5.1; Saucers 4.5 has one)


def most_actions(setup: Setup) -> int:
    """The most actions of all players in a match: each declares all and passes, each card is played, kings answered."""
    return int(setup.rules.deals) * ((CLAIMS + 1) * setup.players + len(setup.places) + KING_ANSWERS)


def most_chance_moves(setup: Setup) -> int:
    """The most moves of chance in a match: who deals; then misdeals, the pack, again misdeals, cards, turn-up, gap."""
    return 1 + int(setup.rules.deals) * (3 + len(setup.places) + 2)


def most_outcomes(setup: Setup) -> int:
    """The most outcomes of a move of chance, which are numbers from 0: cards, seats, or misdeals."""
    return max(max(setup.cards), setup.players, most_misdeals(setup)) + 1


def most_lost(setup: Setup) -> int:
    """The most chips a player can lose in a match."""
    if setup.hand is None:
        loss = SAUCERS_LOSS + SAUCERS_LOSS_FOR_RANK * len({card // 4 for card in setup.cards})
    else:
        fines = 2 * most_misdeals(setup)  # a chip each: misdeals, revokes, marriages lost, a fault (2.3, 2.4, 8.2)
        if setup.rules.conduct == "fined":
            fines += setup.hand + KING_ANSWERS
        if setup.rate("faulty_pack_rate"):
            fines += 1 + int(setup.rules.faulty_pack_fine)
        loss = BOXES_LOSS + (setup.players - 1) * fines
    return int(setup.rules.deals) * loss


def most_won(setup: Setup) -> int:
    """The most chips a player can win in a match, or be ahead of the mean: no more than all can lose."""
    return setup.players * most_lost(setup)
