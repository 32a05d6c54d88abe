"""Boxes, clause by clause: packs put together by hand, and what the rulebook says must follow."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from marriage_env import boxes_v0
from marriage_env.aec import TableEnv
from marriage_env.boxes.play import best_sequence, sequence_value
from marriage_env.cards import card_set
from marriage_env.errors import OptionError
from tests.helpers import (
    act,
    actor,
    balances,
    begin,
    boxes_pack,
    cards,
    from_each,
    hands,
    ledger,
    legal,
    names,
    over,
    pass_all,
    payments,
    play,
    play_random,
    reasons,
    to_each,
)

#: Nobody has anything to declare; each seat can take one trick; hearts are trumps and nobody holds one (turn-up 2H).
QUIET = {0: "AC 2D 6S 9C 7D", 1: "4C AD 2S TC 8D", 2: "5C 4D AS 3C 9D", 3: "6C 5D 4S JC 3D", 4: "7C 6D 5S 8C TD"}
QUIET_PLAY = (
    ((0, "AC"), (1, "4C"), (2, "5C"), (3, "6C"), (4, "7C")),
    ((0, "2D"), (1, "AD"), (2, "4D"), (3, "5D"), (4, "6D")),
    ((1, "2S"), (2, "AS"), (3, "4S"), (4, "5S"), (0, "6S")),
    ((2, "3C"), (3, "JC"), (4, "8C"), (0, "9C"), (1, "TC")),
    ((3, "3D"), (4, "TD"), (0, "7D"), (1, "8D"), (2, "9D")),
)
#: Seat 0 takes two tricks, then seat 1 three; spades are trumps and nobody holds one (turn-up 2S).
TWO_WINNERS = {0: "AC JC 2D 2H 4H", 1: "AD TD 9D 2C 3C", 2: "6H 8H TH 4C 5C", 3: "3H 7H 9H 6C 7C", 4: "5H 3D 4D 8C 9C"}
TWO_WINNERS_PLAY = (
    ((0, "AC"), (1, "2C"), (2, "4C"), (3, "6C"), (4, "8C")),
    ((0, "JC"), (1, "3C"), (2, "5C"), (3, "7C"), (4, "9C")),
    ((0, "2D"), (1, "AD"), (2, "6H"), (3, "3H"), (4, "3D")),
    ((1, "TD"), (2, "8H"), (3, "7H"), (4, "4D"), (0, "2H")),
    ((1, "9D"), (2, "TH"), (3, "9H"), (4, "5H"), (0, "4H")),
)


def deal(
    hands: Mapping[int, str], turn_up: str = "2S", *, reset: Mapping[str, Any] | None = None, **rules: Any
) -> TableEnv:
    """A table with these hands, by places from eldest; eldest is seat 0 unless `reset` names the dealer."""
    env = boxes_v0.raw_env(**{"players": 5, "pack_size": 52, **rules})
    pack = boxes_pack(env.rules.players, env.rules.pack_size, hands, turn_up)
    return begin(env, [pack], **(reset or {}))


def at_play(hands: Mapping[int, str], turn_up: str = "2S", **options: Any) -> TableEnv:
    """The same, everybody having passed."""
    return pass_all(deal(hands, turn_up, **options))


def tricks(env: TableEnv) -> list[int]:
    """Tricks taken, by seat (as player_0 sees it)."""
    return list(env.decode(env.observe("player_0"))["tricks"].values())


def pots(env: TableEnv) -> list[int]:
    return list(env.pots.values())


# 1 Players, pack, boxes


@pytest.mark.parametrize("players", range(5, 11))
def test_1_1_five_to_ten_play(players: int) -> None:
    env = begin(boxes_v0.raw_env(players=players))
    assert len(env.agents) == players
    assert [len(hand) for hand in hands(env)] == [5] * players


@pytest.mark.parametrize("players", [4, 11])
def test_1_1_no_others_play(players: int) -> None:
    with pytest.raises(OptionError, match=f"players={players}: allowed is a whole number from 5 to 10"):
        boxes_v0.raw_env(players=players)


@pytest.mark.parametrize(("players", "size"), [(5, 36), (6, 36), (7, 52), (8, 52), (9, 52), (10, 52)])
def test_1_2_the_pack_suits_the_number_of_players(players: int, size: int) -> None:
    env = boxes_v0.raw_env(players=players)
    assert env.rules.pack_size == size
    low = "6C" if size == 36 else "2C"
    seen = set()
    for seed in range(60):
        env.reset(seed=seed)
        seen |= {card for hand in hands(env) for card in hand}
    assert min(seen) == cards(low)[0] and len(seen) == size


def test_1_2_the_other_pack_can_be_chosen() -> None:
    assert boxes_v0.raw_env(players=5, pack_size=52).rules.pack_size == 52
    assert boxes_v0.raw_env(players=7, pack_size=36).rules.pack_size == 36
    with pytest.raises(OptionError, match="pack_size=36"):
        boxes_v0.raw_env(players=8, pack_size=36)


@pytest.mark.parametrize("hand", ["JH QH KH 2C 3C", "QH KH AH 2C 3C", "2H 3H 4H 2C 3C", "9H TH JH QH KH"])
def test_1_3_ranks_run_from_two_to_ace(hand: str) -> None:
    assert "sequence" in legal(deal({0: hand}))


def test_1_4_there_are_five_boxes() -> None:
    env = begin(boxes_v0.raw_env())
    assert tuple(env.pots) == ("sequence", "marriage", "jester", "king", "queen")


def test_1_5_chips_left_in_a_box_stay_for_the_next_deal() -> None:
    pack = boxes_pack(5, 52, QUIET, "2H")
    env = begin(boxes_v0.raw_env(pack_size=52, deals=2), [pack], pots=[0, 1, 2, 3, 4])
    for trick in QUIET_PLAY:
        play(env, *trick)
    assert pots(env) == [10, 11, 12, 13, 14]
    assert not over(env)


# 2 The deal


@pytest.mark.parametrize("players", range(5, 11))
def test_2_1_each_player_puts_one_chip_in_each_box(players: int) -> None:
    env = begin(boxes_v0.raw_env(players=players), pots=[9, 0, 0, 0, 1])
    assert pots(env) == [9 + players, players, players, players, 1 + players]
    assert balances(env) == [-5] * players
    contributions = [(seat, box, 1) for seat in range(players) for box in env.pots]
    assert ledger(env, "contribution") == payments(*contributions)


def test_2_2_three_to_each_then_two_to_each_then_the_turn_up() -> None:
    env = boxes_v0.raw_env(players=6, pack_size=52)
    pack = list(range(51, -1, -1))
    begin(env, [pack], dealer=2)
    for place in range(6):
        dealt = pack[3 * place : 3 * place + 3] + pack[18 + 2 * place : 20 + 2 * place]
        assert hands(env)[(3 + place) % 6] == sorted(dealt)
    assert pack[30] == cards("7D")[0]
    for agent in env.agents:
        seen = env.decode(env.observe(agent))
        assert (seen["turn_up"], seen["trumps"]) == ("7", "diamonds")
    assert all(pack[30] not in hand for hand in hands(env))


def test_2_3_the_dealer_pays_for_each_misdeal_and_deals_anew() -> None:
    env = boxes_v0.raw_env(pack_size=52, misdeal_rate=0.5)
    pack = boxes_pack(5, 52, QUIET, "2H")
    seen = set()
    for seed in range(40):
        env.reset(seed=seed, options={"dealer": 3, "packs": [pack], "pots": [0] * 5})
        misdeals = int(env.table["misdeals"].sum())
        seen.add(misdeals)
        assert env.dealer == "player_3" and actor(env) == 4
        assert balances(env) == [-5 + misdeals] * 3 + [-5 - 4 * misdeals] + [-5 + misdeals]
        assert pots(env) == [5] * 5
        assert ledger(env, "misdeal") == (to_each(3, (0, 1, 2, 4), misdeals) if misdeals else [])
        assert names(hands(env)[4]) == sorted(QUIET[0].split(), key=lambda name: cards(name))
        assert env.decode(env.observe("player_1"))["misdeals"]["misdeals"] == misdeals
    assert {0, 1, 2} <= seen


def test_2_3_misdeals_are_independent_of_each_other() -> None:
    env = boxes_v0.raw_env(misdeal_rate=0.4)
    counts = np.zeros(40, int)
    deals = 4000
    for seed in range(deals):
        env.reset(seed=seed)
        counts[env.table["misdeals"].sum()] += 1
    for misdeals in range(4):  # geometric
        share = 0.4**misdeals * 0.6
        assert abs(counts[misdeals] - deals * share) < 4 * math.sqrt(deals * share * (1 - share))


def test_2_3_no_misdeals_by_default() -> None:
    env = boxes_v0.raw_env()
    for seed in range(100):
        env.reset(seed=seed)
        assert reasons(env)[0] == "contribution" and "misdeal" not in reasons(env)


def test_2_4_a_faulty_pack_that_is_noticed_costs_the_dealer_and_is_changed() -> None:
    pack = boxes_pack(5, 52, QUIET, "2H")
    env = boxes_v0.raw_env(pack_size=52, faulty_pack_rate=1.0, fault_noticed_rate=1.0, faulty_pack_fine=7)
    begin(env, [pack])
    assert ledger(env, "faulty pack noticed") == to_each(4, range(4))
    assert balances(env) == [-4, -4, -4, -4, -9]
    assert [names(hand) for hand in hands(env)] == [names(sorted(cards(QUIET[seat]))) for seat in range(5)]
    for trick in QUIET_PLAY:
        play(env, *trick)
    assert over(env) and ledger(env) == []  # it was a sound pack in the end


@pytest.mark.parametrize("fine", [0, 1, 3])
def test_2_4_a_faulty_pack_that_is_played_is_fined_after_the_settlement(fine: int) -> None:
    env = boxes_v0.raw_env(faulty_pack_rate=1.0, fault_noticed_rate=0.0, faulty_pack_fine=fine)
    for seed in range(20):
        env.reset(seed=seed, options={"dealer": 2})
        assert not {"faulty pack noticed", "faulty pack played"} & set(reasons(env))
        play_random(env, random.Random(seed))
        assert ledger(env, "faulty pack played") == (to_each(2, (0, 1, 3, 4), fine) if fine else [])
        if fine:
            assert reasons(env)[-1] == "faulty pack played"


def test_2_4_the_fine_is_due_even_if_nobody_took_two_tricks() -> None:
    env = boxes_v0.raw_env(pack_size=52, faulty_pack_rate=1.0, fault_noticed_rate=0.0, faulty_pack_fine=2)
    pack = boxes_pack(5, 52, QUIET, "2H")
    while True:  # until the missing card is one that was not to be dealt
        env.reset(options={"dealer": 4, "packs": [pack]})
        if env.table["missing"] not in pack[:26]:
            break
    for trick in QUIET_PLAY:
        play(env, *trick)
    assert ledger(env) == to_each(4, range(4), 2)


def test_2_4_the_pack_lacks_one_card_and_the_rest_keep_their_order() -> None:
    env = boxes_v0.raw_env(players=10, faulty_pack_rate=1.0, fault_noticed_rate=0.0)
    pack = list(range(52))
    missing = set()
    for seed in range(400):
        env.reset(seed=seed, options={"dealer": 9, "packs": [pack]})
        gap = int(env.table["missing"])
        missing.add(gap)
        rest = [card for card in pack if card != gap]
        for seat in range(10):
            assert hands(env)[seat] == sorted(rest[3 * seat : 3 * seat + 3] + rest[30 + 2 * seat : 32 + 2 * seat])
        assert env.table["turn_up"] == rest[50]
    assert missing == set(range(52))


def test_2_4_a_pack_too_short_to_deal_is_always_noticed() -> None:
    env = boxes_v0.raw_env(players=7, pack_size=36, faulty_pack_rate=1.0, fault_noticed_rate=0.0)
    for seed in range(30):
        env.reset(seed=seed, options={"dealer": 0})
        # seven hands and the turn-up take all 36
        assert ledger(env, "faulty pack noticed") == to_each(0, range(1, 7))
        assert env.table["missing"] == 255


def test_2_4_a_pack_just_long_enough_need_not_be_noticed() -> None:
    env = boxes_v0.raw_env(players=10, faulty_pack_rate=1.0, fault_noticed_rate=0.0)
    env.reset(seed=1)
    assert "faulty pack noticed" not in reasons(env)


@pytest.mark.parametrize(("rate", "noticed_rate"), [(0.3, 0.5), (0.5, 0.2), (1.0, 0.5)])
def test_2_4_faults_happen_and_are_noticed_at_the_given_rates(rate: float, noticed_rate: float) -> None:
    env = boxes_v0.raw_env(faulty_pack_rate=rate, fault_noticed_rate=noticed_rate)
    deals, noticed, unnoticed = 3000, 0, 0
    for seed in range(deals):
        env.reset(seed=seed)
        noticed += int(env.table["fault_noticed"])
        unnoticed += env.table["missing"] != 255
    for count, share in ((noticed, rate * noticed_rate), (unnoticed, rate * (1 - noticed_rate))):
        assert abs(count - deals * share) < 4 * math.sqrt(deals * share * (1 - share))


def test_2_4_half_of_the_faults_are_noticed_by_default() -> None:
    assert boxes_v0.raw_env().rules.fault_noticed_rate == 0.5
    assert boxes_v0.raw_env().rules.faulty_pack_fine == 1


def test_2_5_the_dealers_place_moves_to_the_left() -> None:
    env = boxes_v0.raw_env(deals=7)
    begin(env, dealer=3)
    dealers = [env.dealer]
    rng = random.Random(1)
    while not over(env):
        play_random(env, rng, limit=1)
        if dealers[-1] != env.dealer:
            dealers.append(env.dealer)
    assert dealers == [f"player_{seat}" for seat in (3, 4, 0, 1, 2, 3, 4)]


# 3 Declarations


def test_3_1_eldest_declares_first_and_who_has_nothing_is_skipped() -> None:
    env = deal({1: "JD", 3: "KC QC", 4: "KH"}, reset={"dealer": 2})
    # places from eldest, who is seat 3: place 1 is seat 4, place 3 seat 1, place 4 seat 2
    play(env, (4, "jester"), (1, "marriage_clubs"), (2, "king"))
    assert actor(env) == 3 and env.decode(env.observe("player_3"))["phase"] == "play"


def test_3_1_claims_are_declared_one_at_a_time_in_any_order() -> None:
    env = deal({0: "KH QH JD", 2: "KD QD"})
    assert legal(env) == {"marriage", "jester", "king", "queen", "pass"}
    play(env, (0, "queen"))
    assert legal(env) == {"marriage", "jester", "king", "pass"}
    play(env, (0, "jester"), (0, "marriage"))
    assert legal(env) == {"king", "pass"}
    play(env, (0, "king"))
    assert actor(env) == 2 and legal(env) == {"marriage_diamonds", "pass"}


def test_3_1_pass_gives_up_what_was_not_declared() -> None:
    env = deal({0: "KH QH JD", 2: "KD QD"})
    play(env, (0, "king"), (0, "pass"), (2, "pass"))
    assert env.pots == {"sequence": 5, "marriage": 5, "jester": 5, "king": 1, "queen": 5}
    seen = env.decode(env.observe("player_4"))
    assert seen["phase"] == "play"
    assert [(seat + 4) % 5 for seat in seen["gave_up"]] == [0, 2]


def test_3_1_play_begins_at_once_if_nobody_has_anything_to_declare() -> None:
    env = deal(QUIET, "2H")
    assert actor(env) == 0 and legal(env) == set(QUIET[0].split())


def test_3_1_everything_is_declared_for_everybody_under_auto() -> None:
    dealt = {0: "QH KH JH AH JD", 1: "8H 9H TH", 3: "KS QS KD QD"}
    env = deal(dealt, declaring="auto", reset={"pots": [1, 2, 3, 4, 5]})
    assert actor(env) == 0 and legal(env) == {"QH", "KH", "JH", "AH", "JD"}
    assert env.pots == {"sequence": 0, "marriage": 1, "jester": 1, "king": 1, "queen": 1}
    seen = env.decode(env.observe("player_0"))["claims"]
    order = ["sequence", "marriage", "jester", "king", "queen"]
    assert seen == {(0, claim): k for k, claim in enumerate(order, 1)} | {
        (1, "sequence"): 1,
        (3, "marriage_diamonds"): 1,
        (3, "marriage_spades"): 2,
    }
    assert balances(env) == [-5 + 6 + 6 + 7 + 8 + 9 + 8 - 2, -5 - 2 - 2, -5 - 2 - 2, -5 - 2 + 8, -5 - 2 - 2]


def test_3_1_under_auto_payments_come_in_the_order_of_the_claims() -> None:
    env = deal({0: "JD KC QC", 1: "KH QH"}, declaring="auto")
    won = [(entry.payer, entry.reason) for entry in env.ledger if entry.reason in {"box won", "marriage in hand"}]
    payers = list(dict.fromkeys(payer for payer, reason in won if reason == "box won"))
    assert payers == ["jester", "marriage", "king", "queen"]
    assert "declare" not in {env.decode(env.observe(agent))["phase"] for agent in env.agents}


@pytest.mark.parametrize(
    ("hand", "claims"),
    [
        ("KH QH 2C 3C 4C", {"marriage", "king", "queen"}),
        ("KH 9H 2C 3C 4C", {"king"}),
        ("QH 9H 2C 3C 4C", {"queen"}),
        ("JD 9H 2C 3C 4C", {"jester"}),
        ("JC JH JS 3C 4C", set()),
        ("KC QC KD QS 4C", {"marriage_clubs"}),
        ("KD QD KC QS 4C", {"marriage_diamonds"}),
        ("KS QS KC QD 4C", {"marriage_spades"}),
        ("KS QS KD QD KC", {"marriage_spades", "marriage_diamonds"}),
        ("4H 5H 6H 2C 3C", {"sequence"}),
        ("4H 5H 7H 8H 3C", set()),
        ("4D 5D 6D 7D 8D", set()),
        ("KH QH JH 2C 3C", {"sequence", "marriage", "king", "queen"}),
    ],
)
def test_3_2_what_is_needed_in_hand_for_each_claim(hand: str, claims: set[str]) -> None:
    env = deal({0: hand})
    assert legal(env) == (claims | {"pass"} if claims else set(hand.split()))


@pytest.mark.parametrize(("claim", "hand", "box"), [("jester", "JD", 2), ("king", "KH", 3), ("queen", "QH", 4)])
def test_3_2_a_box_is_won_and_one_chip_put_back(claim: str, hand: str, box: int) -> None:
    env = deal({2: hand}, reset={"pots": [10, 11, 12, 13, 14]})
    play(env, (2, claim))
    assert ledger(env, "box won", "put back") == payments((claim, 2, 15 + box), (2, claim, 1))
    assert env.pots[claim] == 1
    assert balances(env) == [-5, -5, -5 + 14 + box, -5, -5]
    assert env.rewards["player_2"] == -5 + 14 + box


def test_3_2_the_heart_marriage_wins_its_box_and_two_chips_from_each() -> None:
    env = deal({1: "KH QH"}, reset={"pots": [0, 4, 0, 0, 0]})
    play(env, (1, "marriage"))
    assert ledger(env, "box won", "put back", "marriage in hand") == payments(
        ("marriage", 1, 9), (1, "marriage", 1), *from_each((0, 2, 3, 4), 1, 2)
    )
    assert env.pots["marriage"] == 1 and balances(env) == [-7, -5 + 8 + 8, -7, -7, -7]
    assert legal(env) == {"king", "queen", "pass"}


@pytest.mark.parametrize(("suit", "hand"), [("clubs", "KC QC"), ("diamonds", "KD QD"), ("spades", "KS QS")])
def test_3_2_another_marriage_brings_a_chip_from_each(suit: str, hand: str) -> None:
    env = deal({3: hand}, turn_up="2H")
    play(env, (3, f"marriage_{suit}"))
    assert ledger(env, "marriage in hand") == from_each((0, 1, 2, 4), 3)
    assert pots(env) == [5] * 5


def test_3_2_payments_are_made_at_once() -> None:
    env = deal({0: "JD", 1: "KD QD"})
    play(env, (0, "jester"))
    assert balances(env)[0] == -5 + 4
    play(env, (1, "marriage_diamonds"))
    assert ledger(env) == from_each((0, 2, 3, 4), 1)


@pytest.mark.parametrize("hand", ["AH 2H 3H 4C 5C", "KH AH 2H 4C 5C", "JH KH AH 4C 5C"])
def test_3_3_the_ace_is_high_only_and_the_order_has_no_gaps(hand: str) -> None:
    assert "sequence" not in legal(deal({0: hand}))


@pytest.mark.parametrize("hand", ["JH QH KH 4C 5C", "TH JH QH 4C 5C", "QH KH AH 4C 5C"])
def test_3_3_the_queen_stands_between_king_and_knave(hand: str) -> None:
    assert "sequence" in legal(deal({0: hand}))


@pytest.mark.parametrize(
    ("first", "second", "winner"),
    [
        ("QH KH AH", "8H 9H TH JH", 1),  # 31 to 37 points
        ("5H 6H 7H 8H 9H", "TH JH QH", 0),  # 35 to 30
        ("TH JH QH", "4H 5H 6H 7H 8H", 1),  # 30 each: the longer
        ("4H 5H 6H 7H 8H", "TH JH QH", 0),
        ("QH KH AH", "TH JH 9H", 0),  # 31 to 29
        ("3H 4H 5H 6H", "7H 8H 9H", 1),  # 18 to 24: not length first
    ],
)
def test_3_4_the_best_sequence_takes_all_of_box_0(first: str, second: str, winner: int) -> None:
    env = deal({1: first, 3: second}, reset={"pots": [6, 0, 0, 0, 0]})
    play(env, (1, "sequence"))
    assert env.pots["sequence"] == 11  # not before all have declared
    while actor(env) == 1:
        act(env, "pass")
    assert env.pots["sequence"] == 11
    play(env, (3, "sequence"))
    while env.decode(env.observe("player_0"))["phase"] == "declare":
        act(env, "pass")
    assert ledger(env, "best sequence") == [("sequence", (1, 3)[winner], 11)]
    assert env.pots["sequence"] == 0  # nothing is put back


def test_3_4_the_scale_points_then_length_then_top_card() -> None:
    def value(text: str) -> int:
        return int(sequence_value(np.uint64(card_set(cards(text)))))

    scale = ["2H 3H 4H", "7H 8H 9H", "8H 9H TH", "9H TH JH", "TH JH QH", "JH QH KH", "4H 5H 6H 7H 8H", "QH KH AH"]
    values = [value(text) for text in scale]
    assert values == sorted(values) and len(set(values)) == len(values)


def test_3_4_the_longest_sequence_in_a_hand_is_meant() -> None:
    hand = np.uint64(card_set(cards("4H 5H 6H 7H AH")))
    assert int(best_sequence(hand)) == card_set(cards("4H 5H 6H 7H"))


def test_3_4_a_sequence_that_is_not_declared_does_not_count() -> None:
    env = deal({1: "3H 4H 5H", 3: "TH JH 9H"})
    play(env, (1, "sequence"), (3, "pass"))
    assert ledger(env, "best sequence") == [("sequence", 1, 5)]


def test_3_4_box_0_stays_if_nobody_declares_a_sequence() -> None:
    env = deal({1: "3H 4H 5H", 3: "TH JH 9H"})
    play(env, (1, "pass"), (3, "pass"))
    assert ledger(env, "best sequence") == [] and env.pots["sequence"] == 5


@pytest.mark.parametrize(
    ("hand", "claim", "shown"),
    [
        ("4H 5H 6H 8H 2C", "sequence", "4H 5H 6H"),
        ("KH QH 9H 8H 2C", "marriage", "QH KH"),
        ("KH QH 9H 8H 2C", "king", "KH"),
        ("KH QH 9H 8H 2C", "queen", "QH"),
        ("JD QH 9H 8H 2C", "jester", "JD"),
        ("KC QC KD QD 2C", "marriage_clubs", "QC KC"),
        ("KC QC KD QD 2C", "marriage_diamonds", "QD KD"),
        ("KS QS KD QD 2C", "marriage_spades", "QS KS"),
    ],
)
def test_3_5_the_cards_of_a_claim_are_seen_by_all(hand: str, claim: str, shown: str) -> None:
    env = deal({0: hand})
    act(env, claim)
    for seat in range(5):
        seen = env.decode(env.observe(f"player_{seat}"))
        assert seen["shown_by"] == dict.fromkeys(shown.split(), (0 - seat) % 5)


# 4 The play


def test_4_1_eldest_leads_and_the_winner_of_a_trick_to_the_next() -> None:
    env = deal(QUIET, "2H")
    leaders = []
    for trick in QUIET_PLAY:
        leaders.append(actor(env))
        assert legal(env) == set(names(hands(env)[actor(env)]))  # any card may be led
        play(env, *trick)
    assert leaders == [0, 0, 1, 2, 3]
    assert over(env) and tricks(env) == [1] * 5  # five tricks


def test_4_1_play_goes_to_the_left_from_eldest_wherever_he_sits() -> None:
    env = deal(QUIET, "2H", reset={"dealer": 1})
    play(env, (2, "AC"), (3, "4C"), (4, "5C"), (0, "6C"), (1, "7C"))
    assert actor(env) == 2


@pytest.mark.parametrize("must_trump", [False, True])
def test_4_2_who_can_must_follow_suit(must_trump: bool) -> None:
    env = at_play({0: "5C 6D 7D 8D 9D", 1: "AC 2C 3S 4S QH"}, must_trump=must_trump)
    act(env, "5C")
    assert legal(env) == {"AC", "2C"}


def test_4_2_who_cannot_may_play_any_card() -> None:
    env = at_play({0: "5C 6D 7D 8D 9D", 1: "3S 4S QH TD 2D"})
    act(env, "5C")
    assert legal(env) == {"3S", "4S", "QH", "TD", "2D"}


@pytest.mark.parametrize(
    ("hand", "allowed"),
    [
        ("3S 4S TD 2D 3D", "3S 4S"),
        ("3S 4S QH TD 2D", "3S 4S QH"),
        ("QH TH 9H TD 2D", "QH"),
        ("TH 9H TD 2D 3D", "TH 9H TD 2D 3D"),
        ("3S 4S QH TC 2D", "TC"),
    ],
)
def test_4_2_who_cannot_follow_must_trump_if_so_agreed(hand: str, allowed: str) -> None:
    env = at_play({0: "5C 6D 7D 8D 9D", 1: hand}, must_trump=True)
    act(env, "5C")
    assert legal(env) == set(allowed.split())


def test_4_2_the_queen_of_hearts_follows_hearts() -> None:
    env = at_play({0: "5H 6D 7D 8D 9D", 1: "QH 3S 4S 5S 2D"})
    act(env, "5H")
    assert legal(env) == {"QH"}


@pytest.mark.parametrize("must_trump", [False, True])
def test_4_2_a_lead_of_the_queen_of_hearts_asks_for_hearts(must_trump: bool) -> None:
    env = at_play({0: "QH 6D 7D 8D 9D", 1: "5H 3S 4S 5S 2D"}, must_trump=must_trump)
    act(env, "QH")
    assert legal(env) == {"5H"}


@pytest.mark.parametrize(
    ("turn_up", "trick", "winner"),
    [
        ("2S", "5C 9C 3C AC JC", 3),  # the highest of the suit led
        ("2S", "5C AD 6C 7C 8C", 4),  # a discard has no strength
        ("2S", "5C 6D 7D 8D AD", 0),
        ("2S", "5C 3S AC 4S 6C", 3),  # trumps by rank
        ("2S", "2C 3C 4C 5S AC", 3),
        ("2S", "5C AS QH 3S 6C", 2),  # Q♥ beats trumps
        ("2S", "AH 9H QH 3H 4H", 2),  # and A♥
        ("2S", "QH AH 3H 4H 5H", 0),
        ("2S", "5C QH 6C 7C 8C", 1),
        ("2H", "5C AH QH 3H 6C", 2),  # as a trump too
        ("2H", "5C 9D 3H KH 6C", 3),
        ("2C", "5D 3C 4C AD 2D", 2),
    ],
)
def test_4_3_strength_in_a_trick_and_4_4_the_strongest_takes_it(turn_up: str, trick: str, winner: int) -> None:
    played = trick.split()
    env = at_play(dict(enumerate(played)), turn_up, conduct="fined")
    play(env, *enumerate(played))
    assert tricks(env)[winner] == 1 and sum(tricks(env)) == 1
    assert actor(env) == winner


# 5 Marriage on the table


@pytest.mark.parametrize("suit", "CDS")
def test_5_1_the_queens_holder_acts_next_out_of_turn(suit: str) -> None:
    env = at_play({0: f"K{suit}", 3: f"Q{suit}"}, "2H")
    act(env, f"K{suit}")
    assert actor(env) == 3 and legal(env) == {f"Q{suit}"}
    assert env.decode(env.observe("player_3"))["phase"] == "answer"


def test_5_1_so_does_the_holder_of_the_queen_of_hearts() -> None:
    env = at_play({0: "KH", 2: "QH"})
    act(env, "KH")
    assert actor(env) == 2 and legal(env) == {"QH"}


def test_5_1_whatever_suit_was_led() -> None:
    env = at_play({0: "5D", 1: "KC 2C 3C 4S 5S", 3: "QC 6D 7D 8D 9D"}, "2H")
    play(env, (0, "5D"), (1, "KC"))
    assert actor(env) == 3 and legal(env) == {"QC"}


def test_5_1_nobody_is_asked_if_the_queen_sleeps_in_the_talon() -> None:
    env = at_play({0: "KC"}, "2H")
    act(env, "KC")
    assert actor(env) == 1 and ledger(env, "marriage on the table") == []


def test_5_2_play_goes_on_after_the_king() -> None:
    env = at_play({0: "5D", 1: "KC 2C 3C 4S 5S", 3: "QC 6D 7D 8D 9D", 2: "TD", 4: "4D"}, "2H")
    play(env, (0, "5D"), (1, "KC"), (3, "QC"), (2, "TD"), (4, "4D"))
    assert sum(tricks(env)) == 1


def test_5_2_passing_over_all_who_have_played_round_the_table() -> None:
    env = at_play({0: "5D", 1: "KC 2C 3C 4S 5S", 3: "QC", 2: "TD", 4: "4D"}, "2H", reset={"dealer": 2})
    # places 0 to 4 are seats 3, 4, 0, 1, 2
    play(env, (3, "5D"), (4, "KC"), (1, "QC"), (0, "TD"), (2, "4D"))
    assert actor(env) == 4


def test_5_2_play_goes_on_after_the_king_that_was_led_last_but_one() -> None:
    env = at_play({0: "5D", 1: "6D", 2: "7D", 3: "KC 2C 3C 4S 5S", 4: "QC 9D"}, "2H")
    play(env, (0, "5D"), (1, "6D"), (2, "7D"), (3, "KC"), (4, "QC"))
    assert actor(env) == 3 and tricks(env)[3] == 1


@pytest.mark.parametrize("suit", "CDS")
def test_5_3_all_but_the_two_pay_the_kings_player(suit: str) -> None:
    env = at_play({0: f"K{suit}", 3: f"Q{suit}"}, "2H")
    play(env, (0, f"K{suit}"))
    before = balances(env)
    play(env, (3, f"Q{suit}"))
    assert ledger(env) == from_each((1, 2, 4), 0)
    assert [now - then for now, then in zip(balances(env), before, strict=True)] == [3, -1, -1, 0, -1]


def test_5_3_for_hearts_they_pay_the_queens_player() -> None:
    env = at_play({0: "KH", 3: "QH"})
    play(env, (0, "KH"), (3, "QH"))
    assert ledger(env) == from_each((1, 2, 4), 3)


def test_5_4_no_card_beats_a_marriage() -> None:
    env = at_play({0: "KC", 3: "QC", 1: "3S 2D 3D 4D 5D", 2: "QH AS 6D 7D 8D", 4: "AC"})
    play(env, (0, "KC"), (3, "QC"), (1, "3S"), (2, "QH"), (4, "AC"))
    assert actor(env) == 0 and tricks(env) == [1, 0, 0, 0, 0]


def test_5_4_the_trick_is_the_kings_although_it_was_trumped_before() -> None:
    env = at_play({0: "5D", 1: "3S 2C 3C 4C 5C", 2: "KC 6C 7C 8C 9C", 4: "QC", 3: "6D"})
    play(env, (0, "5D"), (1, "3S"), (2, "KC"), (4, "QC"), (3, "6D"))
    assert tricks(env) == [0, 0, 1, 0, 0]


def test_5_4_the_heart_marriage_gives_the_trick_to_the_queens_player() -> None:
    env = at_play({0: "KH", 2: "QH", 1: "3S 2D 3D 4D 5D", 3: "AS 2C 3C 4C 5C", 4: "AH"})
    play(env, (0, "KH"), (2, "QH"), (1, "3S"), (3, "AS"), (4, "AH"))
    assert actor(env) == 2


def test_5_4_of_several_marriages_all_are_paid_and_the_first_has_the_trick() -> None:
    env = at_play({0: "KC", 2: "QC", 1: "KD 2D 3D 4D 5D", 3: "QD", 4: "2C"}, "2H")
    play(env, (0, "KC"), (2, "QC"))
    assert ledger(env) == from_each((1, 3, 4), 0)
    play(env, (1, "KD"), (3, "QD"))
    assert ledger(env) == from_each((0, 2, 4), 1)
    play(env, (4, "2C"))
    assert actor(env) == 0 and tricks(env) == [1, 0, 0, 0, 0]


def test_5_4_the_first_marriage_holds_against_hearts_too() -> None:
    env = at_play({0: "KC", 2: "QC", 1: "KH 2D 3D 4D 5D", 3: "QH", 4: "2C"}, "2H")
    play(env, (0, "KC"), (2, "QC"), (1, "KH"), (3, "QH"))
    assert ledger(env) == from_each((0, 2, 4), 3)
    play(env, (4, "2C"))
    assert actor(env) == 0


def test_5_5_no_marriage_with_the_queen_in_the_kings_own_hand() -> None:
    env = at_play({0: "KC QC"}, "2H")
    play(env, (0, "KC"))
    assert ledger(env) == [] and actor(env) == 1 and env.decode(env.observe("player_1"))["phase"] == "play"


def test_5_5_no_marriage_if_the_queen_lies_before_her_king() -> None:
    env = at_play({0: "QC", 1: "2C", 2: "KC", 3: "3C", 4: "AC"}, "2H")
    play(env, (0, "QC"), (1, "2C"), (2, "KC"))
    assert ledger(env) == []
    play(env, (3, "3C"), (4, "AC"))
    assert actor(env) == 4


def test_5_5_no_marriage_if_the_queens_holder_has_played() -> None:
    env = at_play({0: "2C QC", 1: "3C", 2: "KC"}, "2H")
    play(env, (0, "2C"), (1, "3C"), (2, "KC"))
    assert ledger(env) == [] and actor(env) == 3


@pytest.mark.parametrize("order", ["king_first", "either"])
def test_5_5_a_queen_of_an_earlier_trick_makes_no_marriage(order: str) -> None:
    env = at_play({0: "QC 5D", 1: "2C 6D", 2: "AC KC 7H 8H TH", 3: "3C", 4: "4C"}, "2S", marriage_order=order)
    play(env, (0, "QC"), (1, "2C"), (2, "AC"), (3, "3C"), (4, "4C"), (2, "KC"))
    assert ledger(env) == [] and actor(env) == 3


def test_5_5_in_either_order_the_king_may_come_after_his_queen() -> None:
    env = at_play({0: "QC", 1: "2C", 2: "KC", 3: "3C", 4: "AC"}, "2H", marriage_order="either")
    play(env, (0, "QC"), (1, "2C"), (2, "KC"))
    assert ledger(env) == from_each((1, 3, 4), 2)
    play(env, (3, "3C"), (4, "AC"))
    assert actor(env) == 2


def test_5_5_in_either_order_hearts_pay_the_queens_player() -> None:
    env = at_play({0: "QH", 1: "2H", 2: "KH", 3: "3H", 4: "AH"}, marriage_order="either")
    play(env, (0, "QH"), (1, "2H"), (2, "KH"))
    assert ledger(env) == from_each((1, 3, 4), 0)
    play(env, (3, "3H"), (4, "AH"))
    assert actor(env) == 0


def test_5_5_in_either_order_the_first_marriage_still_holds() -> None:
    env = at_play({0: "QC", 1: "KC", 2: "KD 2D 3D 4D 5D", 3: "QD", 4: "AC"}, "2H", marriage_order="either")
    play(env, (0, "QC"), (1, "KC"), (2, "KD"), (3, "QD"), (4, "AC"))
    assert actor(env) == 1


def test_5_5_in_either_order_his_own_queen_still_makes_none() -> None:
    env = at_play({0: "KC QC"}, "2H", marriage_order="either")
    play(env, (0, "KC"))
    assert ledger(env) == [] and actor(env) == 1


# 6 The jester


def finish_trick(hands: Mapping[int, str], turn_up: str, **rules: Any) -> TableEnv:
    """A table after the first trick, in which each seat has played the first card of its hand, in turn."""
    env = at_play(hands, turn_up, **{"conduct": "fined", **rules})
    play(env, *((seat, hands[seat].split()[0]) for seat in range(5)))
    return env


JESTER_REASONS = ("jester", "jester covered")


@pytest.mark.parametrize(
    ("turn_up", "trick", "jester", "coverer"),
    [
        ("2S", "JD QH 2C 3C 4C", 0, 1),  # Q♥ is stronger than anything
        ("2D", "5C JD QH 3C 4C", 1, 2),  # than a trump
        ("2H", "JD KH 2C 3C 4C", 0, 1),  # K♥ as a trump
        ("2S", "KH JD 2C 3C 4C", 1, 0),  # K♥ in the suit led
        ("2H", "5C 6C JD 7C KH", 2, 4),
    ],
)
def test_6_1_a_covered_jester_pays_who_covers_him(turn_up: str, trick: str, jester: int, coverer: int) -> None:
    env = finish_trick(dict(enumerate(trick.split())), turn_up)
    assert ledger(env, *JESTER_REASONS) == [(jester, coverer, 1)]


def test_6_1_if_both_cover_the_queens_player_is_paid() -> None:
    env = at_play({0: "KH", 1: "2C 3C 4C 5C 6C", 2: "QH", 3: "JD 7C 8C 9C TC", 4: "JC"})
    play(env, (0, "KH"), (2, "QH"), (1, "2C"), (3, "JD"), (4, "JC"))
    assert ledger(env, *JESTER_REASONS) == [(3, 2, 1)]


def test_6_1_the_queen_is_paid_when_she_lay_before_the_king() -> None:
    env = finish_trick({0: "QH", 1: "KH", 2: "JD", 3: "2C", 4: "3C"}, "2S")
    assert ledger(env, *JESTER_REASONS) == [(2, 0, 1)]


@pytest.mark.parametrize(
    ("turn_up", "trick", "jester"),
    [
        ("2S", "JD 5D 6D 7D 8D", 0),
        ("2S", "JD KH 6D 7D 8D", 0),  # K♥ discarded is not stronger
        ("2D", "KH JD 2H 3H 4H", 1),  # J♦ is a trump, K♥ is not
        ("2S", "5D JD AD 7D 8D", 1),  # whoever takes the trick
        ("2S", "5C 6C 7C 8C JD", 4),
        ("2S", "JD 3S 6D AS 8D", 0),
        ("2H", "JD AH 6D 7D 8D", 0),  # A♥ is no cover
    ],
)
def test_6_2_else_every_other_player_pays_the_jester(turn_up: str, trick: str, jester: int) -> None:
    env = finish_trick(dict(enumerate(trick.split())), turn_up)
    assert ledger(env, *JESTER_REASONS) == from_each([seat for seat in range(5) if seat != jester], jester)


def test_6_2_in_a_trick_with_a_marriage_too() -> None:
    env = at_play({0: "KC", 1: "QC", 2: "JD 5H 7H 9H 3H", 3: "2C", 4: "3C"})
    play(env, (0, "KC"), (1, "QC"), (2, "JD"), (3, "2C"))
    assert ledger(env) == []
    play(env, (4, "3C"))
    assert ledger(env) == from_each((0, 1, 3, 4), 2)


def test_6_a_trick_without_the_jester_pays_nothing() -> None:
    env = finish_trick({0: "QH", 1: "2H", 2: "3H", 3: "4H", 4: "5H"}, "2S")
    assert ledger(env, *JESTER_REASONS) == []


# 7 Settlement


def test_7_1_nothing_happens_if_nobody_took_two_tricks() -> None:
    env = deal(QUIET, "2H", reset={"pots": [3, 1, 4, 1, 5]}, trick_pay=3)
    for trick in QUIET_PLAY:
        play(env, *trick)
    assert ledger(env) == [] and pots(env) == [8, 6, 9, 6, 10] and balances(env) == [-5] * 5


@pytest.mark.parametrize(
    ("trick_pay", "in_box", "paid"),
    [
        (1, 0, (2, 3)),
        (0, 0, (0, 0)),
        (3, 0, (3, 2)),  # five chips, one at a time: 0, 1, 0, 1, 0
        (3, 1, (3, 3)),
        (3, 6, (6, 5)),
        (3, 8, (6, 7)),  # seat 0 has all his by then
        (3, 20, (6, 9)),
        (1, 20, (2, 3)),
    ],
)
def test_7_2_winners_are_paid_a_chip_at_a_time_from_box_0(trick_pay: int, in_box: int, paid: tuple[int, int]) -> None:
    env = deal(TWO_WINNERS, reset={"pots": [in_box, 0, 0, 0, 0]}, trick_pay=trick_pay)
    for trick in TWO_WINNERS_PLAY:
        play(env, *trick)
    assert ledger(env, "tricks") == payments(*(("sequence", seat, chips) for seat, chips in enumerate(paid) if chips))
    assert ledger(env, "penalty") == from_each((2, 3, 4), "sequence")
    assert env.pots["sequence"] == 5 + in_box - sum(paid) + 3
    assert balances(env) == [-5 + paid[0], -5 + paid[1], -6, -6, -6]


def test_7_2_the_round_begins_with_eldest_not_with_seat_0() -> None:
    env = deal(TWO_WINNERS, reset={"dealer": 3}, trick_pay=3)
    for trick in TWO_WINNERS_PLAY:
        play(env, *(((place + 4) % 5, name) for place, name in trick))
    assert ledger(env, "tricks") == payments(("sequence", 4, 3), ("sequence", 0, 2))


def test_7_2_an_empty_box_pays_nothing_but_the_penalties_are_due() -> None:
    env = deal(TWO_WINNERS | {2: "6H 8H 7H 4C 5C", 3: "3H TH 9H 6C 7C"})
    play(env, (2, "sequence"))
    swap = {"7H": "TH", "TH": "7H"}
    for trick in TWO_WINNERS_PLAY:
        play(env, *((seat, swap.get(name, name)) for seat, name in trick))
    assert ledger(env) == from_each((2, 3, 4), "sequence")
    assert env.pots["sequence"] == 3


def test_7_2_penalties_are_paid_after_the_winners() -> None:
    env = deal(TWO_WINNERS, trick_pay=3)
    for trick in TWO_WINNERS_PLAY:
        play(env, *trick)
    assert reasons(env) == ["tricks", "penalty"]


@pytest.mark.parametrize("deals", [1, 2, 4])
def test_7_3_a_match_is_so_many_deals_and_contributions_open_each(deals: int) -> None:
    packs = [boxes_pack(5, 52, QUIET, "2H")] * deals
    env = begin(boxes_v0.raw_env(pack_size=52, deals=deals), packs)
    for number in range(deals):
        assert not over(env)
        assert pots(env) == [5 * number + 5] * 5 and balances(env) == [-5 * number - 5] * 5
        for trick in QUIET_PLAY:
            play(env, *(((seat + number) % 5, name) for seat, name in trick))
    assert over(env)


def test_7_3_winners_contribute_too_in_the_same_step() -> None:
    env = begin(boxes_v0.raw_env(pack_size=52, deals=2), [boxes_pack(5, 52, TWO_WINNERS, "2S")])
    for trick in TWO_WINNERS_PLAY:
        play(env, *trick)
    assert reasons(env)[:3] == ["tricks", "penalty", "contribution"]
    assert ledger(env, "contribution") == payments(*((seat, box, 1) for seat in range(5) for box in env.pots))
    assert balances(env)[:2] == [-5 + 2 - 5, -5 + 3 - 5]
    assert actor(env) in range(5) and env.dealer == "player_0"


# 8 Conduct


def test_8_1_only_what_the_rules_allow_is_legal() -> None:
    assert boxes_v0.raw_env().rules.conduct == "strict"
    env = at_play({0: "KC", 3: "QC 2C"}, "2H")
    play(env, (0, "KC"))
    assert legal(env) == {"QC"}


def test_8_2_every_card_may_be_played_and_a_revoke_is_fined() -> None:
    env = at_play({0: "5C", 1: "AC 2C 3S 4D QH", 2: "6C", 3: "7C", 4: "8C"}, conduct="fined")
    act(env, "5C")
    assert legal(env) == {"AC", "2C", "3S", "4D", "QH"}
    act(env, "3S")
    assert ledger(env) == to_each(1, (0, 2, 3, 4))
    assert reasons(env) == ["revoke"]
    assert env.decode(env.observe("player_4"))["revokes"] == ["3S"]
    play(env, (2, "6C"), (3, "7C"), (4, "8C"))
    assert actor(env) == 1  # the card stands


@pytest.mark.parametrize("name", ["AC", "2C"])
def test_8_2_a_card_that_follows_is_not_fined(name: str) -> None:
    env = at_play({0: "5C", 1: "AC 2C 3S 4D QH"}, conduct="fined")
    play(env, (0, "5C"), (1, name))
    assert ledger(env) == []


@pytest.mark.parametrize(("must_trump", "fined"), [(False, False), (True, True)])
def test_8_2_not_to_trump_is_a_revoke_where_one_must(must_trump: bool, fined: bool) -> None:
    env = at_play({0: "5C", 1: "3S 4S 5D 6D 7D"}, conduct="fined", must_trump=must_trump)
    play(env, (0, "5C"), (1, "5D"))
    assert ledger(env) == (to_each(1, (0, 2, 3, 4)) if fined else [])


def test_8_2_a_lead_is_never_a_revoke() -> None:
    env = at_play({0: "5C 6D 7S"}, conduct="fined", must_trump=True)
    play(env, (0, "6D"))
    assert reasons(env) == ["contribution"]


def test_8_2_the_queen_who_answers_is_no_revoke() -> None:
    env = at_play({0: "5D", 1: "KC 2C 3C 4S 5S", 3: "QC 6D 7D 8D 9D"}, "2H", conduct="fined")
    play(env, (0, "5D"), (1, "KC"), (3, "QC"))
    assert ledger(env) == from_each((0, 2, 4), 1)


@pytest.mark.parametrize("order", ["king_first", "either"])
def test_8_2_the_queens_holder_may_pass_and_the_marriage_is_lost(order: str) -> None:
    env = at_play({0: "KC", 1: "2C", 2: "3C", 3: "QC 4C", 4: "AC"}, "2H", conduct="fined", marriage_order=order)
    play(env, (0, "KC"))
    assert actor(env) == 3 and legal(env) == {"QC", "pass"}
    act(env, "pass")
    assert ledger(env) == to_each(3, (0, 1, 2, 4)) and reasons(env) == ["marriage lost"]
    assert env.decode(env.observe("player_0"))["lost_marriages"] == {"clubs": 3}
    play(env, (1, "2C"), (2, "3C"))
    assert actor(env) == 3 and {"QC", "4C"} <= legal(env)
    act(env, "QC")
    assert ledger(env) == []  # that is no marriage then
    act(env, "AC")
    assert actor(env) == 4  # nor has it the trick


def test_8_2_another_marriage_of_the_trick_is_not_lost_with_it() -> None:
    env = at_play({0: "KC", 1: "KD 2D 3D 4D 5D", 2: "QC", 3: "QD", 4: "AC"}, "2H", conduct="fined")
    play(env, (0, "KC"), (2, "pass"), (1, "KD"), (3, "QD"))
    assert ledger(env) == from_each((0, 2, 4), 1)
    play(env, (2, "QC"), (4, "AC"))
    assert actor(env) == 1


def test_8_2_a_queen_kept_may_be_kept_for_another_trick() -> None:
    env = at_play({0: "KC", 1: "2C", 2: "3C", 3: "QC 4C", 4: "5C"}, "2H", conduct="fined")
    play(env, (0, "KC"), (3, "pass"), (1, "2C"), (2, "3C"), (3, "4C"), (4, "5C"))
    assert actor(env) == 0 and ledger(env) == []


# 9 Chips


def test_9_2_balances_may_go_below_zero_and_returns_are_their_change() -> None:
    env = deal(TWO_WINNERS)
    gained = dict.fromkeys(env.agents, 0.0)
    for trick in TWO_WINNERS_PLAY:
        for seat, name in trick:
            play(env, (seat, name))
            for agent, reward in env.rewards.items():
                gained[agent] += reward
    assert list(gained.values()) == balances(env) == [-3, -2, -6, -6, -6]
    assert min(balances(env)) < 0
