"""How much of the chips is luck of the deal, and how many deals it takes to tell players apart."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.trained import WEIGHTS, shipped_cards
from experiments.duplicate import CONFIDENCE_95, Estimate, play_duplicate
from experiments.strategy_data import Setting
from marriage_env import make_agent
from marriage_env.games import rule_options

SEARCH = "search:200"
THREADS = 2  # of search; they change nothing but the time
PAIRS = (("rules", "random"), (SEARCH, "rules"))
RESAMPLES = 300  # of the deals, for intervals of what is no mean


class Parts(NamedTuple):
    """The variance of a player's chips in a deal, by what explains it, in chips squared.

    Attributes:
        cards: the cards of his seat, and the seat: which hand of which deal he has.
        player: who he is.
        rest: how he and the hand suit each other, where the others sit, and the chance in their choices.
    """

    cards: float
    player: float
    rest: float

    def shares(self) -> Parts:
        """Of the whole, in percent."""
        return Parts(*(100.0 * part / sum(self) for part in self))


@dataclass(frozen=True)
class Luck:
    """What explains the chips at a mixed table.

    Attributes:
        company: the names of who sat there.
        variance: of a player's chips in a deal, in chips squared.
        shares: percent of it, by the names in `Parts`.
        chips: each player's chips per deal.
    """

    company: list[str]
    variance: float
    shares: dict[str, Estimate]
    chips: dict[str, Estimate]


@dataclass(frozen=True)
class Apart:
    """How many deals tell two players apart.

    Attributes:
        player, company: one of the first sits at a table of the second.
        ahead: his lead, in chips per deal.
        plain: deals needed, each played once: with the lead found, and with either end of its interval, most first.
        duplicate: the same, each played once from every seat.
    """

    player: str
    company: str
    ahead: Estimate
    plain: tuple[float, float, float]
    duplicate: tuple[float, float, float]


def company(setting: Setting) -> list[str]:
    """A mixed company: a random, a rule-based, a searching and, where one ships, a trained player, over and over."""
    kinds = ["random", "rules", SEARCH]
    asked = rule_options(setting.game, setting.rules)
    cards = shipped_cards(WEIGHTS).values()
    if any(card.game == setting.game and rule_options(card.game, dict(card.rules)) == asked for card in cards):
        kinds.append("trained")
    return list(itertools.islice(itertools.cycle(kinds), setting.players))


def play(setting: Setting, names: Sequence[str], deals: int, seed: int) -> NDArray[np.float64]:
    """Duplicate play of named agents: chips as `play_duplicate` returns them."""
    full = {name: f"{name},threads={THREADS}" if name == SEARCH else name for name in names}
    agents = {name: make_agent(full[name], seed=seed) for name in dict.fromkeys(names)}
    return play_duplicate(setting.game, setting.rules, [agents[name] for name in names], deals, seed)


def by_hand(chips: NDArray[np.float64]) -> NDArray[np.float64]:
    """What each place made of each hand, (deals, seats, places), from chips as `play_duplicate` returns them."""
    seats, places = np.ogrid[: chips.shape[2], : chips.shape[2]]
    return chips[:, (seats - places) % chips.shape[2], places]


def decompose(chips: NDArray[np.float64], names: Sequence[str]) -> Parts:
    """The variance of a player's chips in a deal, by what explains it.

    Each hand of each deal is played once by each place: an analysis of variance of hands by players, without bias (the
    cards are not credited with what is left of the rest in a mean over few players).

    Args:
        chips: as `play_duplicate` returns them.
        names: of the agent at each place.
    """
    made = by_hand(chips)
    kinds = np.unique(list(names), return_inverse=True)[1]
    hands, places, grand = made.shape[0] * made.shape[1], made.shape[2], made.mean()
    of_place = made.mean((0, 1))
    player = (np.bincount(kinds, of_place) / np.bincount(kinds))[kinds] - grand
    cards = made.mean(2) - grand
    left = made - grand - cards[:, :, None] - player
    freedom = kinds.max()
    rest = (left**2).sum() / (hands * (places - 1) - freedom)
    of_cards = (cards**2).sum() / (hands - 1) - rest / places
    of_player = (player**2).mean() - freedom * rest / (hands * places)
    return Parts(max(float(of_cards), 0.0), max(float(of_player), 0.0), float(rest))


def resampled(chips: NDArray[np.float64], names: Sequence[str], seed: int) -> dict[str, Estimate]:
    """The shares of `decompose`, in percent, with intervals from deals drawn again and again."""
    rng = np.random.default_rng(seed)
    draws = rng.integers(len(chips), size=(RESAMPLES, len(chips)))
    spread = np.std([decompose(chips[draw], names).shares() for draw in draws], axis=0, ddof=1)
    found = decompose(chips, names).shares()
    errors = (CONFIDENCE_95 * spread).tolist()
    return {name: Estimate(*pair) for name, *pair in zip(Parts._fields, found, errors, strict=True)}


def luck(setting: Setting, deals: int, seed: int) -> Luck:
    """What explains the chips of a mixed company."""
    names = company(setting)
    chips = play(setting, names, deals, seed)
    of_place = chips.mean(1)
    own = {name: of_place[:, [other == name for other in names]].mean(1) for name in dict.fromkeys(names)}
    return Luck(
        names,
        sum(decompose(chips, names)),
        resampled(chips, names, seed),
        {name: Estimate.over_deals(values) for name, values in own.items()},
    )


def deals_needed(spread: float, ahead: Estimate) -> tuple[float, float, float]:
    """How many deals bring the half-width of a 95% interval down to the lead itself.

    Args:
        spread: the standard deviation of the lead from deal to deal, in chips.
        ahead: the lead.

    Returns:
        The number for the lead found, for the upper and for the lower end of its interval; infinite where that end is
        not above 0.
    """
    leads = (ahead.mean, ahead.mean + ahead.error, ahead.mean - ahead.error)
    found, fewest, most = ((CONFIDENCE_95 * spread / lead) ** 2 if lead > 0 else float("inf") for lead in leads)
    return found, fewest, most


def apart(setting: Setting, pair: tuple[str, str], deals: int, seed: int) -> Apart:
    """How many deals tell one player at a table of others apart from them."""
    player, others = pair
    chips = play(setting, [player, *[others] * (setting.players - 1)], deals, seed)
    leads = chips[:, :, 0] - chips[:, :, 1:].mean(2)
    ahead = Estimate.over_deals(leads.mean(1))
    plain, duplicate = float(leads.std(ddof=1)), float(leads.mean(1).std(ddof=1))
    return Apart(player, others, ahead, deals_needed(plain, ahead), deals_needed(duplicate, ahead))
