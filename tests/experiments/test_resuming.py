"""A run that is killed and resumed ends with the weights of one that was not."""

import itertools
import json
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter

import numpy as np
import pytest

from agents.ppo import network_of
from experiments import export, train
from experiments.self_play import mixed, thinned
from marriage_env import BatchAgent, make_agent

TINY = ["--tables", "8", "--rollout", "16", "--batch", "64", "--epochs", "2", "--layers", "16", "16"]
SELF_PLAY = ["--self-play", "--snapshots", "3", "--snapshot-every", "2", "--checkpoint-every", "2", "--anneal"]


def state(folder):
    """All weights of a run, of network and optimiser, as bytes."""
    with zipfile.ZipFile(folder / "model.zip") as archive:
        return archive.read("policy.pth"), archive.read("policy.optimizer.pth")


def learned(folder):
    """The steps of a run at its last checkpoint."""
    path = folder / "settings.json"
    return json.loads(path.read_text())["steps_learned"] if path.is_file() else 0


@pytest.mark.parametrize(("game", "more"), [("boxes", ["--advice", "--layers", "64"]), ("saucers", [])])
def test_a_killed_run_ends_as_one_that_was_not(game, more, tmp_path):
    given = ["--game", game, *TINY, *SELF_PLAY, "--steps", "5000", "--seed", "4", *more]
    train.main([*given, "--out", str(tmp_path / "whole")])
    killed = ["--out", str(tmp_path / "killed")]
    run = subprocess.Popen([sys.executable, "-m", "experiments.train", *given, *killed], stdout=subprocess.DEVNULL)
    while learned(tmp_path / "killed") < 500:
        assert run.poll() is None
        time.sleep(0.01)
    run.send_signal(signal.SIGKILL)
    run.wait(timeout=60)
    assert 500 <= learned(tmp_path / "killed") < 5000
    train.main(["--resume", *killed])
    assert learned(tmp_path / "killed") == learned(tmp_path / "whole") == 5120
    assert state(tmp_path / "killed") == state(tmp_path / "whole")


@pytest.mark.parametrize("more", [[], ["--self-play"]])
def test_a_run_in_parts_ends_as_one_that_was_not(more, tmp_path):
    from_model = ["--opponents", str(tmp_path / "other" / "model.zip"), "random"]
    train.main(["--game", "saucers", *TINY, "--steps", "1", "--out", str(tmp_path / "other")])
    given = ["--game", "saucers", *TINY, *more, *from_model, "--snapshot-every", "3"]
    train.main([*given, "--steps", "1000", "--out", str(tmp_path / "a")])
    train.main([*given, "--steps", "300", "--out", str(tmp_path / "b")])
    for steps in ("301", "600", "1000"):
        train.main(["--resume", "--steps", steps, "--out", str(tmp_path / "b")])
    assert state(tmp_path / "a") == state(tmp_path / "b")


class Shy(BatchAgent):
    """Cannot be pickled."""

    def choose(self, vectors, masks):
        return masks.argmax(1)

    def __reduce__(self):
        raise TypeError("shy")


def test_opponents_that_cannot_be_pickled_are_made_anew(tmp_path, monkeypatch):
    monkeypatch.setattr("experiments.learner.make_agent", lambda name: Shy() if name == "shy" else make_agent(name))
    monkeypatch.setattr("experiments.checkpoints.make_agent", lambda name: {"shy": Shy}[name]())
    given = ["--game", "saucers", *TINY, "--self-play", "--opponents", "shy", "random"]
    for name, parts in (("a", ["700"]), ("b", ["300", "700"])):
        train.main([*given, "--steps", parts[0], "--out", str(tmp_path / name)])
        for steps in parts[1:]:
            train.main(["--resume", "--steps", steps, "--out", str(tmp_path / name)])
    assert state(tmp_path / "a") == state(tmp_path / "b")
    train.main(["--resume", "--steps", "900", "--opponents", "random", "--out", str(tmp_path / "b")])
    train.main(["--resume", "--steps", "1100", "--scripted-share", "0.2", "--out", str(tmp_path / "b")])
    assert learned(tmp_path / "b") == 1152


def test_one_run_at_a_time_is_at_work_in_a_folder(tmp_path):
    out = ["--out", str(tmp_path)]
    given = ["--game", "saucers", *TINY, *out]
    command = [sys.executable, "-m", "experiments.train", *given, "--seconds", "600"]
    run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while not (tmp_path / "checkpoint.bin").exists():
        assert run.poll() is None
        time.sleep(0.01)
    before = (tmp_path / "checkpoint.bin").read_bytes()
    for asked in (["--resume", *out], [*given, "--overwrite"]):
        with pytest.raises(SystemExit, match=f"train: another run is at work in {tmp_path}: allowed"):
            train.main([*asked, "--steps", "200"])
    assert (tmp_path / "checkpoint.bin").read_bytes() == before
    run.kill()
    run.wait(timeout=60)
    train.main(["--resume", *out, "--steps", "200"])
    train.main([*given, "--overwrite", "--steps", "1"])


