"""Tournaments: their numbers, who forfeits, going on after being stopped, and what is written."""

import base64
import contextlib
import csv
import dataclasses
import html
import json
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from openskill.models import PlackettLuce
from rich.console import Console

from experiments import provenance, referee, tournament, tournament_play
from experiments.duplicate import Estimate, play_duplicate
from experiments.house_speed import house_seconds
from experiments.spread import Here
from experiments.standings import ratings, standings
from experiments.time_limit import within
from experiments.tournament_folder import Folder
from experiments.tournament_play import Part, Result, companies, lineups_of, parts, play, settled
from marriage_env import BatchAgent, MarriageError, make_agent
from tests.experiments.helpers import BOT, ROOT, THREE, bot, command, results, tournament_of


class First(BatchAgent):
    """The lowest legal action: no chance in it."""

    def choose(self, vectors, masks):
        return masks.argmax(1)


class Last(BatchAgent):
    def choose(self, vectors, masks):
        return 60 - masks[:, ::-1].argmax(1)


def found_by(asked, agents):
    """The standings of agents that are given themselves."""
    return standings(asked, lambda part: play(asked, agents, part))


# Numbers


@pytest.mark.parametrize(("game", "rules"), [("saucers", THREE), ("boxes", {"players": 6, "deals": 2})])
def test_a_part_is_duplicate_play(game, rules):
    asked = tournament_of("a", "b", game=game, rules=rules)
    agents = [First(), Last()]
    lineup = [agents[0], *[agents[1]] * (asked.seats - 1)]
    expected = play_duplicate(game, rules, lineup, 6, asked.drawn(0, 0))
    result = play(asked, agents, Part(0, 1, 0))
    assert result.chips.tobytes() == expected.tobytes()
    assert not result.forfeited.any()


def test_who_earns_what_is_told_with_the_deals_as_blocks():
    asked = tournament_of("a", "b", deals=30)  # two blocks
    agents = [First(), Last()]
    found = {(met.agent, met.company): met for met in found_by(asked, agents).encounters}
    chips = {
        (x, y): np.concatenate([play(asked, agents, Part(x, y, block)).chips for block in (0, 1)])
        for x in (0, 1)
        for y in (0, 1)
    }
    own = chips[1, 1].mean(axis=(1, 2))
    met = chips[0, 1][:, :, 0].mean(axis=1)
    assert chips[0, 1].shape == (30, 3, 3)
    assert chips[1, 1].shape == (30, 1, 3)
    assert found["a", "b"].chips == Estimate.over_deals(met)
    assert found["a", "b"].gain == Estimate.over_deals(met - own)
    assert found["b", "b"].chips == Estimate.over_deals(own)
    assert found["b", "b"].gain == Estimate(0.0, 0.0)
    assert found["a", "b"].seats == 90


def test_one_player_by_two_names_earns_the_same_and_gains_nothing():
    found = found_by(tournament_of("a", "b"), [First(), First()]).encounters
    assert len({met.chips for met in found}) == 1
    assert {met.gain for met in found} == {Estimate(0.0, 0.0)}


def test_another_order_of_the_agents_tells_the_same_of_each_pair():
    agents = {"first": First(), "last": Last(), "rules": make_agent("rules"), "random": make_agent("random")}

    def pairs(names):
        found = found_by(tournament_of(*names), [agents[name] for name in names])
        return {(met.agent, met.company): met for met in found.encounters}

    assert pairs(list(agents)) == pairs(list(agents)[::-1])


def test_mixed_tables_seat_everybody_as_often():
    for agents, deals in ((2, 7), (3, 5), (4, 9), (11, 8)):
        names = [str(number) for number in range(agents)]
        drawn = companies(tournament_of(*names, deals=deals))
        assert drawn.shape == (deals, 3)
        counts = np.bincount(drawn.ravel(), minlength=agents)
        assert counts.max() - counts.min() <= 1
        assert all(len(set(company)) > 1 for company in drawn.tolist())


def test_the_better_player_is_rated_higher_and_the_same_again():
    asked = tournament_of("random", "rules", game="boxes", rules={"players": 5}, deals=60)
    agents = [make_agent("random"), make_agent("rules")]
    found = found_by(asked, agents)
    assert found.ranks[0].agent == "rules"
    assert found.ranks[0].ahead.mean > found.ranks[0].ahead.error
    assert all(rank.ordinal == pytest.approx(rank.mu - 3 * rank.sigma) for rank in found.ranks)
    assert found.ranks == found_by(asked, agents).ranks


