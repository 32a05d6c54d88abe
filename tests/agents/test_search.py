"""The searching player: what it finds, what it does not look at, and what it refuses."""

import numpy as np
import pytest

from agents.search import SearchAgent
from marriage_env import Batch, boxes_v0, saucers_v0
from marriage_env.cards import card_id
from tests.helpers import act, begin, boxes_pack, label, legal


def positions(module, count=12, **options):
    """Observations and masks at tables where more than one action is legal."""
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


def test_it_takes_the_chips_that_are_there_for_the_taking():
    """Eldest holds K♠, and knows his left-hand neighbour to hold Q♠: to lead the king brings three chips (5.3)."""
    env = boxes_v0.raw_env(players=5)
    hands = {0: "KS 6C 7C 6D 7D", 1: "QS KH QH JD AH"}
    begin(env, [boxes_pack(5, 36, hands, "TH")])
    while "KS" not in legal(env):
        act(env, sorted(legal(env))[0])
    agent = SearchAgent(2000, seed=0)
    assert agent.act(env.observe(env.agent_selection)) == card_id("KS")


def test_it_goes_out_when_it_can():
    """With 6♠ and 7♠ left, and 7s elsewhere, he who starts a row with the six goes out at once (4.3, 5.1)."""
    env = saucers_v0.raw_env(players=3)
    env.reset(seed=1)
    table = env._tables[0]
    rounds = 0
    while rounds < 400:
        name = env.agent_selection
        hand = env.decode(env.observe(name))["hand"]
        if len(hand) == 2 and env.decode(env.observe(name))["row"] is None and hand[0][0] != hand[1][0]:
            ranks = sorted("23456789TJQKA".index(card[0]) for card in hand)
            if ranks[1] == ranks[0] + 1:
                break
        env.step(int(np.flatnonzero(env.infos[name]["action_mask"])[0]))
        rounds += 1
        if not any(env.infos[env.agent_selection]["action_mask"]):
            env.reset(seed=rounds + 2)
    assert rounds < 400 and table is not None
    lower = next(card for card in hand if "23456789TJQKA".index(card[0]) == ranks[0])
    if lower not in ("9C", "TC", "JC", "QC", "KC"):
        assert SearchAgent(500, seed=0).act(env.observe(name)) == card_id(lower)
