"""Model files: what is saved is played, and nothing that was damaged, swapped or forged is."""

import itertools
import json
import pickle
import struct
import subprocess
import sys

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import load_file, save_file

from agents import trained
from agents.cards import new_card
from agents.models import ModelError, fill_results, load_model, save_model
from agents.network import Network, NetworkAgent
from agents.trained import TrainedAgent
from marriage_env import GAMES, AgentError, Batch
from marriage_env.options import make_rules


def network(size, hidden=(8, 6), seed=0):
    """Random weights."""
    random = np.random.default_rng(seed)
    sizes = [size, *hidden, 61]
    return Network([(random.normal(size=(b, a)), random.normal(size=b)) for a, b in itertools.pairwise(sizes)])


def saved(folder, game="saucers", name=None, half=False, seed=0, **options):
    """The path of a new model."""
    rules = make_rules(GAMES[game].rules, options)
    path = folder / f"{name or game}.safetensors"
    model = network(GAMES[game].layout(rules).size, seed=seed)
    save_model(path, new_card(game, rules, steps=5, command="train", results={"ahead": 1.5}), model, half=half)
    return path


def seen(game, count=50, **options):
    """Observations and masks at the beginning."""
    out = Batch(game, count, **options).reset(seed=1)
    return out.observations, out.masks


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("game", GAMES)
def test_what_is_saved_is_loaded_and_plays(game, half, tmp_path):
    path = saved(tmp_path, game, half=half)
    agent = trained.load(str(path))
    vectors, masks = seen(game, 1000)
    actions = agent.act(vectors, masks)
    values = vectors.astype(np.float64)
    layers = network(vectors.shape[1]).layers
    for weight, bias in layers[:-1]:
        values = np.tanh(values @ weight.T + bias)
    expected = np.where(masks, values @ layers[-1][0].T + layers[-1][1], -np.inf).argmax(1)
    assert (actions == expected).mean() > (0.9 if half else 0.999)
    alone = [agent.network.logits(vector[None])[0] for vector in vectors[:20]]
    assert (agent.network.logits(vectors)[:20] == alone).all()  # to the last bit
    assert agent.act(vectors[0], masks[0]) == actions[0]
    assert load_file(path)["layer_0.weight"].dtype == (np.float16 if half else np.float32)
    assert sorted(file.name for file in tmp_path.iterdir()) == [f"{game}.json", f"{game}.safetensors"]


def test_a_player_that_draws_does_so_by_its_seed_and_by_the_chances(tmp_path):
    vectors, masks = seen("saucers", 1)
    model = load_model(saved(tmp_path))
    many, allowed = np.repeat(vectors, 4000, 0), np.repeat(masks, 4000, 0)
    first, again, other = (TrainedAgent(model, deterministic=False, seed=seed).act(many, allowed) for seed in (5, 5, 6))
    assert (first == again).all()
    assert (first != other).any()
    logits = np.where(masks[0], model.network.logits(vectors)[0].astype(np.float64), -np.inf)
    chances = np.exp(logits - logits.max()) / np.exp(logits - logits.max()).sum()
    assert np.abs(np.bincount(first, minlength=61) / 4000 - chances).max() < 0.03
    assert TrainedAgent(model).probabilities(vectors, masks)[0] == pytest.approx(chances, abs=1e-6)


def test_probabilities_are_of_what_the_mask_allows(tmp_path):
    vectors, masks = seen("boxes", 200)
    agent = trained.load(str(saved(tmp_path, "boxes")))
    chances = agent.probabilities(vectors, masks)
    assert chances.sum(1) == pytest.approx(np.ones(200))
    assert ((chances > 0) == (masks == 1)).all()
    assert (chances.argmax(1) == agent.act(vectors, masks)).all(), "a player that does not draw takes the likeliest"


def test_an_agent_pickles_with_its_draws(tmp_path):
    vectors, masks = seen("saucers", 200)
    model = load_model(saved(tmp_path))
    for agent in (
        NetworkAgent(network(vectors.shape[1]), deterministic=False, seed=1),
        TrainedAgent(model, deterministic=False, seed=1),
    ):
        agent.act(vectors, masks)
        copy = pickle.loads(pickle.dumps(agent))
        assert copy.act(vectors, masks).tolist() == agent.act(vectors, masks).tolist()


def edited(path, **changes):
    """Write changes on a card."""
    card = path.with_suffix(".json")
    card.write_text(json.dumps(json.loads(card.read_text()) | changes))


