"""One seat at many tables: each plays like a `SingleSeatEnv`, every chip arrives, misuse is a named error."""

import contextlib
import copy
import pickle
import re

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import vector as wrappers
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version

from marriage_env import (
    AgentError,
    BatchAgent,
    IllegalActionError,
    MarriageError,
    OptionError,
    ResetNeededError,
    SingleSeatEnv,
    boxes_v0,
    make_agent,
    saucers_v0,
)
from marriage_env.agents import RandomAgent, RulesAgent, as_agents
from marriage_env.compact import expand
from marriage_env.mask_place import MASK_IN
from marriage_env.single_seat_vector import SingleSeatVectorEnv
from tests.helpers import FEW_TABLES, MODULES, Table, label, rule_options

MODES = tuple(AutoresetMode)
NEXT_STEP, SAME_STEP, DISABLED = AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP, AutoresetMode.DISABLED
BOXES, SAUCERS = Table(boxes_v0, 5), Table(saucers_v0, 6)
HABIT = np.random.default_rng(3).permutation(61) + 1
GYMNASIUM_1_2 = Version(gymnasium.__version__) < Version("1.3")
by_mode = pytest.mark.parametrize("mode", MODES, ids=lambda mode: mode.value)
by_table = pytest.mark.parametrize("table", FEW_TABLES, ids=str)


class Own(RulesAgent):
    """The rule-based player, as an agent that is asked."""


class Noisy(RandomAgent):
    """The random player, as an agent that is asked, with his own generator."""


class First(BatchAgent):
    """The first legal action."""

    def choose(self, vectors, masks):
        return masks.argmax(1)


class Last(BatchAgent):
    """The last legal action."""

    def choose(self, vectors, masks):
        return masks.shape[1] - 1 - masks[:, ::-1].argmax(1)


class Counts(Last):
    """Counts how often he is asked, and for how many tables."""

    def __init__(self):
        self.calls = self.turns = 0

    def choose(self, vectors, masks):
        self.calls += 1
        self.turns += len(masks)
        return super().choose(vectors, masks)


class Fails(First):
    """Raises when he is asked for the n-th time."""

    def __init__(self, at):
        self.left = at

    def choose(self, vectors, masks):
        self.left -= 1
        if self.left == 0:
            raise RuntimeError("out of ideas")
        return super().choose(vectors, masks)


COMPANY = {
    "compiled": lambda: ["rules"],
    "own": lambda: [Own()],
    "mixed": lambda: ["rules", Last(), Own(), First()],
}


def vector(table, num_envs=3, opponents=("rules",), **arguments):
    """The environment of a helpers' `Table`."""
    game = table.module.raw_env.game.name
    return SingleSeatVectorEnv(game, num_envs, opponents, players=table.players, **arguments)


def at_random(infos, random):
    """A random legal action for each table."""
    masks = infos["action_mask"]
    return np.where(masks, random.random(masks.shape), -1.0).argmax(1)


def by_habit(masks):
    """A legal action for each mask, always the same for the same mask."""
    return (masks * HABIT).argmax(1)


def plain(step):
    """What a reset or a step returned, as something that compares with ``==``."""
    if isinstance(step, dict):
        return {key: plain(value) for key, value in step.items()}
    if isinstance(step, tuple):
        return tuple(map(plain, step))
    if step.dtype == object:
        return [None if value is None else plain(value) for value in step]
    return (step.dtype.str, step.shape, step.tobytes())


def steps(env, count, **reset):
    """What a reset and so many steps by habit return."""
    lived = [env.reset(**reset)]
    for _ in range(count):
        lived.append(env.step(by_habit(lived[-1][-1]["action_mask"])))
    return list(map(plain, lived))


def on(env, count):
    """What so many steps by habit return, wherever the environment stands."""
    return [plain(env.step(by_habit(env.action_masks()))) for _ in range(count)]


def rows(*which, of=3):
    """Bools that say which tables are meant."""
    mask = np.zeros(of, np.bool_)
    mask[list(which)] = True
    return mask


# Like many single seats


def live_alike(env, singles, seed, episodes=3, before_step=lambda step: None):
    """Compare `env`, step by step, with a `SingleSeatEnv` for each table, until each has lived so many episodes."""
    random, mode, count = np.random.default_rng(5), env.autoreset_mode, env.num_envs
    observations, infos = env.reset(seed=seed)
    seeds = range(seed, seed + count) if isinstance(seed, int) else seed

    def begin(k, **reset):
        if env.draw_opponents:
            company = np.roll(env._players[k], -env._seats[k] - 1)[:-1]
            singles[k].opponents = [env._agents[number] for number in company]
        return singles[k].reset(**reset)

    shown = [begin(k, seed=own) for k, own in enumerate(seeds)]
    ended, finished, step = np.zeros(count, np.bool_), np.zeros(count, int), 0
    while True:
        for k, (observation, info) in enumerate(shown):
            assert np.array_equal(observations[k], observation)
            assert infos["seat"][k] == info["seat"]
            of_ended = np.full(61, mode is not DISABLED)
            assert np.array_equal(infos["action_mask"][k], of_ended if ended[k] else info["action_mask"])
        assert np.array_equal(env.action_masks(), infos["action_mask"] == 1)
        if finished.min() >= episodes:
            return
        if mode is DISABLED and ended.any():
            with pytest.raises(ResetNeededError, match=rf"table {ended.argmax()}: .*reset"):
                env.step(at_random(infos, random))
            observations, infos = env.reset(options={"reset_mask": ended.copy()})
            for k in np.flatnonzero(ended):
                shown[k] = begin(k)
            ended[:] = False
            continue
        before_step(step)
        step += 1
        actions = np.where(ended, 99, at_random(infos, random))
        begins = ended
        observations, rewards, ended, truncated, infos = env.step(actions)
        assert rewards.dtype == np.float64 and ended.dtype == np.bool_ and not truncated.any()
        for k, single in enumerate(singles):
            if begins[k]:  # the action is not looked at
                shown[k] = begin(k)
                assert (rewards[k], ended[k]) == (0.0, False)
                continue
            observation, reward, terminated, _, info = single.step(int(actions[k]))
            shown[k] = observation, info
            assert (rewards[k], ended[k]) == (reward, terminated)
            if terminated and mode is SAME_STEP:
                assert np.array_equal(infos["final_obs"][k], observation)
                assert infos["final_info"]["seat"][k] == info["seat"]
                shown[k] = begin(k)
        finished += ended
        assert ("final_obs" in infos) == (mode is SAME_STEP and ended.any())
        if mode is SAME_STEP:
            if ended.any():
                assert infos["_final_obs"].tolist() == infos["_final_info"].tolist() == ended.tolist()
                assert [final is not None for final in infos["final_obs"]] == ended.tolist()
            ended = np.zeros_like(ended)


