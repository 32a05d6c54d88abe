"""The agent protocol, the house players and the registry."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import marriage_env
from marriage_env import Agent, AgentError, BatchAgent, agent_names, boxes_v0, make_agent, saucers_v0

ENVS = {"boxes": boxes_v0, "saucers": saucers_v0}


def turns(module, count, **options):
    """Observations and masks of so many turns of random play."""
    env = module.raw_env(mask_in="info", **options)
    random = make_agent("random", seed=1)
    env.reset(seed=1)
    seen = []
    while len(seen) < count:
        vector, _, termination, _, info = env.last()
        if termination:
            env.reset()
            continue
        seen.append((vector, info["action_mask"]))
        env.step(random.act(vector, info["action_mask"]))
    vectors, masks = zip(*seen, strict=True)
    return np.stack(vectors), np.stack(masks)


@pytest.mark.parametrize("name", ["random", "rules"])
@pytest.mark.parametrize("game", ENVS)
def test_house_players_choose_legal_actions_alone_and_in_a_batch(name, game):
    vectors, masks = turns(ENVS[game], 300)
    agent = make_agent(name, seed=5)
    assert isinstance(agent, Agent)
    actions = agent.act(vectors, masks)
    assert actions.shape == (300,)
    assert actions.dtype == np.int64
    assert masks[np.arange(300), actions].all()
    single = agent.act({"observation": vectors[0], "action_mask": masks[0]})
    assert type(single) is int
    assert masks[0, single]


@pytest.mark.parametrize("game", ENVS)
def test_rules_chooses_the_same_in_a_batch_as_one_by_one(game):
    vectors, masks = turns(ENVS[game], 200)
    agent = make_agent("rules")
    one_by_one = [agent.act(vector, mask) for vector, mask in zip(vectors, masks, strict=True)]
    assert agent.act(vectors, masks).tolist() == one_by_one


@pytest.mark.parametrize("options", [{"players": 10}, {"players": 7, "conduct": "fined", "must_trump": True}])
def test_rules_reads_the_rules_from_the_observation(options):
    vectors, masks = turns(boxes_v0, 200, **options)
    actions = make_agent("rules").act(vectors, masks)
    assert masks[np.arange(200), actions].all()


def test_random_is_uniform_over_legal_actions():
    mask = np.zeros((1, 61), np.int8)
    mask[0, [3, 17, 60]] = 1
    agent = make_agent("random", seed=2)
    actions = agent.act(np.zeros((9000, 5), np.float32), np.repeat(mask, 9000, 0))
    counts = np.bincount(actions, minlength=61)
    assert set(np.flatnonzero(counts)) == {3, 17, 60}
    assert all(2800 < count < 3200 for count in counts[[3, 17, 60]])


def test_a_seed_repeats_random_play():
    vectors, masks = turns(saucers_v0, 100)
    agent = make_agent("random", seed=3)
    first = agent.act(vectors, masks)
    assert make_agent("random", seed=3).act(vectors, masks).tolist() == first.tolist()
    agent.seed(3)
    assert agent.act(vectors, masks).tolist() == first.tolist()
    assert make_agent("random", seed=4).act(vectors, masks).tolist() != first.tolist()


@pytest.mark.parametrize("name", ["random", "rules", "trained:boxes-5", "search:2", "command:cat"])
def test_a_seed_that_cannot_be_is_named(name):
    for seed in (-1, 2**64, 1.5, "1", True, [1]):
        with pytest.raises(AgentError, match=rf"agent '{name}': seed=.*allowed is a whole number from 0 to .* or None"):
            make_agent(name, seed=seed)


@pytest.mark.parametrize("name", ["random", "rules", "trained:boxes-5", "search:2"])
@pytest.mark.parametrize("seed", [None, 0, 2**64 - 1, np.int64(3)])
def test_every_seed_that_can_be_is_taken(name, seed):
    make_agent(name, seed=seed)


@pytest.mark.parametrize("name", ["random", "rules"])
def test_who_is_not_to_act_cannot_choose(name):
    env = boxes_v0.env()
    env.reset(seed=1)
    waiting = next(agent for agent in env.agents if agent != env.agent_selection)
    with pytest.raises(AgentError, match="legal action"):
        make_agent(name).act(env.observe(waiting))


def test_a_vector_without_its_mask_is_refused():
    with pytest.raises(AgentError, match="mask"):
        make_agent("random").act(np.zeros(10, np.float32))


@pytest.mark.parametrize("name", ["nobody", "nobody:20", "no/such/model.zip", "model.pt", " ", 3, None])
def test_unknown_agents_are_refused_by_name(name):
    with pytest.raises(AgentError, match=str(name)):
        make_agent(name)


class FakeEntryPoint:
    """An agent that an installed package announces."""

    def __init__(self, name, load):
        self.name = name
        self.load = load


def announce(monkeypatch, *entries, group="marriage_env.agents"):
    groups = {group: entries}
    monkeypatch.setattr("marriage_env.agents.entry_points", lambda group: groups.get(group, ()))


def test_packages_announce_agents_by_entry_point(monkeypatch):
    made = []

    class Stubborn(BatchAgent):
        def choose(self, vectors, masks):
            return masks.argmax(1)

    def factory(argument, seed):
        made.append((argument, seed))
        return Stubborn()

    announce(monkeypatch, FakeEntryPoint("stubborn", lambda: factory))
    assert "stubborn" in agent_names()
    agent = make_agent("stubborn:very", seed=7)
    make_agent("stubborn")
    assert made == [("very", 7), (None, None)]
    env = boxes_v0.env()
    env.reset(seed=1)
    observation = env.observe(env.agent_selection)
    assert agent.act(observation) == observation["action_mask"].argmax()


def test_packages_announce_agents_by_the_ending_of_their_files(monkeypatch, tmp_path):
    announce(
        monkeypatch, FakeEntryPoint("brain", lambda: lambda path, seed: (path, seed)), group="marriage_env.agent_files"
    )
    path = tmp_path / "best.brain"
    with pytest.raises(AgentError, match="no such file"):
        make_agent(str(path))
    path.touch()
    assert make_agent(str(path), seed=4) == (str(path), 4)
    with pytest.raises(AgentError, match=r"\.brain"):
        make_agent("brain")
    assert "brain" not in agent_names()


def test_an_announced_agent_that_cannot_be_imported_is_a_named_error(monkeypatch):
    def load():
        raise ImportError("No module named 'torch'")

    announce(monkeypatch, FakeEntryPoint("heavy", load))
    with pytest.raises(AgentError, match="torch"):
        make_agent("heavy")


def test_decode_reads_any_observation_of_any_game():
    for game, module in ENVS.items():
        env = module.env()
        env.reset(seed=2)
        observation = env.observe(env.agent_selection)
        told = marriage_env.decode(observation)
        assert told == env.decode(observation) == marriage_env.decode(observation["observation"])
        assert told["rules"]["game"] == game
        assert told["actor"] == 0
        assert told["pots"] == env.pots


NOT_WRITTEN = {
    "of no game": np.full(308, 0.3),
    "ones": np.ones(308),
    "nothing": np.zeros(0),
    "a number": np.array(0.5),
    "two": np.zeros((2, 308)),
    "no array": [],
}


@pytest.mark.parametrize("vector", NOT_WRITTEN.values(), ids=NOT_WRITTEN)
def test_decode_refuses_what_no_game_has_written(vector):
    with pytest.raises(marriage_env.OptionError, match="observation"):
        marriage_env.decode(vector)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -0.1, 1.1])
def test_decode_refuses_numbers_that_no_game_writes(number):
    env = boxes_v0.env()
    env.reset(seed=2)
    vector = env.observe(env.agent_selection)["observation"]
    vector[-1] = number
    for decode in (env.decode, marriage_env.decode):
        with pytest.raises(marriage_env.OptionError, match="outside"):
            decode(vector)


@pytest.mark.parametrize("game", ENVS)
def test_rules_survives_any_numbers_behind_the_rules(game):
    """Compiled code must not read or write beside its arrays, whatever it is given."""
    vectors, masks = turns(ENVS[game], 50)
    first = {"boxes": 13, "saucers": 7}[game]
    rng = np.random.default_rng(1)
    for kind in (rng.random, lambda shape: rng.normal(size=shape) * 1e6, lambda shape: np.full(shape, np.nan)):
        vectors[:, first:] = kind(vectors[:, first:].shape)
        for vector, mask in zip(vectors, masks, strict=True):
            try:
                assert mask[make_agent("rules").act(vector, mask)]
            except AgentError as error:
                assert any(words in str(error) for words in ("mask", "outside", "nobody can have seen"))


def test_threads_can_share_an_agent():
    vectors, masks = turns(boxes_v0, 400)
    agent = make_agent("rules")
    alone = agent.act(vectors, masks).tolist()
    with ThreadPoolExecutor(4) as pool:
        for actions in pool.map(lambda _: agent.act(vectors, masks).tolist(), range(40)):
            assert actions == alone


class Answer(BatchAgent):
    """Whatever it is told to choose."""

    def __init__(self, answer):
        self.answer = answer

    def choose(self, vectors, masks):
        return self.answer


MASKS = np.eye(3, 61, dtype=np.int8)  # 0, 1 and 2 alone are legal


@pytest.mark.parametrize("answer", [[0, 1, 3], [0, 1, -60], [0, 1, 61], [0, 1], [[0, 1, 2]], 0])
def test_an_agent_that_chooses_what_cannot_be_is_named(answer):
    with pytest.raises(AgentError, match="Answer chose"):
        Answer(answer).act(np.zeros((3, 5), np.float32), MASKS)


@pytest.mark.parametrize("masks", [MASKS[:2], MASKS[None], MASKS[0] * 0])
def test_masks_that_do_not_fit_are_refused(masks):
    with pytest.raises(AgentError):
        Answer([0, 1, 2]).act(np.zeros((3, 5), np.float32), masks)


def test_no_observations_are_no_actions():
    for name in ("random", "rules"):
        assert make_agent(name).act(np.zeros((0, 308), np.float32), np.zeros((0, 61), np.int8)).tolist() == []


def test_rules_refuses_a_batch_under_different_rules():
    one, other = turns(boxes_v0, 2), turns(boxes_v0, 2, trick_pay=3)
    with pytest.raises(AgentError, match="different rules"):
        make_agent("rules").act(np.concatenate([one[0], other[0]]), np.concatenate([one[1], other[1]]))