def test_a_deal_is_rated_once_however_often_it_is_played():
    lineups = np.array([[0, 1, 1], [1, 0, 2]])
    chips = np.array([[[3.0, 1.0, 0.0], [-9.0, 4.0, 5.0]], [[0.1, 0.4, 6.0], [0.2, -0.1, 3.0]]])
    mean = chips.mean(axis=1, keepdims=True)
    found, once = (ratings("abc", Result(lineups, scored, scored > 99, {})) for scored in (chips, mean))
    model = PlackettLuce(tau=0.0)
    (first,), (second,) = model.rate([[model.rating()], [model.rating()]], scores=[-3.0, 2.5])
    (first,), (second,), (third,) = model.rate([[first], [second], [model.rating()]], scores=[1, 1, 2])
    for one in (found, once):
        assert [(rating.mu, rating.sigma) for rating in one] == [
            (rating.mu, rating.sigma) for rating in (first, second, third)
        ]


def test_an_agent_that_sits_at_no_mixed_table_has_no_mean_there():
    asked = tournament_of(*"abcdef", deals=1)
    found = found_by(asked, [First() for _ in range(6)])
    absent = set("abcdef") - {asked.agents[number] for number in companies(asked).ravel()}
    assert absent
    assert all(np.isnan(rank.chips.mean) == (rank.agent in absent) for rank in found.ranks)


@pytest.mark.parametrize("game", ["boxes", "saucers"])
@pytest.mark.parametrize("player", ["random", "rules"])
def test_house_players_are_timed_over_a_sample(game, player):
    assert 0 < house_seconds(game, {}, player, 1) < 1e-3


# Forfeits


class Failing(BatchAgent):
    """Fails where it holds the queen of hearts, a third of the deals; else the lowest legal action."""

    def choose(self, vectors, masks):
        wrong = masks[:, 42] != 0
        if wrong.any():
            return self.fail(masks, wrong)
        return masks.argmax(1)


class Raises(Failing):
    def fail(self, masks, wrong):
        raise KeyError("queen")


class Exits(Failing):
    def fail(self, masks, wrong):
        sys.exit("enough")


class Illegal(Failing):
    def fail(self, masks, wrong):
        return np.where(wrong, masks.argmin(1), masks.argmax(1))


class Misshapen(Failing):
    def fail(self, masks, wrong):
        return np.zeros((7, 7))


class Hangs(Failing):
    def fail(self, masks, wrong):
        while True:
            try:
                time.sleep(0.01)
            except Exception:
                continue


class Lawless:
    """No BatchAgent: what it answers is anything."""

    def act(self, observation, action_mask=None):
        return np.where(action_mask[:, 42] != 0, 42 * 0 + 61, action_mask.argmax(1))

    def seed(self, seed):
        pass


@pytest.mark.parametrize(
    ("agent", "kind", "message"),
    [
        (Raises(), "error", "KeyError: 'queen'"),
        (Exits(), "error", "SystemExit: enough"),
        (Illegal(), "illegal", "Illegal chose an action that the mask does not allow"),
        (Misshapen(), "error", "Misshapen chose actions of shape (7, 7)"),
        (Hangs(), "timeout", "no answer in 0.02 s"),
        (Lawless(), "illegal", "action 61"),
    ],
    ids=["raises", "exits", "illegal", "misshapen", "hangs", "lawless"],
)
def test_who_fails_forfeits_that_match_alone(agent, kind, message, monkeypatch):
    scored = []
    monkeypatch.setattr(referee, "PATIENCE", 1000)
    monkeypatch.setattr(tournament_play, "settled", lambda chips, *more: scored.append(chips) or settled(chips, *more))
    asked = tournament_of("failing", "first", deals=8, seconds=0.02)
    result = play(asked, [agent, First()], Part(0, 1, 0))
    whole = play(asked, [First(), First()], Part(0, 1, 0))
    out = result.forfeited[:, :, 0]
    assert 0 < out.sum() < out.size
    assert not result.forfeited[:, :, 1:].any()
    assert result.chips[~out].tobytes() == whole.chips[~out].tobytes()
    earned = scored[0][out]
    assert result.chips[out].tolist() == np.column_stack([earned.min(axis=1) - 1, earned[:, 1:]]).tolist()
    conduct = result.conduct[0]
    assert conduct.forfeits == {**dict.fromkeys(referee.KINDS, 0), kind: out.sum()}
    assert message in conduct.first[kind]
    assert conduct.decisions > 0
    assert sum(result.conduct[1].forfeits.values()) == 0


