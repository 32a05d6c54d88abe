"""Stable-Baselines3: every chip the learner wins arrives in MaskablePPO's rollouts, and masks are kept there."""

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
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
