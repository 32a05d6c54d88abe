"""Duplicate play: the same deals, once for each rotation of the players round the table."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env import Agent
from marriage_env.aec import TableEnv

TABLES = 256  # played side by side, so that agents choose for many at once
CONFIDENCE_95 = 1.959964  # standard errors on either side; deals number in the hundreds


@dataclass(eq=False)
class Match:
    """A match under way: whoever sits where, and where its result goes."""

    env: TableEnv
    deal: int
    rotation: int
    seating: list[int]


def play_duplicate(
    make_env: Callable[..., TableEnv],
    agents: Sequence[Agent],
    deals: int,
    seed: int,
    progress: Callable[[], Any] = lambda: None,
) -> NDArray[np.float64]:
    """Play each deal once for each rotation of the agents round the table.

    Args:
        make_env: makes an environment; called with ``mask_in="info"``.
        agents: who sits at each seat in rotation 0; in rotation r, he sits r seats further to the left. One object may
            sit at several seats.
        deals: how many deals (matches, where the rules say several deals a match).
        seed: of the deals and of the agents' own choices: the same seed, the same result to the last bit.
        progress: called after each match.

    Returns:
        Chips per deal, float64 of shape (deals, rotations, agents), by the agents' places in `agents`.
    """
    seats = len(agents)
    deal_seeds = np.random.SeedSequence(seed).generate_state(deals, np.uint64).tolist()
    different = list({id(agent): agent for agent in agents}.values())
    for agent, agent_seed in zip(
        different, np.random.SeedSequence([seed, 1]).generate_state(len(different)), strict=True
    ):
        agent.seed(int(agent_seed))
    chips = np.zeros((deals, seats, seats))
    waiting = ((deal, rotation) for deal in range(deals) for rotation in range(seats))
    idle = [make_env(mask_in="info") for _ in range(min(TABLES, deals * seats))]
    deals_a_match = idle[0].rules.deals
    playing = list(_seat_players(idle, waiting, deal_seeds, seats))
    while playing:
        _act(playing, agents)
        finished = [match for match in playing if match.env.terminations[match.env.agent_selection]]
        for match in finished:
            balances = list(match.env.balances.values())
            for seat, place in enumerate(match.seating):
                chips[match.deal, match.rotation, place] = balances[seat] / deals_a_match
            progress()
        if finished:
            playing = [match for match in playing if match not in finished]
            playing += _seat_players([match.env for match in finished], waiting, deal_seeds, seats)
    return chips


def _seat_players(
    envs: list[TableEnv], waiting: Iterator[tuple[int, int]], deal_seeds: list[int], seats: int
) -> Iterator[Match]:
    """Begin a match at each free table, as long as there are any to be played."""
    for env, (deal, rotation) in zip(envs, waiting, strict=False):
        env.reset(seed=deal_seeds[deal])
        yield Match(env, deal, rotation, [(seat - rotation) % seats for seat in range(seats)])


def _act(matches: list[Match], agents: Sequence[Agent]) -> None:
    """Let whoever is to act at each table act: each agent for all its tables at once."""
    turns = defaultdict(list)
    for match in matches:
        seat = match.env.possible_agents.index(match.env.agent_selection)
        turns[id(agents[match.seating[seat]])].append(match)
    for agent in {id(agent): agent for agent in agents}.values():
        at_turn = turns[id(agent)]
        if at_turn:
            seen = [match.env.last() for match in at_turn]
            vectors = np.stack([vector for vector, *_ in seen])
            masks = np.stack([info["action_mask"] for *_, info in seen])
            for match, action in zip(at_turn, agent.act(vectors, masks), strict=True):
                match.env.step(action)


@dataclass(frozen=True)
class Estimate:
    """A mean with the half-width of its 95% confidence interval."""

    mean: float
    error: float

    @classmethod
    def over_deals(cls, values: NDArray[np.float64]) -> Estimate:
        """From one value a deal; the interval is infinite for a single deal."""
        spread = float(values.std(ddof=1)) if len(values) > 1 else float("inf")
        return cls(float(values.mean()), CONFIDENCE_95 * spread / len(values) ** 0.5)

    @property
    def clear_of_zero(self) -> bool:
        """Whether the whole interval is on one side of 0."""
        return abs(self.mean) > self.error

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ± {self.error:.2f}"


@dataclass(frozen=True)
class Score:
    """How an agent fared: chips per deal, and how far ahead of the others at the table, deal by deal."""

    agent: str
    seats: int
    chips: Estimate
    ahead: Estimate


def scores(names: Sequence[str], chips: NDArray[np.float64]) -> list[Score]:
    """The score of each name, in order of first mention.

    Args:
        names: of the agent at each place.
        chips: as `play_duplicate` returns them. A deal with all its rotations is one block: one value of each mean.
    """
    by_place = chips.mean(axis=1)
    result = []
    for name in dict.fromkeys(names):
        mine = np.array([other == name for other in names])
        own = by_place[:, mine].mean(axis=1)
        rest = by_place[:, ~mine].mean(axis=1) if not mine.all() else own
        result.append(Score(name, int(mine.sum()), Estimate.over_deals(own), Estimate.over_deals(own - rest)))
    return result