def test_who_forfeits_is_scored_one_chip_below_the_lowest():
    chips = np.array([[[3.0, -1.0, -2.0], [4.0, 0.0, -4.0]]])
    forfeited = np.array([[[True, False, True], [False, False, False]]])
    assert settled(chips, forfeited, 0.5).tolist() == [[[-2.5, -1.0, -2.5], [4.0, 0.0, -4.0]]]


class Late(First):
    """Takes too long, by no clock."""

    def __init__(self):
        self.asked = []  # for how many decisions, call by call

    def choose(self, vectors, masks):
        self.asked.append(len(masks))
        raise TimeoutError


@pytest.fixture
def limits(monkeypatch):
    """The time limits that calls were given."""
    given = []
    monkeypatch.setattr(referee, "within", lambda seconds, call: given.append(seconds) or within(seconds, call))
    return given


def test_who_hangs_costs_a_few_limits_and_is_not_asked_again_in_that_block(limits, monkeypatch):
    monkeypatch.setattr(referee, "AT_ONCE", 8)
    asked, late = tournament_of("late", "first", deals=20), Late()
    result = play(asked, [late, First()], Part(0, 1, 0))
    assert result.forfeited[:, :, 0].all()
    assert result.conduct[0].forfeits == {"error": 0, "timeout": 3, "illegal": 0, "unasked": 57}
    assert late.asked == [8, 1, 1, 1]
    assert set(limits) == {asked.time_limit}


def test_who_is_too_slow_for_a_batch_is_asked_one_by_one():
    class Slow(Late):
        def choose(self, vectors, masks):
            return super().choose(vectors, masks) if len(masks) > 1 else masks.argmax(1)

    slow, asked = Slow(), tournament_of("slow", "first", deals=20)
    result = play(asked, [slow, First()], Part(0, 1, 0))
    assert len(slow.asked) == 1
    assert not result.forfeited.any()
    assert result.chips.tobytes() == play(asked, [First(), First()], Part(0, 1, 0)).chips.tobytes()


def test_who_hangs_in_three_blocks_is_not_asked_again_in_the_tournament_also_when_it_goes_on(tmp_path):
    asked, console = tournament_of("late", "first", deals=25), Console()
    whole, late = Folder(tmp_path / "whole", asked), Late()
    tournament.play_missing(asked, [late, First()], whole, console, Here())
    timeouts = [
        result.conduct[0].forfeits["timeout"] for result in map(whole.load, parts(asked)) if 0 in result.conduct
    ]
    assert timeouts == [3, 3, 3, 0, 0, 0, 0, 0]
    assert len(late.asked) == 3 * 4
    assert all(met.forfeits == met.seats for met in standings(asked, whole.load).encounters if met.agent == "late")
    stopped, missing = Folder(tmp_path / "stopped", asked), (parts(asked)[1], parts(asked)[5], parts(asked)[9])
    for part in set(parts(asked)) - set(missing):
        stopped.save(part, whole.load(part))
    late.asked.clear()
    tournament.play_missing(asked, [late, First()], stopped, console, Here())
    assert len(late.asked) == 4
    for ours, theirs in ((stopped.load(part), whole.load(part)) for part in parts(asked)):
        assert ours.chips.tobytes() == theirs.chips.tobytes()
        assert [found.forfeits for found in ours.conduct.values()] == [
            found.forfeits for found in theirs.conduct.values()
        ]


def test_a_process_that_dies_every_few_decisions_does_not_stop_the_tournament(tmp_path):
    text = BOT.replace("for line in sys.stdin:", "for number, line in enumerate(sys.stdin):\n    assert number < 30")
    agent = make_agent(bot(tmp_path, text))
    asked = tournament_of("dies", "first", deals=4)
    result = play(asked, [agent, First()], Part(0, 1, 0))
    agent.close()
    assert 0 < result.conduct[0].forfeits["error"] < 12
    assert "ended with exit status 1; on standard error: " in result.conduct[0].first["error"]


def forever():
    while True:
        pass


def test_a_time_limit_stops_python_and_leaves_the_clock_as_it_was():
    before = signal.getsignal(signal.SIGALRM)
    assert within(5.0, lambda: 7) == 7
    with pytest.raises(TimeoutError, match=r"0\.01 s"):
        within(0.01, forever)
    with pytest.raises(KeyError):
        within(5.0, lambda: {}["nothing"])
    time.sleep(0.03)
    assert signal.getsignal(signal.SIGALRM) == before


def test_an_alarm_about_the_end_of_a_call_is_a_timeout_or_nothing():
    for length in range(0, 20_000, 10):
        with contextlib.suppress(TimeoutError):
            assert within(5e-5, lambda end=length: sum(range(end))) == sum(range(length))