@by_mode
@pytest.mark.parametrize("company", COMPANY)
@by_table
def test_each_table_plays_like_a_single_seat(table, company, mode):
    opponents = COMPANY[company]()
    env = vector(table, opponents=opponents, autoreset_mode=mode)
    live_alike(env, [SingleSeatEnv(table.env(), opponents) for _ in range(3)], seed=2**40 - 1)


@by_mode
@pytest.mark.parametrize("company", ["compiled", "mixed"])
def test_matches_of_many_deals_with_fines_and_misdeals_are_alike_too(company, mode):
    rules = {"deals": 2, "conduct": "fined", "misdeal_rate": 0.4, "faulty_pack_rate": 0.6, "marriage_order": "either"}
    opponents = COMPANY[company]()
    env = vector(BOXES, opponents=opponents, autoreset_mode=mode, seat=3, **rules)
    live_alike(env, [SingleSeatEnv(BOXES.env(**rules), opponents, seat=3) for _ in range(3)], seed=4)


@by_mode
@pytest.mark.parametrize("company", COMPANY)
def test_matches_over_before_the_learners_turn_are_alike_too(company, mode):
    opponents = COMPANY[company]()
    many = vector(SAUCERS, 600, opponents)
    late = np.flatnonzero(many.reset(seed=0)[1]["action_mask"].all(1))[:3]
    assert len(late)
    env = vector(SAUCERS, len(late), opponents, autoreset_mode=mode)
    live_alike(env, [SingleSeatEnv(SAUCERS.env(), opponents) for _ in late], seed=late.tolist())


@settings(max_examples=40)
@given(st.data())
def test_under_any_rules_each_table_plays_like_a_single_seat(data):
    module = data.draw(st.sampled_from(MODULES))
    rules = data.draw(rule_options(module))
    seat = data.draw(st.none() | st.integers(0, rules["players"] - 1))
    kinds = st.sampled_from([RulesAgent, Own, First, Last])
    opponents = [kind() for kind in data.draw(st.lists(kinds, min_size=1, max_size=3))]
    mode = data.draw(st.sampled_from(MODES))
    arguments = {"seat": seat, "autoreset_mode": mode, "draw_opponents": data.draw(st.booleans())}
    env = SingleSeatVectorEnv(module.raw_env.game.name, 2, opponents, **arguments, **rules)
    singles = [SingleSeatEnv(module.env(**rules), opponents, seat=seat) for _ in range(2)]
    live_alike(env, singles, data.draw(st.integers(0, 2**62 - 3)), episodes=1)


@pytest.mark.parametrize("seed", [2**32 + 3, 2**62 + 1, 2**64 - 3])
def test_great_seeds_are_alike_too(seed):
    live_alike(vector(BOXES), [SingleSeatEnv(BOXES.env(), "rules") for _ in range(3)], seed, episodes=1)


def test_one_table_of_an_agent_with_his_own_chance_is_alike_too():
    live_alike(vector(BOXES, 1, [Noisy(), "rules"]), [SingleSeatEnv(BOXES.env(), [Noisy(), "rules"])], seed=3)


def test_an_agent_at_several_seats_is_seeded_as_at_a_single_seat():
    twice, again = Noisy(), Noisy()
    live_alike(vector(BOXES, 1, [twice, twice]), [SingleSeatEnv(BOXES.env(), [again, again])], seed=3)


@by_mode
def test_new_opponents_sit_down_as_new_episodes_begin(mode):
    env = vector(BOXES, opponents=["rules", First()], autoreset_mode=mode)
    singles = [SingleSeatEnv(BOXES.env(), env.opponents) for _ in range(3)]
    plans = {2: ["rules"], 5: [Last()], 6: [First(), "rules"], 7: [Own(), Last(), "rules"], 11: "rules", 14: [Last()]}

    def swap(step):
        if step in plans:
            opponents = as_agents("opponents", plans[step])
            env.opponents = opponents
            assert env.opponents == tuple(opponents)
            for single in singles:
                single.opponents = opponents

    live_alike(env, singles, seed=6, episodes=5, before_step=swap)


def test_the_old_opponents_are_asked_until_their_episodes_end_and_never_after():
    old, new = Counts(), Counts()
    env = vector(BOXES, 8, [old], autoreset_mode=SAME_STEP)
    _, infos = env.reset(seed=1)
    *_, infos = env.step(by_habit(infos["action_mask"]))
    env.opponents = [new]
    ended = np.zeros(8, np.bool_)
    while not ended.all():
        before = old.turns
        *_, now, _, infos = env.step(by_habit(infos["action_mask"]))
        ended |= now
        assert old.turns > before or now.any()
    asked = old.turns
    assert new.turns
    for _ in range(20):
        *_, infos = env.step(by_habit(infos["action_mask"]))
    assert old.turns == asked
    assert len(env._agents) == 1 or old in env._agents  # forgotten at the next change
    env.opponents = [new]
    assert env._agents == [new]


def test_an_opponent_is_asked_once_for_all_tables_at_which_he_acts():
    one, many = Counts(), Counts()
    for agent, tables in ((one, 1), (many, 50)):
        steps(vector(BOXES, tables, [agent]), 6, seed=0)
    assert many.calls < 6 * one.calls
    assert many.turns > 30 * one.turns


@pytest.mark.parametrize("opponents", [["rules"], [Own(), "random"]], ids=["rules", "mixed"])
@by_mode
def test_the_size_of_the_batch_and_threads_do_not_matter(opponents, mode):
    def lived(num_envs, **arguments):
        env = vector(BOXES, num_envs, opponents, autoreset_mode=mode, **arguments)
        _, infos = env.reset(seed=7)
        seen = []
        for _ in range(30):
            observations, rewards, ended, _, infos = env.step(by_habit(infos["action_mask"]))
            seen.append((observations[:3].tobytes(), rewards[:3].tolist(), ended[:3].tolist()))
            if mode is DISABLED and ended.any():
                _, infos = env.reset(options={"reset_mask": ended})
        return seen

    assert lived(3) == lived(10) == lived(3, dtype="float32") == lived(130, threads=2)


# Every chip


LIVELY = [
    (BOXES, {}),
    (Table(boxes_v0, 10), {}),
    (
        Table(boxes_v0, 7),
        {
            "deals": 3,
            "conduct": "fined",
            "misdeal_rate": 0.5,
            "faulty_pack_rate": 0.6,
            "faulty_pack_fine": 7,
            "trick_pay": 3,
            "must_trump": True,
            "marriage_order": "either",
        },
    ),
    (Table(saucers_v0, 3), {"deals": 3, "row_start": "lowest"}),
    (SAUCERS, {"court_points": "low"}),
]


