"""The ladder climbs each configuration that has a trained player, and writes down what it finds."""

import json
import shutil

import pytest

from agents import trained
from agents.models import load_model
from experiments import ladder
from experiments.evaluate import evaluate

SHORT = ["--deals", "40", "--search-deals", "4", "--playouts", "20", "--threads", "1"]
NINE = {
    *(f"boxes-{players}" for players in (5, 6, 8, 10)),
    "boxes-5-fined",
    *(f"saucers-{players}" for players in (3, 4, 5, 6)),
}


def test_a_trained_player_ships_for_each_configuration():
    cards = {path.stem: load_model(path).card for path in trained.shipped_cards(trained.WEIGHTS)}
    assert set(cards) == NINE
    for name, card in cards.items():
        game, players, *fined = name.split("-")
        assert (card.game, card.players) == (game, int(players))
        assert card.rules.get("conduct", "strict") == ("fined" if fined else "strict")
        assert card.command and card.commit and card.steps and card.results


def test_what_ships_is_small():
    files = [path for path in trained.WEIGHTS.iterdir() if path.is_file()]
    assert {path.suffix for path in files} == {".safetensors", ".json"}
    assert sum(path.stat().st_size for path in files) < 10e6


def test_the_ladder_is_written_to_pages_cards_and_files(tmp_path, monkeypatch):
    folder = tmp_path / "weights"
    folder.mkdir()
    for ending in ("json", "safetensors"):
        shutil.copy(trained.WEIGHTS / f"saucers-3.{ending}", folder)
    monkeypatch.setattr(ladder, "WEIGHTS", folder)
    readme, file = tmp_path / "README.md", tmp_path / "ladder.json"
    readme.write_text("before\n<!-- ladder -->\nold\n<!-- end of ladder -->\nafter\n")
    ladder.main([*SHORT, "--json", str(file), "--readme", str(readme), "--cards"])
    found = json.loads(file.read_text())
    assert set(found) == {"saucers-3"}
    assert list(found["saucers-3"]) == ["rules over random", "trained over rules", "search:20 over rules"]
    assert load_model(folder / "saucers-3.safetensors").card.results == found["saucers-3"]
    page = readme.read_text()
    assert "old" not in page and page.startswith("before") and page.endswith("after\n")
    for rung in found["saucers-3"].values():
        assert f"{rung['ahead']:+.3f} ± {rung['ci95']:.3f}" in page
    score, _ = evaluate("saucers", {"players": 3}, ["rules", "random"], 40, 0, ladder.Console())
    assert found["saucers-3"]["rules over random"]["ahead"] == score.ahead.mean


def test_configurations_that_are_not_there_are_refused():
    with pytest.raises(SystemExit, match="boxes-11: allowed are boxes-"):
        ladder.main(["--only", "boxes-11"])
