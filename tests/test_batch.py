"""The batch plays like the AEC environment, table by table, whatever its size and threads; and what else it can do."""

import copy
import functools
import pickle
import random
import signal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marriage_env import (
    Batch,
    IllegalActionError,
    OptionError,
    ResetNeededError,
    make_agent,
    saucers_v0,
    thread_team,
)
from marriage_env.batch import MOST_TABLES
from marriage_env.compact import expand
from tests.helpers import FEW_TABLES, MODULES, OPTION_VALUES, Table, label, legal_actions


@pytest.fixture(autouse=True)
def _threads_for_few_tables(monkeypatch):
    monkeypatch.setattr(thread_team, "LEAST_TABLES", 1)


GAMES = {module.raw_env.game.name: module for module in MODULES}


def random_rules(module, rng):
    """Rule options of a game at random, every one of them."""
    game = module.raw_env.game
    while True:
        known = game.rules.__dataclass_fields__
        options = {name: rng.choice(values) for name, values in CHOICES.items() if name in known}
        options["players"] = rng.randint(game.min_players, game.max_players)
        try:
            game.rules(**options)
        except OptionError:  # a small pack with too many players
            continue
        return options


CHOICES = {
    "pack_size": [None, 36, 52],
    "declaring": ["choice", "auto"],
    "conduct": ["strict", "fined"],
    "marriage_order": ["king_first", "either"],
    "must_trump": [False, True],
    "trick_pay": range(9),
    "deals": [1, 2, 3],
    "misdeal_rate": [0.0, 0.3, 0.7],
    "faulty_pack_rate": [0.0, 0.5, 1.0],
    "fault_noticed_rate": [0.0, 0.5, 1.0],
    "faulty_pack_fine": range(6),
    "row_start": ["any", "lowest"],
    "court_points": ["ten", "low"],
}


def test_every_rule_option_is_played():
    assert CHOICES.keys() == OPTION_VALUES.keys()


def expect_the_same(out, row, env):
    """What a batch says of a table is what an AEC environment says of itself."""
    actor = env.possible_agents.index(env.agent_selection)
    seen = env.observe(env.agent_selection)
    assert out.actors[row] == actor
    assert out.masks[row].tobytes() == seen["action_mask"].tobytes()
    assert out.observations[row].tobytes() == seen["observation"].tobytes()


def play_both(module, rules, tables, threads, matches, seed):
    """Play a batch and as many AEC environments, at random, and compare them after every step; the matches played."""
    batch = Batch(module.raw_env.game.name, tables, threads=threads, **rules)
    envs = [module.raw_env(**rules) for _ in range(tables)]
    out = batch.reset(seed=seed)
    rng = random.Random(seed)
    for row, env in enumerate(envs):
        env.reset(seed=seed + row)
        expect_the_same(out, row, env)
    played = 0
    while played < matches:
        actions = [rng.choice(legal_actions(env)) for env in envs]
        batch.step(actions)
        for row, (env, action) in enumerate(zip(envs, actions, strict=True)):
            env.step(action)
            over = env.terminations[env.agent_selection]
            assert out.rewards[row].tolist() == list(env.rewards.values())
            assert out.returns[row].tolist() == list(env.balances.values())
            assert out.ended[row] == over
            if over:
                played += 1
                env.reset()
            expect_the_same(out, row, env)
    return played


