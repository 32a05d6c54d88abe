"""The PettingZoo face: one suite for both games, at every size of table."""

from __future__ import annotations

import copy
import pickle
import random
import warnings
from collections.abc import Callable
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo import AECEnv
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper
from pettingzoo.utils.wrappers import TerminateIllegalWrapper

from marriage_env.aec import TableEnv
from marriage_env.errors import IllegalActionError, MarriageError, ResetNeededError
from tests.helpers import (
    FEW_TABLES,
    MODULES,
    Table,
    actor,
    chips_in_all,
    contents,
    face,
    hands,
    label,
    legal_actions,
    over,
    plain,
    play_random,
    random_step,
)

#: What PettingZoo says of any observation that is a Dict, and nothing else.
DICT_WARNINGS = {
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
}
#: Rule options of either game that lead to as much as possible in a match.
LIVELY: dict[str, Any] = {
    "deals": 2,
    "conduct": "fined",
    "marriage_order": "either",
    "misdeal_rate": 0.3,
    "faulty_pack_rate": 0.5,
}
#: What is no action at all, and what is no legal one where it is not in the mask.
NO_ACTIONS: list[Any] = [1.5, "3", None, [3], float("nan"), np.float64(3), b"3", {}, 3.0]
OUT_OF_RANGE: list[Any] = [-1, 61, 62, 255, 256, -61, np.int32(-1), np.int64(61), 2**31, 2**32, -(2**63)]
HUGE: list[Any] = [2**63, 2**64, 2**64 + 5, 10**30, -(2**63) - 1, np.uint64(2**64 - 1)]


def lively(seats: Table, make: Callable[..., TableEnv] | None = None, **options: Any) -> TableEnv:
    """An environment with all of `LIVELY` that its game knows."""
    known = {
        name: value for name, value in LIVELY.items() if name in seats.module.raw_env.game.rules.__dataclass_fields__
    }
    return (make or seats.raw_env)(**{**known, **options})


def midway(seats: Table, steps: int = 8, seed: int = 5, **options: Any) -> TableEnv:
    """A raw environment some random steps into a match."""
    env = lively(seats, **options)
    env.reset(seed=seed)
    play_random(env, random.Random(seed), limit=steps)
    return env


