"""Reduced games: the kernel's rules, what players know, OpenSpiel's checks, and values worked out by hand."""

import functools
import json
from collections import defaultdict

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from experiments import exact  # noqa: E402
from experiments.small_games import load  # noqa: E402
from experiments.small_rules import SMALL_GAMES, SmallRules  # noqa: E402
from marriage_env import MarriageError  # noqa: E402
from marriage_env.cards import CARD_NAMES, card_ids  # noqa: E402
from marriage_env.table import OVER, open_match  # noqa: E402

FINED = SmallRules(
    "boxes",
    3,
    "QC KC AC QH KH JD",
    hand=2,
    turn_up="9S",
    options={"declaring": "auto", "conduct": "fined", "marriage_order": "either"},
)
SEVEN = SmallRules("saucers", 3, "JC QC KC AC QD KD AD", options={"declaring": "auto", "court_points": "low"})
HIDDEN = SmallRules("boxes", 2, "JD QC KC AC QH KH", hand=2, turn_up="9C", options={"declaring": "auto"})
THREES = SmallRules("saucers", 2, "QC KC AC QD KD AD", options={"declaring": "auto"})
#: Games of both kinds: undealt cards, fines, uneven hands, three in a row.
GAMES = {name: SMALL_GAMES[name] for name in ("boxes-tiny", "saucers-tiny")}
GAMES |= {"hidden": HIDDEN, "fined": FINED, "seven": SEVEN, "threes": THREES}


@pytest.fixture(autouse=True)
def more_games(monkeypatch):
    for name, rules in GAMES.items():
        monkeypatch.setitem(SMALL_GAMES, name, rules)


@functools.cache
def shared(name):
    """A game whose positions are kept from test to test."""
    return load(name)


@pytest.fixture(params=GAMES)
def game(request, more_games):
    return shared(request.param)


def decisions(game):
    return [position for position in game.positions() if not position.over]


# The rules are the kernel's


@pytest.mark.parametrize("name", SMALL_GAMES)
def test_every_deal_is_dealt_as_listed_and_no_two_are_alike(name):
    rules = SMALL_GAMES[name]
    assert len(set(rules.deals)) == len(rules.deals)
    for hands in rules.deals[:: max(len(rules.deals) // 50, 1)]:
        table = dealt(rules, hands)
        assert [tuple(card_ids(hand)) for hand in table["hands"][: rules.players]] == list(hands)
        assert rules.turn_up is None or CARD_NAMES[table["turn_up"]] == rules.turn_up


@pytest.mark.parametrize(
    ("name", "deals"), [("boxes-tiny", 12), ("boxes-2", 90), ("boxes-3", 630), ("saucers-2", 20), ("saucers-3", 90)]
)
def test_the_deals_are_as_many_as_can_be_told_apart(name, deals):
    assert len(SMALL_GAMES[name].deals) == deals


def dealt(rules, hands):
    tables = rules.game.new_tables(1, rules)
    open_match(tables[0], rules.players - 1)
    rules.game.deal(tables[0], rules.packs(hands))
    return tables[0]


def test_returns_are_the_kernels_balances(game):
    """Random matches, each played again on a record of its own."""
    random = np.random.default_rng(3)
    for _ in range(50):
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(int(random.choice(state.legal_actions())))
        deal, *actions = state.history()
        table = dealt(game.rules, game.rules.deals[deal])
        while table["phase"] != OVER:
            legal = [action for action in range(61) if int(table["legal"]) >> action & 1]
            game.rules.game.step(table, legal[0] if len(legal) == 1 else actions.pop(0))
        assert not actions
        assert state.returns() == table["balances"][: game.rules.players].tolist()
        assert table["balances"].sum() + table["pots"].sum() == 0


def test_ahead_is_chips_less_the_mean_of_all():
    chips, ahead = (load("hidden", ahead=kind) for kind in (False, True))
    states = [kind.new_initial_state() for kind in (chips, ahead)]
    while not states[0].is_terminal():
        action = states[0].legal_actions()[-1]
        for state in states:
            state.apply_action(action)
    won = np.array(states[0].returns())
    assert states[1].returns() == (won - won.mean()).tolist()


# What players know


def test_a_player_is_told_no_hidden_card(game):
    for position in game.positions():
        table = position.tables[0]
        open_cards = {card for card in range(52) if table["shown_by"][card] != 255 or table["play_order"][card]}
        for seat in range(game.rules.players):
            named = {CARD_NAMES.index(word) for word in position.known_to(seat).split() if word in CARD_NAMES}
            assert named <= open_cards | set(position.hands[seat])


def test_one_information_state_has_one_record_and_many_deals(game):
    records, deals = defaultdict(set), defaultdict(set)
    for position in decisions(game):
        known = position.known_to(position.actor)
        records[known].add(position.record_for(position.actor).tobytes())
        deals[known].add(position.hands)
    assert {len(same) for same in records.values()} == {1}
    in_doubt = max(len(possible) for possible in deals.values())
    assert in_doubt > 1 or game.num_players() == 2  # two know each other's cards if all are dealt


def test_what_a_player_knows_is_never_forgotten(game):
    for position in decisions(game):
        for action in position.actions:
            assert position.after(action).seen.startswith(f"{position.seen} {position.actor} ")


def test_the_rules_player_chooses_alike_whatever_is_hidden_from_him(game):
    choose = game.rules.game.choose
    for position in decisions(game):
        seat = np.int64(position.actor)
        assert choose(position.tables[0], seat) == choose(position.record_for(position.actor), seat)


# OpenSpiel's checks, and its solvers


def test_openspiels_own_checks_pass(game):
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)


def test_a_saved_state_is_read_back_as_one_of_its_own_game():
    state = load("saucers-tiny", ahead=True).new_initial_state()
    state.apply_action(3)
    game, read = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(state.get_game(), state))
    assert str(read) == str(state)
    assert game.get_parameters() == {"game": "saucers-tiny", "ahead": True}


