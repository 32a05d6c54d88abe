"""What is written is read again, is borne out by the rules, and can be gone on from, wherever it ends."""

from __future__ import annotations

import copy
import dataclasses
import itertools
import pickle
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from marriage_env import boxes_v0, saucers_v0
from marriage_env.aec import TableEnv
from marriage_env.errors import OptionError, RecordFieldError, RecordMismatchError
from marriage_env.records import check, from_json, moments, read_records, record_of
from tests.helpers import (
    MODULES,
    TABLES,
    Table,
    contents,
    face,
    label,
    legal_actions,
    over,
    play_random,
    random_step,
    reset_options,
    rule_options,
)
from tests.records.helpers import forfeit
from tests.test_golden import golden_matches, start_golden


@st.composite
def played(draw: st.DrawFn) -> TableEnv:
    """An `env` in the middle of a match, or at its end, by random options; it may have been forfeited."""
    module = draw(st.sampled_from(MODULES))
    env: TableEnv = module.env(**draw(rule_options(module)))
    env.reset(seed=draw(st.integers(0, 2**64 - 1)), options=draw(reset_options(env)))
    rng = random.Random(draw(st.integers(0, 2**32)))
    play_random(env, rng, limit=draw(st.one_of(st.integers(0, 60), st.just(10_000))))
    if not over(env) and draw(st.booleans()):
        forfeit(env)
    return env


def fresh(env: TableEnv) -> TableEnv:
    """Another environment under the same rules."""
    return type(env)(**dataclasses.asdict(env.rules))


@given(env=played())
def test_a_record_is_written_read_and_borne_out(env: TableEnv) -> None:
    record = env.record
    line = record.as_json()
    again = from_json(line)
    assert again == record
    assert again.as_json() == line
    assert line.isascii() and "\n" not in line
    check(again)
    assert record.over == over(env)
    assert record.balances == tuple(env.balances.values())
    assert record.pots == tuple(env.pots.values())
    assert [step.action for step in record.steps] == env._actions


@given(env=played())
def test_whoever_goes_on_from_a_record_stands_where_it_ends(env: TableEnv) -> None:
    other = fresh(env)
    other.reset(seed=5)
    other.resume(from_json(env.record.as_json()))
    assert face(other) == face(env)
    assert other.record == env.record
    rng = random.Random(1)
    while not over(env):
        other.step(random_step(env, rng))
    assert face(other) == face(env)
    for both in (env, other):
        both.reset()
    assert contents(other) == contents(env), "the next match is the same, too"


@given(env=played())
def test_payments_alone_make_the_balances(env: TableEnv) -> None:
    """As the page tells readers in other languages, with its one exception."""
    record = env.record
    if len(record.steps) == 0 or record.steps[0].illegal:
        return
    chips = Counter(dict(zip(env.game.pot_names, record.opening.pots, strict=True)))
    for step in record.steps:
        for paid in step.paid:
            for payer, payee in itertools.product(paid.payers, paid.payees):
                chips[payer] -= paid.chips
                chips[payee] += paid.chips
    assert tuple(chips[seat] for seat in range(env.rules.players)) == record.balances
    assert tuple(chips[pot] for pot in env.game.pot_names) == record.pots


@given(env=played())
def test_each_moment_is_told(env: TableEnv) -> None:
    record = env.record
    told = list(moments(record))
    assert [moment.steps for moment in told] == list(range(len(record.steps) + 1))
    assert [moment.step for moment in told[1:]] == record.steps
    assert told[-1].table.tobytes() == env.table.tobytes()


@pytest.mark.parametrize("seats", TABLES, ids=str)
@pytest.mark.parametrize("steps", [0, 1, 7])
def test_a_match_that_is_forfeited_at_any_step_is_recorded(seats: Table, steps: int) -> None:
    env = seats.env()
    env.reset(seed=3)
    play_random(env, random.Random(2), limit=steps)
    forfeit(env)
    record = from_json(env.record.as_json())
    check(record)
    assert [step.illegal for step in record.steps] == [False] * steps + [True]
    other = seats.raw_env()  # in which nothing illegal can be tried goes on from it all the same
    other.resume(record)
    assert contents(other) == contents(env)


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_every_golden_match_is_recorded_and_borne_out(module: Any) -> None:
    for match in golden_matches(module.raw_env.game.name):
        env = start_golden(module, match)
        for step in match["steps"]:
            env.step(env.game.action_names.index(step["action"]))
        record = from_json(env.record.as_json())
        check(record)
        assert [step.seat for step in record.steps] == [step["seat"] for step in match["steps"]]
        assert list(record.balances) == match["steps"][-1]["balances"]
        assert record.over