# Going on


def test_a_killed_tournament_goes_on_and_comes_out_the_same(tmp_path):
    agents = ["random", "rules", bot(tmp_path)]
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    run = [sys.executable, "-m", "experiments.tournament", *command(killed, *agents, deals=12)]
    process = subprocess.Popen(run, cwd=ROOT, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while len(list(killed.glob("parts/*.npz"))) < 3 and time.monotonic() < deadline:
        time.sleep(0.005)
    process.kill()
    process.wait()
    kept = {path: path.read_bytes() for path in killed.glob("parts/*.npz")}
    assert 3 <= len(kept) < 10
    tournament.main(command(killed, *agents, deals=12))
    tournament.main(command(whole, *agents, deals=12))
    assert all(path.read_bytes() == content for path, content in kept.items())
    assert results(killed) == results(whole)
    done = {path: path.stat().st_mtime_ns for path in killed.glob("parts/*")}
    tournament.main(command(killed, *agents, deals=12))
    assert {path: path.stat().st_mtime_ns for path in killed.glob("parts/*")} == done


def test_parts_do_not_depend_on_each_other():
    asked = tournament_of("random", "rules", "first", deals=30)
    agents = [make_agent("random"), make_agent("rules"), First()]
    in_order = {part: play(asked, agents, part).chips.tobytes() for part in parts(asked)}
    backwards = {part: play(asked, agents, part).chips.tobytes() for part in reversed(parts(asked))}
    assert in_order == backwards
    assert sum(len(lineups_of(asked, part)) for part in in_order) == 30 * 10


@pytest.mark.parametrize(
    ("other", "named"),
    [
        ({"deals": 4}, "deals 3, not 4"),
        ({"agents": ("rules", "random")}, "agents"),
        ({"more": ("--seed", "2")}, "seed 0, not 2"),
        ({"more": ("--rule", "deals=2")}, "rules"),
        ({"more": ("--time-limit", "3")}, "time_limit"),
    ],
    ids=str,
)
def test_a_folder_with_another_tournament_is_left_alone(other, named, tmp_path):
    tournament.main(command(tmp_path, "random", "rules"))
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    arguments = command(
        tmp_path, *other.get("agents", ("random", "rules")), deals=other.get("deals", 3), more=other.get("more", ())
    )
    with pytest.raises(SystemExit, match=re.escape(named)) as stop:
        tournament.main(arguments)
    assert "--overwrite" in stop.value.code
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
    tournament.main([*arguments, "--overwrite"])
    assert results(tmp_path)


def test_a_damaged_folder_is_named(tmp_path):
    arguments = command(tmp_path, "random", "rules")
    tournament.main(arguments)
    part = tmp_path / "parts" / "0-among-1-0.npz"
    part.write_bytes(part.read_bytes()[:100])
    with pytest.raises(SystemExit, match=r"0-among-1-0\.npz is damaged"):
        tournament.main(arguments)
    part.unlink()
    tournament.main(arguments)
    (tmp_path / "tournament.json").write_text("{")
    with pytest.raises(SystemExit, match=r"tournament\.json cannot be read"):
        tournament.main(arguments)


def test_parts_with_flipped_bits_and_parts_of_others_are_refused(tmp_path):
    tournament.main(command(tmp_path, "random", "rules"))
    asked = tournament_of("random", "rules")
    first, other = Part(0, 1, 0), Part(1, 0, 0)
    folder = Folder(tmp_path / "copy", asked)
    path, content = folder.parts / f"{first.name}.npz", (tmp_path / "parts" / f"{first.name}.npz").read_bytes()
    refused = 0
    for place in range(0, len(content), 7):
        path.write_bytes(content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :])
        try:
            folder.load(first)
        except MarriageError as error:
            assert "damaged" in str(error)
            refused += 1
    assert refused > len(content) // 14
    path.write_bytes((tmp_path / "parts" / f"{other.name}.npz").read_bytes())
    with pytest.raises(MarriageError, match="another part's"):
        folder.load(first)


def test_a_model_file_that_has_changed_makes_another_tournament(tmp_path):
    model = tmp_path / "model"
    model.write_text("one")
    asked = tournament_of("random", str(model))
    Folder(tmp_path / "out", asked)
    model.write_text("two")
    with pytest.raises(MarriageError, match="sha256"):
        Folder(tmp_path / "out", asked)