def warnings_of(check: Callable[[], Any]) -> set[str]:
    """The warnings that a check brings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        check()
    return {str(entry.message) for entry in caught}


# PettingZoo's own tests


@pytest.mark.parametrize("kind", ["raw_env", "env"])
def test_api(seats: Table, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    env = getattr(seats, kind)()
    assert warnings_of(lambda: api_test(env, num_cycles=300)) == DICT_WARNINGS


@pytest.mark.parametrize("kind", ["raw_env", "env"])
def test_api_brings_no_warning_with_the_mask_in_info(
    seats: Table, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    env = getattr(seats, kind)(mask_in="info")
    assert warnings_of(lambda: api_test(env, num_cycles=300)) == set()


@pytest.mark.parametrize("kind", ["raw_env", "env"])
@pytest.mark.parametrize("mask_in", ["observation", "info"])
def test_seed(seats: Table, kind: str, mask_in: str) -> None:
    assert warnings_of(lambda: seed_test(lambda: lively(seats, getattr(seats, kind), mask_in=mask_in), 150)) == set()


def test_render(seats: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setitem(seats.module.env.metadata, "render_fps", 10_000)
    render_test(lambda **options: seats.env(render_width=320, **options))


@pytest.mark.parametrize("mask_in", ["observation", "info"])
def test_parallel_api(seats: Table, mask_in: str, capsys: pytest.CaptureFixture[str]) -> None:
    # with its mask in info PettingZoo's test samples without one, so that its first move may end the match
    parallel_api_test(seats.module.parallel_env(players=seats.players, mask_in=mask_in), num_cycles=120)


def test_parallel_seed(seats: Table, capsys: pytest.CaptureFixture[str]) -> None:
    parallel_seed_test(lambda: seats.module.parallel_env(players=seats.players), num_cycles=50)


def test_parallel_env_plays_the_same_match(seats: Table) -> None:
    parallel = seats.module.parallel_env(players=seats.players)
    assert isinstance(parallel, turn_based_aec_to_parallel_wrapper)
    env = seats.raw_env()
    observations, _ = parallel.reset(seed=4)
    env.reset(seed=4)
    rng = random.Random(4)
    gained = dict.fromkeys(env.possible_agents, 0.0)
    while not over(env):
        for agent, observation in observations.items():
            assert data_equivalence(observation, env.observe(agent))
        action = rng.choice(legal_actions(env))
        others = dict.fromkeys(parallel.agents, 60)
        observations, rewards, terminations, _, _ = parallel.step(others | {env.agent_selection: action})
        env.step(action)
        for agent, reward in rewards.items():
            gained[agent] += reward
    assert all(terminations.values()) and gained == env.balances


# What an environment declares


def test_metadata(seats: Table) -> None:
    env = seats.raw_env()
    assert env.metadata["name"] == f"{env.game.name}_v0" and not env.metadata["is_parallelizable"]
    assert set(env.metadata["render_modes"]) == {"ansi", "human", "rgb_array"}
    assert isinstance(env, AECEnv) and env.unwrapped is env
    assert env.possible_agents == [f"player_{seat}" for seat in range(seats.players)]
    assert env.max_num_agents == seats.players


def test_spaces_are_the_same_object_at_each_call_and_one_for_each_agent(seats: Table) -> None:
    env = seats.raw_env()
    for spaces in (env.observation_space, env.action_space):
        mine = [spaces(agent) for agent in env.possible_agents]
        assert all(spaces(agent) is space for agent, space in zip(env.possible_agents, mine, strict=True))
        assert len({id(space) for space in mine}) == seats.players  # each is seeded by itself
        assert all(space == mine[0] for space in mine)
    env.reset(seed=1)
    assert env.action_space("player_0") is env.action_space("player_0")
    assert isinstance(env.action_space("player_0"), gymnasium.spaces.Discrete)
    assert env.action_space("player_0").n == 61 and env.action_space("player_0").start == 0


def test_action_space_samples_fairly_from_a_mask(seats: Table) -> None:
    space = seats.raw_env().action_space("player_0")
    mask = np.zeros(61, np.int8)
    mask[[3, 40, 60]] = 1
    space.seed(1)
    counts = np.bincount([space.sample(mask) for _ in range(3000)], minlength=61)
    assert set(np.flatnonzero(counts)) == {3, 40, 60} and all(abs(counts[[3, 40, 60]] - 1000) < 110)
    space.seed(1)
    first = [space.sample(mask) for _ in range(20)]
    space.seed(1)
    assert first == [space.sample(mask) for _ in range(20)]
    assert space.sample(np.zeros(61, np.int8)) == space.start  # as any Discrete
    assert isinstance(space.sample(mask), np.int64) and space.contains(space.sample(mask))
    with pytest.raises(AssertionError):
        space.sample(np.zeros(60, np.int8))


@pytest.mark.parametrize("mask_in", ["observation", "info"])
def test_observations_and_states_are_in_their_spaces_all_the_time(seats: Table, mask_in: str) -> None:
    env = lively(seats, mask_in=mask_in)
    env.reset(seed=2, options={"pots": [1000] * len(env.game.pot_names)})
    rng = random.Random(2)
    while True:
        for agent in env.possible_agents:
            assert env.observe(agent) in env.observation_space(agent)
        assert env.state() in env.state_space and env.state().dtype == np.float32
        if over(env):
            break
        random_step(env, rng)


def test_state_is_what_player_0_sees_and_the_hands_of_the_others(seats: Table) -> None:
    env = midway(seats)
    state, size, pack = env.state(), env.layout.size, env.rules.pack_size
    assert np.array_equal(state[:size], env.observe("player_0")["observation"])
    others = state[size:].reshape(seats.players - 1, pack)
    assert [np.flatnonzero(row).tolist() for row in others] == [
        [card - (52 - pack) for card in hand] for hand in hands(env)[1:]
    ]
    assert set(np.unique(others)) <= {0.0, 1.0}


# Masks and infos


def test_the_mask_is_for_who_is_to_act_alone(seats: Table) -> None:
    env = lively(seats)
    env.reset(seed=3)
    rng = random.Random(3)
    while not over(env):
        assert set(env.infos) == set(env.possible_agents)
        for agent in env.possible_agents:
            mask = env.observe(agent)["action_mask"]
            assert mask.dtype == np.int8 and mask.shape == (61,) and set(np.unique(mask)) <= {0, 1}
            assert mask.any() == (agent == env.agent_selection)
            assert list(env.infos[agent]) == ["action_mask"]
            assert plain(mask) == plain(env.infos[agent]["action_mask"])
        observation, _, _, _, info = env.last()
        assert plain(observation) == plain(env.observe(env.agent_selection)) and info is env.infos[env.agent_selection]
        random_step(env, rng)
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.possible_agents)
    assert not any(info["action_mask"].any() for info in env.infos.values())


def test_the_mask_in_info_goes_with_a_plain_vector(seats: Table) -> None:
    env, twin = midway(seats, mask_in="info"), midway(seats)
    for agent in env.possible_agents:
        assert plain(env.observe(agent)) == plain(twin.observe(agent)["observation"])
        assert plain(env.infos[agent]) == plain(twin.infos[agent])
        assert env.decode(env.observe(agent)) == twin.decode(twin.observe(agent))
    assert env.observation_space("player_0") == twin.observation_space("player_0")["observation"]


def test_observations_are_fresh_arrays(seats: Table) -> None:
    env = midway(seats)
    before = face(env)
    for agent in env.possible_agents:
        for array in env.observe(agent).values():
            array.fill(1)
    for array in env.last()[0].values():
        array.fill(1)
    env.state().fill(1)
    env.table["pots"][:] = 99
    assert face(env) == before


def test_the_mask_in_infos_is_not_what_decides(seats: Table) -> None:
    """An agent that scribbles over its info cannot make an action legal."""
    env = midway(seats)
    illegal = next(action for action in range(61) if action not in legal_actions(env))
    env.infos[env.agent_selection]["action_mask"].fill(1)
    with pytest.raises(IllegalActionError):
        env.step(illegal)


# Illegal actions


def unchanged_by(env: TableEnv, action: Any) -> str:
    """The message with which an action is refused; nothing has changed."""
    before, rest = face(env), env._tables.tobytes()
    with pytest.raises(IllegalActionError) as raised:
        env.step(action)
    assert face(env) == before and env._tables.tobytes() == rest
    message = str(raised.value)
    assert env.agent_selection in message and "allowed " in message
    return message


@pytest.mark.parametrize("fresh", [True, False])
def test_every_illegal_action_is_refused_by_raw_env_and_changes_nothing(seats: Table, fresh: bool) -> None:
    env = lively(seats)
    env.reset(seed=11)
    if not fresh:
        play_random(env, random.Random(11), limit=9)
    allowed = legal_actions(env)
    for action in range(61):
        if action not in allowed:
            message = unchanged_by(env, action)
            assert f"action {action} ({env.game.action_names[action]})" in message
            assert all(env.game.action_names[legal] in message for legal in allowed)


@pytest.mark.parametrize("kind", ["raw_env", "env"])
@pytest.mark.parametrize("action", [*OUT_OF_RANGE, *NO_ACTIONS], ids=repr)
def test_what_is_no_action_is_refused_by_both(seats: Table, kind: str, action: Any) -> None:
    env = lively(seats, getattr(seats, kind))
    env.reset(seed=1)
    unchanged_by(env, action)


@pytest.mark.parametrize("kind", ["raw_env", "env"])
@pytest.mark.parametrize("action", HUGE, ids=repr)
def test_a_huge_number_is_refused_like_any_other(kind: str, action: Any) -> None:
    for seats in FEW_TABLES:
        env = getattr(seats, kind)()
        env.reset(seed=1)
        unchanged_by(env, action)


@pytest.mark.parametrize("kind", [int, np.int8, np.int32, np.int64, np.uint8, np.array])
def test_a_legal_action_of_any_whole_kind_is_taken(seats: Table, kind: Any) -> None:
    env, twin = midway(seats), midway(seats)
    action = legal_actions(env)[-1]
    env.step(kind(action))
    twin.step(action)
    assert face(env) == face(twin)


@pytest.mark.parametrize("steps", [0, 1, 9])
def test_an_illegal_action_ends_the_match_in_env(seats: Table, steps: int) -> None:
    env = lively(seats, seats.env)
    env.reset(seed=6)
    chips = chips_in_all(env)
    gained = dict.fromkeys(env.possible_agents, 0.0)
    rng = random.Random(6)
    for _ in range(steps):
        random_step(env, rng)
        for agent, reward in env.rewards.items():
            gained[agent] += reward
    offender = env.agent_selection
    illegal = next(action for action in range(61) if action not in legal_actions(env))
    env.step(illegal)
    assert env.rewards == {agent: -1.0 if agent == offender else 0.0 for agent in env.possible_agents}
    assert all(env.terminations.values()) and all(env.truncations.values())
    assert chips_in_all(env) == chips
    assert {agent: gained[agent] + env.rewards[agent] for agent in env.possible_agents} == env.balances
    assert [entry.payer for entry in env.ledger if entry.reason == "illegal action"] == [offender]
    assert not any(info["action_mask"].any() for info in env.infos.values())
    for agent in env.agent_iter():
        _, _, termination, _, _ = env.last()
        assert termination and agent == env.agent_selection
        env.step(None)
    assert env.agents == []
    env.reset(seed=6)
    assert not over(env) and env.agents == env.possible_agents


def test_env_and_raw_env_are_the_same_match_otherwise(seats: Table) -> None:
    env, raw = lively(seats, seats.env), lively(seats)
    env.reset(seed=8)
    raw.reset(seed=8)
    rng = random.Random(8)
    while not over(raw):
        assert face(env) == face(raw)
        env.step(random_step(raw, rng))
    assert face(env) == face(raw)


# Out of order


@pytest.mark.parametrize("kind", ["raw_env", "env"])
@pytest.mark.parametrize(
    "what", ["step", "observe", "last", "state", "render", "pots", "balances", "dealer", "ledger", "iter"]
)
def test_nothing_works_before_reset(seats: Table, kind: str, what: str) -> None:
    env = getattr(seats, kind)(render_mode="ansi")
    calls: dict[str, Callable[[], Any]] = {
        "step": lambda: env.step(0),
        "observe": lambda: env.observe("player_0"),
        "last": env.last,
        "state": env.state,
        "render": env.render,
        "iter": lambda: list(env.agent_iter()),
    }
    with pytest.raises(ResetNeededError, match=r"call reset\(\) first"):
        calls.get(what, lambda: getattr(env, what))()


def test_a_reset_needed_error_is_a_runtime_error() -> None:
    assert issubclass(ResetNeededError, RuntimeError) and issubclass(ResetNeededError, MarriageError)
    assert issubclass(IllegalActionError, ValueError) and issubclass(IllegalActionError, MarriageError)


@pytest.mark.parametrize("kind", ["raw_env", "env"])
def test_after_the_end_each_agent_steps_none_and_then_none_may_step(seats: Table, kind: str) -> None:
    env = lively(seats, getattr(seats, kind), render_mode="ansi")
    env.reset(seed=1)
    play_random(env, random.Random(1))
    with pytest.raises(IllegalActionError, match="the match is over"):
        env.step(0)
    left = list(env.possible_agents)
    assert env.agents == left
    while env.agents:
        observation, reward, termination, truncation, info = env.last()
        assert termination is True and truncation is False
        assert isinstance(reward, float) and observation in env.observation_space(env.agent_selection)
        assert not info["action_mask"].any()
        left.remove(env.agent_selection)
        env.step(None)
    assert left == []
    for action in (None, 0):
        with pytest.raises(ResetNeededError):
            env.step(action)
    assert all(env.observe(agent) in env.observation_space(agent) for agent in env.possible_agents)  # dead ones too
    assert isinstance(env.render(), str) and env.state() in env.state_space


def test_closing_is_harmless(seats: Table) -> None:
    env = midway(seats)
    env.close()
    env.close()


def test_render_without_a_mode_warns_and_returns_nothing(seats: Table) -> None:
    env = midway(seats)
    assert any("render_mode" in message for message in warnings_of(lambda: env.render()))


# Rewards


def test_rewards_through_last_add_up_to_the_balances(seats: Table) -> None:
    env = lively(seats)
    for seed in range(5):
        rng = random.Random(seed)
        env.reset(seed=seed, options={"pots": [7] * len(env.game.pot_names)})
        gained = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, termination, _, _ = env.last()
            gained[agent] += reward
            env.step(None if termination else rng.choice(legal_actions(env)))
        assert gained == env.balances and any(gained.values())


def test_rewards_of_each_step_are_the_ledgers_and_the_change_of_balances(seats: Table) -> None:
    env = lively(seats)
    pots = env.game.pot_names
    for seed in range(4):
        env.reset(seed=seed)
        rng = random.Random(seed)
        before = dict.fromkeys(env.possible_agents, 0)
        in_pots = dict.fromkeys(pots, 0)
        while not over(env):
            random_step(env, rng)
            flow = dict.fromkeys(env.possible_agents, 0.0)
            change = dict.fromkeys(pots, 0)
            for entry in env.ledger:
                assert entry.chips > 0 and entry.payer != entry.payee
                for party, sign in ((entry.payer, -1), (entry.payee, 1)):
                    if party in flow:
                        flow[party] += sign * entry.chips
                    else:
                        change[party] += sign * entry.chips
            assert env.rewards == flow
            assert all(isinstance(reward, float) for reward in env.rewards.values())
            assert env.rewards == {agent: env.balances[agent] - before[agent] for agent in before}
            assert env.pots == {pot: in_pots[pot] + change[pot] for pot in pots}
            before, in_pots = env.balances, env.pots


def test_the_first_steps_rewards_include_the_contributions(seats: Table) -> None:
    env = seats.raw_env()
    env.reset(seed=3)
    contributions = dict.fromkeys(env.possible_agents, 0)
    for entry in env.ledger:
        if entry.reason == "contribution":
            contributions[entry.payer] += entry.chips
    assert len(set(contributions.values())) == 1 and contributions["player_0"] > 0
    assert not any(env.rewards.values()) and not env.last()[1]  # nothing has been charged at reset
    random_step(env, random.Random(3))
    assert sum(env.rewards.values()) <= -sum(contributions.values()) + sum(
        entry.chips for entry in env.ledger if entry.payee in contributions and entry.payer not in contributions
    )
    assert env.rewards == {agent: float(chips) for agent, chips in env.balances.items()}
    random_step(env, random.Random(3))
    assert "contribution" not in {entry.reason for entry in env.ledger}


def test_an_agents_reward_between_his_turns_is_credited_to_him(seats: Table) -> None:
    """`last` gives what has come in since his last action, whoever acted; and his own step begins a new sum."""
    env = lively(seats)
    env.reset(seed=9)
    rng = random.Random(9)
    due = dict.fromkeys(env.possible_agents, 0.0)
    while not over(env):
        agent = env.agent_selection
        assert env.last()[1] == due[agent]
        due[agent] = 0.0
        random_step(env, rng)
        for other, reward in env.rewards.items():
            due[other] += reward
    assert env._cumulative_rewards == due


# Copies and seeds


def lockstep(env: TableEnv, twin: TableEnv, seed: int = 0) -> None:
    """Two environments go on exactly alike, into the next match without a seed too."""
    rng = random.Random(seed)
    for _ in range(2):
        while not over(env):
            assert face(env) == face(twin)
            twin.step(random_step(env, rng))
        assert face(env) == face(twin)
        env.reset()
        twin.reset()


COPIES: dict[str, Callable[[TableEnv], TableEnv]] = {
    "deepcopy": copy.deepcopy,
    "pickle": lambda env: pickle.loads(pickle.dumps(env)),
    "clone": lambda env: env.clone(),
}


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("kind", ["raw_env", "env"])
@pytest.mark.parametrize("steps", [0, 7, 10_000])
def test_a_copy_goes_on_exactly_alike(seats: Table, way: str, kind: str, steps: int) -> None:
    env = lively(seats, getattr(seats, kind))
    env.reset(seed=21, options={"dealer": 1})
    play_random(env, random.Random(21), limit=steps)
    env.action_space("player_0").seed(1)
    twin = COPIES[way](env)
    assert type(twin) is type(env) and plain(twin.last()) == plain(env.last())
    lockstep(env, twin)


@pytest.mark.parametrize("way", COPIES)
def test_a_copy_keeps_the_packs_of_deals_to_come(seats: Table, way: str) -> None:
    env = seats.raw_env(deals=2)
    size = env.rules.pack_size
    packs = [random.Random(seed).sample(range(52 - size, 52), size) for seed in (1, 2)]
    env.reset(seed=1, options={"packs": packs, "dealer": 0})
    play_random(env, random.Random(1), limit=3)
    lockstep(env, COPIES[way](env))


@pytest.mark.parametrize("way", COPIES)
@pytest.mark.parametrize("mover", ["original", "copy"])
def test_a_copy_goes_on_independently(seats: Table, way: str, mover: str) -> None:
    env = midway(seats)
    twin = COPIES[way](env)
    moving, still = (env, twin) if mover == "original" else (twin, env)
    before = face(still)
    random_step(moving, random.Random(1))
    assert face(still) == before
    play_random(moving, random.Random(2))
    assert face(still) == before
    while moving.agents:
        moving.step(None)
    moving.reset(seed=99)
    assert face(still) == before


@pytest.mark.parametrize("way", COPIES)
def test_an_environment_can_be_copied_before_reset(seats: Table, way: str) -> None:
    twin = COPIES[way](seats.raw_env())
    twin.reset(seed=1)
    env = seats.raw_env()
    env.reset(seed=1)
    assert face(env) == face(twin)


@pytest.mark.parametrize("way", COPIES)
def test_a_copied_table_is_the_same_bytes(seats: Table, way: str) -> None:
    """Copy, save and compare are copies of bytes: what lies between the fields included (design.md)."""
    env = midway(seats)
    junk = [np.random.default_rng(0).bytes(size) for size in range(600, 1200)]  # so that fresh memory is not all zeros
    del junk
    assert COPIES[way](env)._tables.tobytes() == env._tables.tobytes()


def test_the_table_property_is_the_same_bytes(seats: Table) -> None:
    env = midway(seats)
    junk = [np.random.default_rng(0).bytes(size) for size in range(600, 1200)]
    del junk
    assert env.table.tobytes() == env._tables[0].tobytes() == env.table.tobytes()


def test_the_table_is_a_copy(seats: Table) -> None:
    env = midway(seats)
    table, before = env.table, contents(env)
    table["pots"] = 5
    table["hands"] = 0
    assert contents(env) == before


@pytest.mark.parametrize("seed", [0, 7, 2**64 - 1])
def test_a_seed_gives_the_same_matches_the_next_ones_without_a_seed_too(seats: Table, seed: int) -> None:
    env, twin = lively(seats), lively(seats)
    env.reset(seed=seed)
    twin.reset(seed=5)
    play_random(twin, random.Random(1), limit=6)
    twin.reset(seed=seed)
    lockstep(env, twin)


def test_seeds_differ_and_matches_after_each_other_do(seats: Table) -> None:
    env = seats.raw_env()
    dealt = set()
    for seed in range(20):
        env.reset(seed=seed, options={"dealer": 0})
        dealt.add(str(hands(env)))
        env.reset(options={"dealer": 0})
        dealt.add(str(hands(env)))
    assert len(dealt) == 40


def test_without_any_seed_matches_begin_anywhere(seats: Table) -> None:
    dealt = set()
    for _ in range(5):
        env = seats.raw_env()
        env.reset(options={"dealer": 0})
        dealt.add(str(hands(env)))
    assert len(dealt) == 5


def test_reset_in_mid_match_leaves_nothing_behind(seats: Table) -> None:
    env, fresh = midway(seats, steps=13), lively(seats)
    env.reset(seed=4)
    fresh.reset(seed=4)
    lockstep(env, fresh)


def test_deals_of_a_match_follow_each_other_without_a_gap(seats: Table) -> None:
    env = seats.raw_env(deals=3)
    env.reset(seed=1)
    rng = random.Random(1)
    seen = set()
    while not over(env):
        assert legal_actions(env) and actor(env) in range(seats.players)
        seen.add(int(env.table["deals"]))
        random_step(env, rng)
    assert seen == {0, 1, 2} and env.table["deals"] == 3


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_threads_do_not_disturb_each_other(module: Any) -> None:
    """The compiled functions run without the interpreter's lock."""
    from concurrent.futures import ThreadPoolExecutor

    def balances(seed: int) -> dict[str, int]:
        env = module.raw_env(deals=3)
        env.reset(seed=seed)
        play_random(env, random.Random(seed))
        return env.balances

    alone = [balances(seed) for seed in range(16)]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(balances, range(16))) == alone


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_an_illegal_first_action_is_what_pettingzoos_wrapper_makes_of_it(module: ModuleType) -> None:
    """-1 for whoever made it, 0 for the others: the contributions, due with the first rewards, are given back."""
    wrapped = TerminateIllegalWrapper(module.raw_env(), illegal_reward=-1)
    env = module.env()
    for each in (wrapped, env):
        each.reset(seed=3, options={"pots": [7] * len(module.env.game.pot_names)})
        each.step(next(action for action in range(61) if not each.observe(each.agent_selection)["action_mask"][action]))
    assert env.rewards == wrapped.rewards
    assert env.terminations == wrapped.terminations
    assert env.truncations == wrapped.truncations
    assert env.agent_selection == wrapped.agent_selection
    assert {agent: env._cumulative_rewards[agent] for agent in env.agents} == env.balances == env.rewards
    assert sum(env.pots.values()) == 7 * len(env.pots) + 1
    assert [(entry.chips, entry.reason) for entry in env.ledger] == [(1, "illegal action")]
