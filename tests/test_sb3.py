"""One seat at many tables for Stable-Baselines3: its wrappers, learners and evaluation run, and get every chip."""

import copy
import pickle
import warnings

import numpy as np
import pytest

pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import A2C, PPO
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    VecCheckNan,
    VecEnv,
    VecExtractDictObs,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
    VecTransposeImage,
)

from marriage_env import AgentError, IllegalActionError, OptionError, ResetNeededError
from marriage_env.sb3 import SingleSeatVecEnv
from marriage_env.single_seat_vector import SingleSeatVectorEnv
from tests.test_single_seat_vector import Last, by_habit

GAMES = {"boxes": {"players": 6}, "saucers": {"players": 5}}
by_game = pytest.mark.parametrize("game", GAMES)


def new_env(game="boxes", num_envs=4, opponents=("rules",), **options):
    return SingleSeatVecEnv(game, num_envs, opponents, **{**GAMES[game], **options})


def learner(env, **arguments):
    """A small learner whose rollouts are short."""
    small = {"n_steps": 16, "batch_size": 16, "n_epochs": 1, "policy_kwargs": {"net_arch": [8]}, "device": "cpu"}
    return MaskablePPO("MlpPolicy", env, seed=1, **{**small, **arguments})


def lived(env, count, seed=3):
    """What so many steps by habit return after a reset under a seed."""
    env.seed(seed)
    seen = [env.reset().tobytes()]
    for _ in range(count):
        observations, rewards, dones, _ = env.step(by_habit(get_action_masks(env)))
        seen.append((observations.tobytes(), rewards.tolist(), dones.tolist()))
    return seen


def chips(game, episodes, num_envs=4, **options):
    """The learner's chips of each of the first episodes, table by table: by another road, the balances."""
    env = SingleSeatVectorEnv(game, num_envs, autoreset_mode="Disabled", **{**GAMES[game], **options})
    _, infos = env.reset(seed=3)
    met = [[] for _ in range(num_envs)]
    while min(map(len, met)) < episodes:
        *_, ended, _, infos = env.step(by_habit(infos["action_mask"]))
        for k in np.flatnonzero(ended):
            met[k].append(env.tables.buffers.returns[k, infos["seat"][k]])
        if ended.any():
            _, infos = env.reset(options={"reset_mask": ended})
    return [of_table[:episodes] for of_table in met]


# As SB3 asks


@by_game
def test_it_is_the_vector_environment_with_sb3s_types(game):
    ours, theirs = new_env(game), SingleSeatVectorEnv(game, 4, autoreset_mode="SameStep", **GAMES[game])
    assert isinstance(ours, VecEnv)
    assert (ours.num_envs, ours.render_mode) == (4, None)
    assert ours.observation_space == theirs.single_observation_space
    assert ours.action_space == theirs.single_action_space
    ours.seed(3)
    observations, (seen, infos) = ours.reset(), theirs.reset(seed=3)
    assert [info["seat"] for info in ours.reset_infos] == infos["seat"].tolist()
    ends = 0
    for _ in range(60):
        assert np.array_equal(observations, seen)
        assert observations.shape == (4, *ours.observation_space.shape) and observations[0] in ours.observation_space
        assert np.array_equal(ours.action_masks(), infos["action_mask"] == 1)
        actions = by_habit(ours.action_masks())
        observations, rewards, dones, of_each = ours.step(actions)
        seen, gains, ended, _, infos = theirs.step(actions)
        assert rewards.dtype == np.float32 and rewards.tolist() == gains.tolist()
        assert dones.dtype == np.bool_ and dones.tolist() == ended.tolist()
        assert isinstance(of_each, list) and len({id(info) for info in of_each}) == 4
        for k, info in enumerate(of_each):
            assert ("terminal_observation" in info) == ended[k]
            if ended[k]:
                assert np.array_equal(info["terminal_observation"], infos["final_obs"][k])
                assert info["TimeLimit.truncated"] is False
        ends += ended.sum()
    assert ends > 8


def test_a_seed_then_a_reset_repeats_play():
    env = new_env(opponents=["random", Last()], draw_opponents=True)
    first = lived(env, 30)
    assert lived(env, 30) == first == lived(new_env(opponents=["random", Last()], draw_opponents=True), 30)
    assert lived(env, 30, seed=4) != first
    assert env.seed(7) == [7, 8, 9, 10]
    env.reset()
    first = env.reset()  # the seeds hold for one reset
    env.seed(7)
    assert not np.array_equal(env.reset(), first)


def test_a_seed_of_none_is_drawn():
    env = new_env()
    seeds = env.seed(None)
    assert len(set(seeds)) == 4
    first = env.reset()
    env.seed(int(seeds[0]))
    assert np.array_equal(env.reset(), first)


