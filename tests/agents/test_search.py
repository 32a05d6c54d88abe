"""The searching player: what it finds, on what its moves depend, and what it refuses."""

import numpy as np
import pytest

from agents import search
from agents.search import SearchAgent, best_action
from experiments.duplicate import play_duplicate, scores
from marriage_env import AgentError, Batch, boxes_v0, make_agent, saucers_v0
from marriage_env.cards import card_id
from marriage_env.games import origin
from tests.helpers import TABLES, act, begin, boxes_pack, label, legal


def positions(module, count=12, **options):
    """Observations and masks of random play where more than one action is legal."""
    batch = Batch(module.raw_env.game.name, 256, **options)
    out = batch.reset(seed=5)
    for _ in range(12):
        out = batch.step(batch.choose("random"))
    free = np.flatnonzero(out.masks.sum(1) > 1)[:count]
    return out.observations[free].copy(), out.masks[free].copy()


@pytest.mark.parametrize("module", [boxes_v0, saucers_v0], ids=label)
def test_a_move_follows_from_seed_playouts_and_observation_alone(module):
    vectors, masks = positions(module)
    agent = SearchAgent(64, seed=3)
    moves = agent.act(vectors, masks)
    assert agent.act(vectors, masks).tolist() == moves.tolist(), "asked again"
    assert SearchAgent(64, seed=3, threads=2).act(vectors, masks).tolist() == moves.tolist(), "on more threads"
    assert [SearchAgent(64, seed=3, threads=2).act(*row) for row in zip(vectors, masks, strict=True)] == moves.tolist()
    assert agent.act(vectors[::-1], masks[::-1]).tolist() == moves[::-1].tolist(), "in another order"
    agent.seed(4)
    others = agent.act(vectors, masks)
    agent.seed(3)
    assert agent.act(vectors, masks).tolist() == moves.tolist(), "seeded anew"
    assert others.tolist() != moves.tolist(), "few playouts are not of one mind"


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_it_plays_every_number_of_players(table):
    vectors, masks = positions(table.module, 4, players=table.players)
    actions = SearchAgent(16, seed=1).act(vectors, masks)
    assert masks[np.arange(len(masks)), actions].all()


@pytest.mark.parametrize("options", [{"conduct": "fined", "must_trump": True, "deals": 3, "faulty_pack_rate": 0.5}])
def test_it_plays_by_other_rules(options):
    vectors, masks = positions(boxes_v0, **options)
    actions = SearchAgent(32, seed=1).act(vectors, masks)
    assert masks[np.arange(len(masks)), actions].all()
    assert SearchAgent(32, seed=1).act(vectors, masks).tolist() == actions.tolist()


def test_it_takes_the_chips_that_are_there_for_the_taking():
    """Eldest holds K♠, and knows his left-hand neighbour to hold Q♠: to lead the king brings three chips (5.3)."""
    env = boxes_v0.raw_env(players=5)
    begin(env, [boxes_pack(5, 36, {0: "KS 6C 7C 6D 7D", 1: "QS KH QH JD AH"}, "TH")])
    while "KS" not in legal(env):
        act(env, min(legal(env)))
    assert SearchAgent(2000, seed=0).act(env.observe(env.agent_selection)) == card_id("KS")


@pytest.mark.parametrize(("game", "players", "deals"), [("boxes", 5, 300), ("saucers", 3, 60)])
def test_it_is_ahead_of_the_rule_based_player(game, players, deals):
    company = [SearchAgent(400, seed=0), *[make_agent("rules")] * (players - 1)]
    chips = play_duplicate(game, {"players": players}, company, deals, seed=1)
    score, _ = scores(["search", *["rules"] * (players - 1)], chips)
    assert score.ahead.mean > score.ahead.error, score


def test_worlds_in_which_another_is_to_act_are_told_apart_in_the_tree():
    """After a card of a row, he acts who holds the next: the same card may be laid by different seats (4.3)."""
    vectors, _ = positions(saucers_v0, 40, players=4)
    game, rules, layout = origin(vectors[0])
    found = 0
    for number, vector in enumerate(vectors):
        tree = search.Tree(game, rules, layout, search.Budget(2000))
        tree.grow(vector, number)
        nodes = tree.nodes[: int(tree.tree[0]["nodes"])]
        for parent in nodes:
            children, child = [], int(parent["child"])
            while child >= 0:
                children.append((int(nodes[child]["seat"]), int(nodes[child]["action"])))
                child = int(nodes[child]["sibling"])
            assert len(set(children)) == len(children)
            found += len({action for _, action in children}) < len(children)
    assert found


def test_time_can_be_the_limit():
    vectors, masks = positions(saucers_v0, 3)
    actions = make_agent("search:5ms,threads=2").act(vectors, masks)
    assert masks[np.arange(len(masks)), actions].all()


def test_a_tree_that_is_full_grows_no_more(monkeypatch):
    monkeypatch.setattr(search, "MOST_NODES", 80)
    vectors, masks = positions(saucers_v0, 3)
    assert masks[np.arange(len(masks)), SearchAgent(2000, seed=1).act(vectors, masks)].all()


def test_the_best_action_is_one_that_was_tried_as_often_as_others():
    results = np.zeros((2, 61))
    results[:, 3], results[:, 8], results[:, 9] = (100, 50), (100, 60), (20, 20)
    assert best_action(results) == 8


BAD_NAMES = ["0", "-5", "x", "1e3", "2000.5", "99999999999", "0ms", "5s", "700000ms", "100,threads=0", "100,threads",
             "100,threads=1000", "100ms,50", ",", "100,", "२०", "100 "]  # fmt: skip


@pytest.mark.parametrize("argument", BAD_NAMES)
def test_budgets_that_cannot_be_are_refused(argument):
    with pytest.raises(AgentError, match="allowed is"):
        make_agent(f"search:{argument}")


@pytest.mark.parametrize("arguments", [{"playouts": 5, "milliseconds": 5}, {"playouts": 2.5}, {"playouts": True}])
def test_arguments_that_cannot_be_are_refused(arguments):
    with pytest.raises(AgentError, match="allowed is"):
        SearchAgent(**arguments)


def test_names_say_the_budget():
    assert make_agent("search", seed=1).budget.playouts == search.DEFAULT_PLAYOUTS
    assert make_agent("search:300").budget.playouts == 300
    assert make_agent("search:40ms").budget.seconds == 0.04
    assert make_agent("search:threads=2").threads == 2


def test_an_observation_that_nobody_can_have_seen_is_refused():
    vectors, masks = positions(boxes_v0, 1)
    at = boxes_v0.raw_env.game.layout(boxes_v0.raw_env().rules)
    claims = next(start for start, field in zip(at.at, at.fields, strict=False) if field.name == "claims")
    vectors[0, claims + 8 : claims + 40] = 1 / 8  # everybody else has declared all there is
    with pytest.raises(AgentError, match="nobody can have seen"):
        SearchAgent(16, seed=0).act(vectors, masks)