@pytest.mark.parametrize("matches", [200, pytest.param(10_000, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("tables", [1, 7, 1000])
@pytest.mark.parametrize("module", MODULES, ids=label)
def test_a_batch_plays_like_the_environment_step_by_step(module, tables, threads, matches):
    rng = random.Random(f"{tables} {threads} {matches}")
    played = 0
    while played < matches:
        played += play_both(module, random_rules(module, rng), tables, threads, tables, rng.randrange(2**63))


def transcript(batch, steps, player="random"):
    """All that is seen in so many steps, a row for each table."""
    rows = [[] for _ in range(len(batch))]
    actions = batch.choose(player)
    for _ in range(steps):
        out = batch.step(batch.choose(player, out=actions))
        for row, seen in enumerate(rows):
            seen.append(b"".join(buffer[row].tobytes() for buffer in out))
    return rows


@pytest.mark.parametrize("seats", FEW_TABLES, ids=str)
@pytest.mark.parametrize("company", [None, ["random", "rules"]], ids=["alone", "company"])
def test_a_table_depends_on_its_seed_alone(seats, company):
    """Whatever the batch's size and threads, and whoever else plays: `random` here, whose choices are its own."""
    players = None if company is None else [None, *(company * seats.players)[: seats.players - 1]]
    make = functools.partial(Batch, seats.module.raw_env.game.name, players=seats.players, seats=players)
    large = make(300, threads=2)
    large.reset(seed=40)
    small = make(3)
    small.reset(seed=[340 - 1, 40, 105])
    expected = transcript(large, 60)
    assert transcript(small, 60) == [expected[299], expected[0], expected[65]]
    assert len({tuple(rows) for rows in expected}) == 300


@pytest.mark.parametrize("seats", FEW_TABLES, ids=str)
def test_house_players_play_as_their_agents_do(seats):
    name = seats.module.raw_env.game.name
    batch = Batch(name, 50, players=seats.players, seats="rules")
    out = batch.reset(seed=9)
    assert out.ended.all()
    env, agent = seats.raw_env(), make_agent("rules")
    for row in range(50):
        env.reset(seed=9 + row)
        while env.agents and not env.terminations[env.agent_selection]:
            env.step(agent.act(env.observe(env.agent_selection)))
        assert out.returns[row].tolist() == list(env.balances.values())


@pytest.mark.parametrize("seats", FEW_TABLES, ids=str)
def test_choices_of_house_players_are_those_of_their_agents(seats):
    batch = Batch(seats.module.raw_env.game.name, 80, players=seats.players, threads=2)
    out = batch.reset(seed=5)
    agent = make_agent("rules")
    for _ in range(80):
        actions = batch.choose("rules")
        assert actions.tolist() == agent.act(out.observations, out.masks).tolist()
        batch.step(actions)


def test_random_choices_are_legal_and_all_made():
    batch = Batch("boxes", 4000)
    out = batch.reset(seed=1)
    while out.masks.sum(1).max() < 5:
        batch.step(batch.choose("random"))
    row = int(np.argmax(out.masks.sum(1)))
    same = batch.take([row] * 6000)
    same.reseed(3)
    chosen = np.bincount(same.choose("random"), minlength=61)
    legal = np.flatnonzero(out.masks[row])
    assert np.flatnonzero(chosen).tolist() == legal.tolist()
    expected = 6000 / len(legal)
    assert (abs(chosen[legal] - expected) < 5 * expected**0.5).all()


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_deals_do_not_depend_on_who_plays(module):
    """House players draw from a stream of their own, so that the next deal finds the table's where it was."""
    streams = []
    for company in ("random", "rules"):
        batch = Batch(module.raw_env.game.name, 20, seats=company, deals=5)
        assert batch.reset(seed=4).ended.all()
        streams.append(np.stack([batch.records["seed"], batch.records["draws"]]).tolist())
        assert (batch._tables.house["draws"] > 0).all() == (company == "random")
    assert streams[0] == streams[1]


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_chips_only_move(module):
    batch = Batch(module.raw_env.game.name, 200, autoreset=False)
    out = batch.reset(seed=2, pots=[7] * len(module.raw_env.game.pot_names))
    rows = np.arange(200)
    while len(rows):
        batch.step(batch.choose("random", rows), rows)
        assert (out.returns.sum(1) + batch.pots.sum(1) == 7 * batch.pots.shape[1]).all()
        rows = np.flatnonzero(~out.ended)
    assert not out.masks.any()


def test_dealers_and_pots_are_as_set():
    batch = Batch("saucers", 4, players=6)
    batch.reset(seed=1, dealers=3, pots=list(range(8)))
    assert batch.records["dealer"].tolist() == [3] * 4
    env = saucers_v0.raw_env(players=6)
    env.reset(seed=1, options={"dealer": 3, "pots": list(range(8))})
    assert batch.pots[0].tolist() == list(env.pots.values())
    batch.reset(rows=[0, 2], dealers=[5, 1], pots=[[9] * 8, [0] * 8])
    assert batch.records["dealer"].tolist() == [5, 3, 1, 3]


@pytest.mark.parametrize("seats", FEW_TABLES, ids=str)
def test_a_match_that_is_over_before_one_could_act_brings_its_rewards(seats):
    company = [None, *["random"] * (seats.players - 1)]
    batch = Batch(seats.module.raw_env.game.name, 3000, players=seats.players, seats=company, observe=False)
    out = batch.reset(seed=8)
    late = 0
    for _ in range(30):
        waits = out.masks.all(1)
        late += int(waits.sum())
        batch.step(np.where(waits, 7, batch.choose("random")))
        assert out.ended[waits].all()
        assert (out.rewards[waits] == out.returns[waits]).all()
        assert (out.returns[waits, 0] < 0).all()
    assert late or str(seats) != "saucers-6", "in Boxes everybody plays to every trick"


# Observations as bytes


@given(data=st.data())
def test_bytes_lose_no_fact(data):
    module = data.draw(st.sampled_from(MODULES))
    rng = random.Random(data.draw(st.integers(0, 2**32)))
    rules = random_rules(module, rng)
    name = module.raw_env.game.name
    pots = rng.choices(range(200), k=len(module.raw_env.game.pot_names))
    floats, small = (Batch(name, 4, dtype=dtype, **rules) for dtype in ("float32", "uint8"))
    for batch in (floats, small):
        batch.reset(seed=6, pots=pots)
    for _ in range(rng.randrange(60)):
        actions = floats.choose("random")
        assert small.choose("random").tolist() == actions.tolist()
        floats.step(actions)
        small.step(actions)
    vectors, compact = floats.buffers.observations, small.buffers.observations
    assert compact.shape[1] < vectors.shape[1] + 40
    assert np.allclose(expand(compact, small.layout), vectors, atol=1 / 500)
    for vector, row in zip(vectors, compact, strict=True):
        assert small.decode(row) == floats.decode(vector)
    seats = rng.choices(range(floats.players), k=4)
    assert np.allclose(expand(small.observe(seats), small.layout), floats.observe(seats), atol=1 / 500)


def test_bytes_keep_sums_that_need_two_of_them():
    batch = Batch("boxes", 2, dtype="uint8")
    out = batch.reset(seed=1, pots=[[0, 127, 128, 255, 10_000], [1, 2, 3, 4, 9_999]])
    for row in range(2):
        assert list(batch.decode(out.observations[row])["pots"].values()) == batch.pots[row].tolist()


def test_bytes_of_another_shape_are_refused():
    batch = Batch("boxes", 2, dtype="uint8")
    with pytest.raises(OptionError, match="allowed are bytes"):
        expand(np.zeros((2, 5), np.uint8), batch.layout)


# Copies


@pytest.fixture(params=FEW_TABLES, ids=str)
def under_way(request):
    """A batch in the middle of play, with house players."""
    seats: Table = request.param
    company = [None, None, *["random", "rules"] * 4][: seats.players]
    batch = Batch(seats.module.raw_env.game.name, 9, players=seats.players, deals=2, seats=company)
    batch.reset(seed=3)
    transcript(batch, 13)
    return batch


@pytest.mark.parametrize(
    "copied",
    [
        lambda batch: Batch.load(batch.save()),
        lambda batch: pickle.loads(pickle.dumps(batch)),
        copy.deepcopy,
        lambda batch: batch.take(np.ones(9, bool)),
    ],
    ids=["save and load", "pickle", "deepcopy", "take"],
)
def test_a_copy_is_the_same_to_the_last_bit_and_goes_on_alike_and_apart(under_way, copied):
    twin = copied(under_way)
    for ours, theirs in zip(under_way.buffers, twin.buffers, strict=True):
        assert ours.tobytes() == theirs.tobytes()
    expected = under_way.save()
    went_on = transcript(twin, 40)
    assert under_way.save() == expected
    assert transcript(under_way, 40) == went_on


def test_settings_are_copied():
    batch = Batch("saucers", 3, players=4, threads=2, dtype="uint8", autoreset=False, court_points="low")
    batch.reset(seed=1)
    for twin in (pickle.loads(pickle.dumps(batch)), batch.take([1])):
        assert (twin.rules, twin.threads, twin.dtype, twin.autoreset) == (batch.rules, 2, "uint8", False)


def test_one_table_many_times_over_goes_on_alike_until_reseeded(under_way):
    copies = under_way.take([4] * 50)
    assert len(copies) == 50
    assert len({tuple(rows) for rows in transcript(copies, 20)}) == 1
    other = under_way.take([4] * 50)
    other.reseed(7)
    assert len({tuple(rows) for rows in transcript(other, 20)}) > 40


@pytest.mark.parametrize("seats", FEW_TABLES, ids=str)
@pytest.mark.parametrize("steps", [0, 1, 25])
def test_a_batch_of_an_environment_goes_on_like_it(seats, steps):
    rng = random.Random(steps)
    env = seats.raw_env(deals=3)
    env.reset(seed=11)
    for _ in range(steps):
        env.step(rng.choice(legal_actions(env)))
    batch = Batch.from_env(env, 3)
    out = batch.buffers
    assert batch.rules == env.rules
    for _ in range(100):
        if env.terminations[env.agent_selection]:
            break
        expect_the_same(out, 2, env)
        action = rng.choice(legal_actions(env))
        env.step(action)
        batch.step([action] * 3)
        assert out.rewards[2].tolist() == list(env.rewards.values())
    env.reset()
    with pytest.raises(ResetNeededError, match="reset"):
        Batch.from_env(seats.raw_env(), 3)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda data: data[:-1], "damaged"),
        (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "damaged"),
        (lambda data: data.replace(b'"tables": 5', b'"tables": 6'), "6 tables"),
        (lambda data: data.replace(b'"tables": 5', b'"tables": "many"'), "tables"),
        (lambda data: data.replace(b'"players": 5', b'"players": 50'), "players=50"),
        (lambda data: data.replace(b'"boxes"', b'"chess"'), "saved batch"),
        (lambda data: b"x" + data[1:], "saved batch"),
        (lambda data: b"", "saved batch"),
        (lambda data: pickle.dumps([1, 2, 3]), "saved batch"),
        (lambda data: data.decode("latin-1"), "str: allowed are the bytes"),
        (lambda data: None, "NoneType: allowed are the bytes"),
    ],
)
def test_damaged_bytes_are_refused(damage, message):
    batch = Batch("boxes", 5)
    batch.reset(seed=1)
    with pytest.raises(OptionError, match=message):
        Batch.load(damage(batch.save()))


