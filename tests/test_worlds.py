"""Worlds that agree with what a player has seen: each one drawn does, and each one there is can be drawn."""

import itertools
import math
import random

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from marriage_env import boxes_v0, sample_worlds, saucers_v0
from marriage_env.cards import CARDS, card_ids, card_set, whole_pack
from marriage_env.errors import OptionError
from tests.helpers import act, begin, cards, legal, matches, over, random_step, saucers_pack

SOUND = {"deals": 1, "misdeal_rate": 0.0, "faulty_pack_rate": 0.0}


def play_some(env, rng, share):
    """Play a random part of a deal; the actions taken."""
    taken = []
    while not over(env) and (rng.random() < share or not taken):
        actor = env.agent_selection
        taken.append(random_step(env, rng))
        assert actor is not None
    return taken


def pack_of(env, hands, turn_up=None):
    """The pack that deals these hands (by seats), with the turn-up and then all other cards after them."""
    players, pack_size = env.rules.players, env.rules.pack_size
    dealt = [card_ids(hands[(int(env.table["dealer"]) + 1 + place) % players]) for place in range(players)]
    if turn_up is None:
        return [dealt[place % players][place // players] for place in range(pack_size)]
    pack = [card for hand in dealt for card in hand[:3]] + [card for hand in dealt for card in hand[3:]] + [turn_up]
    return pack + [card for card in range(CARDS - pack_size, CARDS) if card not in pack]


def agrees(env, seat, actions, hands):
    """Whether a seat sees the same if the deal is played with other hands (those of now, by seats)."""
    table = env.table
    played = [0] * env.rules.players
    for card in table["played_card"][: int(table["plays"])].tolist():
        played[int(table["played_by"][card])] |= 1 << card
    dealt = [int(hand) | own for hand, own in zip(hands, played, strict=True)]
    turn_up = int(table["turn_up"]) if "turn_up" in table.dtype.names else None
    twin = type(env)(**{name: getattr(env.rules, name) for name in vars(env.rules)})
    contributed = [
        2 * env.rules.players if name in ("marriage", "trynka") and turn_up is None else env.rules.players
        for name in env.game.pot_names
    ]
    pots = [int(pot) - own for pot, own in zip(table["opening_pots"], contributed, strict=True)]
    twin.reset(seed=0, options={"dealer": int(table["dealer"]), "pots": pots, "packs": [pack_of(env, dealt, turn_up)]})
    for action in actions:
        if over(twin) or not twin.infos[twin.agent_selection]["action_mask"][action]:
            return False
        twin.step(action)
    name = env.possible_agents[seat]
    return np.array_equal(env.observe(name)["observation"], twin.observe(name)["observation"])


def by_seats(env, seat, hands):
    """Hands relative to a seat, by seats."""
    players = env.rules.players
    return [int(hands[(other - seat) % players]) for other in range(players)]


@given(matches(**SOUND), st.data())
def test_every_world_agrees_with_what_was_seen(match, data):
    env, rng = match
    actions = play_some(env, rng, data.draw(st.sampled_from((0.5, 0.9, 0.97))))
    assume(not over(env))
    seat = data.draw(st.integers(0, env.rules.players - 1))
    worlds = sample_worlds(env.observe(env.possible_agents[seat]), 8, seed=data.draw(st.integers(0, 99)))
    for world in worlds:
        hands = by_seats(env, seat, world["hands"])
        assert agrees(env, seat, actions, hands), [card_ids(hand) for hand in hands]


def deals_of(hidden, sizes):
    """All ways to give hands of these sizes from the hidden cards; what is left over goes to nobody."""
    if not sizes:
        yield ()
        return
    for hand in itertools.combinations(hidden, sizes[0]):
        rest = [card for card in hidden if card not in hand]
        for others in deals_of(rest, sizes[1:]):
            yield (card_set(hand), *others)


def hidden_from(env, seat):
    """The cards that a seat has not seen in any place but by declarations, and the sizes of the others' hands."""
    table, players = env.table, env.rules.players
    others = [(seat + place) % players for place in range(1, players)]
    gone = int(table["hands"][seat]) | card_set(table["played_card"][: int(table["plays"])].tolist())
    if "turn_up" in table.dtype.names:
        gone |= 1 << int(table["turn_up"])
    hidden = card_ids(int(whole_pack(env.rules.pack_size)) & ~gone)
    return hidden, [int(table["hands"][other]).bit_count() for other in others]


def ways(hidden, sizes):
    """How many deals there are."""
    return math.factorial(len(hidden)) // math.prod(map(math.factorial, [*sizes, len(hidden) - sum(sizes)]))


def late_positions(module, options, rng, most):
    """Positions late in random deals, with at most so many ways to deal what is hidden from a seat."""
    while True:
        env = module.raw_env(**options)
        env.reset(seed=rng.getrandbits(32))
        actions = []
        while not over(env):
            for seat in range(env.rules.players):
                if 1 < ways(*hidden_from(env, seat)) <= most:
                    yield env, seat, list(actions)
                    break
            else:
                actions.append(random_step(env, rng))
                continue
            break


FEW_CARDS = [
    (boxes_v0, {"players": 7, "pack_size": 36}),
    (boxes_v0, {"players": 7, "pack_size": 36, "conduct": "fined", "must_trump": True}),
    (boxes_v0, {"players": 6, "conduct": "fined"}),
    (boxes_v0, {"players": 5, "must_trump": True, "marriage_order": "either"}),
    (saucers_v0, {"players": 3}),
    (saucers_v0, {"players": 4, "row_start": "lowest"}),
    (saucers_v0, {"players": 6, "declaring": "auto"}),
]


@pytest.mark.parametrize(("module", "options"), FEW_CARDS, ids=str)
def test_every_world_that_is_possible_is_drawn_and_alike_often(module, options):
    rng = random.Random(str(options))
    for env, seat, actions in itertools.islice(late_positions(module, options, rng, 200), 3):
        hidden, sizes = hidden_from(env, seat)
        own = int(env.table["hands"][seat])
        possible = {
            deal for deal in deals_of(hidden, sizes) if agrees(env, seat, actions, by_seats(env, seat, (own, *deal)))
        }
        draws = 400 * len(possible)
        worlds = sample_worlds(env.observe(env.possible_agents[seat]), draws, seed=1)["hands"]
        drawn, counts = np.unique(worlds[:, 1 : env.rules.players], axis=0, return_counts=True)
        assert {tuple(map(int, deal)) for deal in drawn} == possible
        assert counts.max() < 2 * draws / len(possible) and counts.min() > 0.5 * draws / len(possible), counts


def test_the_observers_hand_is_his_own_and_the_same_seed_draws_the_same():
    env = boxes_v0.raw_env(players=6)
    env.reset(seed=1)
    observation = env.observe("player_3")
    worlds = sample_worlds(observation, 5, seed=2)
    assert {int(hand) for hand in worlds["hands"][:, 0]} == {int(env.table["hands"][3])}
    assert worlds.tobytes() == sample_worlds(observation["observation"], 5, seed=2).tobytes()
    assert worlds.tobytes() != sample_worlds(observation, 5, seed=3).tobytes()


def test_a_pack_that_may_lack_a_card_does_so_in_as_many_worlds():
    """Of deals that stand with nothing noticed, 0.5 * 0.5 of 0.5 * 0.5 + 0.5 are of a faulty pack (2.4)."""
    env = boxes_v0.raw_env(faulty_pack_rate=0.5, fault_noticed_rate=0.5)
    seed = 0
    env.reset(seed=seed)
    while env.table["fault_noticed"]:
        seed += 1
        env.reset(seed=seed)
    worlds = sample_worlds(env.observe(env.agent_selection), 6000, seed=1)
    faulty = worlds["missing"] != 255
    assert 0.30 < faulty.mean() < 0.37
    hands = np.bitwise_or.reduce(worlds["hands"], axis=1) | (np.uint64(1) << worlds["turn_up"].astype(np.uint64))
    assert not (hands[faulty] >> worlds["missing"][faulty].astype(np.uint64) & np.uint64(1)).any()


@pytest.mark.parametrize("count", [0, -1, 1.5, 10**7, "3"])
def test_counts_that_cannot_be_are_refused(count):
    env = saucers_v0.raw_env()
    env.reset(seed=0)
    with pytest.raises(OptionError, match="count"):
        sample_worlds(env.observe("player_0"), count)


def test_a_match_that_is_over_has_no_worlds():
    env = saucers_v0.raw_env()
    env.reset(seed=0)
    play_some(env, random.Random(0), 1.0)
    with pytest.raises(OptionError, match="over"):
        sample_worlds(env.observe("player_0"))


@pytest.mark.parametrize(("module", "options"), FEW_CARDS, ids=str)
def test_worlds_drawn_one_at_a_time_are_alike_often(module, options):
    rng = random.Random(str(options))
    for env, seat, _ in late_positions(module, options, rng, 200):
        observation = env.observe(env.possible_agents[seat])
        count = len(np.unique(sample_worlds(observation, 4000, seed=0)["hands"], axis=0))
        if 1 < count <= 30:
            break
    drawn = [sample_worlds(observation, seed=seed)["hands"][0] for seed in range(100 * count)]
    counts = np.unique(drawn, axis=0, return_counts=True)[1]
    assert len(counts) == count
    chi_square = ((counts - 100) ** 2 / 100).sum()
    assert chi_square < count - 1 + 5 * math.sqrt(2 * count), counts


def test_who_was_passed_over_after_a_king_kept_back_lacks_kings():
    """Eldest lays Q♣ and keeps K♣ back; he comes to himself again, so nobody else has a king (4.4, 4.5)."""
    env = saucers_v0.raw_env(players=3)
    begin(env, [saucers_pack(3, 36, {0: "QC KC KD KH KS"})])
    while "pass" in legal(env):
        act(env, "pass")
    act(env, "QC", "pass", "KC")
    worlds = sample_worlds(env.observe("player_1"), 200, seed=1)["hands"]
    assert not (worlds[:, 1] & np.uint64(card_set(cards("KD KH KS")))).any()


@given(matches(**SOUND), st.data())
def test_worlds_say_what_those_who_are_to_act_may_do(match, data):
    env, rng = match
    play_some(env, rng, data.draw(st.sampled_from((0.5, 0.9))))
    assume(not over(env))
    seat = data.draw(st.integers(0, env.rules.players - 1))
    for world in sample_worlds(env.observe(env.possible_agents[seat]), 4, seed=1):
        assert world["legal"], "somebody is to act, and can"
        if world["phase"] == env.table["phase"] == 1:
            hand = int(world["hands"][world["actor"]])
            claims = {52 + claim for claim in range(8) if env.game.claims_in(np.uint64(hand)) >> claim & 1}
            assert {action for action in range(52, 60) if int(world["legal"]) >> action & 1} <= claims