@pytest.mark.parametrize("module", MODULES, ids=label)
@pytest.mark.parametrize("copied", [TableEnv.clone, copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_have_the_record_but_do_not_write_it(module: Any, copied: Any, tmp_path: Any) -> None:
    path = tmp_path / "matches.jsonl"
    env = module.raw_env(record=path)
    env.reset(seed=1)
    play_random(env, random.Random(1), limit=5)
    twin = copied(env)
    assert twin.record == env.record
    play_random(twin, random.Random(2))
    twin.close()
    assert len(env.record.steps) == 5
    assert not path.exists()
    play_random(env, random.Random(3))
    assert list(read_records(path)) == [env.record]


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_a_refused_record_changes_nothing(module: Any) -> None:
    env, played_out = module.raw_env(), module.raw_env()
    for each in (env, played_out):
        each.reset(seed=1)
    play_random(env, random.Random(1), limit=4)
    play_random(played_out, random.Random(2))
    record, before = played_out.record, face(env)
    wrong = dataclasses.replace(record, balances=(record.balances[0] + 1, *record.balances[1:]))
    with pytest.raises(RecordMismatchError, match="balances"):
        env.resume(wrong)
    other_module = saucers_v0 if module is boxes_v0 else boxes_v0
    for other in (other_module.raw_env(), module.raw_env(deals=2)):
        other.reset(seed=1)
        with pytest.raises(OptionError, match="allowed is"):
            env.resume(other.record)
    with pytest.raises(OptionError, match="allowed is a Record"):
        env.resume(other.record.as_data())
    assert face(env) == before
    assert len(env.record.steps) == 4


def test_an_environment_adds_each_match_when_it_is_over_or_left(tmp_path: Any) -> None:
    path = tmp_path / "new" / "matches.jsonl"
    env = saucers_v0.env(record=path)
    env.reset(seed=1)
    env.reset(seed=2)
    assert not path.exists(), "nobody has acted"
    play_random(env, random.Random(1))
    first = env.record
    env.reset(seed=3)
    play_random(env, random.Random(1), limit=3)
    second = env.record
    env.reset(seed=4)
    play_random(env, random.Random(1), limit=2)
    third = env.record
    for _ in range(2):
        env.close()
    assert list(read_records(path)) == [first, second, third]
    assert [record.over for record in read_records(path)] == [True, False, False]
    env.resume(second)
    env.close()
    assert len(list(read_records(path))) == 3, "what it goes on from has been written by whoever played it"
    play_random(env, random.Random(1), limit=1)
    env.close()
    assert len(list(read_records(path))) == 4


def test_players_have_names_that_can_be_shown() -> None:
    env = boxes_v0.raw_env()
    env.reset(seed=1)
    assert env.record.players == tuple(env.possible_agents)
    env.names = ["Ada", "Bo", "Cyd", "Dée", "Эва"]
    assert from_json(env.record.as_json()).players == ("Ada", "Bo", "Cyd", "Dée", "Эва")
    for wrong in (
        ["Ada"],
        "Adams",
        None,
        ["a", "b", "c", "d", ""],
        ["a", "b", "c", "d", 5],
        ["a", "b", "c", "d", "\x1b[2J"],
    ):
        with pytest.raises(RecordFieldError, match="players"):
            env.names = wrong
    assert env.names[0] == "Ada"
    other = boxes_v0.raw_env()
    other.resume(env.record)
    assert other.names == env.names, "who goes on from a record plays on for them"


def test_actions_that_are_not_legal_make_no_record() -> None:
    env = saucers_v0.raw_env()
    env.reset(seed=1)
    legal = legal_actions(env)
    illegal = next(action for action in range(61) if action not in legal)
    for action, said in ((illegal, False), (legal[0], True)):
        with pytest.raises(RecordMismatchError, match="legal"):
            record_of(env.record.opening, [(action, said)])
    actions = [(action, False) for action in play_random(env, random.Random(1))]
    assert record_of(env.record.opening, actions) == env.record
    with pytest.raises(RecordMismatchError, match="over"):
        record_of(env.record.opening, [*actions, (0, False)])


def test_a_record_takes_text_alone_about_itself() -> None:
    env = saucers_v0.raw_env()
    env.reset(seed=1)
    told = record_of(env.record.opening, [], about={"place": "Ghent"})
    assert from_json(told.as_json()).about == {"place": "Ghent"}
    for wrong in ({"place": 3}, {"": "x"}, {"a\n": "x"}, ["place"]):
        with pytest.raises(RecordFieldError, match="about"):
            dataclasses.replace(told, about=wrong)


def test_numbers_of_numpy_in_an_opening_are_written_as_numbers() -> None:
    env = boxes_v0.raw_env()
    env.reset(seed=np.uint64(2**64 - 1), options={"dealer": np.int64(2), "pots": np.arange(5)})
    record = from_json(env.record.as_json())
    assert (record.opening.seed, record.opening.dealer, record.opening.pots) == (2**64 - 1, 2, (0, 1, 2, 3, 4))