@pytest.mark.parametrize("kind", ["no module", "no locks"])
def test_where_there_are_no_locks_a_run_goes_on(kind, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("no locks available")

    monkeypatch.setattr(*(("experiments.alone.fcntl", None) if kind == "no module" else ("fcntl.flock", fail)))
    train.main(["--game", "saucers", *TINY, "--steps", "1", "--out", str(tmp_path)])
    assert learned(tmp_path) == 128


BOT = """
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({"action": request["legal"][0]} if request["type"] == "act" else {"ready": True}), flush=True)
"""


def test_a_run_goes_on_without_an_opponent_who_is_gone(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SOMEBODYS_TOKEN", "a-secret")
    bot, out = tmp_path / "bot.py", tmp_path / "run"
    bot.write_text(BOT)
    gone = f"command:{sys.executable} {bot}"
    given = ["--game", "saucers", "--tables", "2", "--rollout", "8", "--opponents", gone, "rules"]
    train.main([*given, "--steps", "1", "--out", str(out)])
    train.main(["--resume", "--steps", "17", "--out", str(out)])
    assert b"a-secret" not in (out / "checkpoint.bin").read_bytes()
    bot.unlink()
    before = (out / "checkpoint.bin").read_bytes()
    for named in ([], ["--opponents", "random", gone]):
        with pytest.raises(SystemExit, match=r"train: command:.*bot\.py ended with exit status"):
            train.main(["--resume", "--steps", "33", *named, "--out", str(out)])
    assert (out / "checkpoint.bin").read_bytes() == before
    train.main(["--resume", "--steps", "33", "--opponents", "random", "--out", str(out)])
    train.main(["--resume", "--steps", "200", "--out", str(out)])
    assert learned(out) == 208


def test_a_checkpoint_that_cannot_be_written_leaves_the_old(tmp_path, monkeypatch):
    train.main(["--game", "saucers", *TINY, "--steps", "1", "--out", str(tmp_path)])
    before = (tmp_path / "checkpoint.bin").read_bytes()

    def stop(number):
        raise OSError("no space left on device")

    monkeypatch.setattr("agents.files.os.fsync", stop)
    with pytest.raises(SystemExit, match="no space"):
        train.main(["--resume", "--steps", "500", "--out", str(tmp_path)])
    assert (tmp_path / "checkpoint.bin").read_bytes() == before
    assert not list(tmp_path.glob("*.new"))


def test_annealing_ends_with_a_learning_rate_of_nothing(tmp_path):
    given = ["--game", "saucers", *TINY, "--steps", "256", "--out"]
    train.main([*given, str(tmp_path / "a"), "--anneal"])
    train.main([*given, str(tmp_path / "b")])
    rates = [make_agent(str(tmp_path / name / "model.zip")).policy.optimizer.param_groups[0]["lr"] for name in "ab"]
    assert rates == [0.0, 1e-3]


def test_training_starts_from_a_model_of_the_same_game(tmp_path):
    first, exported = tmp_path / "first", tmp_path / "saucers-3.safetensors"
    train.main(["--game", "saucers", *TINY, "--steps", "1", "--out", str(first)])
    export.main([str(first), "--out", str(exported)])
    for number, model in enumerate((first / "model.zip", exported)):
        out = tmp_path / str(number)
        given = ["--game", "saucers", *TINY[:-3], "--steps", "1", "--learning-rate", "1e-30", "--start", str(model)]
        train.main([*given, "--out", str(out), "--seed", "9"])
        networks = [network_of(make_agent(str(folder / "model.zip")).policy) for folder in (first, out)]
        for (weight, bias), (other_weight, other_bias) in zip(*(each.layers for each in networks), strict=True):
            assert np.allclose(weight, other_weight, atol=1e-12)
            assert np.allclose(bias, other_bias, atol=1e-12)
        with pytest.raises(SystemExit, match="--layers 7"):
            train.main([*given, "--layers", "7", "--out", str(tmp_path / "none")])
        with pytest.raises(SystemExit, match=r"takes 228 numbers|plays saucers"):
            train.main(["--game", "boxes", "--start", str(model), "--steps", "1", "--out", str(tmp_path / "none")])


def test_snapshots_are_thinned_evenly():
    kept = []
    for number in range(100):
        kept = thinned([*kept, (number, None)], 8)
    numbers = [number for number, _ in kept]
    assert (len(numbers), numbers[0], numbers[-1]) == (8, 0, 99)
    gaps = [after - before for before, after in itertools.pairwise(numbers)]
    assert max(gaps) <= 32
    assert [number for number, _ in thinned([(0, None), (1, None)], 1)] == [1]


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_opponents_are_drawn_by_their_share(share):
    counts = Counter(mixed(["a", "b"], ["x", "y", "z"], share))
    named, others = counts["a"] + counts["b"], counts["x"] + counts["y"] + counts["z"]
    assert named == share * (named + others)
    assert counts["a"] == counts["b"]
    assert counts["x"] == counts["y"] == counts["z"]
    assert mixed(["a"], [], 0.0) == ["a"]