@pytest.mark.parametrize("library", ["marriage-env", "numba", "torch"])
def test_another_version_of_a_library_makes_another_tournament(library, tmp_path, monkeypatch):
    asked = tournament_of("random", "rules")
    Folder(tmp_path, asked)
    Folder(tmp_path, asked)
    version, there = provenance.version, provenance.versions()[library]
    monkeypatch.setattr(provenance, "version", lambda name: "0.0" if name == library else version(name))
    with pytest.raises(MarriageError, match=rf"\(versions {library} {re.escape(there)}, not 0\.0\)"):
        Folder(tmp_path, asked)


@pytest.mark.parametrize("name", ["trained", "trained:saucers-3"])
def test_other_shipped_models_make_another_tournament_of_those_who_play_by_them(name, tmp_path, monkeypatch):
    asked, others = tournament_of("random", name), tournament_of("random", "rules")
    Folder(tmp_path / "trained", asked)
    Folder(tmp_path / "others", others)
    (path, card), *rest = provenance.shipped_cards(provenance.WEIGHTS).items()
    changed = dataclasses.replace(card, weights="other")
    monkeypatch.setattr(provenance, "shipped_cards", lambda _: {path: changed, **dict(rest)})
    with pytest.raises(MarriageError, match=rf"\(shipped_models {path.stem} {card.digest()}, not {changed.digest()}\)"):
        Folder(tmp_path / "trained", asked)
    Folder(tmp_path / "others", others)


def test_no_agent_is_told_the_seed_of_the_deals(monkeypatch):
    told = []

    class Told(First):
        def seed(self, seed):
            told.append(seed)

    asked = tournament_of("a", "b", seed=7)
    monkeypatch.setattr(tournament, "make_agent", lambda name, seed: told.append(seed) or Told())
    agents = tournament.enter(asked)
    for part in parts(asked):
        play(asked, agents, part)
    assert len(told) == 4 + 6 + 2  # made and seeded; in each part, seeded
    assert not set(told) & {7, *(asked.drawn(what, 0) for what in range(4))}
    assert told[:4:2] == told[1:4:2]
    assert told[0] != told[2]
    assert max(told) < 2**32


# What is written, and what is refused


def test_the_command_writes_tables_csv_json_and_a_page(tmp_path, capsys):
    name = bot(tmp_path, name='<b>$x_$ & ".py')
    out = tmp_path / "out"
    tournament.main(command(out, "random", name))
    shown = capsys.readouterr().out
    assert "saucers, 3 players, 3 duplicate deals" in shown
    assert "Who earns how much against whom" in shown
    rows = list(csv.DictReader((out / tournament.CSV).open()))
    assert [(row["table"], row["agent"], row["company"]) for row in rows[:4]] == [
        ("pair", "random", "random"),
        ("pair", "random", name),
        ("pair", name, "random"),
        ("pair", name, name),
    ]
    assert {row["agent"] for row in rows[4:]} == {"random", name}
    document = json.loads((out / tournament.JSON).read_text())
    assert float(rows[1]["chips_per_deal"]) == document["pairs"][1]["chips"]["mean"]
    assert document["settings"]["rules"]["players"] == 3
    assert document["versions"]["marriage-env"]
    assert document["conduct"][name]["decisions"] > 0
    assert all(conduct["seconds_per_decision"] > 0 for conduct in document["conduct"].values())
    page = (out / tournament.HTML).read_text()
    assert html.escape(name) in page
    assert name not in page
    plots = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', page)
    assert len(plots) == 2
    for text in (page, *[base64.b64decode(plot).decode() for plot in plots]):
        assert not re.search(r"(?:src|href)\s*=\s*[\"'](?!data:|#)|url\((?!#)|@import|<script|<link", text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agents", "random"], "two agents or more"),
        (["--agents", "random", "rules", "random"], "names 'random' twice"),
        (["--agents", "random", "nobody"], "nobody"),
        (["--agents", "random", "command:no-such-program"], "cannot be started"),
        (["--agents", "random", "import:no_such_module:Agent"], "ModuleNotFoundError"),
        (["--agents", "random", "com\nmand:x"], "printable"),
        (["--agents", "random", "rules", "--time-limit", "0"], "above 0"),
        (["--agents", "random", "rules", "--time-limit", "3e6"], "at most 86400"),
        (["--agents", "random", "rules", "--deals", "0"], "from 1 to"),
        (["--agents", "random", "rules", "--players", "12"], "players=12"),
        (["--agents", "random", "rules", "--out", "/proc/nope"], "/proc/nope"),
        ([], "--agents"),
    ],
)
def test_bad_arguments_are_named_before_anything_is_played(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        tournament.main(arguments)
    assert stop.value.code not in (0, None)
    assert message in f"{stop.value.code} {capsys.readouterr().err}"
    assert not list(tmp_path.iterdir())
