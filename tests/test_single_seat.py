"""One seat as a Gymnasium environment: every chip arrives, seats and dealer rotate."""

import copy

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from marriage_env import (
    AgentError,
    BatchAgent,
    OptionError,
    ResetNeededError,
    SingleSeatEnv,
    boxes_v0,
    make_agent,
    saucers_v0,
)


def new_env(module, players, **arguments):
    return SingleSeatEnv(module.env(players=players), [make_agent("rules"), make_agent("random", seed=1)], **arguments)


def play_episode(env, random, **reset):
    """The sum of an episode's rewards, its steps, and the last info."""
    _, info = env.reset(**reset)
    total, steps, terminated = 0.0, 0, False
    while not terminated:
        assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
        legal = np.flatnonzero(info["action_mask"])
        _, reward, terminated, truncated, info = env.step(random.choice(legal))
        assert not truncated
        total += reward
        steps += 1
    return total, steps, info


@pytest.mark.parametrize(
    ("module", "players"),
    [(boxes_v0, 5), (boxes_v0, 10), (saucers_v0, 3), (saucers_v0, 6)],
    ids=lambda value: str(value),
)
def test_every_chip_between_the_learners_turns_reaches_him(module, players):
    env, random = new_env(module, players), np.random.default_rng(1)
    for episode in range(300):
        total, _, info = play_episode(env, random, seed=1 if episode == 0 else None)
        assert total == env.env.balances[f"player_{info['seat']}"]


def test_a_match_that_ends_before_the_learners_turn_still_brings_his_losses():
    env, random = new_env(saucers_v0, 6), np.random.default_rng(1)
    never_acted = 0
    env.reset(seed=1)
    for _ in range(3000):
        observation, info = env.reset()
        if env.env.terminations[f"player_{info['seat']}"]:
            never_acted += 1
            assert info["action_mask"].all()
            _, reward, terminated, _, _ = env.step(random.integers(61))
            assert terminated
            assert reward == env.env.balances[f"player_{info['seat']}"] < 0
            assert observation in env.observation_space
    assert never_acted


def test_seats_and_dealer_rotate():
    env, random = new_env(boxes_v0, 5), np.random.default_rng(1)
    met = []
    for episode in range(25):
        _, _, info = play_episode(env, random, seed=0 if episode == 0 else None)
        met.append((info["seat"], env.env.dealer))
    assert [seat for seat, _ in met] == [0, 1, 2, 3, 4] * 5
    assert len(set(met)) == 25


def test_a_seed_for_each_episode_rotates_as_well():
    env, random = new_env(boxes_v0, 5), np.random.default_rng(1)
    met = {(play_episode(env, random, seed=seed)[2]["seat"], env.env.dealer) for seed in range(100, 125)}
    assert len(met) == 25


def test_a_refused_reset_changes_nothing():
    env, random = new_env(boxes_v0, 5), np.random.default_rng(1)
    play_episode(env, random, seed=3)
    twin = copy.deepcopy(env)
    with pytest.raises(OptionError, match="dealer"):
        env.reset(options={"dealer": 99})
    assert play_episode(env, random)[2]["seat"] == play_episode(twin, random)[2]["seat"] == 4


def test_a_match_is_over_when_an_opponent_fails():
    class Fails(BatchAgent):
        def choose(self, vectors, masks):
            if env.env.table["plays"]:
                raise RuntimeError("out of ideas")
            return masks.argmax(1)

    env = SingleSeatEnv(boxes_v0.env(), Fails(), seat=0)
    _, info = env.reset(seed=3, options={"dealer": 4})
    with pytest.raises(RuntimeError, match="ideas"):
        for _ in range(5):
            *_, info = env.step(info["action_mask"].argmax())
    with pytest.raises(ResetNeededError):
        env.step(info["action_mask"].argmax())


@pytest.mark.parametrize("opponents", [None, 3, {"rules"}, [3], ["nobody"], "nobody"])
def test_opponents_are_agents_or_their_names(opponents):
    with pytest.raises(AgentError, match="agent"):
        SingleSeatEnv(boxes_v0.env(), opponents)
    assert play_episode(SingleSeatEnv(boxes_v0.env(), "rules"), np.random.default_rng(1))[1]
    assert play_episode(SingleSeatEnv(boxes_v0.env(), ["rules", make_agent("random")]), np.random.default_rng(1))[1]


