"""TorchRL: every chip arrives through its collector and its PettingZoo wrapper, and masks are kept."""

from itertools import chain

import gymnasium
import pytest

pytest.importorskip("torchrl")

import torch
from tensordict.nn import TensorDictModule
from torchrl.collectors import Collector
from torchrl.envs import (
    ActionMask,
    Compose,
    DTypeCastTransform,
    GymWrapper,
    MarlGroupMapType,
    PettingZooWrapper,
    RewardSum,
    TransformedEnv,
)
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor

import marriage_env  # noqa: F401  (registers the environments)
from marriage_env import IllegalActionError, boxes_v0, saucers_v0
from marriage_env.agents import RandomAgent

pytestmark = pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested:UserWarning")

PLAYERS = {"Boxes": 5, "Saucers": 3}
by_game = pytest.mark.parametrize("game", PLAYERS)


def new_tables(game, **options):
    made = {"players": PLAYERS[game], "opponents": ["random"], "mask_in": "observation", "autoreset_mode": "Disabled"}
    return gymnasium.make_vec(f"marriage_env/{game}-v0", num_envs=4, **{**made, **options})


def new_env(tables, *transforms):
    bools = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
    return TransformedEnv(GymWrapper(tables, categorical_action_encoding=True), Compose(bools, *transforms))


def new_actor():
    """An actor that has learned nothing."""
    logits = TensorDictModule(MLP(out_features=61, num_cells=[8]), in_keys=["observation"], out_keys=["logits"])
    return ProbabilisticActor(
        logits, in_keys={"logits": "logits", "mask": "action_mask"}, distribution_class=MaskedCategorical
    )


def test_the_pages_learner_gets_every_chip(monkeypatch, won, example, sums):
    batches = []
    iterate = Collector.iterator

    def noting(collector):
        for batch in iterate(collector):
            batches.append(batch["next"].select("reward", "done").clone())
            yield batch

    monkeypatch.setattr(Collector, "iterator", noting)
    example("torchrl", 4096)
    rewards, dones = (torch.cat([batch[name] for batch in batches], 1)[..., 0].T.numpy() for name in ("reward", "done"))
    arrived = sums(rewards, dones)
    assert sum(map(len, arrived.values())) > 300
    for row, chips in arrived.items():
        assert len(chips) <= len(won[row]) + 1  # the last of a table may not have begun anew yet
        assert chips[: len(won[row])] == won[row]


@by_game
def test_every_chip_arrives_through_the_collector(game, won):
    env, actor = new_env(new_tables(game), RewardSum()), new_actor()
    actor(env.reset())
    arrived = {}
    for batch in Collector(env, actor, frames_per_batch=80, total_frames=640, auto_register_policy_transforms=False):
        for row, step in batch["next", "done"][..., 0].nonzero().tolist():
            arrived.setdefault(row, []).append(batch["next", "episode_reward"][row, step].item())
        assert batch["action_mask"].gather(-1, batch["action"][..., None]).all()
    assert arrived == won
    assert len(set(chain(*arrived.values()))) > 5


@by_game
def test_the_rewards_of_a_rollout_of_all_seats_are_the_balances(game):
    table = {"Boxes": boxes_v0, "Saucers": saucers_v0}[game].env(players=PLAYERS[game])
    env = PettingZooWrapper(table, use_mask=True, categorical_actions=True, group_map=MarlGroupMapType.ALL_IN_ONE_GROUP)
    (group,) = env.group_map
    for _ in range(12):
        rollout = env.rollout(1000)
        assert rollout["next", group, "reward"].sum((0, -1)).tolist() == list(table.balances.values())
        assert (rollout[group, "mask"].sum(-1) == 1).all()
        assert rollout["next", group, "done"][-1].all()
        assert rollout["next", "done"].sum() == 1


def test_a_random_policy_needs_the_action_mask():
    with pytest.raises(IllegalActionError, match="allowed"):
        new_env(new_tables("Saucers")).rollout(100, break_when_any_done=False)
    env = new_env(new_tables("Saucers"), ActionMask())
    assert env.rollout(100, break_when_any_done=False)["next", "done"].sum() > 10
    frames = {"frames_per_batch": 400, "total_frames": 400, "auto_register_policy_transforms": False}
    assert next(iter(Collector(env, env.rand_action, **frames)))["next", "done"].sum() > 10
    with pytest.raises(IllegalActionError, match="allowed"):
        next(iter(Collector(env, None, **frames)))


@pytest.mark.parametrize(("mode", "error"), [("NextStep", RuntimeError), ("SameStep", IllegalActionError)])
def test_the_autoreset_modes_that_the_page_warns_of(mode, error):
    with pytest.raises(error):
        new_env(new_tables("Saucers", autoreset_mode=mode))


class Counting(RandomAgent):
    """Counts how often he is asked for an action."""

    asked = 0

    def choose(self, vectors, masks):
        self.asked += len(vectors)
        return super().choose(vectors, masks)


def test_a_new_company_sits_down_as_new_episodes_begin():
    tables, newcomer = new_tables("Saucers"), Counting(seed=0)
    env = new_env(tables, ActionMask())
    state = env.reset()
    tables.unwrapped.opponents = [newcomer]
    ended = torch.zeros(4, dtype=torch.bool)
    while not ended.any():
        assert newcomer.asked == 0  # those who began the episode play it
        step, state = env.step_and_maybe_reset(env.rand_action(state))
        ended = step["next", "done"][..., 0]
    env.rollout(40, break_when_any_done=False, auto_reset=False, tensordict=state)
    assert newcomer.asked > 40