def totals(env, episodes, seed=0):
    """The sum of the rewards of each of so many episodes, table by table."""
    sums, own = [[] for _ in range(env.num_envs)], np.zeros(env.num_envs)
    _, infos = env.reset(seed=seed)
    seats, everybody = infos["seat"], np.arange(env.num_envs)
    while min(map(len, sums)) < episodes:
        _, rewards, ended, _, infos = env.step(by_habit(infos["action_mask"]))
        own += rewards
        if env.autoreset_mode is not SAME_STEP:
            gains = env.tables.buffers.returns
            assert np.array_equal(own[ended], gains[everybody, seats][ended])
            assert not (gains.sum(1) + env.tables.records["pots"].sum(1))[ended].any()  # chips only move
        for k in np.flatnonzero(ended):
            sums[k].append(own[k])
        own[ended] = 0.0
        if env.autoreset_mode is DISABLED and ended.any():
            _, infos = env.reset(options={"reset_mask": ended})
        seats = infos["seat"]
    return [of_table[:episodes] for of_table in sums]


@pytest.mark.parametrize("company", COMPANY)
@pytest.mark.parametrize(("table", "rules"), LIVELY, ids=label)
def test_an_episodes_rewards_are_the_learners_balance_in_every_mode(table, rules, company):
    next_step, same_step, disabled = (
        totals(vector(table, 6, COMPANY[company](), autoreset_mode=mode, **rules), episodes=6) for mode in MODES
    )
    assert next_step == same_step == disabled
    assert any(np.ravel(next_step))


@pytest.mark.parametrize("company", COMPANY)
def test_a_match_that_ends_before_the_learners_turn_still_brings_his_losses(company):
    env = vector(SAUCERS, 120, COMPANY[company]())
    random = np.random.default_rng(1)
    _, infos = env.reset(seed=1)
    begun, over, late_met = np.ones(120, np.bool_), np.zeros(120, np.bool_), 0
    for _ in range(150):
        late, seats = begun & infos["action_mask"].all(1), infos["seat"]
        actions = np.where(late, random.integers(61, size=120), at_random(infos, random))
        observations, rewards, ended, _, infos = env.step(actions)
        assert ended[late].all()
        assert np.array_equal(rewards[late], env.tables.buffers.returns[np.arange(120), seats][late])
        assert (rewards[late] < 0).all()
        assert observations in env.observation_space
        late_met += late.sum()
        begun, over = over, ended
    assert late_met >= 3


# Who sits where


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_seats_and_dealer_rotate(module):
    players = module.raw_env.game.min_players
    env = vector(Table(module, players), 2)
    met = [[], []]
    _, infos = env.reset(seed=players)
    begun, over = np.ones(2, np.bool_), np.zeros(2, np.bool_)
    while min(map(len, met)) < players**2:
        for k in np.flatnonzero(begun):
            met[k].append((int(infos["seat"][k]), int(env.tables.records["dealer"][k])))
        begun = over
        *_, over, _, infos = env.step(by_habit(infos["action_mask"]))
    for k, of_table in enumerate(met):
        assert [seat for seat, _ in of_table[:players]] == [(k + n) % players for n in range(players)]
        assert len(set(of_table[: players**2])) == players**2
        if k == 0:
            assert [dealer for _, dealer in of_table[:players]] == [1] * players


@by_mode
def test_a_fixed_seat_stays(mode):
    env = vector(SAUCERS, 3, autoreset_mode=mode, seat=2)
    _, infos = env.reset(seed=1)
    dealers = set()
    for _ in range(100):
        assert infos["seat"].tolist() == [2, 2, 2]
        *_, ended, _, infos = env.step(by_habit(infos["action_mask"]))
        dealers |= set(env.tables.records["dealer"].tolist())
        if mode is DISABLED and ended.any():
            _, infos = env.reset(options={"reset_mask": ended})
    assert dealers == set(range(6))


def seated(num_envs, opponents, episodes=6, **arguments):
    """Who sat where at the first three tables, episode by episode."""
    env = vector(BOXES, num_envs, opponents, draw_opponents=True, **arguments)
    _, infos = env.reset(seed=5)
    met = [[] for _ in range(3)]
    begun, over = np.ones(num_envs, np.bool_), np.zeros(num_envs, np.bool_)
    while min(map(len, met)) < episodes:
        for k in np.flatnonzero(begun[:3]):
            met[k].append(tuple(env._players[k].tolist()))
            assert met[k][-1].count(-1) == 1 and met[k][-1][infos["seat"][k]] == -1
        begun = over
        *_, over, _, infos = env.step(by_habit(infos["action_mask"]))
    return [of_table[:episodes] for of_table in met]


@pytest.mark.parametrize("opponents", [["rules", "random", "rules"], [First(), Last(), "random"]], ids=["", "own"])
def test_drawn_opponents_depend_on_the_tables_own_seed_alone(opponents):
    assert seated(3, opponents) == seated(10, opponents) == seated(3, opponents, copy=False)
    assert seated(130, opponents) == seated(130, opponents, threads=2) == seated(3, opponents)
    assert len({seating for of_table in seated(3, opponents) for seating in of_table}) > 12


def test_all_opponents_are_drawn_and_each_about_as_often():
    env = vector(BOXES, 500, [First(), Last(), "rules"], draw_opponents=True)
    env.reset(seed=1)
    counts = np.bincount(env._players[env._players >= 0], minlength=3)
    assert counts.sum() == 2000
    assert all(570 < count < 760 for count in counts)
    agents = [Counts(), Counts(), Counts()]
    steps(vector(SAUCERS, 20, agents, draw_opponents=True), 3, seed=1)
    assert all(agent.turns for agent in agents)


def test_a_draw_of_one_opponent_is_no_draw():
    assert steps(vector(BOXES, draw_opponents=True), 30, seed=1) == steps(vector(BOXES), 30, seed=1)


# Chance


@pytest.mark.parametrize("opponents", [["rules"], ["random"], [Noisy(), "random"]], ids=["rules", "random", "noisy"])
@pytest.mark.parametrize("arguments", [{}, {"draw_opponents": True}], ids=["", "drawn"])
def test_the_same_seed_makes_the_same_episodes(opponents, arguments):
    env = vector(BOXES, opponents=opponents, **arguments)
    first = steps(env, 30, seed=9)
    assert steps(env, 30, seed=9) == first == steps(vector(BOXES, opponents=opponents, **arguments), 30, seed=9)
    assert steps(env, 30, seed=[9, 10, 11]) == first
    assert steps(env, 30, seed=10) != first


def test_the_same_seed_makes_the_same_episodes_after_a_change_of_opponents():
    env = vector(BOXES)
    steps(env, 3, seed=1)
    env.opponents = [Noisy()]
    assert steps(env, 20, seed=9) == steps(vector(BOXES, opponents=[Noisy()]), 20, seed=9)


def test_without_a_seed_tables_begin_anywhere_and_go_on():
    env, other = vector(BOXES), vector(BOXES)
    assert plain(env.reset()) != plain(other.reset())
    env.reset(seed=1)
    first = env.reset()[0]
    env.reset(seed=1)
    assert np.array_equal(env.reset()[0], first)
    assert not np.array_equal(env.reset()[0], first)


