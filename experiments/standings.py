"""What a tournament's results say: who earns how much against whom, and who is how good."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from openskill.models import PlackettLuce

from experiments.duplicate import Estimate
from experiments.referee import Conduct
from experiments.tournament_play import Part, Result, Tournament, parts


@dataclass(frozen=True)
class Encounter:
    """An agent at one seat, from each in turn, and another, or itself, at all others.

    Attributes:
        agent, company: their names.
        chips: per deal, of the agent.
        gain: how much more than one of the company earns on the same deals among its own kind.
        seats, forfeits: how many seats in matches the agent had, and how many of them it has forfeited.
    """

    agent: str
    company: str
    chips: Estimate
    gain: Estimate
    seats: int
    forfeits: int


@dataclass(frozen=True)
class Rank:
    """How an agent fared at mixed tables.

    Attributes:
        agent: its name.
        chips: per deal.
        ahead: of the others at its tables, in chips per deal.
        mu, sigma: OpenSkill's rating and its uncertainty.
        ordinal: mu - 3 sigma, by which agents are ordered: what is little known counts less.
        seats, forfeits: how many seats in matches it had, and how many of them it has forfeited.
    """

    agent: str
    chips: Estimate
    ahead: Estimate
    mu: float
    sigma: float
    ordinal: float
    seats: int
    forfeits: int


@dataclass(frozen=True)
class Standings:
    """All that a tournament has found.

    Attributes:
        encounters: of every two agents.
        ranks: of every agent, best rating first.
        conduct: of every agent, by name.
    """

    encounters: list[Encounter]
    ranks: list[Rank]
    conduct: dict[str, Conduct]


def standings(tournament: Tournament, load: Callable[[Part], Result]) -> Standings:
    """The standings, from the results of all parts."""
    results: dict[tuple[int | None, int | None], list[Result]] = {}
    for part in parts(tournament):
        results.setdefault((part.agent, part.company), []).append(load(part))
    conduct = {name: Conduct() for name in tournament.agents}
    for result in (result for several in results.values() for result in several):
        for number, found in result.conduct.items():
            conduct[tournament.agents[number]].add(found)
    lineups = {lineup: joined(several) for lineup, several in results.items()}
    mixed = lineups.pop((None, None))
    return Standings(encounters(tournament.agents, lineups), ranks(tournament.agents, mixed), conduct)


def joined(results: Sequence[Result]) -> Result:
    """The results of a line-up's blocks as one, without conduct."""
    lineups, chips, forfeited, *_ = zip(*results, strict=True)
    return Result(np.concatenate(lineups), np.concatenate(chips), np.concatenate(forfeited), {})


def encounters(names: Sequence[str], lineups: dict[Any, Result]) -> list[Encounter]:
    """Of every two agents, deals being the blocks of the intervals."""
    own = {number: lineups[number, number].chips.mean(axis=(1, 2)) for number in range(len(names))}
    found = []
    for (agent, company), result in lineups.items():
        alone = agent != company
        chips = result.chips[:, :, 0].mean(axis=1) if alone else own[agent]
        forfeited = result.forfeited[:, :, 0] if alone else result.forfeited
        estimates = Estimate.over_deals(chips), Estimate.over_deals(chips - own[company])
        found.append(Encounter(names[agent], names[company], *estimates, forfeited.size, int(forfeited.sum())))
    return found


def ranks(names: Sequence[str], mixed: Result) -> list[Rank]:
    """Of every agent at mixed tables, best first."""
    found = []
    for number, (name, rating) in enumerate(zip(names, ratings(names, mixed), strict=True)):
        seats = mixed.lineups == number
        there = seats.any(axis=1)
        by_place = mixed.chips.mean(axis=1)[there]
        own = mean_where(by_place, seats[there])
        rest = mean_where(by_place, ~seats[there])
        forfeited = mixed.forfeited.swapaxes(1, 2)[seats]
        estimates = Estimate.over_deals(own), Estimate.over_deals(own - rest)
        skill = float(rating.mu), float(rating.sigma), float(rating.ordinal())
        found.append(Rank(name, *estimates, *skill, forfeited.size, int(forfeited.sum())))
    return sorted(found, key=lambda rank: -rank.ordinal)


def mean_where(by_place: NDArray[np.float64], places: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The mean of each row over some of its places."""
    return np.asarray(np.mean(by_place, axis=1, where=places), np.float64)


def ratings(names: Sequence[str], mixed: Result) -> list[Any]:
    """OpenSkill's ratings (Plackett-Luce), each deal ranked once, in order, by the mean chips over its rotations.

    Rotations of a deal are not independent: ranked one by one, they would make sigma too small. An agent that has
    several places in a company is ranked there once, by their mean.
    """
    model = PlackettLuce(tau=0.0)  # nobody gets better or worse from deal to deal
    found = [model.rating(name=name) for name in names]
    for company, chips in zip(mixed.lineups, mixed.chips.mean(axis=1), strict=True):
        present = np.unique(company)
        means = [float(chips[company == number].mean()) for number in present]
        scores = [round(mean, 9) for mean in means]  # equal but for floating point is a draw
        rated = model.rate([[found[number]] for number in present], scores=scores)
        for number, (rating,) in zip(present, rated, strict=True):
            found[number] = rating
    return found
