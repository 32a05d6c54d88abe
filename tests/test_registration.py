"""The games in Gymnasium's and PettingZoo's registries."""

import gymnasium
import pettingzoo
import pytest

import marriage_env  # noqa: F401  (registers)


@pytest.mark.parametrize(("name", "players"), [("Boxes", 7), ("Saucers", 4)])
def test_gymnasium_makes_a_seat(name, players):
    env = gymnasium.make(f"marriage_env/{name}-v0", players=players, opponents=["random", "rules"], seat=1)
    _, info = env.reset(seed=3)
    assert info["seat"] == 1
    assert len(env.unwrapped.env.possible_agents) == players
    total, terminated = 0.0, False
    while not terminated:
        _, reward, terminated, _, info = env.step(env.action_space.sample(info["action_mask"]))
        total += reward
    assert total == env.unwrapped.env.balances["player_1"]


@pytest.mark.parametrize(("name", "players"), [("boxes", 7), ("saucers", 4)])
def test_pettingzoo_makes_both_kinds(name, players):
    if not hasattr(pettingzoo, "make"):
        pytest.skip("PettingZoo has a registry from 1.27 on")
    env = pettingzoo.make("aec", f"marriage_env/{name}_v0", players=players)
    env.reset(seed=1)
    assert len(env.agents) == players
    parallel = pettingzoo.make("parallel", f"marriage_env/{name}_v0", players=players)
    observations, _ = parallel.reset(seed=1)
    assert len(observations) == players