def test_attributes_and_methods_are_answered_for_each_table_meant():
    env = new_env()
    env.seed(1)
    env.reset()
    assert env.get_attr("render_mode") == [None] * 4
    assert env.get_attr("players") == [6] * 4
    assert env.get_attr("players", indices=2) == [6]
    assert env.get_attr("players", indices=[0, 3]) == [6, 6]
    assert env.has_attr("render_mode") and env.has_attr("action_masks")
    assert not env.has_attr("no such attribute")
    with pytest.raises(AttributeError, match="no_such"):
        env.get_attr("no_such")
    assert env.env_is_wrapped(Monitor) == [False] * 4
    assert env.env_is_wrapped(Monitor, indices=[1]) == [False]
    masks = env.action_masks()
    assert masks.shape == (4, 61) and masks.dtype == np.bool_
    assert np.array_equal(np.stack(env.env_method("action_masks")), masks)
    assert np.array_equal(env.env_method("action_masks", indices=[3, 1]), masks[[3, 1]])
    assert np.array_equal(env.env_method("action_masks", indices=2), masks[[2]])
    for method in ("reset", "render", "no_such"):
        with pytest.raises(AttributeError, match=f"{method}.*allowed"):
            env.env_method(method)
    assert is_masking_supported(env)
    assert np.array_equal(get_action_masks(env), masks)
    assert env.unwrapped is env
    env.close()


def test_attributes_are_set_for_all_tables():
    env = new_env()
    env.set_attr("opponents", [Last()])
    assert isinstance(env.get_attr("opponents")[0][0], Last)
    assert lived(env, 10) == lived(new_env(opponents=[Last()]), 10)
    with pytest.raises(OptionError, match=r"indices.*allowed"):
        env.set_attr("opponents", ["rules"], indices=[0])
    with pytest.raises(AgentError, match="agent"):
        env.set_attr("opponents", [3])
    assert lived(env, 10) == lived(new_env(opponents=[Last()]), 10)


def test_masks_are_the_callers_to_keep():
    env = new_env()
    env.seed(1)
    env.reset()
    masks, observations = env.action_masks(), env.reset()
    was = observations.copy()
    masks[:] = True
    env.step(by_habit(env.action_masks()))
    assert not env.action_masks().all(1).any()
    assert np.array_equal(observations, was)


# SB3's wrappers


@by_game
def test_monitored_episodes_are_the_learners_chips(game):
    env = VecMonitor(new_env(game))
    env.seed(3)
    env.reset()
    met = [[] for _ in range(4)]
    while min(map(len, met)) < 5:
        *_, dones, infos = env.step(by_habit(get_action_masks(env)))
        for k in np.flatnonzero(dones):
            met[k].append(infos[k]["episode"]["r"])
            assert infos[k]["episode"]["l"] >= 1
    assert [of_table[:5] for of_table in met] == chips(game, 5)


@by_game
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_normalized_frames_of_what_is_no_nan(game, dtype):
    inner = new_env(game, dtype=dtype)
    env = VecNormalize(VecFrameStack(VecCheckNan(VecMonitor(inner), raise_exception=True), 3))
    assert is_masking_supported(env)
    env.seed(3)
    observations = env.reset()
    met = []
    for _ in range(60):
        assert observations.shape == (4, 3 * inner.observation_space.shape[0])
        assert np.isfinite(observations).all()
        observations, rewards, dones, infos = env.step(by_habit(get_action_masks(env)))
        assert np.isfinite(rewards).all()
        for k in np.flatnonzero(dones):
            assert infos[k]["terminal_observation"].shape == observations[k].shape
            met.append(infos[k]["episode"]["r"])
    assert set(met) <= {gain for of_table in chips(game, 40) for gain in of_table}


def test_the_original_rewards_behind_normalized_ones_are_chips():
    env, twin = VecNormalize(new_env()), new_env()
    env.seed(3), twin.seed(3)
    env.reset(), twin.reset()
    for _ in range(20):
        actions = by_habit(get_action_masks(twin))
        env.step(actions)
        assert env.get_original_reward().tolist() == twin.step(actions)[1].tolist()


@pytest.mark.parametrize("wrap", [VecTransposeImage, lambda env: VecExtractDictObs(env, "observation")])
def test_wrappers_for_other_observations_refuse(wrap):
    with pytest.raises(AssertionError):
        wrap(new_env())


# SB3's learners


@by_game
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_maskable_ppo_learns_and_never_chooses_what_is_illegal(game, dtype):
    env = VecMonitor(new_env(game, opponents=["rules", Last()], dtype=dtype))
    model = learner(env)
    model.learn(2 * 16 * 4)
    assert model.num_timesteps == 128
    assert all(info["r"] == round(info["r"]) for info in model.ep_info_buffer) and model.ep_info_buffer
    env.seed(5)
    observations = env.reset()
    for step in range(60):
        masks = get_action_masks(env)
        actions, _ = model.predict(observations, action_masks=masks, deterministic=step % 2 == 0)
        assert masks[np.arange(4), actions].all()
        observations, *_ = env.step(actions)


def test_what_is_collected_is_what_was_seen():
    """A rollout's observations are those that the actions were chosen on, its masks those that allowed them."""
    env = new_env()
    model = learner(env)
    model.learn(16 * 4)
    buffer = model.rollout_buffer
    twin = new_env()
    twin.seed(1)  # the learner's own seed
    observations = twin.reset()
    for step in range(16):
        at = np.arange(4) * 16 + step  # flattened, table by table
        assert np.array_equal(buffer.observations[at], observations)
        assert np.array_equal(buffer.action_masks[at].reshape(4, 61) == 1, twin.action_masks())
        observations, *_ = twin.step(buffer.actions[at].astype(int).reshape(4))


