"""Experiments write records of what they play; random matches of all kinds go through files unharmed."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from experiments import evaluate, records_check, tournament
from tests.records.helpers import checked


@pytest.mark.parametrize("matches", [300, pytest.param(10_000, marks=pytest.mark.nightly)])
def test_random_matches_are_written_read_and_checked(matches: int, tmp_path: Path) -> None:
    found = records_check.run(tmp_path / "matches.jsonl", matches, seed=1)
    assert found["matches"] >= matches
    assert min(found["forfeited"], found["left"], *(found[f"{game}, batch"] for game in ("boxes", "saucers"))) > 0


def test_random_matches_are_counted_on_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    records_check.main(["--matches", "20", "--seed", "3"])
    assert "seconds to check" in capsys.readouterr().out


BOTS = '''
import numpy as np

class Failing:
    """Takes the first legal action, but raises in one match of three."""

    def __init__(self, seed=None): self.asked = 0

    def seed(self, seed): self.asked = 0

    def act(self, observation, action_mask=None):
        self.asked += 1
        if self.asked % 40 == 0: raise ValueError("no idea")
        return int(np.argmax(observation["action_mask"] if action_mask is None else action_mask))
'''


def play(folder: Path, *more: str) -> dict[str, bytes]:
    """Play a small tournament; its records, file by file."""
    agents = ["random", "rules", "import:bots_of_records:Failing"]
    tournament.main(["--game", "saucers", "--agents", *agents, "--deals", "2", "--out", str(folder), *more])
    return {path.name: path.read_bytes() for path in sorted((folder / "records").glob("*"))}


def test_a_tournament_records_each_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    (tmp_path / "bots_of_records.py").write_text(BOTS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "out"
    files = play(folder, "--records")
    assert len(files) == 3 * 3 + 1
    records = [record for name in files for record in checked(folder / "records" / name)]
    assert len(records) == 3 * 2 + 6 * 2 * 3 + 2 * 3, "where one agent has all seats, there are no rotations"
    assert len({tuple(sorted(record.about.items())) for record in records}) == len(records)
    forfeits = sum(len(record.about.get("forfeited at seats", "").split()) for record in records)
    assert forfeits > 0
    for record in records:
        seats = list(map(int, record.about.get("forfeited at seats", "").split()))
        assert {record.players[seat] for seat in seats} <= {"import:bots_of_records:Failing"}
        assert record.about["tournament seed"] == "0"
        assert record.over
    among = [record for record in records if record.about["line-up"] == "rules among random"]
    assert Counter(record.players.index("rules") for record in among) == {0: 2, 1: 2, 2: 2}
    assert {record.deals[0].hands for record in among if record.about["deal"] == "0"} == {among[0].deals[0].hands}, (
        "a deal is the same in all rotations"
    )

    (folder / "records" / "mixed-0.jsonl").unlink()
    (folder / "parts" / "0-among-1-0.npz").unlink()
    again = play(folder, "--records")
    assert again.keys() == files.keys(), "what lacks its records is played again"
    assert {name: content for name, content in again.items() if "2" not in name and name != "mixed-0.jsonl"} == {
        name: content for name, content in files.items() if "2" not in name and name != "mixed-0.jsonl"
    }
    (folder / "parts" / "0-among-1-0.npz").unlink()
    assert "0-among-1-0.jsonl" not in play(folder), "records of matches that count no longer are not kept"
    assert play(folder, "--overwrite") == {}


def test_an_evaluation_records_each_match(tmp_path: Path, capsys: Any) -> None:
    path = tmp_path / "matches.jsonl"
    evaluate.main(["--game", "saucers", "--agents", "rules", "random", "--deals", "5", "--records", str(path)])
    records = checked(path)
    assert Counter(record.players.index("rules") for record in records) == {0: 5, 1: 5, 2: 5}
    assert {(record.about["deal"], record.about["rotation"]) for record in records} == {
        (str(deal), str(rotation)) for deal in range(5) for rotation in range(3)
    }