def test_results_are_filled_in_and_hold(tmp_path):
    path = saved(tmp_path, half=True)
    fill_results(path, {"ahead of rules": 3.25})
    assert load_model(path).card.results == {"ahead of rules": 3.25}
    edited(path, results={"ahead of rules": 99.0})
    with pytest.raises(ModelError, match="not the card it was saved with"):
        load_model(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("command", "another"),
        ("command", 3),
        ("seed", True),
        ("steps", 6),
        ("steps", "6"),
        ("steps", -1),
        ("commit", "abc"),
        ("format", 2),
        ("game", "boxes"),
        ("game", "chess"),
        ("game", None),
        ("players", 4),
        ("rules", {}),
        ("rules", {"players": 99}),
        ("rules", {"nonsense": 1}),
        ("observation", {}),
        ("observation", {"version": "v1", "size": 1, "digest": ""}),
        ("layers", []),
        ("layers", [8, 7]),
        ("layers", [8, -6]),
        ("layers", [8, 10**30]),
        ("layers", ["8", 6]),
        ("activation", "relu"),
        ("weights", "0" * 64),
        ("extra", 1),
    ],
)
def test_a_card_that_was_changed_is_found(name, value, tmp_path):
    path = saved(tmp_path)
    edited(path, **{name: value})
    with pytest.raises(ModelError, match="saucers") as error:
        load_model(path)
    assert "\n" not in str(error.value)


DEEP = b"[" * 100_000
NESTED = b'{"results": ' + b"[" * 900 + b"]" * 900 + b"}"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"null",
        b"{}",
        b"\xff\xfe",
        b"{",
        DEEP,
        NESTED,
        b'{"steps": NaN}',
        b'{"steps": 1, "results": {"a": 1, "a": 2}}',
        b"1" * 5000,
        "ä".encode("latin-1"),
    ],
    ids=range(12),
)
def test_a_card_that_is_none_is_found(content, tmp_path):
    path = saved(tmp_path)
    path.with_suffix(".json").write_bytes(content)
    with pytest.raises(ModelError, match=r"saucers\.json"):
        load_model(path)


def test_a_card_that_says_something_twice_is_found(tmp_path):
    path = saved(tmp_path)
    card = path.with_suffix(".json")
    card.write_text(card.read_text().replace('"steps": 5', '"steps": 6, "steps": 5'))
    with pytest.raises(ModelError, match=r"saucers\.json: no card of a model: 'steps' is there twice"):
        load_model(path)


def test_an_error_about_many_tensors_is_short(tmp_path):
    path = saved(tmp_path)
    edited(path, layers=[1] * 100_000)
    with pytest.raises(ModelError, match=r"tensor 'layer_10\.bias' is missing") as error:
        load_model(path)
    assert len(str(error.value)) < 1000


def test_weights_of_another_format_are_found(tmp_path):
    path = saved(tmp_path)
    with safe_open(path, framework="np") as file:
        about = file.metadata()
    for header in ({**about, "format": "2"}, {"card": about["card"]}):
        save_file(load_file(path), path, header)
        with pytest.raises(ModelError, match=r"saucers\.safetensors: format ('2'|None); its card says '1'"):
            load_model(path)


def test_each_key_of_a_card_is_needed(tmp_path):
    path = saved(tmp_path)
    card = path.with_suffix(".json")
    facts = json.loads(card.read_text())
    for name in facts:
        card.write_text(json.dumps({key: value for key, value in facts.items() if key != name}))
        with pytest.raises(ModelError, match=name):
            load_model(path)


def header(length, text=b"{}"):
    return struct.pack("<Q", length) + text


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"x",
        pickle.dumps({"a": 1}),
        b"PK\x03\x04" + b"\0" * 100,
        header(2**63),
        header(10**8),
        header(2),
        header(2, b"[]"),
        header(9, b'{"a": 1} '),
        header(2, b"\xff\xff"),
    ],
    ids=range(10),
)
def test_weights_that_are_none_are_found(content, tmp_path):
    path = saved(tmp_path)
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"saucers\.safetensors"):
        load_model(path)


def test_weights_cut_short_or_changed_anywhere_are_found(tmp_path):
    path = saved(tmp_path)
    whole = path.read_bytes()
    random = np.random.default_rng(1)
    for place in random.integers(len(whole), size=40).tolist():
        for content in (whole[:place], whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]):
            path.write_bytes(content)
            with pytest.raises(ModelError, match=r"saucers\.safetensors"):
                load_model(path)


def forged(path, change):
    """Change the tensors; the header keeps the digest of the card."""
    with safe_open(path, framework="np") as file:
        about = file.metadata()
    tensors = {name: array.copy() for name, array in load_file(path).items()}
    change(tensors)
    save_file(tensors, path, about)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda tensors: tensors["actions.bias"].fill(np.nan), "not finite"),
        (lambda tensors: tensors["layer_1.weight"].fill(np.inf), "not finite"),
        (lambda tensors: tensors.pop("actions.bias"), "missing"),
        (lambda tensors: tensors.update(more=np.zeros(3, np.float32)), "not known"),
        (lambda tensors: tensors.update({"actions.bias": np.zeros(60, np.float32)}), "shape"),
        (lambda tensors: tensors.update({"actions.bias": np.zeros(61, np.int32)}), "int32"),
        (lambda tensors: tensors["actions.bias"].fill(1.0), "not the weights"),
    ],
)
def test_tensors_that_do_not_fit_are_named(change, message, tmp_path):
    path = saved(tmp_path)
    forged(path, change)
    with pytest.raises(ModelError, match=message):
        load_model(path)