def test_learning_is_repeated_by_a_seed():
    def weights():
        model = learner(VecMonitor(new_env(opponents=["random", "rules"], draw_opponents=True)))
        model.learn(128)
        return model.policy.state_dict()["action_net.weight"].numpy().tobytes()

    assert weights() == weights()


@by_game
def test_maskable_evaluation_runs(game):
    env = VecMonitor(new_env(game))
    model = learner(env)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gains, lengths = evaluate_policy(model, env, 10, return_episode_rewards=True)
    assert len(gains) == len(lengths) == 10
    assert all(gain == round(gain) for gain in gains)
    with pytest.warns(UserWarning, match="Monitor"):
        evaluate_policy(model, new_env(game), 4)


def test_evaluation_while_learning(tmp_path):
    evaluated = VecMonitor(new_env(num_envs=2))
    callback = MaskableEvalCallback(evaluated, eval_freq=16, n_eval_episodes=3, verbose=0, log_path=str(tmp_path))
    model = learner(VecMonitor(new_env()))
    model.learn(128, callback=callback)
    assert len(callback.evaluations_results) == 2
    model.save(tmp_path / "model.zip")
    again = MaskablePPO.load(tmp_path / "model.zip", env=VecMonitor(new_env()), device="cpu")
    again.learn(64)


@pytest.mark.parametrize("algorithm", [PPO, A2C])
def test_learners_without_masks_meet_a_clear_error(algorithm):
    env = new_env()
    model = algorithm("MlpPolicy", env, n_steps=64, policy_kwargs={"net_arch": [8]}, seed=1, device="cpu")
    with pytest.raises(IllegalActionError, match=r"action \d+ \(.+\) of player_\d at table \d .*allowed are \d+ \("):
        model.learn(1000)


# Misuse


def test_misuse_is_a_named_error_and_changes_nothing():
    env, twin = new_env(), new_env()
    with pytest.raises(ResetNeededError, match="reset"):
        env.step(np.zeros(4, int))
    with pytest.raises(ResetNeededError, match="step_async"):
        env.step_wait()
    env.seed(1), twin.seed(1)
    env.reset(), twin.reset()
    with pytest.raises(ResetNeededError, match="step_async"):
        env.step_wait()
    for actions in (None, [0], np.zeros((4, 1), int), np.zeros(4), "pass", [[1], [1, 2], [3], [4]]):
        with pytest.raises((OptionError, ResetNeededError), match="actions"):
            env.step(actions)
    with pytest.raises(IllegalActionError, match="at table 0"):
        env.step(np.full(4, 61))
    for _ in range(10):
        actions = by_habit(twin.action_masks())
        assert np.array_equal(env.step(actions)[0], twin.step(actions)[0])


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5])
def test_a_seed_that_cannot_be_is_refused_and_another_one_helps(seed):
    env = new_env()
    env.seed(seed)
    with pytest.raises(OptionError, match="seed"):
        env.reset()
    assert lived(env, 3) == lived(new_env(), 3)


@pytest.mark.parametrize("options", [{"dealer": 1}, [{"dealer": 1}, {}, {}, {}]])
def test_there_are_no_reset_options(options):
    env = new_env()
    env.set_options(options)
    with pytest.raises(OptionError, match="options"):
        env.reset()
    env.set_options()
    assert lived(env, 3) == lived(new_env(), 3)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("copy", False),  # SB3 keeps the last observations over a step: a rollout would hold others
        ("autoreset_mode", "NextStep"),
        ("observe", False),
        ("nonsense", 1),
        ("num_envs", 0),
        ("seat", 6),
    ],
)
def test_arguments_that_cannot_be_are_refused_by_name(name, value):
    with pytest.raises(OptionError, match=rf"{name}.*allowed"):
        SingleSeatVecEnv("boxes", **{**GAMES["boxes"], name: value})


def test_after_an_opponent_has_failed_a_reset_is_due():
    class Fails(Last):
        left = 5

        def choose(self, vectors, masks):
            self.left -= 1
            if self.left == 0:
                raise RuntimeError("out of ideas")
            return super().choose(vectors, masks)

    env = new_env(opponents=[Fails()])
    with pytest.raises(RuntimeError, match="ideas"):
        lived(env, 20)
    with pytest.raises(ResetNeededError, match="reset"):
        env.step(by_habit(env.action_masks()))
    assert lived(env, 20) == lived(new_env(opponents=[Last()]), 20)


@pytest.mark.parametrize("way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"])
def test_copies_go_on_exactly_alike(way):
    env = new_env(opponents=["random", Last()])
    lived(env, 5)
    twin = way(env)
    for _ in range(30):
        actions = by_habit(env.action_masks())
        ours, theirs = env.step(actions), twin.step(actions)
        assert all(np.array_equal(mine, other) for mine, other in zip(ours[:3], theirs[:3], strict=True))