def test_a_reset_of_some_tables_leaves_the_others():
    env, twin = vector(BOXES), vector(BOXES)
    steps(env, 2, seed=1), steps(twin, 2, seed=1)
    observations, infos = env.reset(seed=50, options={"reset_mask": rows(1)})
    fresh = vector(BOXES).reset(seed=50)
    assert np.array_equal(observations[1], fresh[0][1])
    assert infos["seat"].tolist() == [1, 51 % 5, 3]
    actions = by_habit(infos["action_mask"])
    ours, theirs = env.step(actions), twin.step(np.where(rows(1), by_habit(twin.action_masks()), actions))
    for mine, other in zip(ours[:4], theirs[:4], strict=True):
        assert np.array_equal(mine[[0, 2]], other[[0, 2]])


@by_mode
def test_a_step_of_some_tables_leaves_the_others(mode):
    env, twin = vector(BOXES, autoreset_mode=mode), vector(BOXES, autoreset_mode=mode)
    env.reset(seed=1), twin.reset(seed=1)
    before = env.step(by_habit(env.action_masks()))[0]
    twin.step(by_habit(twin.action_masks()))
    twin_step = twin.step(by_habit(twin.action_masks()))
    masks = env.action_masks()
    observations, rewards, ended, _, _ = env.step(by_habit(masks[[2, 0]]), rows=[2, 0])
    assert np.array_equal(observations[1], before[1])
    assert (rewards[1], ended[1]) == (0, False)
    step = env.step(by_habit(masks[[1]]), rows=rows(1))
    assert np.array_equal(step[0], twin_step[0])
    assert np.array_equal(rewards + step[1], twin_step[1])
    assert on(env, 2) == on(twin, 2)


@pytest.mark.parametrize("wrong", [[0, 0], [3, 0], [-1, 0], [True], "1", [0, 1, 2]], ids=str)
def test_what_are_no_rows_of_a_step_is_refused_and_changes_nothing(wrong):
    env, twin = twins()
    with pytest.raises(OptionError, match="allowed"):
        env.step(by_habit(env.action_masks())[:2], rows=wrong)
    assert_nothing_changed(env, twin)


def test_numpys_global_state_is_left_alone():
    np.random.seed(1)
    state = np.random.get_state()[1].tolist()
    steps(vector(BOXES, opponents=[Noisy(), "random"], draw_opponents=True), 20, seed=1)
    assert np.random.get_state()[1].tolist() == state


# Spaces and arrays


@by_table
def test_bytes_tell_the_same_as_floats(table):
    opponents = ["rules", Own(), Last()]
    floats, small = vector(table, 4, opponents), vector(table, 4, opponents, dtype="uint8")
    size, layout = floats.single_observation_space.shape[0], small.tables.layout
    assert small.single_observation_space == gymnasium.spaces.Box(0, 255, (layout.compact_size,), np.uint8)
    assert small.observation_space.shape == (4, layout.compact_size)
    assert floats.single_observation_space == gymnasium.spaces.Box(0.0, 1.0, (layout.size,), np.float32)
    (wide, infos), (narrow, _) = floats.reset(seed=3), small.reset(seed=3)
    for _ in range(30):
        assert wide in floats.observation_space and narrow in small.observation_space
        vectors = expand(narrow, layout)
        assert vectors.dtype == np.float32 and vectors.shape == (4, size)
        assert np.allclose(vectors, wide, rtol=0, atol=0.5001 / 255)
        assert layout.decode(vectors[0]) == layout.decode(wide[0])
        actions = by_habit(infos["action_mask"])
        wide, rewards, ended, _, infos = floats.step(actions)
        narrow, small_rewards, small_ended, _, small_infos = small.step(actions)
        assert (rewards.tolist(), ended.tolist()) == (small_rewards.tolist(), small_ended.tolist())
        assert plain(infos) == plain(small_infos)


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_agents_get_arrays_of_their_own_in_float32(dtype):
    class Spoils(Last):
        def act(self, observation, action_mask=None):
            assert observation.dtype == np.float32 and observation.shape == (len(action_mask), size)
            assert action_mask.dtype == np.int8 and action_mask.shape[1:] == (61,)
            actions = super().act(observation, action_mask)
            observation[:] = 7
            action_mask[:] = 0
            return actions.astype(np.uint8)

    size = vector(BOXES).single_observation_space.shape[0]
    spoilt = steps(vector(BOXES, 4, [Spoils()], dtype=dtype), 30, seed=2)
    assert spoilt == steps(vector(BOXES, 4, [Last()], dtype=dtype), 30, seed=2)


@by_mode
@by_table
def test_spaces_and_metadata(table, mode):
    env = vector(table, 4, autoreset_mode=mode)
    assert env.num_envs == 4 and env.players == table.players
    assert env.metadata["autoreset_mode"] is mode
    assert env.render_mode is None
    assert env.single_action_space == gymnasium.spaces.Discrete(61)
    assert env.action_space.sample().shape == (4,)
    assert env.action_space.contains(by_habit(env.reset(seed=1)[1]["action_mask"]))
    observations, infos = env.reset(seed=1)
    for _ in range(5):
        assert observations in env.observation_space and observations.dtype == np.float32
        masks = infos["action_mask"]
        assert masks.dtype == np.int8 and masks.shape == (4, 61) and infos["_action_mask"].all()
        assert infos["seat"].shape == (4,) and infos["_seat"].all()
        assert env.action_masks().dtype == np.bool_
        observations, rewards, terminated, truncated, infos = env.step(by_habit(masks))
        assert all(array.shape == (4,) for array in (rewards, terminated, truncated))
        if mode is DISABLED and terminated.any():
            observations, infos = env.reset()
    assert repr(env) and env.unwrapped is env
    env.close()
    env.close()


def test_a_mode_may_be_given_by_its_value():
    for mode in MODES:
        assert vector(BOXES, autoreset_mode=mode.value).metadata["autoreset_mode"] is mode


def test_metadata_are_each_environments_own():
    one, other = vector(BOXES, autoreset_mode=SAME_STEP), vector(BOXES)
    assert one.metadata["autoreset_mode"] is not other.metadata["autoreset_mode"]


@by_mode
@pytest.mark.parametrize("company", COMPANY)
def test_what_is_not_copied_is_overwritten_and_otherwise_the_same(company, mode):
    keeps, lends = (vector(BOXES, 3, COMPANY[company](), autoreset_mode=mode, copy=copy) for copy in (True, False))
    kept, lent = keeps.reset(seed=1), lends.reset(seed=1)
    first, was = kept[0], kept[0].copy()
    buffer, mask = lent[0], lent[1]["action_mask"]
    for _ in range(25):
        assert plain(kept) == plain(lent)
        assert lent[0] is buffer and lent[-1]["action_mask"] is mask
        actions = by_habit(kept[-1]["action_mask"])
        kept, lent = keeps.step(actions), lends.step(actions)
        if mode is DISABLED and kept[2].any():
            options = {"reset_mask": kept[2]}
            kept, lent = keeps.reset(options=options), lends.reset(options=options)
    assert np.array_equal(first, was)


