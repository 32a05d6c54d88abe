"""What the seat is worth, and what lies in the pots."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from experiments.duplicate import Estimate, play_lineups
from experiments.strategy_data import Setting
from marriage_env import GAMES, make_agent

POTS = (0, 10, 20, 40)  # chips in each pot when the deal opens, contributions apart
PLAYERS = ("rules", "random")


@dataclass(frozen=True)
class Seats:
    """Chips by place, where all are of a kind.

    Attributes:
        player: who plays.
        pots: chips in each pot when the deal opens.
        table: chips per deal, on average over the places.
        ahead: each place's chips beyond that, from eldest to the dealer.
    """

    player: str
    pots: int
    table: Estimate
    ahead: list[Estimate]


@dataclass(frozen=True)
class Pots:
    """Rule-based players among random ones, by what lies in the pots.

    Attributes:
        pots: chips in each pot when the deal opens.
        rules, random: chips per deal.
        ahead: of the first beyond the second, on the same deals.
        declared: the same where everything is declared for everybody (``declaring="auto"``).
        left: chips per deal that nobody has taken.
    """

    pots: int
    rules: Estimate
    random: Estimate
    ahead: Estimate
    declared: Estimate
    left: Estimate


def seats(setting: Setting, player: str, pots: int, deals: int, seed: int) -> Seats:
    """Chips by place from eldest, all players being of a kind."""
    lineups = np.zeros((deals, setting.players), np.int64)
    chips = play_lineups(
        setting.game,
        setting.rules,
        [make_agent(player)],
        lineups,
        seed,
        rotations=1,
        dealer=setting.players - 1,  # so that seat 0 is eldest
        pots=pots,
    )[:, 0]
    of_table = chips.mean(1)
    ahead = [Estimate.over_deals(chips[:, place] - of_table) for place in range(setting.players)]
    return Seats(player, pots, Estimate.over_deals(of_table), ahead)


def full_pots(setting: Setting, pots: int, deals: int, seed: int) -> Pots:
    """One rule-based player at a table of random ones, each deal played with him at every seat."""
    lineups = np.ones((deals, setting.players), np.int64)
    lineups[:, 0] = 0
    agents = [make_agent(name) for name in PLAYERS]
    asked, declared = (
        play_lineups(setting.game, {**setting.rules, "declaring": how}, agents, lineups, seed, pots=pots).mean(1)
        for how in ("choice", "auto")
    )
    own, others = asked[:, 0], asked[:, 1:].mean(1)
    lead = declared[:, 0] - declared[:, 1:].mean(1)
    left = pots * len(GAMES[setting.game].pot_names) - asked.sum(1)
    return Pots(pots, *(Estimate.over_deals(values) for values in (own, others, own - others, lead, left)))
