"""What was trained is exported, plays alike, and carries its past on its card."""

import json

import numpy as np
import pytest

from agents.models import load_model
from experiments import export, train
from marriage_env import Batch, make_agent

QUICK = ["--game", "saucers", "--players", "4", "--steps", "1", "--tables", "2", "--rollout", "8"]


@pytest.mark.parametrize("more", [[], ["--half"]])
def test_a_run_is_exported_and_plays_alike(more, tmp_path):
    run = tmp_path / "run"
    train.main([*QUICK, "--seed", "3", "--layers", "16", "--out", str(run)])
    export.main([str(run), "--out", str(tmp_path / "weights" / "saucers-4.safetensors"), *more])
    path = tmp_path / "weights" / "saucers-4.safetensors"
    card = load_model(path).card
    assert (card.game, card.players, card.layers, card.seed, card.steps) == ("saucers", 4, [16], 3, 16)
    assert "--seed 3 --layers 16" in card.command
    out = Batch("saucers", 300, players=4).reset(seed=1)
    exported, trained = (make_agent(str(name)).act(out.observations, out.masks) for name in (path, run / "model.zip"))
    assert np.mean(exported == trained) > (0.8 if more else 0.99)


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"game": "boxes"}', b'{"game": "boxes", "rules": 3}', None])
def test_a_folder_that_is_no_run_is_named(content, tmp_path):
    if content is not None:
        (tmp_path / "settings.json").write_bytes(content)
    with pytest.raises(SystemExit, match=r"settings\.json.*allowed"):
        export.main([str(tmp_path), "--out", str(tmp_path / "a.safetensors")])


def test_bad_files_are_named(tmp_path):
    (tmp_path / "settings.json").write_text(json.dumps({"game": "boxes", "rules": {}}))
    with pytest.raises(SystemExit, match=r"model\.zip"):
        export.main([str(tmp_path), "--out", str(tmp_path / "a.safetensors")])
    train.main([*QUICK, "--out", str(tmp_path), "--overwrite"])
    with pytest.raises(SystemExit, match=r"a\.zip.*safetensors"):
        export.main([str(tmp_path), "--out", str(tmp_path / "a.zip")])


def test_settings_that_no_card_can_say_are_named_and_leave_the_model(tmp_path):
    run, path = tmp_path / "run", tmp_path / "a.safetensors"
    train.main([*QUICK, "--out", str(run)])
    export.main([str(run), "--out", str(path)])
    before = path.read_bytes(), path.with_suffix(".json").read_bytes()
    settings = json.loads((run / "settings.json").read_text())
    for name, value in (("steps_learned", "x"), ("steps_learned", -4), ("seed", 1.5), ("command", 5), ("commit", [1])):
        (run / "settings.json").write_text(json.dumps(settings | {name: value}))
        with pytest.raises(SystemExit, match=rf"export: .*a\.safetensors: .*{name.partition('_')[0]}.*allowed is"):
            export.main([str(run), "--out", str(path)])
        assert (path.read_bytes(), path.with_suffix(".json").read_bytes()) == before