def test_last_observations_are_the_callers_to_keep_even_where_nothing_is_copied():
    env = vector(BOXES, 3, autoreset_mode=SAME_STEP, copy=False)
    _, infos = env.reset(seed=1)
    while "final_obs" not in infos:
        *_, infos = env.step(by_habit(infos["action_mask"]))
    finals = infos["final_obs"]
    was = plain(finals)
    for _ in range(10):
        *_, infos = env.step(by_habit(infos["action_mask"]))
    assert plain(finals) == was


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int32, np.uint64, list, tuple])
def test_actions_of_any_kind_of_whole_number(kind):
    env, twin = vector(BOXES), vector(BOXES)
    _, infos = env.reset(seed=1)
    twin.reset(seed=1)
    actions = by_habit(infos["action_mask"])
    given = kind(actions.tolist()) if kind in (list, tuple) else actions.astype(kind)
    assert plain(env.step(given)) == plain(twin.step(actions))


# The registry


@pytest.mark.parametrize(("name", "players"), [("Boxes", 6), ("Saucers", 5)])
def test_gymnasium_makes_a_vector_of_seats(name, players):
    made = gymnasium.make_vec(f"marriage_env/{name}-v0", num_envs=4, players=players, opponents=["rules"])
    assert isinstance(made, SingleSeatVectorEnv)
    assert (made.num_envs, made.players) == (4, players)
    own = SingleSeatVectorEnv(name.lower(), 4, ["rules"], players=players)
    assert steps(made, 25, seed=3) == steps(own, 25, seed=3)
    again = gymnasium.make_vec(made.spec)
    assert steps(again, 25, seed=3) == steps(own, 25, seed=3)
    same = gymnasium.make_vec(f"marriage_env/{name}-v0", num_envs=2, autoreset_mode=SAME_STEP, dtype="uint8", seat=1)
    assert same.metadata["autoreset_mode"] is SAME_STEP
    assert same.reset(seed=1)[1]["seat"].tolist() == [1, 1]


@pytest.mark.parametrize(("name", "players"), [("Boxes", 6), ("Saucers", 5)])
def test_gymnasiums_own_vector_plays_the_same(name, players):
    arguments = {"num_envs": 3, "players": players, "opponents": ["rules"]}
    sync = gymnasium.make_vec(f"marriage_env/{name}-v0", vectorization_mode="sync", **arguments)
    ours = gymnasium.make_vec(f"marriage_env/{name}-v0", **arguments)
    assert isinstance(sync, gymnasium.vector.SyncVectorEnv)
    assert sync.metadata["autoreset_mode"] is ours.metadata["autoreset_mode"]
    assert sync.single_observation_space == ours.single_observation_space
    assert sync.observation_space == ours.observation_space and sync.action_space == ours.action_space
    (theirs, their_infos), (observations, infos) = sync.reset(seed=3), ours.reset(seed=3)
    over = np.zeros(3, np.bool_)
    for _ in range(40):
        assert np.array_equal(theirs, observations)
        assert set(their_infos) == set(infos)
        assert np.array_equal(their_infos["seat"], infos["seat"])
        assert np.array_equal(their_infos["action_mask"][~over], infos["action_mask"][~over])
        actions = by_habit(infos["action_mask"])
        theirs, their_rewards, their_ended, _, their_infos = sync.step(actions)
        observations, rewards, over, _, infos = ours.step(actions)
        assert (their_rewards.tolist(), their_ended.tolist()) == (rewards.tolist(), over.tolist())


def test_infos_tell_of_ends_what_gymnasiums_own_vector_tells():
    arguments = {"num_envs": 3, "players": 6}
    modes = {"autoreset_mode": SAME_STEP}
    sync = gymnasium.make_vec("marriage_env/Boxes-v0", vectorization_mode="sync", vector_kwargs=modes, **arguments)
    ours = gymnasium.make_vec("marriage_env/Boxes-v0", **modes, **arguments)
    infos = ours.reset(seed=3)[1]
    sync.reset(seed=3)
    for _ in range(30):
        actions = by_habit(infos["action_mask"])
        (observations, *_, ended, _, infos), (seen, *_, their_infos) = ours.step(actions), sync.step(actions)
        assert np.array_equal(observations, seen)
        assert set(infos) == set(their_infos)
        if ended.any():
            assert plain(infos["final_obs"]) == plain(their_infos["final_obs"])
            assert set(infos["final_info"]) == set(their_infos["final_info"])


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@by_mode
def test_masks_in_observations_are_the_masks(mode, dtype):
    arguments = {"num_envs": 5, "players": 6, "autoreset_mode": mode, "dtype": dtype}
    env, twin = (gymnasium.make_vec("marriage_env/Saucers-v0", mask_in=place, **arguments) for place in MASK_IN)
    (seen, infos), (vectors, their_infos) = env.reset(seed=3), twin.reset(seed=3)
    ends = 0
    for _ in range(60):
        assert seen in env.observation_space
        assert np.array_equal(seen["observation"], vectors)
        for masks in (seen["action_mask"], their_infos["action_mask"]):
            assert np.array_equal(masks, infos["action_mask"])
        actions = by_habit(seen["action_mask"])
        (seen, rewards, ended, _, infos), (vectors, their_rewards, *_, their_infos) = (
            env.step(actions),
            twin.step(actions),
        )
        assert np.array_equal(rewards, their_rewards)
        ends += ended.sum()
        if mode is SAME_STEP:
            for row in np.flatnonzero(ended):
                last = infos["final_obs"][row]
                assert last in env.single_observation_space and not last["action_mask"].any()
                assert np.array_equal(last["observation"], their_infos["final_obs"][row])
        if mode is DISABLED and ended.any():
            reset = {"options": {"reset_mask": ended}}
            (seen, infos), (vectors, their_infos) = env.reset(**reset), twin.reset(**reset)
    assert ends


def test_masks_in_observations_are_as_in_gymnasiums_own_vector():
    arguments = {"num_envs": 3, "players": 6, "mask_in": "observation"}
    modes = {"autoreset_mode": SAME_STEP}
    sync = gymnasium.make_vec("marriage_env/Saucers-v0", vectorization_mode="sync", vector_kwargs=modes, **arguments)
    ours = gymnasium.make_vec("marriage_env/Saucers-v0", **modes, **arguments)
    assert sync.observation_space == ours.observation_space
    (seen, infos), (theirs, _) = ours.reset(seed=1), sync.reset(seed=1)
    for _ in range(60):
        assert plain(seen) == plain(theirs)
        (seen, *_, ended, _, infos), (theirs, *_, their_infos) = (
            env.step(by_habit(seen["action_mask"])) for env in (ours, sync)
        )
        if ended.any():
            assert plain(infos["final_obs"]) == plain(their_infos["final_obs"])
            assert plain(infos["final_info"]["action_mask"]) == plain(their_infos["final_info"]["action_mask"])


