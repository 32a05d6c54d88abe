"""Tianshou: every chip of the learner's arrives through its collectors, masks are kept, misuse is a named error."""

import gymnasium
import numpy as np
import pytest

pytest.importorskip("tianshou")

import torch
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Batch, Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.env.venvs import GYM_RESERVED_KEYS
from tianshou.utils.net.common import Net, get_dict_state_decorator

from marriage_env import IllegalActionError, OptionError, ResetNeededError, boxes_v0, saucers_v0
from marriage_env.interop.tianshou import MaskedActor, SingleSeatVenv
from marriage_env.records import read_records

PLAYERS = {"boxes": 5, "saucers": 3}
by_game = pytest.mark.parametrize("game", PLAYERS)


def new_actor(space, name="obs"):
    """An actor that has learned nothing, for observations with a vector of that name."""
    of_the_vector, size = get_dict_state_decorator({name: space.shape}, [name])
    return MaskedActor(preprocess_net=of_the_vector(Net)(state_shape=size, hidden_sizes=[8]), action_shape=61)


def new_policy(space, name="obs"):
    return DiscreteActorPolicy(actor=new_actor(space, name), action_space=gymnasium.spaces.Discrete(61))


def new_venv(game="saucers", num_envs=4, opponents=("rules", "random"), **options):
    return SingleSeatVenv(game, num_envs, opponents, players=PLAYERS[game], **options)


class Gains:
    """A hook of a collector's that notes, as an episode ends, what the learner's balance says he has won."""

    def __init__(self, balance):
        self.balance, self.seen = balance, []

    def __call__(self, actions, rollout):
        for place in np.flatnonzero(rollout.done):
            self.seen.append(self.balance(rollout.info.env_id[place], rollout.info.seat[place]))


def collected(policy, venv, balance):
    """The returns of 48 episodes, in the order of their ends, and what the balances say."""
    gains = Gains(balance)
    collector = Collector(policy, venv, VectorReplayBuffer(4096, len(venv)), on_step_hook=gains)
    stats = collector.collect(n_episode=48, reset_before_collect=True)
    return stats.returns.tolist(), gains.seen


@by_game
def test_every_chip_arrives_from_all_tables(game):
    venv = new_venv(game)
    returns, gains = collected(
        new_policy(venv.observation_space[0]), venv, lambda row, seat: venv.env.tables.records["balances"][row, seat]
    )
    assert returns == gains
    assert len(set(returns)) > 5


@by_game
def test_every_chip_arrives_from_gymnasiums_single_seats(game):
    def new_seat():
        name = f"marriage_env/{game.title()}-v0"
        return gymnasium.make(name, players=PLAYERS[game], opponents=["random"], mask_in="observation")

    venv = DummyVectorEnv([new_seat] * 4)
    space = venv.observation_space[0]["observation"]
    returns, gains = collected(
        new_policy(space, "observation"),
        venv,
        lambda row, seat: venv.workers[row].env.unwrapped.env.balances[f"player_{seat}"],
    )
    assert returns == gains
    assert len(set(returns)) > 5


def test_the_pages_learner_gets_every_chip(monkeypatch, won, example):
    open_sums, arrived = np.zeros(64), {}
    add, reset = VectorReplayBuffer.add, SingleSeatVenv.reset

    def noting(buffer, batch, buffer_ids=None):
        for row, reward, done in zip(buffer_ids, batch.rew, batch.done, strict=True):
            open_sums[row] += reward
            if done:
                arrived.setdefault(int(row), []).append(float(open_sums[row]))
                open_sums[row] = 0.0
        return add(buffer, batch, buffer_ids)

    def beginning_anew(venv, env_id=None, **options):
        open_sums[slice(None) if env_id is None else env_id] = 0.0
        return reset(venv, env_id, **options)

    monkeypatch.setattr(VectorReplayBuffer, "add", noting)
    monkeypatch.setattr(SingleSeatVenv, "reset", beginning_anew)
    example("tianshou", 4096)
    assert sum(map(len, won.values())) > 300
    for row, chips in arrived.items():
        assert len(chips) <= len(won[row]) + 1  # the last of a table may not have begun anew yet
        assert chips[: len(won[row])] == won[row]


def test_a_q_learner_finds_the_mask_by_itself():
    venv = new_venv()
    net = Net(state_shape=venv.observation_space[0].shape, action_shape=61, hidden_sizes=[8])
    policy = DiscreteQLearningPolicy(model=net, action_space=venv.action_space[0], eps_training=0.5, eps_inference=0.5)
    collector = Collector(policy, venv, VectorReplayBuffer(4096, 4), exploration_noise=True)
    assert collector.collect(n_step=400, reset_before_collect=True).n_collected_episodes > 5


@by_game
def test_all_seats_play_as_a_pettingzoo_environment(game):
    def new_table():
        module = {"boxes": boxes_v0, "saucers": saucers_v0}[game]
        return PettingZooEnv(module.env(players=PLAYERS[game]))

    venv, table = DummyVectorEnv([new_table] * 2), new_table()
    players = [MARLRandomDiscreteMaskedOffPolicyAlgorithm(action_space=table.action_space) for _ in table.agents]
    everybody = MultiAgentOffPolicyAlgorithm(algorithms=players, env=table)
    won = []

    def note(actions, rollout):
        ended = rollout.info.env_id[rollout.done]
        won.extend(list(venv.workers[row].env.env.balances.values()) for row in ended)

    collector = Collector(everybody, venv, VectorReplayBuffer(4096, 2), on_step_hook=note)
    stats = collector.collect(n_episode=12, reset_before_collect=True)
    assert len(won) == 12
    assert sorted(stats.returns.tolist()) == sorted(won)


