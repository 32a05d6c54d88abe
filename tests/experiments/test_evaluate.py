"""Duplicate play and its statistics."""

import csv
import json
from argparse import Namespace

import numpy as np
import pytest

from experiments import evaluate
from experiments.duplicate import Estimate, Score, play_duplicate, scores
from experiments.evaluate import write_csv, write_json
from experiments.report import json_text
from marriage_env import GAMES, BatchAgent, make_agent, saucers_v0
from marriage_env.options import make_rules
from tests.helpers import TABLES

THREE = ("saucers", {"players": 3})
FIVE = ("boxes", {"players": 5})


class First(BatchAgent):
    """The lowest legal action: no chance in it."""

    def choose(self, vectors, masks):
        return masks.argmax(1)


def test_every_agent_plays_every_seat_of_every_deal():
    met = set()

    class Witness(First):
        def __init__(self, name):
            self.name = name

        def choose(self, vectors, masks):
            for vector in vectors:
                met.add((self.name, vector[hand].tobytes()))
            return masks.argmax(1)

    layout = saucers_v0.raw_env(players=3).layout
    start = layout.at[[field.name for field in layout.fields].index("hand")]
    hand = slice(start, start + 36)
    play_duplicate(*THREE, [Witness(name) for name in "abc"], deals=5, seed=1)
    full = {
        name: {cards for who, cards in met if who == name and np.frombuffer(cards, np.float32).sum() == 12}
        for name in "abc"
    }
    assert full["a"] == full["b"] == full["c"]
    assert len(full["a"]) == 15


@pytest.mark.parametrize(
    ("game", "rules"), [THREE, FIVE, ("boxes", {"players": 5, "deals": 3, "misdeal_rate": 0.3})], ids=str
)
def test_equal_players_come_out_equal_on_each_deal(game, rules):
    seats = rules["players"]
    chips = play_duplicate(game, rules, [First() for _ in range(seats)], deals=20, seed=3)
    assert chips.shape == (20, seats, seats)
    by_place = chips.mean(axis=1)
    assert np.allclose(by_place, by_place[:, :1])
    assert len(np.unique(by_place[:, 0])) > 1


def test_the_seed_reproduces_a_measurement_to_the_last_bit():
    def measure(seed):
        agents = [make_agent("rules"), make_agent("random"), make_agent("random")]
        return play_duplicate(*THREE, agents, deals=30, seed=seed)

    assert measure(5).tobytes() == measure(5).tobytes()
    assert measure(5).tobytes() != measure(6).tobytes()


def test_chips_are_those_of_the_same_match_played_by_hand():
    chips = play_duplicate(*THREE, [First()] * 3, deals=1, seed=8)
    env = saucers_v0.raw_env(players=3, mask_in="info")
    env.reset(seed=int(np.random.SeedSequence(8).generate_state(1, np.uint64)[0]))
    for agent in env.agent_iter():
        if env.terminations[agent]:
            break
        env.step(int(env.infos[agent]["action_mask"].argmax()))
    assert chips[0, 0].tolist() == list(env.balances.values())


def test_scores_take_a_deal_with_its_rotations_as_one_block():
    chips = np.zeros((4, 2, 2))
    chips[:, 0] = [[1, -1], [3, -3], [1, -1], [3, -3]]
    chips[:, 1] = [[1, -1], [1, -1], [1, -1], [1, -1]]
    mine, other = scores(["a", "b"], chips)
    assert (mine.agent, mine.seats, mine.chips.mean) == ("a", 1, 1.5)
    assert mine.chips.error == pytest.approx(1.959964 * np.std([1, 2, 1, 2], ddof=1) / 2)
    assert mine.ahead.mean == 3.0
    assert other.ahead.mean == -3.0
    assert mine.ahead.clear_of_zero


def test_an_interval_covers_the_mean_95_times_in_100():
    random = np.random.default_rng(1)
    estimates = [Estimate.over_deals(random.exponential(2.0, 200)) for _ in range(1000)]
    covered = sum(abs(estimate.mean - 2.0) <= estimate.error for estimate in estimates)
    assert 920 <= covered <= 975


