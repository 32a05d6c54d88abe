"""Scaling: the tables that are measured, and where they go."""

import re
from pathlib import Path

import pytest

from experiments import tournament_scaling
from marriage_env import MarriageError

MARKS = "before\n<!-- scaling -->\nold\n<!-- end of scaling -->\nafter\n"


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(MARKS)
    return path


def table_of(page):
    """The cells of a page's table, without its headings."""
    before, rest = page.read_text().split("<!-- scaling -->")
    table, after = rest.split("<!-- end of scaling -->")
    assert (before, after) == ("before\n", "\nafter\n")
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"][2:]


# Tournaments


def test_tournaments_are_timed_in_turn_and_the_table_goes_to_its_page(page, monkeypatch):
    taken, run = {None: [40, 41, 80], 1: [50, 10, 51], 2: [25, 99, 20]}, []

    def seconds(deals, workers):
        run.append((deals, workers))
        return float(taken[workers][(len(run) - 1) // 3])

    monkeypatch.setattr(tournament_scaling, "seconds", seconds)
    tournament_scaling.main(["--workers", "1", "2", "1", "--rounds", "3", "--deals", "7", "--page", str(page)])
    assert run == [(7, None), (7, 1), (7, 2)] * 3
    assert table_of(page) == [
        ["without `--ray`", "41", "1.22"],
        ["1 worker", "50", "1.00"],
        ["2 workers", "25", "2.00"],
    ]
    assert "--deals 7`: medians of 3 rounds" in page.read_text()


@pytest.mark.nightly
def test_a_tournament_that_is_timed_is_played_to_its_end():
    pytest.importorskip("safetensors")
    assert 0 < tournament_scaling.seconds(1, None) < 600


def test_a_tournament_that_fails_is_no_measurement(monkeypatch):
    pytest.importorskip("safetensors")
    monkeypatch.setattr(tournament_scaling, "TOURNAMENT", "--agents rules nobody")
    with pytest.raises(MarriageError, match=r"^--agents rules nobody --deals 1 failed: tournament: .*nobody"):
        tournament_scaling.seconds(1, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--workers", "0"], "from 1 to"),
        (["--deals", "x"], "from 1 to"),
        (["--page", "/proc/nope"], "--page /proc/nope"),
    ],
    ids=str,
)
def test_what_tournaments_cannot_be_timed_with_is_named(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        tournament_scaling.main(arguments)
    assert message in f"{stop.value.code} {capsys.readouterr().err}"


# RLlib


@pytest.fixture
def rllib_scaling():
    for module in ("torch", "ray.rllib"):
        pytest.importorskip(module)
    from experiments import rllib_scaling

    return rllib_scaling


def test_the_usual_settings_for_rllib_are_those_of_its_page(rllib_scaling):
    usual = rllib_scaling.parse([])
    config = rllib_scaling.config_of(1, usual.tables, usual.batch)
    page = (Path(rllib_scaling.__file__).parent.parent / "docs" / "pipelines" / "rllib.md").read_text()
    for setting in ("lr", "gamma", "vf_clip_param", "num_epochs", "minibatch_size", "train_batch_size_per_learner"):
        (told,) = re.findall(rf"\b{setting}=([\w.-]+)", page.partition("## ")[0])
        assert getattr(config, setting) == float(told)
    assert f"num_envs_per_env_runner={config.num_envs_per_env_runner}" in page


def test_rllib_is_measured_and_the_table_goes_to_its_page(rllib_scaling, page):
    rllib_scaling.main(["--runners", "1", "--tables", "2", "--batch", "16", "--rounds", "1", "--page", str(page)])
    ((runners, sampling, one, training, another),) = table_of(page)
    assert (runners, one, another) == ("1", "1.00", "1.00")
    assert int(sampling.replace(",", "")) > 0 and int(training.replace(",", "")) > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--runners", "0"], "from 1 to"),
        (["--rounds", "many"], "from 1 to"),
        (["--address", "somewhere"], "rllib_scaling: --address somewhere: allowed is auto"),
        (["--address", "127.0.0.1:1"], "127.0.0.1:1: no answer"),
        (["--page", "/proc/nope"], "--page /proc/nope"),
    ],
    ids=str,
)
def test_what_rllib_cannot_be_measured_with_is_named(rllib_scaling, arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        rllib_scaling.main(arguments)
    assert message in f"{stop.value.code} {capsys.readouterr().err}"
