"""Observations that contradict themselves: whoever thinks about them refuses them, or plays on, and nothing worse."""

import numpy as np
import pytest

from agents.search import SearchAgent
from marriage_env import (
    AgentError,
    Batch,
    MarriageError,
    OptionError,
    SingleSeatVectorEnv,
    boxes_v0,
    make_agent,
    sample_worlds,
    saucers_v0,
)
from marriage_env.observation import HAND_AT, PHASE_AT, PLAYED_BY_AT, SHOWN_BY_AT
from marriage_env.table import DECLARE, OVER
from tests.helpers import label

RULES = [
    (boxes_v0, {}),
    (boxes_v0, {"players": 7, "conduct": "fined", "must_trump": True, "faulty_pack_rate": 0.3}),
    (saucers_v0, {"players": 4}),
]


def seen(module, options):
    """Observations and masks from the beginning to the end of deals."""
    batch = Batch(module.raw_env.game.name, 64, **options)
    out = batch.reset(seed=3)
    vectors, masks = [], []
    for _ in range(40):
        vectors.append(out.observations.copy())
        masks.append(out.masks.copy())
        out = batch.step(batch.choose("random"))
    return np.concatenate(vectors), np.concatenate(masks), batch.layout


def damaged(vectors, layout, rng):
    """An observation that was changed: a field set, or taken from another, or some numbers set at random."""
    row = int(rng.integers(len(vectors)))
    vector = vectors[row].copy()
    field = int(rng.integers(1, len(layout.fields)))
    part = slice(int(layout.at[field]), int(layout.at[field + 1]))
    kind = rng.integers(4)
    if kind == 0:
        vector[part] = rng.choice([0.0, 0.5, 1.0])
    elif kind == 1:
        vector[part] = vectors[int(rng.integers(len(vectors)))][part]
    elif kind == 2:
        vector[part] = rng.permutation(vector[part])
    else:
        rules = int(layout.at[1])
        vector[rng.integers(rules, len(vector), rng.integers(1, 5))] = rng.random(dtype=np.float32)
    return row, vector


@pytest.mark.parametrize(("module", "options"), RULES, ids=str)
def test_what_contradicts_itself_does_no_harm(module, options):
    vectors, masks, layout = seen(module, options)
    rng, search, rules = np.random.default_rng(0), SearchAgent(8, seed=0), make_agent("rules")
    refused = 0
    for _ in range(400):
        row, vector = damaged(vectors, layout, rng)
        for think in (sample_worlds, lambda v: search.act(v, masks[row]), lambda v: rules.act(v, masks[row])):  # noqa: B023
            try:
                think(vector)
            except MarriageError:
                refused += 1
    assert refused > 50


@pytest.mark.parametrize("module", [boxes_v0, saucers_v0], ids=label)
@pytest.mark.parametrize("name", ["search:4", "rules", "trained"])
@pytest.mark.parametrize("over_too", [False, True])
def test_views_of_who_is_not_to_act_are_refused(module, name, over_too):
    """Also one that says that the match is over, too: only one that says nothing else is of such a match."""
    env = module.raw_env()
    env.reset(seed=1)
    other = next(agent for agent in env.possible_agents if agent != env.agent_selection)
    vector = env.observe(other)["observation"]
    if over_too:
        vector[env.layout.at[PHASE_AT] + OVER - DECLARE] = 1.0
    with pytest.raises(AgentError, match="not to act"):
        make_agent(name).act(vector, np.ones(61, np.int8))