def test_the_command_writes_table_csv_and_json(tmp_path, capsys):
    files = [tmp_path / "deep" / "scores.csv", tmp_path / "scores.json"]
    arguments = ["--game", "boxes", "--players", "6", "--rule", "conduct=fined", "--rule", "deals=2", "--deals", "40"]
    evaluate.main([*arguments, "--csv", str(files[0]), "--json", str(files[1])])
    assert "boxes, 6 players, 40 duplicate deals" in capsys.readouterr().out
    rows = list(csv.DictReader(files[0].open()))
    document = json.loads(files[1].read_text())
    assert [row["agent"] for row in rows] == ["rules", "random"]
    assert document["rules"]["conduct"] == "fined"
    assert document["rules"]["deals"] == 2
    assert float(rows[0]["chips_per_deal"]) == document["scores"][0]["chips"]["mean"]


def test_of_one_deal_files_have_no_interval_and_names_as_they_are(tmp_path):
    options = Namespace(game="boxes", agents=["Infinity-NaN.zip"], deals=1, seed=0)
    name, estimate = options.agents[0], Estimate(-1.5, float("inf"))
    results = [Score(name, 5, estimate, estimate)]
    write_json(tmp_path / "scores.json", options, make_rules(GAMES["boxes"].rules, {}), results)
    document = json.loads((tmp_path / "scores.json").read_text(), parse_constant=pytest.fail)
    assert document["agents"] == [name]
    found = {"mean": -1.5, "error": None}
    assert document["scores"] == [{"agent": name, "seats": 5, "chips": found, "ahead": found}]
    write_csv(tmp_path / "scores.csv", results)
    assert (tmp_path / "scores.csv").read_text().splitlines()[1] == f"{name},5,-1.5,,-1.5,"


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf"), np.float64("nan")])
def test_no_number_is_null_wherever_it_is(number):
    text = json_text({"NaN": number, "parts": [("Infinity", number), {"deep": number}], "one": 1.5})
    document = json.loads(text, parse_constant=pytest.fail)
    assert document == {"NaN": None, "parts": [["Infinity", None], {"deep": None}], "one": 1.5}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--players", "11"], "players=11"),
        (["--agents", "nobody"], "nobody"),
        (["--agents", *["random"] * 6], "at most 5"),
        (["--rule", "conduct"], "NAME=VALUE"),
        (["--rule", "condcut=fined"], "condcut"),
        (["--deals", "0"], "from 1 to"),
        (["--deals", "many"], "many"),
        (["--deals", "9" * 5000], "from 1 to"),
        (["--seed", "-1"], "from 0 to"),
        (["--csv", "/"], "cannot be written"),
        (["--json", "/proc/nope/x.json"], "cannot be written"),
        (["--rule", "self=3"], "self"),
        (["--rule", "deals=" + "-" * 100_000 + "1"], "deals"),
        (["--game", "chess"], "chess"),
    ],
)
def test_bad_arguments_are_named(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        evaluate.main(arguments)
    assert stop.value.code not in (0, None)
    assert message in f"{stop.value.code} {capsys.readouterr().err}"


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_rules_is_ahead_of_random(table):
    names = ["rules", *["random"] * (table.players - 1)]
    agents = [make_agent(name) for name in names]
    game, rules = table.module.raw_env.game.name, {"players": table.players}
    score, _ = scores(names, play_duplicate(game, rules, agents, deals=150, seed=2))
    assert score.ahead.mean > score.ahead.error


def test_house_players_fare_alike_in_compiled_code_and_asked():
    class Asked(type(make_agent("rules"))):
        """The same player, whom the batch does not know."""

    lineups = [[make_agent("rules"), First(), First()], [Asked(), First(), First()]]
    compiled, asked = (play_duplicate(*THREE, lineup, deals=700, seed=4) for lineup in lineups)
    assert compiled.tobytes() == asked.tobytes()