def test_gymnasium_makes_a_single_seat():
    env = gymnasium.make("marriage_env/Boxes-v0", players=6)
    assert env.unwrapped.players == 6
    _, info = env.reset(seed=3)
    env.step(int(info["action_mask"].argmax()))


# Gymnasium's wrappers


def learner_chips(mode):
    """The learner's chips of the first ends of episodes, table by table, by habit."""
    return totals(vector(BOXES, 4, autoreset_mode=mode), episodes=4)


@pytest.mark.parametrize("mode", [NEXT_STEP, SAME_STEP], ids=lambda mode: mode.value)
def test_recorded_statistics_are_the_learners_chips(mode):
    if mode is SAME_STEP and GYMNASIUM_1_2:
        pytest.skip("Gymnasium 1.2's own wrapper miscounts there")
    env = wrappers.RecordEpisodeStatistics(vector(BOXES, 4, autoreset_mode=mode))
    _, infos = env.reset(seed=0)
    met = [[] for _ in range(4)]
    while min(map(len, met)) < 4:
        *_, ended, _, infos = env.step(by_habit(infos["action_mask"]))
        assert ("episode" in infos) == ended.any()
        for k in np.flatnonzero(ended):
            met[k].append(infos["episode"]["r"][k])
            assert infos["episode"]["l"][k] >= 1
    assert [of_table[:4] for of_table in met] == learner_chips(mode)


def test_recorded_statistics_go_with_resets_by_hand():
    env = wrappers.RecordEpisodeStatistics(vector(BOXES, 4, autoreset_mode=DISABLED))
    _, infos = env.reset(seed=0)
    met = [[] for _ in range(4)]
    while min(map(len, met)) < 4:
        *_, ended, _, infos = env.step(by_habit(infos["action_mask"]))
        for k in np.flatnonzero(ended):
            met[k].append(infos["episode"]["r"][k])
        if ended.any():
            _, infos = env.reset(options={"reset_mask": ended})
    assert [of_table[:4] for of_table in met] == learner_chips(DISABLED)


WRAPPERS = {
    "NormalizeReward": wrappers.NormalizeReward,
    "ClipReward": lambda env: wrappers.ClipReward(env, -1, 1),
    "TransformReward": lambda env: wrappers.TransformReward(env, lambda rewards: rewards / 10),
    "VectorizeTransformReward": lambda env: wrappers.VectorizeTransformReward(
        env, gymnasium.wrappers.TransformReward, func=lambda reward: reward / 10
    ),
    "NormalizeObservation": wrappers.NormalizeObservation,
    "FlattenObservation": wrappers.FlattenObservation,
    "RescaleObservation": lambda env: wrappers.RescaleObservation(env, np.float32(-1), np.float32(1)),
    "DtypeObservation": lambda env: wrappers.DtypeObservation(env, np.float64),
    "ReshapeObservation": lambda env: wrappers.ReshapeObservation(env, (*env.single_observation_space.shape, 1)),
    "TransformObservation": lambda env: wrappers.TransformObservation(env, lambda vectors: 1 - vectors),
    "DictInfoToList": wrappers.DictInfoToList,
}


@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")  # within Gymnasium's Box
@by_mode
@pytest.mark.parametrize("name", WRAPPERS)
def test_gymnasiums_wrappers_run_or_refuse_the_mode_themselves(name, mode):
    if "Observation" in name and GYMNASIUM_1_2:
        pytest.skip("Gymnasium 1.2's wrappers of observations take and refuse other modes")
    inner, bare = (vector(BOXES, 4, ["rules", Last()], autoreset_mode=mode) for _ in range(2))
    if "Observation" in name and (mode is SAME_STEP or (mode is DISABLED and "Normalize" in name)):
        with pytest.raises(ValueError, match=r"Expected .*autoreset_mode.* to be .*NEXT_STEP"):
            WRAPPERS[name](inner)
        return
    env = WRAPPERS[name](inner)
    observations, _ = env.reset(seed=2)
    seen, _ = bare.reset(seed=2)
    for _ in range(25):
        assert observations in env.observation_space
        if name in ("RescaleObservation", "TransformObservation"):
            assert np.allclose(observations, seen * 2 - 1 if name == "RescaleObservation" else 1 - seen)
        actions = by_habit(inner.action_masks())
        observations, rewards, ended, _, infos = env.step(actions)
        seen, chips, *_ = bare.step(actions)
        if name == "ClipReward":
            assert np.array_equal(rewards, np.clip(chips, -1, 1))
        if "TransformReward" in name:
            assert np.allclose(rewards, chips / 10)
        if name == "DictInfoToList":
            assert [info["seat"] for info in infos] == inner._seats.tolist()
            assert [("final_obs" in info) for info in infos] == [mode is SAME_STEP and end for end in ended]
        if mode is DISABLED and ended.any():
            observations, _ = env.reset(options={"reset_mask": ended})
            seen, _ = bare.reset(options={"reset_mask": ended})


def test_wrappers_stack():
    env = wrappers.NormalizeReward(wrappers.RecordEpisodeStatistics(vector(SAUCERS, 4)))
    env = wrappers.DictInfoToList(wrappers.NormalizeObservation(env))
    _, infos = env.reset(seed=0)
    chips = []
    for _ in range(80):
        *_, infos = env.step(by_habit(np.stack([info["action_mask"] for info in infos])))
        chips += [info["episode"]["r"] for info in infos if "episode" in info]
    assert chips and all(gain == round(gain) for gain in chips)


# Misuse


def twins(mode=NEXT_STEP, **arguments):
    """Two environments at the same point, in the middle of matches."""
    pair = [vector(BOXES, opponents=["rules", Own()], autoreset_mode=mode, **arguments) for _ in range(2)]
    for env in pair:
        steps(env, 2, seed=3)
    return pair


def assert_nothing_changed(env, twin):
    """Both go on alike, in steps, in a reset, and in what Gymnasium keeps."""
    assert env.np_random.bit_generator.state == twin.np_random.bit_generator.state
    assert on(env, 2) == on(twin, 2)
    assert steps(env, 2) == steps(twin, 2)


NO_ACTIONS = {
    "none": None,
    "too few": [1, 2],
    "too many": [1, 2, 3, 4],
    "one": 5,
    "a column": [[1], [2], [3]],
    "ragged": [[1], [1, 2], [3]],
    "floats": [1.0, 2.0, 3.0],
    "bools": [True, False, True],
    "strings": ["1", "2", "3"],
    "nones": [None, None, None],
    "huge": [2**70, 1, 1],
    "objects": np.array([1, 2, 3], object),
    "a dict": {0: 1},
    "empty": [],
    "NaN": [float("nan")] * 3,
    "complex": np.ones(3, complex),
    "dates": np.zeros(3, "datetime64[s]"),
}


@pytest.mark.parametrize("actions", NO_ACTIONS.values(), ids=NO_ACTIONS)
def test_what_are_no_actions_is_refused_and_changes_nothing(actions):
    env, twin = twins()
    with pytest.raises(OptionError, match=r"actions.*allowed"):
        env.step(actions)
    assert_nothing_changed(env, twin)


