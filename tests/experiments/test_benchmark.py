"""The benchmark: it measures what it says, and writes it down."""

import re

from experiments import benchmark
from experiments.report import Report
from marriage_env import GAMES

HASTE = ["--rounds", "1", "--seconds", "0.05", "--steps", "2000", "--deals", "2"]


def test_the_tables_go_to_screen_page_and_readme(tmp_path, capsys):
    page, readme = tmp_path / "benchmarks.md", tmp_path / "README.md"
    readme.write_text("before\n<!-- benchmarks -->\nlast year\n<!-- end of benchmarks -->\nafter\n")
    files = ["--markdown", str(page), "--readme", str(readme)]
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
