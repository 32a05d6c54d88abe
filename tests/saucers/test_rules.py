"""Saucers, clause by clause: packs put together by hand, and what the rulebook says must follow."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from marriage_env import saucers_v0
from marriage_env.aec import TableEnv
from marriage_env.cards import CARD_NAMES
from marriage_env.errors import OptionError
from tests.helpers import (
    act,
    actor,
    balances,
    begin,
    hands,
    ledger,
    legal,
    names,
    over,
    pass_all,
    payments,
    play,
    play_random,
    random_step,
    reasons,
    saucers_pack,
)

#: All sevens and one eight sit at seat 2; tens at seat 1 alone; A♣ and two knaves at seat 0; K♣ with Q♣ at seat 1.
ROWS = {
    0: "6C 6D 6H 6S 8C 8H 8S 9D 9H JD JH AC",
    1: "9C 9S TC TD TH TS JC JS QC KC KS AS",
    2: "7C 7D 7H 7S 8D QD QH QS KD KH AD AH",
}
#: Seat 0 can go out alone: a row of diamonds, then J♥ Q♥ K♥. What the others keep: 6 and A♥, K♠; 9 T 8 7 and K, 6.
OUT = {
    0: "6D 7D 8D 9D TD JD QD KD AD JH QH KH",
    1: "6C 6S 7C 7S 8C 8S 9S 9H TS TH AH KS",
    2: "9C TC JC QC KC AC 6H 7H 8H JS QS AS",
}
OUT_PLAY = ["6D", "7D", "8D", "9D", "TD", "JD", "QD", "KD", "AD", "JH", "QH"]


def deal(hands: Mapping[int, str], *, reset: Mapping[str, Any] | None = None, **rules: Any) -> TableEnv:
    """A table with these hands, by places from eldest; eldest is seat 0 unless `reset` names the dealer."""
    env = saucers_v0.raw_env(**{"players": 3, **rules})
    return begin(env, [saucers_pack(env.rules.players, env.rules.pack_size, hands)], **(reset or {}))


def at_play(hands: Mapping[int, str], **options: Any) -> TableEnv:
    """The same, everybody having passed."""
    return pass_all(deal(hands, **options))


def of(pack: str, *taken: str) -> str:
    """The cards of `pack` less those taken."""
    gone = " ".join(taken).split()
    return " ".join(name for name in pack.split() if name not in gone)


SMALL_PACK = " ".join(CARD_NAMES[16:])


# 1 Players, pack, pots


@pytest.mark.parametrize("players", range(3, 7))
def test_1_1_three_to_six_play(players: int) -> None:
    assert len(begin(saucers_v0.raw_env(players=players)).agents) == players


@pytest.mark.parametrize("players", [2, 7])
def test_1_1_no_others_play(players: int) -> None:
    with pytest.raises(OptionError, match=f"players={players}: allowed is a whole number from 3 to 6"):
        saucers_v0.raw_env(players=players)


@pytest.mark.parametrize(("players", "size"), [(3, 36), (4, 36), (5, 52), (6, 52)])
def test_1_2_the_pack_suits_the_number_of_players(players: int, size: int) -> None:
    env = begin(saucers_v0.raw_env(players=players))
    assert sorted(card for hand in hands(env) for card in hand) == list(range(52 - size, 52))


@pytest.mark.parametrize(("players", "size"), [(3, 52), (4, 52), (5, 36), (6, 36)])
def test_1_2_the_other_pack_can_be_chosen(players: int, size: int) -> None:
    env = begin(saucers_v0.raw_env(players=players, pack_size=size))
    assert sorted(card for hand in hands(env) for card in hand) == list(range(52 - size, 52))


def test_1_3_ranks_run_from_two_to_ace_whatever_the_suits() -> None:
    ranks = "23456789TJQKA"
    env = begin(saucers_v0.raw_env(pack_size=52, row_start="lowest"))
    rng = random.Random(3)
    pass_all(env)
    while not over(env):
        row = env.decode(env.observe("player_0"))["row"]
        if row is not None and "pass" not in legal(env):
            assert {name[0] for name in legal(env)} == {ranks[ranks.index(row) + 1]}
        play_random(env, rng, limit=1)


def test_1_4_there_are_eight_pots() -> None:
    env = begin(saucers_v0.raw_env())
    assert tuple(env.pots) == ("nine", "ten", "jack", "queen", "king", "ace", "marriage", "trynka")


@pytest.mark.parametrize("seed", range(5))
def test_1_5_chips_left_in_a_pot_stay_for_the_next_deal(seed: int) -> None:
    env = saucers_v0.raw_env(deals=2)
    env.reset(seed=seed)
    rng = random.Random(seed)
    while not env.table["deals"]:
        before = list(env.pots.values())
        random_step(env, rng)
    moved = [0] * 8  # by the step that ended the deal, before the next deal's contributions
    for entry in env.ledger:
        if entry.reason == "contribution":
            break
        for party, sign in ((entry.payer, -1), (entry.payee, 1)):
            if party in env.pots:
                moved[list(env.pots).index(party)] += sign * entry.chips
    contributed = [3] * 6 + [6] * 2
    left = zip(before, moved, contributed, strict=True)
    assert list(env.pots.values()) == [sum(chips) for chips in left]


# 2 The deal


@pytest.mark.parametrize("players", range(3, 7))
def test_2_1_one_chip_on_each_staked_card_and_two_in_each_saucer(players: int) -> None:
    env = begin(saucers_v0.raw_env(players=players), pots=[1, 2, 3, 4, 5, 6, 7, 8])
    assert list(env.pots.values()) == [
        chips + there for chips, there in zip([players] * 6 + [2 * players] * 2, range(1, 9), strict=True)
    ]
    assert balances(env) == [-10] * players
    pots = list(env.pots)
    once = [(seat, pot, 1) for seat in range(players) for pot in pots[:6]]
    twice = [(seat, pot, 2) for seat in range(players) for pot in pots[6:]]
    assert ledger(env, "contribution") == payments(*once, *twice)


@pytest.mark.parametrize(
    ("players", "sizes"), [(3, [12] * 3), (4, [9] * 4), (5, [11, 11, 10, 10, 10]), (6, [9] * 4 + [8] * 2)]
)
def test_2_2_all_cards_are_dealt_one_at_a_time(players: int, sizes: list[int]) -> None:
    env = saucers_v0.raw_env(players=players)
    pack = list(range(51, 51 - env.rules.pack_size, -1))
    begin(env, [pack], dealer=1)
    for place in range(players):
        assert hands(env)[(2 + place) % players] == sorted(pack[place::players])
        assert len(hands(env)[(2 + place) % players]) == sizes[place]
        assert env.decode(env.observe("player_0"))["hand_sizes"][(2 + place) % players] == sizes[place]


def test_2_3_the_dealers_place_moves_to_the_left() -> None:
    env = begin(saucers_v0.raw_env(deals=5), dealer=1)
    dealers = [env.dealer]
    rng = random.Random(1)
    while not over(env):
        play_random(env, rng, limit=1)
        if dealers[-1] != env.dealer:
            dealers.append(env.dealer)
    assert dealers == [f"player_{seat}" for seat in (1, 2, 0, 1, 2)]


# 3 Declarations


def test_3_1_eldest_declares_first_one_claim_an_action_in_any_order() -> None:
    env = deal(ROWS)
    assert actor(env) == 0 and legal(env) == {"ace", "pass"}
    act(env, "ace")
    claims = {"marriage", "trynka", "nine", "ten", "jack", "queen", "king", "pass"}
    assert actor(env) == 1 and legal(env) == claims
    play(env, (1, "king"), (1, "marriage"), (1, "nine"))
    assert legal(env) == claims - {"king", "marriage", "nine"}
    play(env, (1, "pass"))
    assert actor(env) == 0 and legal(env) == set(ROWS[0].split())  # seat 2 had nothing, and was skipped
    seen = env.decode(env.observe("player_1"))
    assert seen["gave_up"] == [0] and seen["claims"] == {
        (0, "king"): 1,
        (0, "marriage"): 2,
        (0, "nine"): 3,
        (2, "ace"): 1,
    }


def test_3_1_a_turn_ends_when_nothing_is_left_to_declare() -> None:
    env = deal(ROWS)
    play(env, (0, "ace"), *((1, claim) for claim in ["trynka", "nine", "ten", "jack", "queen", "king", "marriage"]))
    assert actor(env) == 0 and env.decode(env.observe("player_0"))["gave_up"] == []


def test_3_1_pass_gives_up_what_was_not_declared() -> None:
    env = deal(ROWS)
    play(env, (0, "pass"), (1, "pass"))
    assert list(env.pots.values()) == [3] * 6 + [6] * 2


def test_3_1_everything_is_declared_for_everybody_under_auto() -> None:
    env = deal(ROWS, declaring="auto")
    assert actor(env) == 0 and legal(env) == set(ROWS[0].split())
    assert list(env.pots.values()) == [1] * 6 + [2] * 2
    assert balances(env) == [-10 + 2, -10 + 5 * 2 + 4 + 4, -10]
    order = ["marriage", "trynka", "nine", "ten", "jack", "queen", "king"]
    assert env.decode(env.observe("player_1"))["claims"] == {
        (0, claim): number for number, claim in enumerate(order, 1)
    } | {(2, "ace"): 1}


def test_3_2_the_marriage_brings_all_of_its_saucer_but_two_chips() -> None:
    env = deal(ROWS, reset={"pots": [0, 0, 0, 0, 0, 0, 9, 0]})
    play(env, (0, "pass"), (1, "marriage"))
    assert ledger(env) == [("marriage", 1, 13)]
    assert env.pots["marriage"] == 2


@pytest.mark.parametrize("number", range(6))
def test_3_2_a_staked_card_brings_all_chips_on_it_but_one(number: int) -> None:
    claim = ("nine", "ten", "jack", "queen", "king", "ace")[number]
    env = deal(ROWS, reset={"pots": [10, 11, 12, 13, 14, 15, 0, 0]})
    seat = 0 if claim == "ace" else 1
    if seat:
        act(env, "pass")
    play(env, (seat, claim))
    assert ledger(env, "staked card declared") == [(claim, seat, 12 + number)]
    assert env.pots[claim] == 1


def test_3_2_marriage_needs_both_and_in_clubs() -> None:
    env = deal({0: "KC QD KD QH KH QS KS", 1: "QC"})
    assert legal(env) == {"king", "pass"}


@pytest.mark.parametrize(
    ("clubs", "has"),
    [
        ("6C 7C 8C", True),
        ("QC KC AC", True),
        ("2C 3C 4C", True),
        ("AC 2C 3C", False),
        ("KC AC 2C", False),
        ("6C 7C 9C", False),
    ],
)
def test_3_2_trynka_needs_three_clubs_in_unbroken_order(clubs: str, has: bool) -> None:
    others = of("2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC", clubs).split()
    rest = {1: " ".join(others[0::2]), 2: " ".join(others[1::2])}
    env = deal({0: clubs, **rest}, pack_size=52)
    seen = legal(env) if actor(env) == 0 else set()
    assert ("trynka" in seen) is has


def test_3_2_no_trynka_of_other_suits() -> None:
    env = deal({0: "6D 7D 8D 6H 7H 8H 6S 7S 8S 6C 9C JC", 1: "7C TC QC", 2: "8C KC AC"})
    assert "trynka" not in legal(env)


def test_3_3_the_highest_trynka_takes_all_of_its_saucer_but_two_when_all_have_declared() -> None:
    env = deal(
        {0: "9C TC JC AC", 1: "6C 7C 8C", 2: "QC KC"},
        reset={"pots": [0, 0, 0, 0, 0, 0, 0, 5]},
    )
    play(env, (0, "trynka"), (0, "pass"), (1, "trynka"))
    assert env.pots["trynka"] == 11
    play(env, (2, "pass"))
    assert ledger(env) == [("trynka", 0, 9)] and env.pots["trynka"] == 2


def test_3_3_the_top_card_decides_not_the_order_of_declaring() -> None:
    env = deal({0: "6C 7C 8C", 1: "QC KC AC", 2: "9C TC JC"})
    play(env, (0, "trynka"), (1, "trynka"), (1, "pass"), (2, "trynka"), (2, "pass"))
    assert ledger(env) == [("trynka", 1, 4)]


def test_3_3_a_trynka_that_is_not_declared_does_not_count() -> None:
    env = deal({0: "6C 7C 8C", 1: "QC KC AC", 2: "9C TC JC"})
    play(env, (0, "trynka"), (1, "pass"), (2, "pass"))
    assert ledger(env) == [("trynka", 0, 4)]


def test_3_3_nobody_takes_the_saucer_if_nobody_declares_one() -> None:
    env = at_play({0: "6C 7C 8C", 1: "QC KC AC", 2: "9C TC JC"})
    assert ledger(env) == [] and env.pots["trynka"] == 6


def test_3_3_his_trynka_is_the_highest_three_in_a_row() -> None:
    env = deal({0: "6C 7C 8C 9C TC KC AC", 1: "JC", 2: "QC"})
    play(env, (0, "trynka"))
    assert env.decode(env.observe("player_1"))["shown_by"] == {"8C": 2, "9C": 2, "TC": 2}


def test_3_4_a_claim_that_brings_nothing_may_be_declared() -> None:
    env = deal({0: "QC KC AC", 1: "6C 7C 8C", 2: "9C TC JC"})
    play(env, (0, "trynka"), (0, "pass"))
    assert "trynka" in legal(env)
    play(env, (1, "trynka"))
    assert ledger(env) == []
    assert actor(env) == 2


def test_3_4_the_cards_of_a_claim_are_seen_by_all() -> None:
    env = deal(ROWS)
    play(env, (0, "ace"), (1, "marriage"), (1, "nine"), (1, "trynka"))
    shown = {"AC": 0, "KC": 1, "QC": 1, "9C": 1, "JC": 1}
    for seat in range(3):
        seen = env.decode(env.observe(f"player_{seat}"))["shown_by"]
        assert seen == {name: (by - seat) % 3 for name, by in shown.items()}


# 4 Laying out


def test_4_1_eldest_starts_a_row_with_any_card() -> None:
    env = at_play(ROWS)
    assert actor(env) == 0 and legal(env) == set(ROWS[0].split())


def test_4_1_or_with_a_card_of_the_lowest_rank_he_holds() -> None:
    env = at_play(ROWS, row_start="lowest")
    assert actor(env) == 0 and legal(env) == {"6C", "6D", "6H", "6S"}
    env = at_play({0: ROWS[2], 1: ROWS[0], 2: ROWS[1]}, row_start="lowest")
    assert legal(env) == {"7C", "7D", "7H", "7S"}


def test_4_1_lowest_holds_for_every_row() -> None:
    env = at_play({0: "AD " + of(ROWS[0], "AC"), 1: ROWS[1], 2: "AC " + of(ROWS[2], "AD")}, row_start="lowest")
    rng = random.Random(5)
    rows = 0
    while not over(env):
        if env.decode(env.observe(env.agent_selection))["row"] is None:
            rows += 1
            held = names(hands(env)[actor(env)])
            assert legal(env) == {name for name in held if name[0] == held[0][0]}
        play_random(env, rng, limit=1)
    assert rows > 1


def test_4_2_a_row_rises_by_one_rank_whatever_the_suits_and_4_3_others_are_passed_over() -> None:
    env = at_play(ROWS)
    play(env, (0, "6D"))
    assert actor(env) == 2 and legal(env) == {"7C", "7D", "7H", "7S"}  # of several he chooses; seat 1 has none
    play(env, (2, "7S"))
    assert actor(env) == 2 and legal(env) == {"8D"}  # he goes on while he can, and must
    play(env, (2, "8D"))
    assert actor(env) == 0 and legal(env) == {"9D", "9H"}  # the search begins with the next to the left
    play(env, (0, "9H"))
    assert actor(env) == 1 and legal(env) == {"TC", "TD", "TH", "TS"}


def test_4_3_the_player_himself_goes_first() -> None:
    env = at_play(ROWS)
    play(env, (0, "8C"))
    assert actor(env) == 0 and legal(env) == {"9D", "9H"}  # seat 1 has nines too


@pytest.mark.parametrize(("name", "pot"), [("JC", "jack"), ("9C", "nine"), ("TC", "ten")])
def test_4_4_who_lays_a_staked_card_takes_a_chip_and_his_turn_ends(name: str, pot: str) -> None:
    env = at_play(ROWS)
    if name == "9C":
        play(env, (0, "AC"), (1, "9C"))
        assert actor(env) == 1  # nobody else has a ten: the search comes to himself last
    else:
        play(env, (0, "9D"), (1, name if name == "TC" else "TD"))
        if name == "JC":
            play(env, (1, "JC"))
        assert actor(env) == (0 if name == "TC" else 2)  # though seat 1 has J♠, Q♣ himself
    assert ledger(env, "staked card laid") == [(pot, 1, 1)]


def test_4_4_nothing_is_taken_from_an_empty_pot() -> None:
    env = deal(ROWS)
    play(env, (0, "ace"), (1, "pass"))
    assert env.pots["ace"] == 1
    play(env, (0, "AC"))
    assert ledger(env) == [("ace", 0, 1)] and env.pots["ace"] == 0


def test_4_4_a_lower_club_is_not_staked() -> None:
    env = at_play(ROWS)
    play(env, (0, "8C"))
    assert ledger(env) == [] and actor(env) == 0


@pytest.mark.parametrize("name", ["9D", "9H"])
def test_4_4_other_suits_are_not_staked(name: str) -> None:
    env = at_play(ROWS)
    play(env, (0, name))
    assert ledger(env) == []


def to_queen_of_clubs(env: TableEnv) -> TableEnv:
    return play(env, (0, "9D"), (1, "TD"), (1, "JS"), (1, "QC"))


def test_4_5_after_the_queen_of_clubs_her_king_may_follow_at_once() -> None:
    env = to_queen_of_clubs(at_play(ROWS))
    assert ledger(env) == [("queen", 1, 1)]
    assert actor(env) == 1 and legal(env) == {"KC", "pass"}
    assert env.decode(env.observe("player_0"))["phase"] == "answer"
    play(env, (1, "KC"))
    assert ledger(env) == [("king", 1, 1)]
    assert actor(env) == 2 and legal(env) == {"AD", "AH"}  # 4.4, though seat 1 has A♠


def test_4_5_or_he_passes_and_the_search_begins_at_his_left() -> None:
    env = to_queen_of_clubs(at_play(ROWS))
    play(env, (1, "pass"))
    assert ledger(env) == []
    assert actor(env) == 2 and legal(env) == {"KD", "KH"}
    assert env.decode(env.observe("player_0"))["declined"] == {"K♣": 1}


def test_4_2_the_order_in_which_cards_were_laid_is_remembered() -> None:
    tables = [
        play(at_play(ROWS), (0, "AC"), (1, "AS"), (1, "KS"), (2, first), (2, second))
        for first, second in (("AD", "AH"), ("AH", "AD"))
    ]
    assert hands(tables[0]) == hands(tables[1]) and balances(tables[0]) == balances(tables[1])
    for agent in tables[0].agents:
        seen = [env.decode(env.observe(agent)) for env in tables]
        assert {name for name in seen[0] if seen[0][name] != seen[1][name]} == {"play_order"}


def test_4_5_after_pass_the_search_comes_to_himself_last() -> None:
    env = at_play({0: "QC KC KD KH KS", 1: "9C TC JC", 2: "AC"})
    play(env, (0, "QC"), (0, "pass"))
    assert actor(env) == 0 and legal(env) == {"KC", "KD", "KH", "KS"}


def test_4_5_without_the_king_of_clubs_his_turn_ends() -> None:
    env = at_play({0: "QC KD KH", 1: "9C TC JC KS", 2: "AC KC"})
    play(env, (0, "QC"))
    assert actor(env) == 1 and legal(env) == {"KS"}


def test_4_5_another_queen_gives_no_choice() -> None:
    env = at_play({0: "QD KC KD", 1: "QC 9C", 2: "AC"})
    play(env, (0, "QD"))
    assert actor(env) == 0 and legal(env) == {"KC", "KD"}


def test_4_6_the_player_of_the_ace_starts_a_new_row() -> None:
    env = to_queen_of_clubs(at_play(ROWS))
    play(env, (1, "KC"), (2, "AD"))
    assert actor(env) == 2 and legal(env) == set(of(ROWS[2], "AD").split())
    assert env.decode(env.observe("player_0"))["row"] is None


def test_4_6_after_the_ace_of_clubs_the_player_to_the_left_does() -> None:
    env = at_play(ROWS)
    play(env, (0, "AC"))
    assert ledger(env) == [("ace", 0, 1)]
    assert actor(env) == 1 and legal(env) == set(ROWS[1].split())


def test_4_7_a_row_ends_when_nobody_holds_the_next_rank() -> None:
    env = at_play(ROWS)
    play(env, (0, "AC"), (1, "AS"), (1, "KS"), (2, "AD"), (2, "AH"))
    play(env, (2, "KD"))  # no ace is left
    assert actor(env) == 2 and legal(env) == set(of(ROWS[2], "AD AH KD").split())
    assert env.decode(env.observe("player_1"))["row"] is None


def test_4_7_the_player_of_the_last_card_starts_although_it_was_staked() -> None:
    env = at_play(ROWS)
    play(env, (0, "AC"), (1, "AS"), (1, "KS"), (2, "AD"), (2, "AH"), (2, "KD"), (2, "QD"), (2, "KH"), (2, "QH"))
    assert actor(env) == 1 and legal(env) == {"KC"}
    play(env, (1, "KC"))
    assert ledger(env) == [("king", 1, 1)]
    assert actor(env) == 1 and legal(env) == set(of(ROWS[1], "AS KS KC").split())


# 5 Out


def play_out(env: TableEnv, *last: str) -> TableEnv:
    return act(env, *OUT_PLAY, *last)


def test_5_1_the_deal_ends_at_once_when_a_player_lays_his_last_card() -> None:
    env = play_out(at_play(OUT))
    assert not over(env) and legal(env) == {"KH"}
    act(env, "KH")
    assert over(env) and legal(env) == set()
    assert ("player_0" not in {entry.payer for entry in env.ledger}) and env.rewards["player_0"] == 0


def test_5_1_a_chip_due_is_taken_first() -> None:
    env = play_out(at_play({0: of(OUT[0], "KH") + " KC", 1: OUT[1], 2: of(OUT[2], "KC") + " KH"}))
    assert legal(env) == {"KC"}
    act(env, "KC")
    assert over(env) and reasons(env) == ["staked card laid", "cards left"]
    assert ledger(env, "staked card laid") == [("king", 0, 1)]


def test_5_1_an_ace_laid_last_ends_the_deal_too() -> None:
    hand = {0: "6D 7D 8D 9D TD JD QD KD AD QH KH AH", 1: OUT[1].replace("AH", "JH"), 2: OUT[2]}
    env = at_play(hand)
    act(env, *hand[0].split())
    assert over(env) and reasons(env) == ["cards left"]


def test_5_2_the_others_pay_for_what_they_keep_half_in_each_saucer() -> None:
    env = play_out(at_play(OUT), "KH")
    # seat 1 keeps A♥ and K♠: 21 points, the odd chip to the marriage; seat 2 keeps 9 T K 6 7 8: 50
    assert ledger(env) == payments((1, "marriage", 11), (1, "trynka", 10), (2, "marriage", 25), (2, "trynka", 25))
    assert balances(env) == [-10, -10 - 21, -10 - 50]
    assert list(env.pots.values()) == [3] * 6 + [6 + 36, 6 + 35]


@pytest.mark.parametrize(("rank", "points"), [("K", 4), ("Q", 3), ("J", 2)])
@pytest.mark.parametrize("court_points", ["ten", "low"])
def test_5_2_court_cards_count_ten_or_four_three_two(rank: str, points: int, court_points: str) -> None:
    swap = {"K": ("KS", "KS"), "Q": ("KS", "QS"), "J": ("KS", "JS")}[rank]
    env = at_play({0: OUT[0], 1: OUT[1].replace(*swap), 2: OUT[2].replace(*swap[::-1])}, court_points=court_points)
    play_out(env, "KH")
    due = 11 + (10 if court_points == "ten" else points)
    assert ledger(env)[:2] == payments((1, "marriage", (due + 1) // 2), (1, "trynka", due // 2))


def test_5_2_three_of_a_rank_leave_one_and_four_none() -> None:
    env = at_play({0: OUT[0], 1: "6C 6S 6H 7C 7S 7H 8C 8S 9S 9H AS AH", 2: "9C TC JC QC KC AC TH TS JS QS KS 8H"})
    play_out(env, "KH")
    # seat 1: a 6, a 7: 13; seat 2: A 11, 8, 9, T of three: 10 -> 38
    assert ledger(env) == payments((1, "marriage", 7), (1, "trynka", 6), (2, "marriage", 19), (2, "trynka", 19))


def test_5_2_four_of_a_rank_leave_none() -> None:
    env = at_play({0: "8D 9D TD JD QD KD AD JH QH KH JS QS", 1: "6C 6D 6H 6S 7C 7D 7H 7S 8C 8S 9S KC", 2: "8H KS"})
    act(env, *["8D", "9D", "TD", "JD", "QD", "KD", "AD", "JH", "QH", "KH"])
    assert actor(env) == 2  # seat 2 has an ace, and starts a row after it
    while not over(env):
        kept = hands(env)
        act(env, "JS" if "JS" in legal(env) and actor(env) == 0 else sorted(legal(env))[0])
    values = [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10, 11]
    for seat in range(3):
        odd = [value for rank, value in enumerate(values) if sum(card // 4 == rank for card in kept[seat]) % 2]
        paid = sum(chips for payer, _, chips in ledger(env, "cards left") if payer == seat)
        assert paid == (sum(odd) if len(kept[seat]) > 1 else 0)
        assert paid < sum(values[card // 4] for card in kept[seat])


def test_5_2_payments_begin_at_the_left_of_who_is_out() -> None:
    env = at_play(OUT, reset={"dealer": 0})  # seat 1 is eldest
    play_out(env, "KH")
    assert list(dict.fromkeys(entry.payer for entry in env.ledger)) == ["player_2", "player_0"]


@pytest.mark.parametrize("deals", [1, 3])
def test_5_3_a_match_is_so_many_deals_and_the_pots_carry_over(deals: int) -> None:
    env = begin(saucers_v0.raw_env(deals=deals), [saucers_pack(3, 36, OUT)] * deals)
    for number in range(deals):
        assert not over(env)
        assert list(env.pots.values()) == [3 * number + 3] * 6 + [(6 + 36) * number + 6, (6 + 35) * number + 6]
        assert env.dealer == f"player_{(2 + number) % 3}"
        play_out(pass_all(env), "KH")
    assert over(env)


def test_5_3_contributions_open_every_deal_in_the_same_step() -> None:
    env = begin(saucers_v0.raw_env(deals=2), [saucers_pack(3, 36, OUT)])
    play_out(pass_all(env), "KH")
    assert reasons(env)[:2] == ["cards left", "contribution"]
    once = [(seat, pot, 1) for seat in range(3) for pot in list(env.pots)[:6]]
    twice = [(seat, pot, 2) for seat in range(3) for pot in list(env.pots)[6:]]
    assert ledger(env, "contribution") == payments(*once, *twice)
    assert balances(env) == [-20, -41, -70]


# 6 Chips


def test_6_returns_are_the_change_of_balance() -> None:
    env = deal(OUT)
    gained = dict.fromkeys(env.agents, 0.0)
    for name in ["pass"] * 2 + [*OUT_PLAY, "KH"]:
        act(env, name)
        for agent, reward in env.rewards.items():
            gained[agent] += reward
    assert over(env) and list(gained.values()) == balances(env) == [-10, -31, -60]