# Buffers, memory


def test_buffers_can_be_handed_in_and_are_the_same_at_each_call():
    mine = np.full((6, 308), np.nan, np.float32)
    batch = Batch("boxes", 6, buffers={"observations": mine})
    out = batch.reset(seed=1)
    assert out.observations is mine
    assert not np.isnan(mine).any()
    assert batch.step(batch.choose("random")) is out


def test_without_observations_play_is_the_same():
    batches = [Batch("saucers", 5, observe=observe) for observe in (True, False)]
    for batch in batches:
        batch.reset(seed=1)
        for _ in range(60):
            batch.step(batch.choose("random"))
    assert batches[0].records.tobytes() == batches[1].records.tobytes()
    assert batches[1].buffers.observations.shape == (5, 0)
    assert batches[0].buffers.observations.tobytes() == batches[1].observe(batches[1].buffers.actors).tobytes()


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_a_table_takes_no_more_than_a_kilobyte(module):
    game = module.raw_env.game
    assert Batch(game.name, 2, players=game.max_players).bytes_per_table <= 1024


# Misuse


def unchanged(batch, act, error, message):
    """`act` raises, and the batch is as it was."""
    before, buffers = batch.save(), [buffer.copy() for buffer in batch.buffers]
    with pytest.raises(error, match=message):
        act(batch)
    assert batch.save() == before
    assert all(a.tobytes() == b.tobytes() for a, b in zip(batch.buffers, buffers, strict=True))