@pytest.mark.parametrize("action", [-1, 61, 255, 2**63 - 1, -(2**63), "forbidden"])
@pytest.mark.parametrize("row", [0, 2])
@by_mode
def test_an_illegal_action_is_refused_by_table_actor_and_what_is_allowed(action, row, mode):
    env, twin = twins(mode)
    masks = env.action_masks()
    actions = by_habit(masks)
    actions[row] = masks[row].argmin() if action == "forbidden" else action
    seat, allowed = env._seats[row], int(masks[row].argmax())
    with pytest.raises(IllegalActionError, match=rf"of player_{seat} at table {row} .*allowed are {allowed} \("):
        env.step(actions)
    assert_nothing_changed(env, twin)


@by_mode
def test_no_step_before_reset(mode):
    env = vector(BOXES, autoreset_mode=mode)
    with pytest.raises(ResetNeededError, match=r"table 0: .*reset"):
        env.step([0, 0, 0])
    env.reset(seed=1, options={"reset_mask": rows(0, 2)})
    with pytest.raises(ResetNeededError, match=r"table 1: .*reset"):
        env.step(by_habit(env.action_masks()))
    env.reset(seed=1, options={"reset_mask": rows(1)})
    assert on(env, 2) == steps(vector(BOXES, autoreset_mode=mode), 2, seed=1)[1:]


NO_SEEDS = {
    "negative": -1,
    "huge": 2**64,
    "a float": 1.0,
    "a bool": True,
    "a string": "1",
    "a dict": {0: 1},
    "too few": [1, 2],
    "too many": [1, 2, 3, 4],
    "empty": [],
    "one negative": [1, 2, -1],
    "one huge": [2**64, 1, 2],
    "one None": [1, None, 2],
    "one bool": [True, 1, 2],
    "floats": np.array([1.0, 2.0, 3.0]),
    "bools": np.array([True, False, True]),
    "columns": np.ones((3, 1), int),
    "ragged": [[1], [1, 2], [3]],
}


@pytest.mark.parametrize("seed", NO_SEEDS.values(), ids=NO_SEEDS)
def test_what_is_no_seed_is_refused_and_changes_nothing(seed):
    env, twin = twins()
    with pytest.raises(OptionError, match=r"seed.*allowed"):
        env.reset(seed=seed)
    assert_nothing_changed(env, twin)


@pytest.mark.parametrize("seeds", [(4, 5, 6), np.array([4, 5, 6], np.uint8), np.int64(4), np.array(4), range(4, 7)])
def test_seeds_of_other_kinds(seeds):
    assert steps(vector(BOXES), 3, seed=seeds) == steps(vector(BOXES), 3, seed=4)


NO_OPTIONS = {
    "a list": [],
    "a string": "reset_mask",
    "unknown": {"mask": rows(0)},
    "the game's": {"dealer": 1},
    "one too many": {"reset_mask": rows(0), "dealer": 1},
    "nobody": {"reset_mask": rows()},
    "too few": {"reset_mask": rows(0, of=2)},
    "too many": {"reset_mask": rows(0, of=4)},
    "no bools": {"reset_mask": np.ones(3, np.int8)},
    "a list of bools": {"reset_mask": [True, True, False]},
    "a column": {"reset_mask": np.ones((3, 1), np.bool_)},
    "one bool": {"reset_mask": True},
    "indices": {"reset_mask": np.array([0, 1])},
}


@pytest.mark.parametrize("options", NO_OPTIONS.values(), ids=NO_OPTIONS)
def test_what_are_no_options_is_refused_and_changes_nothing(options):
    env, twin = twins()
    for seed in (None, 5):
        with pytest.raises(OptionError, match="reset_mask"):
            env.reset(seed=seed, options=options)
    assert_nothing_changed(env, twin)


@pytest.mark.parametrize("options", [{}, None, {"reset_mask": None}, {"reset_mask": rows(0, 1, 2)}])
def test_options_that_mean_every_table(options):
    assert steps(vector(BOXES), 3, seed=1, options=options) == steps(vector(BOXES), 3, seed=1)


@pytest.mark.parametrize("num_envs", [0, -1, "x", 1.5, True, None, 2**40, [2]])
def test_the_number_of_tables_is_a_whole_number(num_envs):
    with pytest.raises(OptionError, match=r"num_envs=.*allowed is a whole number from 1"):
        vector(BOXES, num_envs)


NO_AGENTS = {
    "none": None,
    "a number": 3,
    "numbers": [3],
    "unknown": "nobody",
    "one unknown": ["rules", "nobody"],
    "bytes": b"rules",
    "a set": {"rules"},
    "a dict": {"rules": 1},
    "nested": [["rules"]],
    "an object": object(),
    "a class": RulesAgent,
    "classes": [RulesAgent, Last],
    "no agent among them": [Last(), None],
}


@pytest.mark.parametrize("opponents", NO_AGENTS.values(), ids=NO_AGENTS)
def test_opponents_are_agents_or_their_names(opponents):
    with pytest.raises(AgentError, match="agent"):
        vector(BOXES, opponents=opponents)
    env, twin = twins()
    with pytest.raises(AgentError, match="agent"):
        env.opponents = opponents
    assert_nothing_changed(env, twin)


@pytest.mark.parametrize("opponents", [[], ()])
def test_there_are_opponents(opponents):
    with pytest.raises(OptionError, match="opponents"):
        vector(BOXES, opponents=opponents)


def test_opponents_may_be_one_agent_a_name_or_some():
    lived = [
        steps(vector(BOXES, opponents=given), 5, seed=1) for given in ("rules", ["rules"], ("rules",), RulesAgent())
    ]
    assert all(of_one == lived[0] for of_one in lived)
    assert steps(vector(BOXES, opponents=Own()), 5, seed=1) == lived[0]
    assert steps(vector(BOXES, opponents=[make_agent("rules"), "rules"]), 5, seed=1) == lived[0]


def test_a_change_within_the_list_of_opponents_is_no_silent_nothing():
    """Either the list cannot be changed, or the change counts."""
    env, twin = vector(BOXES), vector(BOXES, opponents=[Last()])
    try:
        env.opponents[0] = Last()
    except TypeError:
        return
    assert steps(env, 5, seed=1) == steps(twin, 5, seed=1)


NO_ARGUMENTS = {
    "game": ["Boxes", None, 3, "chess", boxes_v0],
    "seat": [-1, 5, True, 1.0, "0"],
    "draw_opponents": [1, None, "yes"],
    "copy": [1, None],
    "mask_in": ["obs", None, True],
    "autoreset_mode": [None, "next_step", 1, [1]],
    "threads": [0, -1, 1.5, True],
    "dtype": ["float64", None],
    "players": [4, 11, "5"],
    "deals": [0, 1.0],
    "nonsense": [1],
    "row_start": ["any"],  # the other game's
    "render_mode": ["ansi"],
    # the batch's own
    "seats": ["rules", [None, "rules", "rules", "rules", "rules"]],
    "observe": [True, False],
    "buffers": [{}, {"masks": np.zeros((2, 61), np.int8)}],
    "autoreset": [True],
    "tables": [2],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in NO_ARGUMENTS for value in NO_ARGUMENTS[name]])
