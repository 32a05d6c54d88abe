"""Training: it learns, it saves, it stops cleanly, it can be repeated."""

import json
import shlex
import signal
import subprocess
import sys
import time
import zipfile

import numpy as np
import pytest
import torch
from sb3_contrib import MaskablePPO

from agents.ppo import PPOAgent
from experiments import checkpoints, demo, evaluate, train
from experiments.duplicate import play_duplicate, scores
from marriage_env import GAMES, AgentError, Batch, boxes_v0, make_agent


@pytest.mark.parametrize("game", GAMES)
def test_a_short_training_is_ahead_of_random(game, tmp_path):
    train.main(["--game", game, "--steps", "30000", "--out", str(tmp_path)])
    seats = GAMES[game].min_players
    agents = [make_agent(str(tmp_path / "model.zip")), *[make_agent("random")] * (seats - 1)]
    score, _ = scores(["trained", *["random"] * (seats - 1)], play_duplicate(game, {}, agents, deals=200, seed=1))
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
    before = json.loads((tmp_path / "settings.json").read_text())["steps_learned"]
    train.main(["--game", "saucers", "--steps", str(before + 1), "--resume", "--out", str(tmp_path)])
    assert json.loads((tmp_path / "settings.json").read_text())["steps_learned"] == before + 256 * 32
    assert make_agent(str(tmp_path / "model.zip"))


QUICK = ["--game", "saucers", "--steps", "1", "--tables", "2", "--rollout", "8"]


def test_a_run_is_resumed_by_its_own_settings_or_refused(tmp_path, capsys):
    out = ["--out", str(tmp_path)]
    train.main([*QUICK, *out, "--players", "4", "--learning-rate", "0.01"])
    before = (tmp_path / "settings.json").read_text()
    for asked in (["--learning-rate", "0.5"], ["--layers", "7"], ["--game", "boxes"], ["--players", "5"]):
        with pytest.raises(SystemExit, match="as the run began"):
            train.main(["--resume", "--steps", "1", *asked, *out])
    with pytest.raises(SystemExit, match="--overwrite"):
        train.main([*QUICK, *out])
    assert (tmp_path / "settings.json").read_text() == before
    train.main(["--resume", *out])  # it is where it was to end
    assert json.loads((tmp_path / "settings.json").read_text())["steps_learned"] == 16
    train.main(["--resume", "--steps", "17", *out])
    settings = json.loads((tmp_path / "settings.json").read_text())
    assert (settings["game"], settings["players"], settings["learning_rate"]) == ("saucers", 4, 0.01)
    assert settings["steps_learned"] == 2 * json.loads(before)["steps_learned"] == 32
    train.main([*QUICK, *out, "--overwrite"])
    assert json.loads((tmp_path / "settings.json").read_text())["rules"]["players"] == 3


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (["--rule", "deals=3"], "--rule deals=3: --resume goes on with --rule deals=2 --rule row_start=lowest, as"),
        (["--layers", "7", "8"], "--layers 7 8: --resume goes on with --layers 128 128, as"),
        (["--advice"], "--advice: --resume goes on without, as"),
        (["--game", "saucers", "--players", "4"], "--players 4: --resume goes on without, as"),
        (["--overwrite"], "--resume --overwrite: .*allowed is one of them"),
    ],
)
def test_what_cannot_be_resumed_is_said_as_it_is_typed(asked, message, tmp_path):
    train.main([*QUICK, "--rule", "deals=2", "--rule", "row_start=lowest", "--out", str(tmp_path)])
    before = (tmp_path / "checkpoint.bin").read_bytes()
    with pytest.raises(SystemExit, match=message):
        train.main(["--resume", *asked, "--out", str(tmp_path)])
    assert (tmp_path / "checkpoint.bin").read_bytes() == before


def test_a_rollout_that_was_begun_is_learned_from(tmp_path):
    for name, steps in (("a", "1"), ("b", "17")):
        train.main([*QUICK, "--steps", steps, "--out", str(tmp_path / name)])
    assert weights(tmp_path / "a") != weights(tmp_path / "b")
    learned = [json.loads((tmp_path / name / "settings.json").read_text())["steps_learned"] for name in "ab"]
    assert learned == [16, 32]


