"""The benchmark: it measures what it says, and writes it down."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot

from experiments import batch_speed, benchmark, peers, training_speed
from experiments.report import Report
from marriage_env import GAMES, Batch
from marriage_env.sb3 import SingleSeatVecEnv

HASTE = ["--rounds", "1", "--seconds", "0.05", "--steps", "2000", "--deals", "2"]


def test_the_tables_go_to_screen_page_and_readme(tmp_path, capsys, monkeypatch):
    pytest.importorskip("pettingzoo.classic.texas_holdem_v4")
    page, readme = tmp_path / "benchmarks.md", tmp_path / "README.md"
    readme.write_text("before\n<!-- benchmarks -->\nlast year\n<!-- end of benchmarks -->\nafter\n")
    files = ["--markdown", str(page), "--readme", str(readme)]
    monkeypatch.setattr(benchmark, "IN_README", ("loop",))
    benchmark.main(["--only", "loop", "rules", "strength", *HASTE, *files])
    text, copied = page.read_text(), readme.read_text()
    assert "python -m experiments.benchmark --only loop rules strength" in text
    assert copied.startswith("before\n<!-- benchmarks -->\n")
    assert copied.endswith("\n<!-- end of benchmarks -->\nafter\n")
    assert "last year" not in copied
    for name in ("boxes_v0 env", "saucers_v0 raw_env", "texas_holdem_v4 env", "connect_four_v3 raw_env"):
        (row,) = re.findall(rf"^\| {name} \| (.*) \|$", text, re.MULTILINE)
        assert row in copied
        assert all(float(cell.replace(",", "")) > 0 for cell in row.split(" | "))
    for game in GAMES.values():
        for players in range(game.min_players, game.max_players + 1):
            assert f"| {game.name}, {players} players |" in text
    assert "boxes_v0 env" in capsys.readouterr().out


def test_observing_is_part_of_what_is_timed():
    game = GAMES["boxes"]
    rules = game.rules()
    for observed in (False, True):
        benchmark.rollout_speed(game, rules, observed, 1000)
    speeds = [
        max(benchmark.rollout_speed(game, rules, observed, 20_000) for _ in range(5)) for observed in (False, True)
    ]
    assert speeds[1] < speeds[0]


def test_a_report_is_the_same_table_on_screen_and_page():
    report = Report("title", "note", ["who", "how much"], [["a", "1"], ["b", "2"]])
    assert report.markdown() == "## title\n\nnote\n\n| who | how much |\n| --- | ---: |\n| a | 1 |\n| b | 2 |\n"
    assert [str(column.header) for column in report.on_screen().columns] == report.header


@pytest.fixture
def small(monkeypatch):
    """The benchmark's parts, but small."""
    few = ("marriage/saucers/3", "marriage/boxes/5", "rlcard/leduc-holdem")
    monkeypatch.setattr(peers, "PEERS", {name: peers.PEERS[name] for name in few})
    monkeypatch.setattr(peers, "BATCHES", (1, 8))
    monkeypatch.setattr(batch_speed, "TABLES", 16)
    monkeypatch.setattr(batch_speed, "MANY_TABLES", 32)
    monkeypatch.setattr(batch_speed, "SIZES", (1, 2, 4, 8, 16))
    for name in ("OURS", "TUTORIAL"):
        monkeypatch.setattr(training_speed, name, training_speed.Settings(4 if name == "OURS" else 1, 8, 8, 1))


@pytest.mark.nightly
def test_all_figures_go_to_csv_and_a_plot(tmp_path, small):
    files = {"--csv": tmp_path / "figures.csv", "--plot": tmp_path / "plot.png", "--markdown": tmp_path / "page.md"}
    parts = ["batch", "sizes", "threads", "peers", "training"]
    benchmark.main(["--only", *parts, *HASTE, *[str(word) for pair in files.items() for word in pair]])
    rows = list(csv.DictReader(files["--csv"].open()))
    page = files["--markdown"].read_text()
    assert len({row["table"] for row in rows}) == len(parts)
    for row in rows:
        assert row["value"] in page
        assert not row["value"] or float(row["value"].replace(",", "").rstrip("%")) > 0
    games = {row["row"] for row in rows if "by the number of tables" in row["table"]}
    assert games == {"boxes, 5 players", "boxes, 10 players", "saucers, 3 players", "saucers, 6 players"}
    assert files["--plot"].read_bytes().startswith(b"\x89PNG")
    assert pyplot.imread(files["--plot"]).std() > 0.05


def test_a_free_environment_has_the_shapes_of_ours():
    tables = SingleSeatVecEnv("saucers", 4, players=3)
    free = training_speed.FreeVecEnv(tables, episode=2)
    assert (free.observation_space, free.action_space) == (tables.observation_space, tables.action_space)
    first = free.reset()
    actions = np.zeros(4, np.int64)
    ends = [free.step(actions)[2] for _ in range(4)]
    assert np.array(ends).sum(0).tolist() == [2, 2, 2, 2]
    assert first is free.step(actions)[0]


def test_the_best_of_filling_is_not_slower_than_playing():
    batch = Batch("boxes", 200)
    assert batch_speed.filling(batch, 0.05)() > batch_speed.stepping(batch, 0.05)() > 10_000
    assert batch_speed.whole_deals("saucers", 3, 0.05)() > 100_000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "rules", "--readme", "README.md"], "--readme: allowed if all"),
        (["--readme", "nowhere.md"], "nowhere.md"),
        (["--readme", "Makefile"], "<!-- benchmarks -->"),
        (["--only", "rules", "--plot", "plot.png"], "--plot: allowed with sizes and peers"),
        (["--only", "chess"], "chess"),
    ],
)
def test_what_cannot_be_is_refused_before_measuring(arguments, message, capsys, monkeypatch):
    before = Path("README.md").read_bytes()
    with pytest.raises(SystemExit) as stop:
        benchmark.main(arguments)
    output = capsys.readouterr()
    assert message in f"{stop.value.code} {output.err}"
    assert "measuring" not in output.out
    assert Path("README.md").read_bytes() == before
    Path("plot.png").unlink(missing_ok=True)


def test_a_package_that_is_not_there_does_not_spoil_the_page(monkeypatch):
    monkeypatch.setattr(benchmark, "PACKAGES", ("numba", "chess-of-the-future"))
    assert "chess-of-the-future not installed" in benchmark.page([], "command")