def test_a_copy_goes_its_own_way(game):
    state = game.new_initial_state()
    state.apply_action(0)
    copy = state.clone()
    before = str(state)
    copy.apply_action(copy.legal_actions()[0])
    assert str(state) == before != str(copy)


#: Boxes with one card each: J♦ Q♥ K♥ A♣, clubs are trumps, eldest leads. Each is out 5 chips (2.1); of J♦ K♥ Q♥ each
#: brings one, two being in its box (3.2). J♦ is covered by Q♥ always, and by K♥ if hearts are led (6.1); else he is
#: paid (6.2). Nobody has two tricks (7.1).
BY_HAND = {
    ("JD", "QH"): (-5, -3),
    ("JD", "KH"): (-3, -5),
    ("JD", "AC"): (-3, -6),
    ("QH", "JD"): (-3, -5),
    ("QH", "KH"): (-4, -4),
    ("QH", "AC"): (-4, -5),
    ("KH", "JD"): (-3, -5),
    ("KH", "QH"): (-4, -4),
    ("KH", "AC"): (-4, -5),
    ("AC", "JD"): (-6, -3),
    ("AC", "QH"): (-5, -4),
    ("AC", "KH"): (-5, -4),
}


def test_boxes_with_a_card_each_comes_out_as_worked_out_by_hand():
    values = tuple(np.mean([*BY_HAND.values()], axis=0))
    game = load("boxes-tiny")
    house = exact.exploited(game, "rules", exact.rules_policy(game))
    assert house.values == pytest.approx(values)
    assert house.nash_conv == pytest.approx(0.0, abs=1e-12)
    *_, solved = exact.solving(game, 100)
    assert solved.values == pytest.approx(values, abs=1e-3)


def best_play(position):
    """What seat 0 of two is ahead by, if both know all cards and play their best."""
    if position.over:
        mine, other = position.balances()
        return (mine - other) / 2
    best = max if position.actor == 0 else min
    return best(best_play(position.after(action)) for action in position.actions)


@pytest.mark.parametrize("name", ["saucers-tiny", "threes"])
def test_saucers_for_two_is_worth_what_looking_at_all_lines_says(name):
    game = load(name, ahead=True)
    worth = np.mean([best_play(game.opening(deal)) for deal in range(len(game.rules.deals))])
    *_, solved = exact.solving(game, 100)
    assert solved.values == pytest.approx((worth, -worth), abs=0.02)
    assert solved.nash_conv < 0.02


def test_nash_conv_falls_towards_nothing_in_a_zero_sum_game_for_two():
    game = load("hidden", ahead=True)
    first, *_, last = exact.solving(game, 30)
    random = exact.exploited(game, "random", pyspiel.UniformRandomPolicy(game))
    assert first.nash_conv == pytest.approx(random.nash_conv)
    assert last.nash_conv < 0.01 < 0.3 < random.nash_conv
    assert sum(last.values) == pytest.approx(0.0, abs=1e-9)
    assert last.nash_conv == pytest.approx(sum(last.gains))


def test_a_game_that_is_not_known_is_named():
    with pytest.raises(MarriageError, match="'chess' is not known: allowed are boxes-tiny"):
        load("chess")


def test_the_command_prints_and_writes_what_it_found(tmp_path, capsys):
    file, page = tmp_path / "exact.json", tmp_path / "page.md"
    page.write_text("before\n<!-- exact figures -->\nold\n<!-- end of exact figures -->\n")
    games = ["--games", "boxes-tiny", "--utility", "ahead", "--iterations", "4"]
    exact.main([*games, "--json", str(file), "--page", str(page)])
    assert "boxes-tiny, ahead" in capsys.readouterr().out
    assert "| `boxes-tiny` | ahead | 0.3750 |" in page.read_text()
    assert "old" not in page.read_text()
    (result,) = json.loads(file.read_text())["games"]
    names = ["CFR+ after 1", "CFR+ after 3", "CFR+ after 4", "rules", "random"]
    assert [player["player"] for player in result["players"]] == names
    assert result["players"][-1]["nash_conv"] == pytest.approx(0.375)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--games", "chess"], "chess"),
        (["--iterations", "0"], "from 1 to"),
        (["--json", "/"], "cannot be written"),
        (["--page", "README.md"], "exact figures"),
    ],
)
def test_bad_arguments_are_named(arguments, message, capsys):
    with pytest.raises(SystemExit) as stop:
        exact.main(arguments)
    assert stop.value.code not in (0, None)
    assert message in f"{stop.value.code} {capsys.readouterr().err}"
