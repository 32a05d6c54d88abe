"""Batches and what stands on them write records: house players' actions are in them, though nobody saw them."""

from __future__ import annotations

import copy
import pickle
import random
from collections import Counter
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from hypothesis import given, settings
from hypothesis import strategies as st

from marriage_env import Batch, boxes_v0, saucers_v0
from marriage_env.agents import BatchAgent, RandomAgent
from marriage_env.errors import OptionError, RecordFileError, RecordMismatchError
from marriage_env.games import GAMES
from marriage_env.recorded_tables import ROOM, RecordedTables, tables_for
from marriage_env.records import Record, check
from marriage_env.single_seat import SingleSeatEnv
from marriage_env.single_seat_vector import SingleSeatVectorEnv
from marriage_env.tables import Tables
from tests.helpers import MODULES, rule_options
from tests.records.helpers import checked

PLAYERS = (None, "random", "rules")


class First(BatchAgent):
    """Takes the first legal action."""

    def choose(self, vectors: Any, masks: Any) -> Any:
        return masks.argmax(1).astype(np.int64)


@settings(max_examples=25)  # each plays tens of matches, and each of them again for its record
@given(data=st.data())
def test_every_match_of_a_batch_is_recorded_whoever_plays(data: st.DataObject, tmp_path_factory: Any) -> None:
    """By all rules, with any players, with steps of some tables alone, and the caller drawing from the same streams."""
    module = data.draw(st.sampled_from(MODULES))
    rules = data.draw(rule_options(module))
    seats = data.draw(st.lists(st.sampled_from(PLAYERS), min_size=rules["players"], max_size=rules["players"]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    path = tmp_path_factory.mktemp("records") / "matches.jsonl"
    batch = Batch(module.raw_env.game.name, 4, seats=seats, autoreset=data.draw(st.booleans()), record=path, **rules)
    out = batch.reset(seed=1, dealers=data.draw(st.one_of(st.none(), st.integers(0, rules["players"] - 1))))
    resets = 3  # where house players have all seats, each plays whole matches
    ends, returns = int(out.ended.sum()), [*map(tuple, out.returns[out.ended].tolist())]
    for _ in range(60):
        rows = np.flatnonzero(out.masks.any(1) & (rng.random(4) < 0.8))
        if len(rows):
            batch.step(batch.choose(str(rng.choice(["random", "rules"])), rows), rows)
            over = rows[out.ended[rows]]
            ends += len(over)
            returns += map(tuple, out.returns[over].tolist())
        elif not out.masks.any() and resets:
            resets -= 1
            batch.reset()
            ends += int(out.ended.sum())
    late = int(out.masks.all(1).sum())  # matches that are over, and wait for the step that says so
    found = checked(path)
    assert len(found) == ends + late
    assert all(record.over for record in found)
    assert not Counter(returns) - Counter(tuple(map(float, record.balances)) for record in found)


def test_it_plays_alike_with_records_and_without(tmp_path: Path) -> None:
    kept, plain = (
        Batch("boxes", 8, seats=[None, "random", "rules", "rules", "random"], record=path)
        for path in (tmp_path / "matches.jsonl", None)
    )
    for batch in (kept, plain):
        batch.reset(seed=3)
        for _ in range(60):
            batch.step(batch.choose("random"))
    assert kept.save() == plain.save()
    assert len(checked(tmp_path / "matches.jsonl")) > 20


def test_a_record_of_a_batch_is_that_of_the_environment_with_the_same_actions(tmp_path: Path) -> None:
    batch = Batch("saucers", 1, record=tmp_path / "batch.jsonl", players=4)
    env = saucers_v0.raw_env(players=4, record=tmp_path / "env.jsonl")
    out = batch.reset(seed=5)
    env.reset(seed=5)
    rng = random.Random(1)
    for _ in range(500):
        action = rng.choice(np.flatnonzero(out.masks[0]).tolist())
        batch.step([action])
        env.step(action)
        if env.terminations["player_0"]:
            env.reset()
    records = checked(tmp_path / "batch.jsonl")
    assert len(records) >= 3
    assert records == checked(tmp_path / "env.jsonl")


def test_matches_with_dealers_and_pots_are_recorded(tmp_path: Path) -> None:
    batch = Batch("boxes", 3, seats="rules", record=tmp_path / "matches.jsonl")
    batch.reset(seed=[7, 8, 9], dealers=[0, 3, 4], pots=[1, 2, 3, 4, 5])
    openings = [record.opening for record in checked(tmp_path / "matches.jsonl")]
    assert [opening.seed for opening in openings] == [7, 8, 9]
    assert [opening.dealer for opening in openings] == [0, 3, 4]
    assert {opening.pots for opening in openings} == {(1, 2, 3, 4, 5)}


def test_a_match_left_by_a_reset_is_recorded_as_far_as_it_went(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    batch = Batch("saucers", 2, seats=[None, "rules", "random"], record=path)
    batch.reset(seed=1)
    batch.reset(seed=2, rows=[0])
    assert not path.exists(), "you have not acted"
    batch.step(batch.choose("rules"))
    balances = batch.records["balances"][:, :3].tolist()
    batch.reset(seed=3, seats=["rules", "rules", None])
    found = checked(path)
    assert [record.over for record in found] == [False, False]
    assert [list(record.balances) for record in found] == balances
    assert {record.players for record in found} == {("player_0", "rules", "random")}
    batch.step(batch.choose("rules"))
    batch.reset()
    assert checked(path)[-1].players == ("rules", "rules", "player_2")


def test_more_actions_than_there_was_room_for(tmp_path: Path) -> None:
    batch = Batch("saucers", 1, record=tmp_path / "matches.jsonl", deals=8)
    out = batch.reset(seed=1)
    while not out.ended[0]:
        batch.step(batch.choose("random"))
    (record,) = checked(tmp_path / "matches.jsonl")
    assert len(record.steps) > 3 * ROOM


def test_copies_of_a_batch_write_none_and_reseeding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    batch = Batch("boxes", 2, seats=[None, "rules", "rules", "rules", "rules"], record=path)
    batch.reset(seed=1)
    with pytest.raises(OptionError, match="one seed"):
        batch.reseed(5)
    others = [batch.take([0]), Batch.load(batch.save()), copy.deepcopy(batch), pickle.loads(pickle.dumps(batch))]
    for other in others:
        other.reseed(6)
        while not other.buffers.ended.any():
            other.step(other.choose("rules"))
    assert not path.exists()
    env = boxes_v0.raw_env()
    env.reset(seed=1)
    with pytest.raises(OptionError, match="from the middle on"):
        Batch.from_env(env, 2, record=path)


def test_tables_that_other_code_has_changed_have_no_record(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    batch = Batch("saucers", 2, seats=[None, "rules", "rules"], autoreset=False, record=path)

    def play_all() -> None:
        while batch.buffers.masks.any():
            rows = np.flatnonzero(batch.buffers.masks.any(1))
            batch.step(batch.choose("rules", rows), rows)

    batch.reset(seed=1)
    batch.records.view(np.ndarray)["balances"][1] += 1
    with pytest.raises(RecordMismatchError, match="table 1"):
        play_all()
    if batch.buffers.masks.any():
        play_all()
    batch.reset(seed=5)
    play_all()
    assert sorted(record.opening.seed for record in checked(path)) == [1, 5, 6]


def test_with_autoreset_a_changed_table_is_told_each_time_until_its_reset(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    batch = Batch("saucers", 1, seats=[None, "rules", "rules"], record=path)
    batch.reset(seed=1)
    batch.seating[0, 1] = 1  # random plays where rules sat down
    errors = 0
    for _ in range(60):
        try:
            batch.step(batch.choose("rules"))
        except RecordMismatchError:
            errors += 1
            assert batch.buffers.ended[0], "all else is done"
    assert errors >= 2
    assert not path.exists()
    batch.reset(seed=2)
    for _ in range(40):
        batch.step(batch.choose("rules"))
    assert len(checked(path)) >= 2


def test_a_record_that_could_not_be_written_is_written_with_the_next() -> None:
    kept: list[tuple[int, Record]] = []
    full = [True]

    def keep(row: int, record: Record) -> None:
        if full[0]:
            raise RecordFileError("no room")
        kept.append((row, record))

    rows = np.arange(3)
    tables = RecordedTables(GAMES["boxes"], GAMES["boxes"].rules(), 3, keep=keep)
    tables.seating[:] = 2
    tables.seed(rows, np.arange(3, dtype=np.uint64))
    with pytest.raises(RecordFileError, match="no room"):
        tables.open(rows)
    full[0] = False
    tables.open(rows[:1])
    assert [row for row, _ in kept] == [0, 1, 2, 0]
    for _, record in kept:
        check(record)


def test_without_records_tables_are_plain() -> None:
    tables = tables_for(None, GAMES["boxes"], GAMES["boxes"].rules(), 3)
    assert type(tables) is Tables
    assert type(Batch("boxes", 3)._tables) is Tables


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("threads", [1, 2])
def test_a_vector_environment_records_whom_it_has_at_its_tables(mode: Any, threads: int, tmp_path: Path) -> None:
    path, count = tmp_path / "matches.jsonl", 6
    envs = SingleSeatVectorEnv(
        "boxes",
        count,
        ["rules", First(), "random"],
        draw_opponents=True,
        autoreset_mode=mode,
        threads=threads,
        record=path,
        misdeal_rate=0.3,
    )
    _, infos = envs.reset(seed=4)
    ended, returns, sums = 0, np.zeros(count), []
    for _ in range(80):
        _, rewards, terminated, _, infos = envs.step(infos["action_mask"].argmax(1))
        returns += rewards
        ended += int(terminated.sum())
        sums += returns[terminated].tolist()
        returns[terminated] = 0
        if mode is AutoresetMode.DISABLED and terminated.any():
            _, infos = envs.reset(options={"reset_mask": terminated})
    envs.close()
    found = checked(path)
    over = [record for record in found if record.over]
    assert ended <= len(over) <= ended + count
    learners = Counter(float(record.balances[record.players.index("learner")]) for record in over)
    assert not Counter(sums) - learners
    assert {name for record in found for name in record.players} == {"learner", "rules", "random", "First"}
    assert {record.players.index("learner") for record in found} == set(range(5)), "seats rotate"
    assert len(found) <= len(over) + count


def test_gymnasium_makes_environments_that_record(tmp_path: Path) -> None:
    env = gymnasium.make("marriage_env/Saucers-v0", opponents=["rules", RandomAgent(1)], record=tmp_path / "one.jsonl")
    envs = gymnasium.make_vec("marriage_env/Saucers-v0", num_envs=2, record=tmp_path / "many.jsonl")
    _, info = env.reset(seed=2)
    assert isinstance(env.unwrapped, SingleSeatEnv)
    for _ in range(40):
        *_, terminated, _, info = env.step(int(info["action_mask"].argmax()))
        if terminated:
            _, info = env.reset()
    _, infos = envs.reset(seed=2)
    for _ in range(40):
        *_, infos = envs.step(infos["action_mask"].argmax(1))
    for each in (env, envs):
        each.close()
    one, many = checked(tmp_path / "one.jsonl"), checked(tmp_path / "many.jsonl")
    assert [record.players for record in one[:3]] == [
        ("rules", "random", "learner"), ("learner", "rules", "random"), ("random", "learner", "rules"),
    ]  # fmt: skip
    assert [record.over for record in one].count(False) <= 1
    assert {name for record in many for name in record.players} == {"learner", "rules"}


def test_stable_baselines3_records(tmp_path: Path) -> None:
    sb3 = pytest.importorskip("marriage_env.sb3")
    envs = sb3.SingleSeatVecEnv("boxes", 3, ["rules"], record=tmp_path / "matches.jsonl")
    envs.reset()
    ended = 0
    for _ in range(40):
        _, _, dones, _ = envs.step(envs.action_masks().argmax(1))
        ended += int(dones.sum())
    assert sum(record.over for record in checked(tmp_path / "matches.jsonl")) >= ended
    envs.close()


def test_a_copy_of_a_vector_environment_writes_none(tmp_path: Path) -> None:
    envs = SingleSeatVectorEnv("saucers", 2, record=tmp_path / "matches.jsonl")
    _, infos = envs.reset(seed=1)
    twin = pickle.loads(pickle.dumps(envs))
    for _ in range(40):
        *_, infos = twin.step(infos["action_mask"].argmax(1))
    twin.close()
    assert not (tmp_path / "matches.jsonl").exists()


@pytest.mark.parametrize(
    "made",
    [
        lambda record: boxes_v0.env(record=record),
        lambda record: Batch("boxes", 2, record=record),
        lambda record: SingleSeatVectorEnv("boxes", 2, record=record),
    ],
    ids=["env", "batch", "vector"],
)
def test_what_is_no_path_is_refused_at_once(made: Any, tmp_path: Path) -> None:
    for wrong in (5, True, ["a"], object(), "a\0b"):
        with pytest.raises(OptionError, match="allowed is the path of a file"):
            made(wrong)
    for there in (tmp_path, Path("/dev/null")):
        with pytest.raises(RecordFileError):
            made(there)
    made(tmp_path / "new.jsonl")
    made(str(tmp_path / "new.jsonl").encode())
    assert not list(tmp_path.iterdir()), "nothing has been played"
