"""The plain loop: its page learns from every chip that the learner wins."""

import numpy as np
import pytest

pytest.importorskip("torch")

from experiments import pipelines
from marriage_env import SingleSeatVectorEnv


def test_the_pages_loop_gets_every_chip(monkeypatch, won):
    rewards, ends = [], []
    step = SingleSeatVectorEnv.step

    def noting(env, actions):
        outcome = step(env, actions)
        rewards.append(outcome[1])
        ends.append(outcome[2])
        return outcome

    monkeypatch.setattr(SingleSeatVectorEnv, "step", noting)
    page = pipelines.PAGES / "pytorch.md"
    player = pipelines.run(pipelines.code_of(page, 8192), page)["player"]
    sums, arrived = np.cumsum(rewards, axis=0), {}
    for row, at in ((row, np.flatnonzero(ended)) for row, ended in enumerate(np.transpose(ends))):
        arrived[row] = np.diff(sums[at, row], prepend=0.0).tolist()
    assert arrived == won
    assert sum(map(len, won.values())) > 500
    observations, infos = SingleSeatVectorEnv("saucers", 4, players=3).reset(seed=1)
    assert infos["action_mask"][np.arange(4), player.act(observations, infos["action_mask"])].all()