def snapshots(folder):
    """The snapshots of a run: the numbers of their rollouts, and their weights as bytes."""
    kept = checkpoints.load_checkpoint(folder / "checkpoint.bin")["snapshots"]
    weights = [b"".join(part.tobytes() for layer in agent.network.layers for part in layer) for _, agent in kept]
    return [rollout for rollout, _ in kept], weights


def test_self_play_keeps_snapshots_of_the_whole_history_and_goes_on_with_them(tmp_path):
    out = ["--out", str(tmp_path)]
    often = ["--self-play", "--snapshots", "3", "--snapshot-every", "2"]
    train.main([*QUICK, *out, *often, "--steps", "64"])  # 4 rollouts: snapshots before the first and the third
    first = snapshots(tmp_path)
    assert first[0] == [0, 2]
    assert len(set(first[1])) == 2
    train.main(["--resume", *out, "--steps", "200"])
    rollouts, weights = snapshots(tmp_path)
    assert (rollouts[0], len(rollouts), rollouts[-1]) == (0, 3, 12)
    assert weights[0] == first[1][0]
    assert len(set(weights)) == 3
    with pytest.raises(SystemExit, match="self-play"):
        train.main([*QUICK, "--out", str(tmp_path / "b"), "--overwrite"])
        train.main(["--resume", "--self-play", "--out", str(tmp_path / "b"), "--steps", "1"])


def test_self_play_learns_the_same_from_the_same_seed(tmp_path):
    for name in "ab":
        train.main([*QUICK, "--self-play", "--steps", "200", "--snapshot-every", "3", "--out", str(tmp_path / name)])
    assert weights(tmp_path / "a") == weights(tmp_path / "b")


def test_a_resumed_run_keeps_what_is_not_named(tmp_path):
    out = ["--out", str(tmp_path)]
    train.main([*QUICK, *out, "--opponents", "random", "--snapshots", "2"])
    train.main(["--resume", *out, "--steps", "17"])
    settings = json.loads((tmp_path / "settings.json").read_text())
    assert (settings["opponents"], settings["snapshots"]) == (["random"], 2)
    train.main(["--resume", *out, "--steps", "33", "--opponents", "rules"])
    assert json.loads((tmp_path / "settings.json").read_text())["opponents"] == ["rules"]
    with pytest.raises(SystemExit, match="--tables 256"):  # the usual, but not this run's
        train.main(["--resume", *out, "--steps", "1", "--tables", "256"])


def test_a_damaged_checkpoint_is_a_named_error(tmp_path):
    train.main([*QUICK, "--self-play", "--out", str(tmp_path)])
    path = tmp_path / "checkpoint.bin"
    whole = path.read_bytes()
    middle = len(whole) // 2
    flipped = whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :]
    for content in (b"", b"{}", b"junk\njunk", whole[:-1], whole[:middle], flipped, None):
        path.write_bytes(content) if content is not None else path.unlink()
        with pytest.raises(SystemExit, match=r"--resume: .*allowed"):
            train.main(["--resume", "--steps", "1", "--out", str(tmp_path)])


@pytest.mark.parametrize(("rate", "steps"), [("1e8", "4096"), ("9e8", "33")])
def test_training_that_diverges_is_named_and_not_saved(rate, steps, tmp_path):
    given = ["--game", "saucers", "--tables", "4", "--rollout", "8", "--batch", "8", "--epochs", "9"]
    with pytest.raises(SystemExit, match=r"train: training has diverged: allowed is a smaller --learning-rate"):
        train.main([*given, "--steps", steps, "--learning-rate", rate, "--out", str(tmp_path)])