def one_wrong(batch, action):
    """Legal actions but for the last table's."""
    actions = batch.buffers.masks.argmax(1)
    actions[-1] = action
    return actions


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda batch: batch.step(one_wrong(batch, 61)), IllegalActionError, "61 of player_. at table 99 .* allowed"),
        (lambda batch: batch.step(one_wrong(batch, -1)), IllegalActionError, "action -1 .*table 99"),
        (lambda batch: batch.step(one_wrong(batch, 2**40)), IllegalActionError, "table 99"),
        (lambda batch: batch.step(np.full(100, 2**63, np.uint64)), IllegalActionError, "table 0"),
        (
            lambda batch: batch.step(one_wrong(batch, int(np.argmin(batch.buffers.masks[-1])))),
            IllegalActionError,
            r"\(\w+\) of player_",
        ),
        (lambda batch: batch.step([0]), OptionError, r"shape \(100,\)"),
        (lambda batch: batch.step(3), OptionError, r"shape \(100,\)"),
        (lambda batch: batch.step(np.zeros(100)), OptionError, "float64"),
        (lambda batch: batch.step(np.ones(100, bool)), OptionError, "bool"),
        (lambda batch: batch.step([None] * 100), OptionError, "object"),
        (lambda batch: batch.step([0, 1], rows=[5, 5]), OptionError, "twice"),
        (lambda batch: batch.step([0], rows=[100]), OptionError, r"rows\[0\]=100"),
        (lambda batch: batch.step([0], rows=[-1]), OptionError, r"rows\[0\]=-1"),
        (lambda batch: batch.step([0], rows=[0.5]), OptionError, "rows of type float64"),
        (lambda batch: batch.step([0], rows=[True]), OptionError, "bools"),
        (lambda batch: batch.step([0], rows="all"), OptionError, "rows"),
        (lambda batch: batch.reset(seed=-1), OptionError, "seed=-1"),
        (lambda batch: batch.reset(seed=2**64), OptionError, "seed="),
        (lambda batch: batch.reset(seed=1.5), OptionError, "seed=1.5"),
        (lambda batch: batch.reset(seed=True), OptionError, "seed=True"),
        (lambda batch: batch.reset(seed="x"), OptionError, "seed='x'"),
        (lambda batch: batch.reset(seed=[1, 2]), OptionError, "seed: 2 of them"),
        (lambda batch: batch.reset(seed=[[1], [1, 2]]), OptionError, "seed"),
        (lambda batch: batch.reset(dealers=[[1], [1, 2]]), OptionError, "dealers"),
        (lambda batch: batch.step([[1], [1, 2]]), OptionError, "actions"),
        (lambda batch: batch.reset(seed=[1, -2], rows=[0, 1]), OptionError, r"seed\[1\]=-2"),
        (lambda batch: batch.reset(dealers=5), OptionError, "dealers=5"),
        (lambda batch: batch.reset(dealers=-1), OptionError, "dealers=-1"),
        (lambda batch: batch.reset(dealers=[0, 9], rows=[0, 1]), OptionError, r"dealers\[1\]=9"),
        (lambda batch: batch.reset(pots=[1, 2]), OptionError, "pots"),
        (lambda batch: batch.reset(pots=[-1, 0, 0, 0, 0]), OptionError, r"pots\[0\]=-1"),
        (lambda batch: batch.reset(pots=[[0] * 5] * 3), OptionError, "pots of 3"),
        (lambda batch: batch.reset(seats=["rules"] * 4), OptionError, "seats"),
        (lambda batch: batch.reset(seats="chess"), OptionError, "chess"),
        (lambda batch: batch.reset(seats=np.full((100, 5), 3, np.uint8)), OptionError, "seats"),
        (lambda batch: batch.choose("search"), OptionError, "search"),
        (lambda batch: batch.choose("rules", out=np.zeros(100)), OptionError, "out is float64"),
        (lambda batch: batch.observe(5), OptionError, "seats=5"),
        (lambda batch: batch.observe([0, 1]), OptionError, "seats"),
        (lambda batch: batch.observe(0, out=np.zeros((100, 3), np.float32)), OptionError, "out is"),
        (lambda batch: batch.take([100]), OptionError, r"rows\[0\]=100"),
        (lambda batch: batch.take([]), OptionError, "tables=0"),
        (lambda batch: batch.reseed(-1), OptionError, "seed=-1"),
        (lambda batch: batch.decode(np.zeros(3, np.float32)), OptionError, "shape"),
    ],
)
def test_what_cannot_be_is_named_and_changes_nothing(act, error, message):
    batch = Batch("boxes", 100, threads=2)
    batch.reset(seed=1)
    batch.step(batch.choose("rules"))
    unchanged(batch, act, error, message)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"game": "chess"}, "game='chess'"),
        ({"tables": 0}, "tables=0"),
        ({"tables": MOST_TABLES + 1}, "tables="),
        ({"tables": 2.0}, "tables=2.0"),
        ({"threads": 0}, "threads=0"),
        ({"dtype": "float64"}, "dtype='float64'"),
        ({"observe": 1}, "observe=1"),
        ({"autoreset": None}, "autoreset=None"),
        ({"players": 11}, "players=11"),
        ({"colour": "red"}, "colour"),
        ({"seats": ["rules"]}, "seats"),
        ({"seats": {"rules"}}, "seats"),
        ({"buffers": {"vectors": np.zeros(3)}}, "vectors"),
        ({"buffers": {"masks": np.zeros((3, 61))}}, "masks is float64"),
        ({"buffers": {"masks": np.zeros((3, 122), np.int8)[:, ::2]}}, "C-contiguous"),
        ({"buffers": {"actors": [0, 0, 0]}}, "actors"),
    ],
)
def test_arguments_that_cannot_be_are_named(arguments, message):
    with pytest.raises(OptionError, match=message):
        Batch(**{"game": "boxes", "tables": 3, **arguments})