@pytest.mark.parametrize("kind", [np.int8, np.bool_])
def test_the_actor_gives_forbidden_actions_no_chance(kind):
    actor = new_actor(gymnasium.spaces.Box(0, 1, (10,)))
    masks = np.zeros((5, 61), kind)
    masks[np.arange(5), np.arange(5)] = masks[:, 60] = 1
    vectors = np.random.default_rng(0).random((5, 10)).astype(np.float32)
    logits, state = actor(Batch(obs=vectors, mask=masks))
    chances = torch.distributions.Categorical(logits=logits)
    assert ((chances.probs > 0).numpy() == masks.astype(bool)).all()
    assert state is None
    assert torch.isfinite(chances.entropy()).all()
    one_alone, _ = actor({"obs": vectors[2:3], "action_mask": masks[2:3]})
    torch.testing.assert_close(one_alone[0], logits[2])


def test_observations_without_a_mask_are_refused():
    actor = new_actor(gymnasium.spaces.Box(0, 1, (10,)))
    with pytest.raises(OptionError, match=r"without a mask: allowed .*action_mask"):
        actor(Batch(obs=np.zeros((5, 10), np.float32)))


def test_some_tables_are_stepped_and_reset_alone():
    venv, twin = new_venv(), new_venv()
    first, _ = venv.reset(seed=3)
    twin.reset(seed=3)
    seen, rewards, terminated, truncated, infos = venv.step(first.mask.argmax(1)[[2, 0]], id=np.array([2, 0]))
    every = twin.step(first.mask.argmax(1))
    assert np.array_equal(seen.obs, every[0].obs[[2, 0]])
    assert np.array_equal(seen.mask, every[0].mask[[2, 0]])
    assert [rewards.shape, terminated.shape, truncated.shape] == [(2,)] * 3
    assert [info["env_id"] for info in infos] == [2, 0]
    again, infos = venv.reset(1)
    assert again.obs.shape == (1, *venv.observation_space[0].shape)
    assert infos[0]["env_id"] == 1


def test_what_tianshou_asks_of_a_vector_environment():
    venv = new_venv()
    assert len(venv) == 4
    assert not venv.is_async
    assert venv.seed(5) == [5, 6, 7, 8]
    assert venv.seed() == [None] * 4
    assert venv.get_env_attr("players", [0, 1]) == [3, 3]
    assert [space.n for space in venv.action_space] == [61] * 4
    assert venv.render() == [None] * 4
    venv.set_env_attr("opponents", ["rules"])
    assert len(venv.env.opponents) == 1
    for name in GYM_RESERVED_KEYS:
        assert len(getattr(venv, name)) == 4
    with pytest.raises(AttributeError, match="colour"):
        venv.get_env_attr("colour")


@pytest.mark.parametrize(
    "use",
    [
        lambda venv: venv.reset(),
        lambda venv: venv.step([60] * 4),
        lambda venv: venv.seed(3),
        lambda venv: venv.render(),
        lambda venv: venv.action_space,
        lambda venv: venv.set_env_attr("opponents", ["rules"]),
        lambda venv: venv.close(),
    ],
)
def test_what_is_closed_is_refused_as_tianshous_own_environments_do(use):
    venv = new_venv()
    venv.close()
    with pytest.raises(AssertionError, match="Methods of SingleSeatVenv cannot be called after close"):
        use(venv)


MISUSE = {
    "twice the same table": (lambda venv: venv.step([0, 0], id=[1, 1]), r"id=\[1, 1\]: allowed is one table or more"),
    "no table": (lambda venv: venv.reset([]), r"env_id=\[\]: allowed is one table or more"),
    "no such table": (lambda venv: venv.reset([1, 4]), r"env_id\[1\]=4: allowed"),
    "no table at all": (lambda venv: venv.step([0], id="first"), "id of type .*: allowed are whole numbers"),
    "tables in rows": (lambda venv: venv.step([0], id=[[0, 1], [2]]), "id=.*: allowed are numbers in rows"),
    "no actions": (lambda venv: venv.step(None), "actions of type object.*: allowed are whole numbers"),
    "an attribute of one table": (
        lambda venv: venv.set_env_attr("opponents", ["rules"], id=0),
        "id=0: allowed is None",
    ),
    "an option of the other faces": (lambda venv: new_venv(autoreset_mode="SameStep"), "allowed are"),
    "an unknown option": (lambda venv: new_venv(table=3), "table is not a rule option: allowed are"),
}


@pytest.mark.parametrize(("misuse", "message"), MISUSE.values(), ids=MISUSE)
def test_misuse_is_refused_and_changes_nothing(misuse, message):
    venv = new_venv()
    first, _ = venv.reset(seed=3)
    with pytest.raises(OptionError, match=message):
        misuse(venv)
    assert (venv.step(first.mask.argmax(1))[0].obs != first.obs).any()


def test_an_illegal_action_and_a_step_too_many_are_refused():
    venv = new_venv()
    with pytest.raises(ResetNeededError):
        venv.step([0] * 4)
    first, _ = venv.reset(seed=3)
    with pytest.raises(IllegalActionError, match="allowed"):
        venv.step(first.mask.argmin(1))


def test_matches_are_recorded(tmp_path):
    venv = new_venv(record=tmp_path / "matches.jsonl")
    observations, _ = venv.reset(seed=1)
    ended = 0
    while ended < 3:
        observations, _, terminated, *_ = venv.step(observations["mask"].argmax(1))
        ended += int(terminated.sum())
        if terminated.any():
            new, _ = venv.reset(np.flatnonzero(terminated))
            observations["mask"][terminated] = new["mask"]
    venv.close()
    assert sum(record.over for record in read_records(tmp_path / "matches.jsonl")) >= ended