def test_a_fixed_seat_stays():
    env, random = new_env(saucers_v0, 4, seat=2), np.random.default_rng(1)
    assert {play_episode(env, random)[2]["seat"] for _ in range(6)} == {2}


def test_opponents_sit_to_the_learners_left_in_order():
    met = []

    class Witness(BatchAgent):
        def __init__(self, name):
            self.name = name

        def choose(self, vectors, masks):
            met.append((self.name, env.env.agent_selection))
            return masks.argmax(1)

    env = SingleSeatEnv(saucers_v0.env(players=4), [Witness("a"), Witness("b")], seat=1)
    play_episode(env, np.random.default_rng(1), seed=1)
    assert set(met) <= {("a", "player_2"), ("b", "player_3"), ("a", "player_0")}
    assert len(set(met)) == 3


@pytest.mark.parametrize("module", [boxes_v0, saucers_v0])
def test_gymnasiums_checker_is_content(module, recwarn):
    check_env(new_env(module, 5 if module is boxes_v0 else 3), skip_render_check=True)
    assert [str(warning.message) for warning in recwarn] == []


@pytest.mark.parametrize("module", [boxes_v0, saucers_v0], ids=str)
def test_gymnasiums_checker_is_content_with_the_mask_in_the_observation(module):
    check_env(new_env(module, module.raw_env.game.min_players, mask_in="observation"), skip_render_check=True)


@pytest.mark.parametrize(("module", "players"), [(boxes_v0, 5), (saucers_v0, 6)], ids=str)
def test_the_mask_in_the_observation_is_the_mask(module, players):
    env, twin = (new_env(module, players, mask_in=place) for place in ("observation", "info"))
    random, over = np.random.default_rng(1), True
    for step in range(600):
        if over:
            reset = {"seed": 1} if step == 0 else {}
            (seen, info), (vector, their_info) = env.reset(**reset), twin.reset(**reset)
        assert seen in env.observation_space
        assert np.array_equal(seen["observation"], vector)
        assert (seen["action_mask"] == info["action_mask"]).all() and (info["action_mask"] == env.action_masks()).all()
        assert np.array_equal(info["action_mask"], their_info["action_mask"])
        action = random.choice(np.flatnonzero(seen["action_mask"]))
        seen["action_mask"][:] = info["action_mask"][:] = 9  # they are the caller's
        assert np.array_equal(env.action_masks(), twin.action_masks())
        (seen, reward, over, _, info), (vector, their_reward, *_, their_info) = env.step(action), twin.step(action)
        assert reward == their_reward
        if over:
            assert seen in env.observation_space and not seen["action_mask"].any()


def test_the_same_seed_makes_the_same_episode():
    def transcript():
        env, random = new_env(boxes_v0, 6), np.random.default_rng(1)
        return [play_episode(env, random, seed=9 if episode == 0 else None)[:2] for episode in range(5)]

    assert transcript() == transcript()


def test_it_serves_any_aec_game():
    tictactoe = pytest.importorskip("pettingzoo.classic.tictactoe.tictactoe")  # it wants pygame
    env, random = SingleSeatEnv(tictactoe.env(), make_agent("random", seed=1)), np.random.default_rng(1)
    totals = [play_episode(env, random, seed=1 if episode == 0 else None)[0] for episode in range(200)]
    assert set(totals) == {-1.0, 0.0, 1.0}


def test_misuse_is_a_named_error():
    env = new_env(boxes_v0, 5)
    with pytest.raises(ResetNeededError, match="reset"):
        env.step(0)
    play_episode(env, np.random.default_rng(1))
    with pytest.raises(ResetNeededError, match="reset"):
        env.step(0)
    with pytest.raises(OptionError, match="seat"):
        new_env(boxes_v0, 5, seat=5)
    with pytest.raises(OptionError, match="opponents"):
        SingleSeatEnv(boxes_v0.env(), [])