def test_the_card_of_another_model_is_found(tmp_path):
    path, other = saved(tmp_path), saved(tmp_path, name="other", seed=1)
    path.with_suffix(".json").write_bytes(other.with_suffix(".json").read_bytes())
    with pytest.raises(ModelError, match="not the card"):
        load_model(path)
    boxes = saved(tmp_path, "boxes")
    path.with_suffix(".json").write_bytes(boxes.with_suffix(".json").read_bytes())
    with pytest.raises(ModelError, match=r"saucers\.safetensors: tensor"):
        load_model(path)


def test_a_missing_half_or_a_folder_is_named(tmp_path):
    path = saved(tmp_path)
    path.with_suffix(".json").unlink()
    with pytest.raises(ModelError, match=r"saucers\.json is not beside it"):
        load_model(path)
    (tmp_path / "folder.safetensors").mkdir()
    for name in (
        "folder.safetensors",
        "none.safetensors",
        "model.zip",
        "a\0b.safetensors",
        "x" * 5000 + ".safetensors",
    ):
        with pytest.raises(ModelError):
            load_model(tmp_path / name)


def test_weights_that_cannot_be_are_not_saved(tmp_path):
    rules = GAMES["saucers"].rules()
    size = GAMES["saucers"].layout(rules).size
    great = network(size)
    great.layers[0][0][0] = 1e6
    for model, half in ((network(size + 1), False), (great, True)):
        with pytest.raises(ModelError):
            save_model(tmp_path / "a.safetensors", new_card("saucers", rules), model, half=half)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("steps", value) for value in ("x", -4, 1.5, None)),
        *(("seed", value) for value in (1.5, "1", True)),
        *(("command", value) for value in (5, b"x", ["train"])),
        *(("commit", [1]), ("results", {"ahead": float("nan")}), ("results", [1]), ("results", {"of": {1}})),
    ],
)
def test_a_card_that_could_not_be_loaded_is_not_saved(name, value, tmp_path):
    path = saved(tmp_path)
    before = [file.read_bytes() for file in sorted(tmp_path.iterdir())]
    rules = GAMES["saucers"].rules()
    with pytest.raises(ModelError, match=r"saucers\.safetensors: no card of a model: "):
        save_model(path, new_card("saucers", rules, **{name: value}), network(GAMES["saucers"].layout(rules).size))
    assert [file.read_bytes() for file in sorted(tmp_path.iterdir())] == before


@pytest.mark.parametrize(
    ("game", "options"),
    [("saucers", {"players": 4}), ("saucers", {"deals": 2}), ("boxes", {}), ("saucers", {"row_start": "lowest"})],
)
def test_other_games_and_rules_are_refused_by_name(game, options, tmp_path):
    agent = trained.load(str(saved(tmp_path)))
    with pytest.raises(AgentError, match=f"observations of {game} under .*plays saucers under players=3"):
        agent.act(*seen(game, **options))
    with pytest.raises(AgentError, match=f"observations of {game} under"):
        agent.probabilities(*seen(game, **options))
    with pytest.raises(AgentError, match="shape"):
        agent.act(np.zeros(5, np.float32), np.ones(61, np.int8))


def test_trained_finds_the_model_by_game_and_rules(tmp_path, monkeypatch):
    monkeypatch.setattr(trained, "WEIGHTS", tmp_path)
    for seed, (name, game, options) in enumerate(
        [
            ("boxes-5", "boxes", {}),
            ("boxes-5-fined", "boxes", {"conduct": "fined"}),
            ("saucers-4", "saucers", {"players": 4}),
        ]
    ):
        saved(tmp_path, game, name, seed=seed, **options)
        vectors, masks = seen(game, **options)
        trained.shipped_cards.cache_clear()
        trained.shipped_starts.cache_clear()
        alone = trained.load(str(tmp_path / f"{name}.safetensors")).act(vectors, masks).tolist()
        assert trained.make().act(vectors, masks).tolist() == alone
        assert trained.make().probabilities(vectors, masks).argmax(1).tolist() == alone
        assert trained.make(name, 1).act(vectors, masks).tolist() == alone
    with pytest.raises(AgentError, match=r"saucers under players=3.*boxes-5, boxes-5-fined, saucers-4"):
        trained.make().act(*seen("saucers"))
    for name in ("boxes-6", "../boxes-5", ""):
        with pytest.raises(AgentError, match="boxes-5-fined"):
            trained.make(name)


ALONE = """
import sys
for name in ("torch", "stable_baselines3", "sb3_contrib"):
    sys.modules[name] = None
from agents import trained
from marriage_env import Batch
out = Batch("saucers", 5).reset(seed=1)
print(trained.load(sys.argv[1]).act(out.observations, out.masks).shape)
"""


def test_playing_needs_no_torch(tmp_path):
    command = [sys.executable, "-c", ALONE, str(saved(tmp_path))]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.stdout.strip() == "(5,)", run.stderr