@pytest.mark.parametrize("within", [False, True])  # seen after an update, or between two gradients
def test_what_has_diverged_is_not_written_over_what_is_good(within, tmp_path, monkeypatch):
    train.main([*QUICK, "--out", str(tmp_path)])
    before, learn = weights(tmp_path), MaskablePPO.train

    def diverge(model):
        with torch.no_grad():
            next(model.policy.parameters()).fill_(np.nan)
        if within:
            learn(model)

    monkeypatch.setattr(MaskablePPO, "train", diverge)
    with pytest.raises(SystemExit, match="diverged"):
        train.main(["--resume", "--steps", "17", "--out", str(tmp_path)])
    monkeypatch.undo()
    assert weights(tmp_path) == before
    train.main(["--resume", "--steps", "17", "--out", str(tmp_path)])
    assert weights(tmp_path) != before


def test_a_policy_that_draws_does_so_by_its_seed_and_legally(tmp_path):
    train.main([*QUICK, "--out", str(tmp_path)])
    policy = make_agent(str(tmp_path / "model.zip")).policy
    batch = Batch("saucers", 300)
    out = batch.reset(seed=1)
    agents = [PPOAgent(policy, deterministic=False) for _ in range(3)]
    for agent, seed in zip(agents, (5, 5, 6), strict=True):
        agent.seed(seed)
    first, again, other = (agent.act(out.observations, out.masks).tolist() for agent in agents)
    assert first == again != other
    assert out.masks[np.arange(300), first].all()
    likeliest = PPOAgent(policy).act(out.observations, out.masks)
    assert first != likeliest.tolist()


def test_the_command_that_measures_is_printed_whole_and_works(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    out = tmp_path / "we[/red]ird folder"
    train.main([*QUICK, "--players", "4", "--rule", "row_start=lowest", "--out", str(out)])
    (line,) = [line for line in capsys.readouterr().out.splitlines() if "experiments.evaluate" in line]
    evaluate.main([*shlex.split(line)[3:], "--deals", "2"])
    assert "saucers, 4 players" in capsys.readouterr().out


def test_a_polite_kill_saves_too(tmp_path):
    command = [sys.executable, "-m", "experiments.train", "--game", "saucers", "--steps", "100000000"]
    run = subprocess.Popen([*command, "--out", str(tmp_path)], stdout=subprocess.DEVNULL)
    while not list(tmp_path.glob("tensorboard*/events*")):
        assert run.poll() is None
        time.sleep(0.2)
    run.terminate()
    assert run.wait(timeout=60) == 0
    assert make_agent(str(tmp_path / "model.zip"))


def test_a_folder_that_cannot_be_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SystemExit, match="file"):
        train.main([*QUICK, "--out", str(tmp_path / "file" / "x")])


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
        (["--steps", "0"], "from 1 to"),
        (["--resume"], "resume"),
        (["--layers", "64", "1000000000"], "from 1 to 65536"),
        (["--layers", "0"], "from 1 to 65536"),
        (["--tables", "1", "--rollout", "17", "--batch", "16"], "--batch 16"),
        (["--batch", "1"], "--batch 1"),
        (["--learning-rate", "nan"], "at least 0"),
        (["--learning-rate", "0"], "above 0"),
        (["--anneal", "--seconds", "1"], "--steps"),
        (["--scripted-share", "1.5"], "from 0 to 1"),
        (["--scripted-share", "nan"], "at least 0"),
        (["--start", "rules"], "--start rules"),
        (["--start", "none.safetensors"], "no such file"),
        (["--checkpoint-every", "0"], "from 1 to"),
        (["--learning-rate", "-1"], "at least 0"),
        (["--seed", "99999999999999"], "4294967295"),
        (["--rule", "mask_in=info"], "mask_in"),
        (["--rule", "deals={[]:1}"], "deals"),
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


def test_the_demo_trains_and_measures_both_games(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "100")
    demo.main(["--seconds", "1", "--deals", "20", "--out", str(tmp_path)])
    text = capsys.readouterr().out
    for line in ("boxes, 5 players, 20 duplicate deals", "saucers, 3 players, 20 duplicate deals", "4 x rules"):
        assert line in text
    assert np.all([(tmp_path / f"demo-{game}" / "model.zip").is_file() for game in GAMES])
