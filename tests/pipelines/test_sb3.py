"""Stable-Baselines3: every chip the learner wins arrives in MaskablePPO's rollouts, and masks are kept there."""

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback

from marriage_env.sb3 import SingleSeatVecEnv


class Arrived(BaseCallback):
    """By table, the sum of the rewards of each episode in the rollouts."""

    def _on_training_start(self):
        self.open, self.sums = np.zeros(self.training_env.num_envs), {}

    def _on_step(self):
        self.open += self.locals["rewards"]
        for row in np.flatnonzero(self.locals["dones"]).tolist():
            self.sums.setdefault(row, []).append(self.open[row])
            self.open[row] = 0.0
        return True


@pytest.mark.parametrize(("game", "players"), [("boxes", 5), ("boxes", 10), ("saucers", 3), ("saucers", 6)])
def test_every_chip_arrives(game, players, won):
    envs = SingleSeatVecEnv(game, 16, ["random", "rules"], players=players)
    model = MaskablePPO("MlpPolicy", envs, n_steps=64, batch_size=512, n_epochs=1, seed=0)
    arrived = Arrived()
    model.learn(2048, arrived)
    assert arrived.sums == won
    assert sum(map(len, won.values())) > 100
    buffer = model.rollout_buffer
    chosen = buffer.actions.reshape(-1).astype(int)
    assert buffer.action_masks.reshape(-1, 61)[np.arange(len(chosen)), chosen].all()


def test_the_pages_learner_gets_every_chip(monkeypatch, won, example, sums):
    rewards, begins = [], []
    add = MaskableRolloutBuffer.add

    def noting(buffer, obs, action, reward, episode_start, *others, **masks):
        rewards.append(reward.copy())
        begins.append(episode_start.copy())
        return add(buffer, obs, action, reward, episode_start, *others, **masks)

    monkeypatch.setattr(MaskableRolloutBuffer, "add", noting)
    example("sb3", 4096)
    arrived = sums(rewards[:-1], begins[1:])  # an episode has ended where the next step begins one
    assert len(arrived) == 64
    assert sum(map(len, arrived.values())) > 300
    for row, chips in arrived.items():
        assert chips == won[row][: len(chips)]  # then the page plays on, to see how good it is
