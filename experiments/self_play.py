"""Opponents from a learner's own past."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import gcd
from typing import Any

from stable_baselines3.common.callbacks import BaseCallback

from agents.network import NetworkAgent
from agents.ppo import network_of
from marriage_env import Agent
from marriage_env.sb3 import SingleSeatVecEnv


class SelfPlay(BaseCallback):  # type: ignore[misc]
    """Keeps snapshots of the learner, and sets them at the tables beside the named agents.

    Args:
        envs: the learner's tables, which draw each opponent from all there are.
        named: the agents that were named.
        share: of opponents that are drawn from them, 0 to 1.
        every: rollouts from one snapshot to the next; the first is the network as it begins.
        most: how many are kept, spread over the history: its first, its last, and some between.
    """

    def __init__(self, envs: SingleSeatVecEnv, named: Sequence[Agent], share: float, every: int, most: int) -> None:
        super().__init__()
        self.envs, self.named, self.share, self.every, self.most = envs, list(named), share, every, most
        self.snapshots: list[tuple[int, NetworkAgent]] = []  # each with the number of its rollout
        self.rollouts = 0

    def _on_rollout_start(self) -> None:
        if self.rollouts % self.every == 0:
            learner: Any = self.model
            agent = NetworkAgent(network_of(learner.policy), deterministic=False, seed=learner.num_timesteps)
            self.snapshots = thinned([*self.snapshots, (self.rollouts, agent)], self.most)
            self.seat()
        self.rollouts += 1

    def seat(self) -> None:
        """Let the tables draw from the named agents and the snapshots there are now."""
        self.envs.env.opponents = mixed(self.named, [agent for _, agent in self.snapshots], self.share)

    def _on_step(self) -> bool:
        return True


def thinned(snapshots: list[tuple[int, NetworkAgent]], most: int) -> list[tuple[int, NetworkAgent]]:
    """At most so many of the snapshots: the last; the first, if there is room; and some between, spread evenly."""
    kept = list(snapshots)
    while len(kept) > max(most, 2):
        gaps = [after[0] - before[0] for before, after in zip(kept[:-2], kept[2:], strict=True)]
        del kept[1 + gaps.index(min(gaps))]
    return kept[-most:]


def mixed(named: Sequence[Agent], snapshots: Sequence[Agent], share: float) -> list[Agent]:
    """A list from which an even draw gives one of `named` with probability `share`, to within 0.01; else a snapshot."""
    if not snapshots:
        return list(named)
    part = Fraction(share).limit_denominator(100)
    named_weight, other_weight = part.numerator * len(snapshots), (part.denominator - part.numerator) * len(named)
    common = gcd(named_weight, other_weight)
    return [*named] * (named_weight // common) + [*snapshots] * (other_weight // common)
