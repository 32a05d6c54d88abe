"""Training: it learns, it saves, it stops cleanly, it can be repeated."""

import functools
import json
import os
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest

from experiments import demo, train
from experiments.duplicate import play_duplicate, scores
from marriage_env import AgentError, boxes_v0, make_agent, saucers_v0

GAMES = {"boxes": functools.partial(boxes_v0.raw_env), "saucers": functools.partial(saucers_v0.raw_env)}


@pytest.mark.parametrize("game", GAMES)
def test_a_short_training_is_ahead_of_random(game, tmp_path):
    train.main(["--game", game, "--steps", "30000", "--out", str(tmp_path)])
    make_env = GAMES[game]
    seats = make_env().rules.players
    agents = [make_agent(str(tmp_path / "model.zip")), *[make_agent("random")] * (seats - 1)]
    score, _ = scores(["trained", *["random"] * (seats - 1)], play_duplicate(make_env, agents, deals=200, seed=1))
    assert score.ahead.mean > score.ahead.error
    assert json.loads((tmp_path / "settings.json").read_text())["game"] == game
    assert list(tmp_path.glob("tensorboard*/events*"))


def weights(folder):
    """The network of a run, as bytes."""
    with zipfile.ZipFile(folder / "model.zip") as archive:
        return archive.read("policy.pth")


def test_the_same_seed_trains_the_same_network(tmp_path):
    arguments = ["--game", "saucers", "--steps", "2048", "--tables", "4", "--rollout", "64"]
    for name, seed in (("a", "1"), ("b", "1"), ("c", "2")):
        train.main([*arguments, "--seed", seed, "--out", str(tmp_path / name)])
    assert weights(tmp_path / "a") == weights(tmp_path / "b")
    assert weights(tmp_path / "a") != weights(tmp_path / "c")


def test_ctrl_c_saves_the_model_and_it_can_go_on(tmp_path):
    command = [sys.executable, "-m", "experiments.train", "--game", "saucers", "--steps", "100000000"]
    run = subprocess.Popen([*command, "--out", str(tmp_path)], stdout=subprocess.PIPE, text=True)
    while not list(tmp_path.glob("tensorboard*/events*")):
        assert run.poll() is None
        time.sleep(0.2)
    time.sleep(2.0)
    run.send_signal(signal.SIGINT)
    output, _ = run.communicate(timeout=60)
    assert run.returncode == 0
    assert "Ctrl-C" in output
    train.main(["--game", "saucers", "--steps", "2048", "--resume", "--out", str(tmp_path)])
    assert make_agent(str(tmp_path / "model.zip"))


def test_a_model_of_another_game_is_refused(tmp_path):
    train.main(["--game", "saucers", "--steps", "1", "--tables", "2", "--rollout", "8", "--out", str(tmp_path)])
    agent = make_agent(str(tmp_path / "model.zip"))
    env = boxes_v0.env()
    env.reset(seed=1)
    with pytest.raises(AgentError, match="trained on"):
        agent.act(env.observe(env.agent_selection))


@pytest.mark.parametrize("content", [b"", b"not a zip", b"PK\x03\x04 cut short"])
def test_a_damaged_model_is_a_named_error(content, tmp_path):
    path = tmp_path / "model.zip"
    path.write_bytes(content)
    with pytest.raises(AgentError, match=r"model\.zip"):
        make_agent(str(path))


def test_a_zip_that_is_no_model_is_a_named_error(tmp_path):
    path = tmp_path / "model.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("letter.txt", "hello")
    with pytest.raises(AgentError, match=r"model\.zip"):
        make_agent(str(path))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--opponents", "nobody"], "nobody"),
        (["--players", "2"], "players=2"),
        (["--steps", "0"], "at least 1"),
        (["--resume"], "resume"),
    ],
)
def test_bad_arguments_are_named(arguments, message, capsys, tmp_path):
    with pytest.raises(SystemExit) as stop:
        train.main([*arguments, "--out", str(tmp_path / "none")])
    assert stop.value.code not in (0, None)
    assert message in f"{stop.value.code} {capsys.readouterr().err}"


def test_help_explains_every_option(capsys):
    with pytest.raises(SystemExit):
        train.main(["--help"])
    text = capsys.readouterr().out
    options = [line.split()[0] for line in text.splitlines() if line.startswith("  --")]
    assert len(options) > 12
    for option in options:
        assert len(text.split(f"  {option}")[-1].split("\n  -")[0].split()) > 2, option


def test_the_demo_trains_and_measures_both_games(tmp_path, capsys):
    os.environ["COLUMNS"] = "100"
    demo.main(["--seconds", "1", "--deals", "20", "--out", str(tmp_path)])
    text = capsys.readouterr().out
    for line in ("boxes, 5 players, 20 duplicate deals", "saucers, 3 players, 20 duplicate deals", "4 x rules"):
        assert line in text
    assert np.all([(tmp_path / f"demo-{game}" / "model.zip").is_file() for game in GAMES])
