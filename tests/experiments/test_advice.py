"""Networks that are told what the rule-based player would do."""

import numpy as np
import pytest

from agents.advice import with_advice
from agents.models import load_model
from experiments import export, train
from experiments.advised import AdvisedVecEnv
from marriage_env import GAMES, AgentError, make_agent
from marriage_env.sb3 import SingleSeatVecEnv

SMALL = ["--steps", "1", "--tables", "8", "--rollout", "16", "--layers", "64", "64"]


def test_advice_follows_the_observation():
    seen = with_advice(np.full((2, 3), 0.5, np.float32), np.array([0, 60]))
    assert seen.shape == (2, 64)
    assert (seen[:, :3] == 0.5).all()
    assert [np.flatnonzero(row[3:]).tolist() for row in seen] == [[0], [60]]


@pytest.mark.parametrize("game", GAMES)
def test_a_learner_is_told_what_the_rule_based_player_would_do_in_his_place(game):
    envs = SingleSeatVecEnv(game, 64, ["rules", "random"])
    advised, rules = AdvisedVecEnv(envs), make_agent("rules")
    envs.seed(1)
    seen = advised.reset()
    for _ in range(40):
        masks = envs.action_masks()
        in_turn = ~masks.all(1)  # where a match was over before he was to act, he may do anything, and needs no advice
        advice = seen[:, -61:].argmax(1)
        assert advice[in_turn].tolist() == rules.act(seen[in_turn, :-61], masks[in_turn]).tolist()
        seen, _, ended, infos = advised.step(np.where(in_turn, advice, 0))
        for row in np.flatnonzero(ended):
            assert infos[row]["terminal_observation"].shape == advised.observation_space.shape


@pytest.mark.parametrize("game", GAMES)
def test_a_new_network_mostly_follows_advice_and_ships_with_it(game, tmp_path):
    out = tmp_path / "run"
    train.main(["--game", game, "--advice", *SMALL, "--out", str(out)])
    export.main([str(out), "--out", str(tmp_path / "model.safetensors")])
    model = tmp_path / "model.safetensors"
    assert load_model(model).card.advice == "rules"
    envs = SingleSeatVecEnv(game, 256, ["random"])
    vectors, masks = envs.reset(), envs.action_masks()
    advice = make_agent("rules").act(vectors, masks)
    for path in (model, out / "model.zip"):
        assert (make_agent(str(path)).act(vectors, masks) == advice).mean() > 0.9, path
    with pytest.raises(AgentError, match=r"this model plays"):
        make_agent(str(model)).act(vectors[:, :-5], masks)


def test_training_goes_on_from_a_model_with_advice(tmp_path):
    out = str(tmp_path / "run")
    train.main(["--game", "saucers", "--advice", *SMALL, "--out", out])
    start = ["--game", "saucers", "--start", f"{out}/model.zip", *SMALL[:-3], "--out", str(tmp_path / "next")]
    train.main(start)
    export.main([str(tmp_path / "next"), "--out", str(tmp_path / "next.safetensors")])
    card = load_model(tmp_path / "next.safetensors").card
    assert (card.advice, card.layers) == ("rules", [64, 64])


@pytest.mark.parametrize("game", GAMES)
def test_narrow_layers_are_refused_before_anything_is_made(game, tmp_path):
    with pytest.raises(SystemExit, match="allowed are layers of 61 or more"):
        train.main(["--game", game, "--advice", "--layers", "128", "60", "--out", str(tmp_path / "run")])
    assert not (tmp_path / "run").exists()
