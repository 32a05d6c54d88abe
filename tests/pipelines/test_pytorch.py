"""The plain loop: its page learns from every chip that the learner wins."""

import numpy as np
import pytest

pytest.importorskip("torch")

from marriage_env import SingleSeatVectorEnv


def test_the_pages_loop_gets_every_chip(monkeypatch, won, example, sums):
    rewards, ends = [], []
    step = SingleSeatVectorEnv.step

    def noting(env, actions):
        outcome = step(env, actions)
        rewards.append(outcome[1])
        ends.append(outcome[2])
        return outcome

    monkeypatch.setattr(SingleSeatVectorEnv, "step", noting)
    left = example("pytorch", 8192)
    assert sums(rewards, ends) == won
    assert sum(map(len, won.values())) > 500
    observations, infos = SingleSeatVectorEnv("saucers", 4, players=3).reset(seed=1)
    assert infos["action_mask"][np.arange(4), left["player"].act(observations, infos["action_mask"])].all()
    assert not any(weights.isnan().any() for weights in left["net"].parameters())
