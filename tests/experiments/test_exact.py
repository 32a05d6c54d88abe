"""Reduced games: the kernel's rules, what players know, OpenSpiel's checks, and values worked out by hand."""

import functools
import json
from collections import defaultdict

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from experiments import exact  # noqa: E402
from experiments.small_games import BOXES, SAUCERS, SMALL_GAMES, load, positions, record_for  # noqa: E402
from marriage_env import OptionError  # noqa: E402
from marriage_env.cards import CARD_NAMES  # noqa: E402
from marriage_env.interop.openspiel.tree import after  # noqa: E402

FINED = {"cards": "QC KC AC QH KH JD", "hand": 2, "turn_up": "9S", "conduct": "fined", "marriage_order": "either"}
SEVEN = {"cards": "JC QC KC AC QD KD AD", "court_points": "low"}
HIDDEN = {"cards": "JD QC KC AC QH KH", "hand": 2, "turn_up": "9C"}
THREES = {"cards": "QC KC AC QD KD AD"}
#: Games of both kinds: undealt cards, fines, uneven hands, three in a row.
GAMES = {name: SMALL_GAMES[name] for name in ("boxes-tiny", "saucers-tiny")} | {
    name: (full, {"players": players, "declaring": "auto"} | parameters)
    for name, full, players, parameters in (
        ("hidden", BOXES, 2, HIDDEN),
        ("fined", BOXES, 3, FINED),
        ("seven", SAUCERS, 3, SEVEN),
        ("threes", SAUCERS, 2, THREES),
    )
}


@pytest.fixture(autouse=True)
def more_games(monkeypatch):
    for name, game in GAMES.items():
        monkeypatch.setitem(SMALL_GAMES, name, game)


@functools.cache
def shared(name):
    """A game whose positions are kept from test to test."""
    return load(name)


@pytest.fixture(params=GAMES)
def game(request, more_games):
    return shared(request.param)


def decisions(game):
    return [position for position in positions(game) if not position.ended]


def hands(position):
    return tuple(map(position.hand, range(position.setup.players)))


# The deals


@pytest.mark.parametrize(
    ("name", "deals"), [("boxes-tiny", 12), ("boxes-2", 90), ("boxes-3", 630), ("saucers-2", 20), ("saucers-3", 90)]
)
def test_the_deals_are_as_many_as_can_be_told_apart(name, deals):
    game = load(name)
    assert game.setup.deals == deals
    assert len({hands(position) for position in positions(game) if not position.moves}) <= deals  # some are not asked
    assert len({hands(position) for position in positions(game)}) == deals


def test_ahead_is_chips_less_the_mean_of_all():
    chips, ahead = (load("hidden", utility) for utility in ("chips", "ahead"))
    states = [kind.new_initial_state() for kind in (chips, ahead)]
    while not states[0].is_terminal():
        action = states[0].legal_actions()[-1]
        for state in states:
            state.apply_action(action)
    won = np.array(states[0].returns())
    assert states[1].returns() == (won - won.mean()).tolist()


# What players know


def test_a_player_is_told_no_hidden_card(game):
    for position in positions(game):
        table = position.tables[0]
        open_cards = {card for card in range(52) if table["shown_by"][card] != 255 or table["play_order"][card]}
        for seat in range(game.num_players()):
            words = position.known_to(seat).replace(",", "").split()
            named = {CARD_NAMES.index(word) for word in words if word in CARD_NAMES}
            assert named <= open_cards | set(position.hand(seat))


def test_one_information_state_has_one_record_and_many_deals(game):
    records, deals = defaultdict(set), defaultdict(set)
    for position in decisions(game):
        known = position.known_to(position.player)
        records[known].add(record_for(position, position.player).tobytes())
        deals[known].add(hands(position))
    assert {len(same) for same in records.values()} == {1}
    in_doubt = max(len(possible) for possible in deals.values())
    assert in_doubt > 1 or game.num_players() == 2  # two know each other's cards if all are dealt


def test_what_a_player_knows_is_never_forgotten(game):
    for position in decisions(game):
        for action in position.actions:
            assert after(position, action).seen.startswith(f"{position.seen}, {position.player} ")


def test_the_rules_player_chooses_alike_whatever_is_hidden_from_him(game):
    choose = game.kernel.choose
    for position in decisions(game):
        seat = np.int64(position.player)
        assert choose(position.tables[0], seat) == choose(record_for(position, position.player), seat)


# Its solvers


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


def openings(node):
    """Where play begins, each as likely as any other."""
    if node.player >= 0:
        return [node]
    return [position for outcome in node.actions for position in openings(after(node, outcome))]


def best_play(position):
    """What seat 0 of two is ahead by, if both know all cards and play their best."""
    if position.ended:
        mine, _ = position.utilities()
        return mine
    best = max if position.player == 0 else min
    return best(best_play(after(position, action)) for action in position.actions)


@pytest.mark.parametrize("name", ["saucers-tiny", "threes"])
def test_saucers_for_two_is_worth_what_looking_at_all_lines_says(name):
    game = load(name, "ahead")
    worth = np.mean([best_play(position) for position in openings(game.root)])
    *_, solved = exact.solving(game, 100)
    assert solved.values == pytest.approx((worth, -worth), abs=0.02)
    assert solved.nash_conv < 0.02


def test_nash_conv_falls_towards_nothing_in_a_zero_sum_game_for_two():
    game = load("hidden", "ahead")
    first, *_, last = exact.solving(game, 30)
    random = exact.exploited(game, "random", pyspiel.UniformRandomPolicy(game))
    assert first.nash_conv == pytest.approx(random.nash_conv)
    assert last.nash_conv < 0.01 < 0.3 < random.nash_conv
    assert sum(last.values) == pytest.approx(0.0, abs=1e-9)
    assert last.nash_conv == pytest.approx(sum(last.gains))


def test_a_game_that_is_not_known_is_named():
    with pytest.raises(OptionError, match="game='chess': allowed is 'boxes-tiny'"):
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
