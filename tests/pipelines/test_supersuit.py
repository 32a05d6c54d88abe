"""SuperSuit: its wrappers take our tables with the mask in the info, alone and as vectors, and every chip arrives."""

import numpy as np
import pytest

pytest.importorskip("supersuit")

import supersuit

from marriage_env import boxes_v0, saucers_v0

TABLES = {"boxes": (boxes_v0, 5), "saucers": (saucers_v0, 3)}
WRAPPERS = {
    "agent_indicator": lambda env: supersuit.agent_indicator_v0(env, type_only=False),
    "dtype": lambda env: supersuit.dtype_v0(env, np.float64),
    "flatten": supersuit.flatten_v0,
    "frame_stack": lambda env: supersuit.frame_stack_v1(env, 4),
    "normalize_obs": supersuit.normalize_obs_v0,
    "pad_observations": supersuit.pad_observations_v0,
}
by_game = pytest.mark.parametrize("game", TABLES)
by_wrapper = pytest.mark.parametrize("wrapper", WRAPPERS.values(), ids=WRAPPERS)


def play(env, seed):
    """A match of random legal actions: the sum of each agent's rewards."""
    random = np.random.default_rng(seed)
    env.reset(seed=seed)
    won = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        assert observation in env.observation_space(agent)
        won[agent] += reward
        env.step(None if termination or truncation else random.choice(np.flatnonzero(info["action_mask"])))
    return won


@by_game
@by_wrapper
def test_the_rewards_of_wrapped_tables_are_the_balances(wrapper, game):
    module, players = TABLES[game]
    env = wrapper(module.env(players=players, mask_in="info"))
    for seed in range(4):
        assert play(env, seed) == env.unwrapped.balances


@by_wrapper
def test_dicts_are_refused_as_the_page_says(wrapper):
    with pytest.raises((AssertionError, AttributeError)):
        wrapper(saucers_v0.env(mask_in="observation"))


def noting_ends(table):
    """The balances, player by player, of each match that ends at a table: a list that fills in play."""
    step, balances = table.step, []

    def noting(actions):
        stepped = step(actions)
        if all(stepped[2].values()):
            balances.append(list(table.unwrapped.balances.values()))
        return stepped

    table.step = noting
    return balances


@by_game
def test_the_rewards_of_a_vector_of_seats_are_the_balances(game):
    module, players = TABLES[game]
    table = supersuit.pettingzoo_env_to_vec_env_v1(module.parallel_env(players=players, mask_in="info"))
    seats = supersuit.concat_vec_envs_v1(table, 3, num_cpus=1, base_class="gymnasium")
    balances = [noting_ends(one.par_env) for one in seats.vec_envs]
    random, running = np.random.default_rng(0), np.zeros(3 * players)
    arrived = [[] for _ in balances]
    _, infos = seats.reset(seed=0)
    while min(map(len, arrived)) < 8:
        masks = np.stack([info["action_mask"] for info in infos])
        assert (masks.reshape(3, players, 61).any(2).sum(1) == 1).all()
        actions = np.where(masks, random.random(masks.shape), -1.0).argmax(1)
        observations, rewards, terminated, truncated, infos = seats.step(actions)
        assert observations.shape == (3 * players, *seats.observation_space.shape)
        assert not truncated.any()
        running += rewards
        for number in np.flatnonzero(terminated.reshape(3, players).all(1)):
            own = slice(number * players, (number + 1) * players)
            arrived[number].append(running[own].tolist())
            running[own] = 0.0
    assert arrived == balances