@pytest.mark.parametrize(("module", "options"), RULES, ids=label)
def test_cards_in_two_places_are_refused(module, options):
    """A card in hand that somebody else has shown; one that two have, of whom one has played it."""
    vectors, masks, layout = seen(module, options)
    players = module.raw_env(**options).rules.players
    hand, shown, played = (layout.at[place] for place in (HAND_AT, SHOWN_BY_AT, PLAYED_BY_AT))
    cards, refused = layout.at[HAND_AT + 1] - hand, 0
    for vector, mask in zip(vectors[::7], masks[::7], strict=True):
        for card in range(cards):
            by = vector[played + card]
            if mask.sum() < 2 or not (vector[hand + card] or by):
                continue
            wrong = vector.copy()
            wrong[shown + card] = (2 if round(by * players) == 3 else 3) / players  # seats are written from 1 on
            for think in (sample_worlds, lambda v: SearchAgent(8, seed=0).act(v, mask)):  # noqa: B023
                with pytest.raises(MarriageError):
                    think(wrong)
            refused += 1
            break
    assert refused > 100


@pytest.mark.parametrize("name", ["search:4", "rules", "trained", "random"])
@pytest.mark.parametrize("game", ["boxes", "saucers"])
def test_players_may_be_asked_where_a_match_is_over(name, game):
    envs = SingleSeatVectorEnv(game, 8, ["random"], players=6)  # whose steps after an end look at no action
    player = make_agent(name, seed=1)
    observations, infos = envs.reset(seed=0)
    ended = np.zeros(8, np.bool_)
    asked_when_over = 0
    for _ in range(60):
        actions = player.act(observations, infos["action_mask"])
        asked_when_over += ended.sum()
        observations, _, ended, _, infos = envs.step(actions)
    assert asked_when_over


@pytest.mark.parametrize("name", ["search:4", "rules", "trained"])
@pytest.mark.parametrize("number", [np.nan, np.inf, -0.1, 1.1])
@pytest.mark.parametrize("place", [0, 100])
def test_numbers_that_no_game_writes_are_refused(name, number, place):
    env = boxes_v0.raw_env()
    env.reset(seed=1)
    observation = env.observe(env.agent_selection)
    observation["observation"][place] = number
    with pytest.raises(AgentError, match=r"outside \[0, 1\]|this model plays"):
        make_agent(name).act(observation)
    with pytest.raises(OptionError, match=r"outside \[0, 1\]"):
        sample_worlds(observation)


@pytest.mark.parametrize("name", ["rules", "search:4", "trained"])
@pytest.mark.parametrize("size", [60, 62])
def test_masks_have_an_entry_for_each_action(name, size):
    env = boxes_v0.raw_env()
    env.reset(seed=1)
    with pytest.raises(AgentError, match="masks of 61"):
        make_agent(name).act(env.observe(env.agent_selection)["observation"], np.ones(size, np.int8))


def test_search_keeps_to_a_narrower_mask():
    env = boxes_v0.raw_env()
    env.reset(seed=2)
    while len(actions := np.flatnonzero(env.observe(env.agent_selection)["action_mask"])) < 3:
        env.step(int(actions[0]))
    observation = env.observe(env.agent_selection)
    mask = np.zeros(61, np.int8)
    mask[actions[1:]] = 1
    assert SearchAgent(40, seed=0).act(observation["observation"], mask) in actions[1:]
    nothing = np.zeros(61, np.int8)
    nothing[[action for action in range(61) if action not in actions][:2]] = 1
    with pytest.raises(AgentError, match="do not agree"):
        SearchAgent(40, seed=0).act(observation["observation"], nothing)


@pytest.mark.parametrize("thing", [{}, "abc", None, 5, b"x", [[1]]])
def test_things_that_are_no_observations_are_refused(thing):
    with pytest.raises(OptionError):
        sample_worlds(thing)


@pytest.mark.parametrize("seed", [-1, 1.5, "x", 2**64])
def test_seeds_that_cannot_be_are_refused(seed):
    env = boxes_v0.raw_env()
    env.reset(seed=1)
    with pytest.raises(OptionError, match="seed"):
        sample_worlds(env.observe(env.agent_selection), seed=seed)
    with pytest.raises(AgentError, match="seed"):
        SearchAgent(10).seed(seed)