@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_given_may_be_a_buffer_of_the_batch(threads):
    batch, twin = (Batch("boxes", 4, players=10, threads=threads) for _ in range(2))
    for each in (batch, twin):
        each.reset(seed=0)
    for order in ([3, 2, 1, 0], [1, 0, 3, 2]):
        actions = twin.choose("rules", order)
        twin.step(actions, order)
        batch.buffers.actors[:] = actions
        batch.step(batch.buffers.actors, order)
        assert batch.save() == twin.save()
    batch.buffers.actors[:] = [1, 0, 3, 2]
    twin.step(twin.choose("rules", [1, 0, 3, 2]), [1, 0, 3, 2])
    batch.step(batch.choose("rules", [1, 0, 3, 2]), rows=batch.buffers.actors)
    assert batch.save() == twin.save()
    with pytest.raises(OptionError, match="rewards and returns share memory"):
        Batch("boxes", 4, buffers=dict.fromkeys(["rewards", "returns"], np.zeros((4, 5), np.float32)))


def test_no_tables_are_no_fault():
    batch = Batch("boxes", 2)
    batch.reset(seed=1)
    before = batch.save()
    batch.step([], rows=[])
    batch.reset(rows=[])
    assert batch.save() == before


def test_ctrl_c_leaves_no_thread_at_the_tables():
    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    seats = np.zeros((20_000, 5), np.uint8)
    seats[5000:, 1:] = 1  # so that the other threads have more to do
    batch = Batch("boxes", 20_000, threads=4, observe=False)
    interrupted = 0
    try:
        for number in range(30):
            batch.reset(seed=number, seats=seats)
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.002)
                while True:
                    batch.step(batch.choose("random"))
            except KeyboardInterrupt:
                interrupted += 1
            saved = batch.save()
            assert batch.save() == saved
            assert (batch.records["balances"].sum(1) + batch.records["pots"].sum(1) == 0).all()
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert interrupted == 30


def test_a_table_without_a_match_wants_a_reset():
    batch = Batch("boxes", 3, autoreset=False)
    for act in (lambda: batch.step([0] * 3), lambda: batch.choose("random"), lambda: batch.observe(0)):
        with pytest.raises(ResetNeededError, match="table 0: no match has begun"):
            act()
    batch.reset(seed=1, rows=[0, 1])
    with pytest.raises(ResetNeededError, match="table 2: no match has begun"):
        batch.step([*batch.buffers.masks[:2].argmax(1), 0])
    rows = np.array([0])
    while not batch.buffers.ended[0]:
        batch.step(batch.choose("random", rows), rows)
    with pytest.raises(ResetNeededError, match=r"table 0: its match is over; call reset\(rows=\[0\]\)"):
        batch.step([0], rows)


def test_unseeded_tables_differ_and_go_on_from_where_they_are():
    first, second = Batch("boxes", 2), Batch("boxes", 2)
    first.reset()
    second.reset()
    assert len(np.unique([*first.records["seed"], *second.records["seed"]])) == 4
    third = first.take([0, 1])
    first.reset()
    third.reset()
    assert first.save() == third.save()