def test_arguments_that_cannot_be_are_refused_by_name(name, value):
    with pytest.raises(OptionError, match=rf"{name}.*allowed"):
        SingleSeatVectorEnv(**{"game": "boxes", "num_envs": 2, name: value})


@pytest.mark.parametrize("at", [1, 3, 9, 20])
@by_mode
def test_after_an_opponent_has_failed_a_reset_is_due_and_all_is_well(at, mode):
    agent = Fails(at)
    env = vector(BOXES, 3, [agent, "rules"], autoreset_mode=mode, draw_opponents=True)
    with pytest.raises(RuntimeError, match="ideas"):
        _, infos = env.reset(seed=1)
        for _ in range(100):
            *_, ended, _, infos = env.step(by_habit(infos["action_mask"]))
            if mode is DISABLED and ended.any():
                _, infos = env.reset(options={"reset_mask": ended})
    with pytest.raises(ResetNeededError, match="reset"):
        env.step(by_habit(env.action_masks()))
    with pytest.raises(ResetNeededError, match="reset"):
        env.step([0, 0, 0])
    good = vector(BOXES, 3, [First(), "rules"], autoreset_mode=mode, draw_opponents=True)
    count = 4
    assert steps(env, count, seed=8) == steps(good, count, seed=8)


@by_mode
def test_no_reward_is_lost_where_an_opponent_has_failed(mode):
    """Whatever tables do not demand a reset after a failure: their episodes' rewards still are the balance."""
    for at in range(16, 54):
        env = vector(BOXES, 6, [Fails(at), "rules"], autoreset_mode=mode)
        own, begins = np.zeros(6), np.zeros(6, np.bool_)
        try:
            env.reset(seed=1)
        except RuntimeError:
            continue
        for _ in range(40):
            try:
                _, rewards, ended, _, infos = env.step(by_habit(env.action_masks()))
            except ResetNeededError as error:
                table = int(re.search(r"table (\d+)", str(error))[1])
                own[table], begins[table] = 0.0, False
                with contextlib.suppress(RuntimeError):
                    env.reset(options={"reset_mask": rows(table, of=6)})
                continue
            except RuntimeError:
                continue
            own += rewards
            told = ~begins & ~(ended & (mode is SAME_STEP))
            balances = env.tables.buffers.returns[np.arange(6), infos["seat"]]
            assert np.array_equal(own[told], balances[told]), f"after the failure at question {at}"
            own[ended] = 0.0
            begins = ended & (mode is NEXT_STEP)


def test_an_opponents_illegal_action_is_refused_by_table_and_seat():
    class Cheats:
        def act(self, observation, action_mask=None):
            return np.where(action_mask[:, 60], 60, 61)

        def seed(self, seed):
            pass

    env = vector(BOXES, 3, [Cheats()], seat=0)
    with pytest.raises(IllegalActionError, match=r"action 61 of player_[1-4] at table [0-2] .*allowed are"):
        steps(env, 20, seed=1)
    with pytest.raises(ResetNeededError):
        env.step([0, 0, 0])


@pytest.mark.parametrize(
    "answer",
    [
        lambda masks: None,
        lambda masks: 60,
        lambda masks: masks.argmax(1)[:, None],
        lambda masks: masks.argmax(1).astype(float),
        lambda masks: np.append(masks.argmax(1), 0),
        lambda masks: [[0]] * (len(masks) - 1) + [[0, 1]],
        lambda masks: "pass",
    ],
    ids=["none", "one number", "a column", "floats", "too many", "ragged", "a word"],
)
def test_an_opponents_answer_that_is_no_actions_is_a_named_error(answer):
    class Odd:
        def act(self, observation, action_mask=None):
            return answer(action_mask)

        def seed(self, seed):
            pass

    env = vector(BOXES, 3, [Odd()])
    with pytest.raises(MarriageError, match="allowed"):
        steps(env, 20, seed=1)
    env.opponents = ["rules"]
    assert steps(env, 5, seed=1) == steps(vector(BOXES), 5, seed=1)


def test_an_agent_that_cannot_be_seeded_leaves_things_as_they_were():
    class Unseedable(Last):
        def seed(self, seed):
            raise RuntimeError("no seeds")

    env, twin = vector(BOXES, opponents=[Unseedable()]), vector(BOXES, opponents=[Last()])
    twin.reset(seed=1)
    with pytest.raises(RuntimeError, match="no seeds"):
        env.reset(seed=1)
    with pytest.raises(ResetNeededError):
        env.step([0, 0, 0])
    _, infos = env.reset()
    assert infos["seat"].tolist() == [0, 0, 0]


# Copies


by_copy = pytest.mark.parametrize(
    "way", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))], ids=["copy", "pickle"]
)
COPIED = {"compiled": lambda: ["rules"], "mixed": lambda: ["random", Noisy(), Own()]}


@by_copy
@by_mode
@pytest.mark.parametrize("company", COPIED)
@pytest.mark.parametrize("table", [BOXES, SAUCERS], ids=str)
def test_copies_go_on_exactly_alike(table, company, mode, way):
    env = vector(table, 12, COPIED[company](), autoreset_mode=mode, draw_opponents=True)
    with pytest.raises(ResetNeededError):
        way(env).step(np.zeros(12, int))
    env.reset(seed=4)
    for _ in range(20):
        twin = way(env)
        actions = by_habit(env.action_masks())
        lived = env.step(actions)
        assert plain(twin.step(actions)) == plain(lived)
        if mode is DISABLED and lived[2].any():
            twin = way(env)
            options = {"reset_mask": lived[2]}
            assert plain(twin.reset(options=options)) == plain(env.reset(options=options))
    assert steps(twin, 3, seed=9) == steps(env, 3, seed=9)
    assert twin.metadata == env.metadata and twin.observation_space == env.observation_space


@by_copy
@by_mode
@pytest.mark.parametrize("company", COPIED)
@pytest.mark.parametrize("table", [BOXES, SAUCERS], ids=str)
def test_copies_have_the_same_masks(table, company, mode, way):
    env = vector(table, 60, COPIED[company](), autoreset_mode=mode)
    env.reset(seed=0)
    for _ in range(20):
        masks = env.action_masks()
        assert np.array_equal(way(env).action_masks(), masks)
        *_, ended, _, _ = env.step(by_habit(masks))
        if mode is DISABLED and ended.any():
            assert np.array_equal(way(env).action_masks(), env.action_masks())
            env.reset(options={"reset_mask": ended})


def test_a_copy_leaves_the_original_alone():
    env, twin = twins()
    steps(copy.deepcopy(env), 10, seed=77)
    assert_nothing_changed(env, twin)
