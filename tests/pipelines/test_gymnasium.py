"""Gymnasium: every chip the learner wins arrives through its vector environments and wrappers, in each mode."""

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from packaging.version import Version

import marriage_env

GAMES = [("Boxes", 5), ("Boxes", 10), ("Saucers", 3), ("Saucers", 6)]


@pytest.mark.parametrize("mode", AutoresetMode, ids=lambda mode: mode.value)
@pytest.mark.parametrize(("game", "players"), GAMES)
def test_recorded_returns_are_the_chips_won(game, players, mode, won):
    if mode is AutoresetMode.SAME_STEP and Version(gymnasium.__version__) < Version("1.3"):
        pytest.skip("Gymnasium 1.2's own wrapper miscounts there")
    made = gymnasium.make_vec(f"marriage_env/{game}-v0", num_envs=16, players=players, autoreset_mode=mode)
    envs, agent, recorded = RecordEpisodeStatistics(made), marriage_env.make_agent("random", seed=1), {}
    observations, infos = envs.reset(seed=0)
    for _ in range(120):
        observations, _, ended, _, infos = envs.step(agent.act(observations, infos["action_mask"]))
        for row in np.flatnonzero(infos.get("_episode", np.zeros(16))).tolist():
            recorded.setdefault(row, []).append(float(infos["episode"]["r"][row]))
        if mode is AutoresetMode.DISABLED and ended.any():
            observations, infos = envs.reset(options={"reset_mask": ended})
    assert sum(map(len, won.values())) > 100
    for row, chips in won.items():
        assert recorded[row][: len(chips)] == chips  # the last of a table may not have begun anew yet


@pytest.mark.parametrize(("game", "players"), GAMES)
def test_recorded_returns_of_one_table_are_the_chips_won(game, players):
    env = gymnasium.make(f"marriage_env/{game}-v0", players=players, opponents=["random"], mask_in="observation")
    env, random = gymnasium.wrappers.RecordEpisodeStatistics(env), np.random.default_rng(0)
    for episode in range(40):
        seen, info = env.reset(seed=episode)
        over = False
        while not over:
            seen, _, over, _, info = env.step(random.choice(np.flatnonzero(seen["action_mask"])))
        assert info["episode"]["r"] == env.unwrapped.env.balances[f"player_{info['seat']}"]
