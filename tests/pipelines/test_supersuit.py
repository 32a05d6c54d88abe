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


def test_clipped_rewards_are_not_the_balances_as_the_page_says():
    env = supersuit.clip_reward_v0(saucers_v0.env(players=3, mask_in="info"), -1, 1)
    assert play(env, 0) != env.unwrapped.balances


def test_a_sticky_action_ends_the_match_as_an_illegal_one_does(caplog):
    env = supersuit.sticky_actions_v0(saucers_v0.env(players=3, mask_in="info"), 0.99)
    env.reset(seed=0)
    first = np.flatnonzero(env.last()[4]["action_mask"])[-1]
    env.step(first)
    for _ in env.agent_iter():
        _, _, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else np.flatnonzero(info["action_mask"])[-1])
    assert "Illegal move made, game terminating" in caplog.text


def new_seats(num_cpus, base_class):
    """Two tables as a vector of six seats."""
    table = supersuit.pettingzoo_env_to_vec_env_v1(saucers_v0.parallel_env(players=3, mask_in="info"))
    return supersuit.concat_vec_envs_v1(table, 2, num_cpus=num_cpus, base_class=base_class)


def test_more_processes_give_the_infos_of_a_reset_in_another_form():
    seats = new_seats(2, "gymnasium")
    _, infos = seats.reset(seed=0)
    assert [[number for number, info in of_process if "action_mask" in info] for of_process in infos] == [[0, 1, 2]] * 2
    *_, infos = seats.step(np.full(6, 60))
    assert len(infos) == 6 and all("action_mask" in info for info in infos)


def test_masks_are_where_maskable_ppo_does_not_look():
    pytest.importorskip("stable_baselines3")
    seats = new_seats(1, "stable_baselines3")
    assert seats.reset().shape[0] == 6
    assert sum(info["action_mask"].any() for info in seats.reset_infos) == 2
    with pytest.raises(AttributeError):
        seats.env_method("action_masks")


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
