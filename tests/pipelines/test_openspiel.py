"""OpenSpiel: its own checks, parity with the environments, chance, information states, resampling, its algorithms."""

import functools
import math
import subprocess
import sys
from collections import Counter, defaultdict

import numpy as np
import pytest

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python import rl_environment  # noqa: E402
from open_spiel.python.algorithms import (  # noqa: E402
    exploitability,
    external_sampling_mccfr,
    ismcts,
    mcts,
    outcome_sampling_mccfr,
)
from open_spiel.python.observation import make_observation  # noqa: E402

from marriage_env import IllegalActionError, MarriageError, OptionError, boxes_v0, saucers_v0  # noqa: E402
from marriage_env.boxes.state import NO_CARD  # noqa: E402
from marriage_env.cards import card_id, card_ids  # noqa: E402
from marriage_env.interop.openspiel.deal import FAULTY, NOTICED, SOUND, Deal, planned  # noqa: E402
from marriage_env.interop.openspiel.dealing import Dealing  # noqa: E402
from marriage_env.interop.openspiel.parameters import parameters as defaults  # noqa: E402
from marriage_env.interop.openspiel.position import Position  # noqa: E402
from marriage_env.interop.openspiel.tree import after  # noqa: E402

MODULES = {"boxes": boxes_v0, "saucers": saucers_v0}
CHANCY = {"misdeal_rate": 0.4, "faulty_pack_rate": 0.6, "fault_noticed_rate": 0.5, "faulty_pack_fine": 3}
FINED = {"conduct": "fined", "marriage_order": "either", "must_trump": True, "trick_pay": 2}
#: Each game with the fewest and the most players, and every option with another value than its default.
FULL_GAMES = [
    ("boxes", {}),
    ("boxes", {"players": 10}),
    ("boxes", {"players": 6, "declaring": "auto", **FINED}),
    ("boxes", {"players": 7, "pack_size": 36, "deals": 2, **CHANCY}),
    ("boxes", {"players": 5, "deals": 3, "declaring": "auto", **CHANCY}),
    ("saucers", {}),
    ("saucers", {"players": 6}),
    ("saucers", {"players": 5, "declaring": "auto", "court_points": "low"}),
    ("saucers", {"players": 4, "pack_size": 52, "row_start": "lowest", "deals": 3}),
]
BOXES_2 = {"players": 2, "cards": "JD QC KC AC QH KH", "hand": 2, "turn_up": "9C"}
SAUCERS_3 = {"players": 3, "cards": "QC KC AC QD KD AD"}
REDUCED_GAMES = [
    ("boxes", BOXES_2 | {"dealer": 1}),
    ("boxes", {"players": 2, "cards": "QC KC QH KH JD", "hand": 2, "declaring": "auto", "dealer": 0, **FINED}),
    ("boxes", {"players": 3, "cards": "QC KC KH JD", "hand": 1}),
    ("boxes", {"players": 2, "cards": "JD KH 2C", "hand": 1, "dealer": 1, "deals": 2, "skip_forced": True}),
    ("saucers", {"players": 2, "cards": "KC AC KD AD QD", "skip_forced": True}),
    ("saucers", {"players": 3, "cards": "QC KC AC KD AD", "dealer": 0}),
]


@functools.cache
def cached(name, parameters):
    return pyspiel.load_game(f"python_marriage_{name}", dict(parameters))


def load(name, parameters):
    return cached(name, tuple(parameters.items()))


def ids(games):
    return [f"{name}-{place}" for place, (name, _) in enumerate(games)]


@pytest.fixture(params=FULL_GAMES, ids=ids(FULL_GAMES))
def full(request):
    return load(*request.param)


@pytest.fixture(params=REDUCED_GAMES, ids=ids(REDUCED_GAMES))
def reduced(request):
    return load(*request.param)


@pytest.fixture(params=FULL_GAMES + REDUCED_GAMES, ids=ids(FULL_GAMES + REDUCED_GAMES))
def game(request):
    return load(*request.param)


def play(game, seed):
    """The states of a random match, each a copy of its own."""
    random, state = np.random.default_rng(seed), game.new_initial_state()
    while True:
        yield state.clone()
        if state.is_terminal():
            return
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(random.choice(outcomes, p=chances)))
        else:
            state.apply_action(int(random.choice(state.legal_actions())))


def decisions(game, seed):
    return [state for state in play(game, seed) if state.current_player() >= 0]


def tree(node):
    yield node
    for action in node.actions:
        yield from tree(after(node, action))


# OpenSpiel's own checks, and what it is told


def test_openspiels_own_checks_pass(game):
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize(("name", "parameters"), FULL_GAMES + REDUCED_GAMES)
def test_the_text_of_a_game_loads_it_again(name, parameters):
    game = load(name, parameters)
    again = pyspiel.load_game(str(game))
    assert str(again) == str(game)
    usual = defaults(game.kernel)
    assert again.get_parameters() == {key: value for key, value in parameters.items() if value != usual[key]}


def test_nothing_need_be_given_and_all_may_be():
    assert str(pyspiel.load_game("python_marriage_boxes")) == "python_marriage_boxes()"
    game = pyspiel.load_game("python_marriage_saucers(players=4,row_start=lowest)")
    assert (game.setup.rules.players, game.setup.rules.pack_size, game.setup.rules.row_start) == (4, 36, "lowest")
    for kind in (type(load("boxes", {})), type(load("saucers", {}))):
        assert str(kind(defaults(kind.kernel))) == str(kind())


def test_bounds_hold(game):
    for seed in range(5):
        *_, last = play(game, seed)
        assert all(game.min_utility() <= utility <= game.max_utility() for utility in last.returns())
        by_chance = [done.player < 0 for done in last.full_history()]
        assert by_chance.count(True) <= game.max_chance_nodes_in_history()
        assert by_chance.count(False) <= game.max_game_length()
        assert max(done.action for done in last.full_history() if done.player < 0) < game.max_chance_outcomes()


def test_a_copy_goes_its_own_way_and_a_saved_state_comes_back(game):
    state = decisions(game, 1)[0]
    before = str(state)
    copy = state.clone()
    copy.apply_action(copy.legal_actions()[0])
    assert str(state) == before
    assert state.node is state.clone().node
    _, read = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, copy))
    assert (str(read), read.history()) == (str(copy), copy.history())
    for player in range(game.num_players()):
        assert read.information_state_string(player) == copy.information_state_string(player)


# Parity with the environments


def dealt_in(env):
    """What chance has decided of the deal at an environment's table, none of which has been played yet."""
    table, players = env.table, env.rules.players
    dealer = int(table["dealer"])
    hands = tuple(tuple(card_ids(table["hands"][(dealer + 1 + turn) % players])) for turn in range(players))
    if env.game.name == "saucers":
        return Deal(dealer, hands=hands)
    missing = None if table["missing"] == NO_CARD else int(table["missing"])
    pack = NOTICED if table["fault_noticed"] else SOUND if missing is None else FAULTY
    return Deal(dealer, tuple(table["misdeals"].tolist()), pack, hands, int(table["turn_up"]), missing)


@pytest.mark.parametrize(("name", "parameters"), FULL_GAMES)
def test_the_same_deals_and_actions_come_to_the_same_in_both(name, parameters):
    """Actor, mask, what every seat sees, and the chips; reward by reward, as PettingZoo counts them."""
    game, env = load(name, parameters), MODULES[name].raw_env(**parameters)
    observer, random = make_observation(game), np.random.default_rng(0)
    for seed in range(6):
        state = game.new_initial_state()
        env.reset(seed=seed)
        rewarded = np.zeros(game.num_players())
        while not state.is_terminal():
            plan = dealt_in(env) if state.is_chance_node() else None
            while state.is_chance_node():
                state.apply_action(planned(state.node.setup, state.node.deal, plan))
            assert env.agent_selection == f"player_{state.current_player()}"
            for player, agent in enumerate(env.possible_agents):
                observer.set_from(state, player)
                seen = env.observe(agent)
                np.testing.assert_array_equal(observer.tensor, seen["observation"])
                mask = state.legal_actions_mask(player) if player == state.current_player() else [0] * 61
                assert mask == seen["action_mask"].tolist()
            action = int(random.choice(state.legal_actions()))
            assert state.action_to_string(state.current_player(), action) == env.action_name(action)
            state.apply_action(action)
            env.step(action)
            rewarded += [env.rewards[agent] for agent in env.possible_agents]
        assert all(env.terminations.values())
        assert state.returns() == rewarded.tolist() == list(env.balances.values())


@pytest.mark.parametrize(("name", "options"), [FULL_GAMES[0], FULL_GAMES[-1], FULL_GAMES[3]])
def test_the_rewards_of_openspiels_environment_are_the_chips_won(name, options):
    env = rl_environment.Environment(load(name, options))
    random = np.random.default_rng(0)
    for seed in range(5):
        env.seed(seed)
        step = env.reset()
        rewarded = np.zeros(env.num_players)
        while not step.last():
            player = step.observations["current_player"]
            step = env.step([int(random.choice(step.observations["legal_actions"][player]))])
            rewarded += step.rewards
        table = env.get_state.node.tables[0]
        assert rewarded.tolist() == table["balances"][: env.num_players].tolist()
        assert rewarded.sum() + table["pots"].sum() == 0


def test_ahead_is_chips_less_the_mean_of_all_and_sums_to_zero():
    chips, ahead = (load("saucers", {"utility": utility}) for utility in ("chips", "ahead"))
    for seed in range(5):
        *_, one = play(chips, seed)
        *_, other = play(ahead, seed)
        assert other.returns() == pytest.approx(np.array(one.returns()) - np.mean(one.returns()))
    assert ahead.utility_sum() == 0.0
    assert ahead.get_type().utility == pyspiel.GameType.Utility.ZERO_SUM
    assert chips.get_type().utility == pyspiel.GameType.Utility.GENERAL_SUM


# Chance


def test_the_probabilities_of_chance_sum_to_one_and_its_outcomes_are_sorted(game):
    for state in play(game, 2):
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            assert len(outcomes) > 1
            assert list(outcomes) == sorted(set(outcomes))
            assert min(chances) > 0.0
            assert sum(chances) == pytest.approx(1.0, abs=1e-12)


def leaves(node, chance=1.0):
    if isinstance(node, Position):
        yield node, chance
    else:
        for outcome, likely in node.outcomes:
            yield from leaves(after(node, outcome), chance * likely)


@pytest.mark.parametrize(
    ("name", "options", "deals"),
    [
        ("boxes", BOXES_2, 90),
        ("boxes", BOXES_2 | {"turn_up": ""}, 180),
        ("boxes", {"players": 3, "cards": "QC KC AC QH KH JD 9S", "hand": 2}, 630),
        ("saucers", SAUCERS_3, 90),
        ("saucers", {"players": 2, "cards": "KC AC KD AD QD"}, 10),
    ],
)
def test_every_deal_is_dealt_in_one_way_and_as_likely_as_any_other(name, options, deals):
    game = load(name, options)
    found = list(leaves(game.root))
    assert len({node.dealing.deal for node, _ in found}) == len(found) == deals * game.num_players()
    assert game.setup.deals == deals
    assert [chance for _, chance in found] == pytest.approx([1.0 / len(found)] * len(found))


def test_misdeals_and_faulty_packs_are_as_likely_as_the_rules_say():
    game = load("boxes", {"players": 7, "pack_size": 52, "dealer": 0, **CHANCY})
    chances = game.root.outcomes
    assert [chance for _, chance in chances[:3]] == pytest.approx([0.6, 0.24, 0.096])
    pack = after(game.root, 1)
    assert dict(pack.outcomes) == pytest.approx({SOUND: 0.4, NOTICED: 0.3, FAULTY: 0.3})
    assert after(pack, NOTICED).outcomes == chances
    none_over = load("boxes", {"players": 7, "pack_size": 36, "faulty_pack_rate": 0.6, "dealer": 0})
    assert none_over.root.outcomes == [(SOUND, 0.4), (NOTICED, 0.6)]  # not enough cards without the one (2.4)


# What players know


def test_what_is_hidden_from_a_player_changes_nothing_for_him_and_what_he_sees_does(reduced):
    """By looking at every position: strings and vectors of who acts tell the same apart, and no more."""
    vectors, strings = defaultdict(set), defaultdict(set)
    several = reduced.setup.rules.deals > 1
    for node in tree(reduced.root):
        if isinstance(node, Position):
            for seat in range(reduced.num_players()):
                vector = np.empty(reduced.setup.layout.size, np.float32)
                node.observe(seat, vector)
                known = node.known_to(seat)
                vectors[known].add(vector.tobytes())
                strings[seat, vector.tobytes()].add(known)
    assert {len(same) for same in vectors.values()} == {1}
    assert several or {len(same) for same in strings.values()} == {1}


def test_nothing_is_forgotten(reduced):
    """Whoever is in one information state has come to it through the same ones, and has done the same in them."""
    pasts = {}

    def look(node, past):
        if node.player >= 0:
            known = node.known_to(node.player)
            assert pasts.setdefault(known, past[node.player]) == past[node.player]
        for action in node.actions:
            if node.player >= 0:
                own = (*past[node.player], (known, action))
                look(after(node, action), past | {node.player: own})
            else:
                look(after(node, action), past)

    look(reduced.root, dict.fromkeys(range(reduced.num_players()), ()))


def test_in_full_games_strings_tell_apart_what_vectors_do(full):
    vectors = {}
    for seed in range(4):
        for state in play(full, seed):
            for player in range(full.num_players()):
                vector = tuple(state.observation_tensor(player))
                known = state.information_state_string(player)
                at_chance = state.is_chance_node()
                assert vectors.setdefault((at_chance, known), vector) == vector


def test_tensors_are_there_at_every_state_for_everyone(game):
    kinds = [pyspiel.IIGObservationType(perfect_recall=recall) for recall in (False, True)]
    seen, known = (make_observation(game, kind) for kind in kinds)
    one_deal = game.setup.rules.deals == 1
    assert game.get_type().provides_information_state_tensor == one_deal
    for state in play(game, 3):
        for player in range(game.num_players()):
            seen.set_from(state, player)
            assert seen.tensor.tolist() == state.observation_tensor(player)
            assert seen.dict["hand"].base is seen.tensor
            if one_deal:
                assert state.information_state_tensor(player) == seen.tensor.tolist()
            assert known.string_from(state, player) == state.information_state_string(player)
            assert "balances: " in seen.string_from(state, player)


def test_an_observation_is_written_where_it_belongs_and_nowhere_else(game):
    size = game.setup.layout.size
    for state in play(game, 7):
        for player in range(game.num_players()):
            first, second = np.full(size + 64, 7.0, np.float32), np.zeros(size, np.float32)
            state.node.observe(player, first[:size])
            state.node.observe(player, second)
            assert (first[size:] == 7.0).all()
            assert (first[:size] == second).all()
            assert 0.0 <= second.min() <= second.max() <= 1.0


def test_a_queen_kept_from_her_king_is_seen_by_two_players_too():
    """What a table for three has room for, one for two has not (8.2)."""
    game = load(
        "boxes", {"players": 2, "cards": "QC KC AD", "hand": 1, "turn_up": "9S", "conduct": "fined", "dealer": 1}
    )
    state = game.new_initial_state()
    plan = Deal(1, hands=((card_id("KC"),), (card_id("QC"),)))
    while state.is_chance_node():
        state.apply_action(planned(state.node.setup, state.node.deal, plan))
    state.apply_action(card_id("KC"))
    state.apply_action(60)
    assert "lost_marriages: {'clubs': 0}" in state.observation_string(1)


def test_a_hidden_card_is_in_no_string(full):
    for state in decisions(full, 4):
        table, player = state.node.tables[0], state.current_player()
        others = (player + 1) % full.num_players()
        hidden = set(card_ids(table["hands"][others])) - set(np.flatnonzero(table["shown_by"] != 255).tolist())
        words = state.information_state_string(player).split("\n")[-1].replace(",", "").replace(":", "").split()
        assert not {full.kernel.action_names[card] for card in hidden} & set(words)


# Resampling


def test_a_resampled_state_is_the_same_for_the_player_and_plays_on(game):
    random = np.random.default_rng(5)
    same = Counter()
    for state in decisions(game, 5)[::5]:
        for player in {0, state.current_player()}:
            other = state.resample_from_infostate(player, random.random)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_tensor(player) == state.observation_tensor(player)
            same[other.node.dealing.deal == state.node.dealing.deal] += 1
            again = game.new_initial_state()
            for action in other.history():
                assert action in again.legal_actions()
                again.apply_action(action)
            assert str(again) == str(other)
            _, read = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, other))
            assert str(read) == str(other)
        assert other.legal_actions() == state.legal_actions()
    assert same[False] or game.setup.reduced  # where all is known in the end


@pytest.mark.parametrize("options", [BOXES_2 | {"dealer": 1}, SAUCERS_3 | {"dealer": 2}])
def test_every_deal_that_may_be_is_resampled_as_often_as_any_other(options):
    game = load("boxes" if "hand" in options else "saucers", options)
    state = decisions(game, 0)[1]
    player = state.current_player()
    known = state.information_state_string()
    worlds = {
        node.dealing.deal
        for node in tree(game.root)
        if isinstance(node, Position) and not node.ended and node.known_to(player) == known
    }
    random = np.random.default_rng(0)
    draws = 200 * len(worlds)
    found = Counter(state.resample_from_infostate(player, random.random).node.dealing.deal for _ in range(draws))
    assert set(found) == worlds
    assert max(abs(count - 200) for count in found.values()) < 5 * math.sqrt(200)


def test_the_same_number_resamples_the_same_state():
    state = decisions(load("boxes", {}), 0)[5]
    first, second = (state.resample_from_infostate(0, lambda: 0.25).history() for _ in range(2))
    assert first == second != state.resample_from_infostate(0, lambda: 0.75).history()


def test_there_is_nothing_to_resample_where_nobody_is_to_act():
    *_, last = play(load("saucers", {}), 0)
    for state in (load("saucers", {}).new_initial_state(), last):
        with pytest.raises(MarriageError, match="allowed is a state in which a player is to act"):
            state.resample_from_infostate(0, lambda: 0.5)


# Its algorithms


@pytest.mark.parametrize(
    ("solver", "share"),
    [
        pytest.param(external_sampling_mccfr.ExternalSamplingSolver, 0.5, id="external"),
        pytest.param(outcome_sampling_mccfr.OutcomeSamplingSolver, 0.9, id="outcome"),
    ],
)
def test_sampling_solvers_come_nearer_to_an_equilibrium(solver, share):
    np.random.seed(0)
    game = load("boxes", BOXES_2 | {"dealer": 1, "skip_forced": True, "utility": "ahead"})
    solving = solver(game)
    solving.iteration()
    first = exploitability.nash_conv(game, solving.average_policy())
    for _ in range(300):
        solving.iteration()
    assert exploitability.nash_conv(game, solving.average_policy()) < share * first


COMPILED_SEARCH = """
import pyspiel
import open_spiel.python.games
game = pyspiel.load_game("python_kuhn_poker")
evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
kind = pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT
bot = pyspiel.ISMCTSBot(1, evaluator, 2.0, 20, -1, kind, False, False)
state = game.new_initial_state()
while state.is_chance_node():
    state.apply_action(state.legal_actions()[0])
print("made")
bot.step(state)
"""


def test_the_compiled_search_still_crashes_at_python_games_as_the_page_says():
    run = subprocess.run([sys.executable, "-uc", COMPILED_SEARCH], capture_output=True, text=True)
    assert run.stdout.endswith("made\n") and run.returncode < 0, run.stderr


def test_a_compiled_solver_runs_for_three_players_and_a_general_sum():
    game = load("saucers", SAUCERS_3 | {"dealer": 2, "skip_forced": True})
    solving = pyspiel.ExternalSamplingMCCFRSolver(game, 7)
    for _ in range(20):
        solving.run_iteration()
    random = pyspiel.UniformRandomPolicy(game)
    assert exploitability.nash_conv(game, solving.average_policy()) < exploitability.nash_conv(game, random)


@pytest.mark.parametrize(("name", "options"), [FULL_GAMES[0], FULL_GAMES[5], ("boxes", BOXES_2), FULL_GAMES[-1]])
def test_information_set_search_plays(name, options):
    game = load(name, options)
    random = np.random.RandomState(0)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    bot = ismcts.ISMCTSBot(game, evaluator, 5.0, 15, random_state=random)
    for state in decisions(game, 6)[:8]:
        assert bot.step(state) in state.legal_actions()


# Bad input


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("python_marriage_boxes(players=4)", "players=4: allowed is a whole number from 5 to 10"),
        ("python_marriage_saucers(players=7)", "players=7: allowed is a whole number from 3 to 6"),
        ("python_marriage_boxes(players=8,pack_size=36)", "pack_size=36 with players=8"),
        ("python_marriage_saucers(pack_size=40)", "pack_size=40: allowed is 36 or 52"),
        ("python_marriage_saucers(row_start=high)", "row_start='high': allowed is 'any' or 'lowest'"),
        ("python_marriage_boxes(misdeal_rate=1.5)", "misdeal_rate=1.5: allowed is a number from 0 to 0.99"),
        ("python_marriage_boxes(misdeal_rate=0.00000000000000001)", "allowed are numbers of at most 15 decimals"),
        ("python_marriage_saucers(players=2,cards=QC 10C)", "'10C' is no card; allowed are a rank and a suit"),
        ("python_marriage_boxes(deals=0)", "deals=0: allowed is a whole number from 1 to 1000"),
        ("python_marriage_boxes(utility=glory)", "utility='glory': allowed is 'chips' or 'ahead'"),
        ("python_marriage_boxes(dealer=5)", "dealer=5: allowed is a whole number from -1 to 4"),
        ("python_marriage_boxes(hand=3)", "hand=3 without cards: allowed is 0, as the rulebook has it"),
        ("python_marriage_boxes(turn_up=9C)", "turn_up='9C' without cards"),
        ("python_marriage_boxes(players=2,cards=QC KC,hand=1)", "allowed are 3 or more for 2 players"),
        ("python_marriage_boxes(players=2,cards=QC KC AC,hand=1,turn_up=AC)", "none of them the turn_up"),
        ("python_marriage_boxes(players=2,cards=QC KC AC,hand=6)", "hand=6: allowed is a whole number from 0 to 5"),
        ("python_marriage_boxes(players=2,cards=QC KC AC,hand=1,misdeal_rate=0.5)", "allowed is 0 in a reduced game"),
        ("python_marriage_saucers(players=2,cards=QC KC QC)", "allowed are names of different cards"),
        ("python_marriage_saucers(players=2,cards=QC KX)", "'KX' is no card"),
        ("python_marriage_saucers(players=1,cards=QC KC)", "players=1: allowed is a whole number from 2 to 6"),
        ("python_marriage_saucers(players=2,cards=QC KC,pack_size=36)", "pack_size=36 with cards"),
        ("python_marriage_saucers(players=2,cards=QC)", "allowed are 2 or more for 2 players"),
    ],
)
def test_a_bad_parameter_is_named(text, message):
    with pytest.raises(OptionError) as error:
        pyspiel.load_game(text)
    assert message in str(error.value)


def test_other_bad_input_is_named_and_changes_nothing():
    game = load("saucers", {})
    state = decisions(game, 0)[0]
    before = state.history()
    with pytest.raises(OptionError, match="action=61: allowed is a whole number from 0 to 60"):
        state.action_to_string(state.current_player(), 61)
    with pytest.raises(IllegalActionError, match="action 61 is not legal: allowed are"):
        state.apply_action(61)
    assert state.history() == before
    assert state.legal_actions()
    with pytest.raises(OptionError, match="player=3: allowed is a whole number from 0 to 2"):
        state.information_state_string(3)
    with pytest.raises(OptionError, match="player=-1"):
        game.new_initial_state().information_state_string()
    with pytest.raises(OptionError, match="observation type"):
        make_observation(game, pyspiel.IIGObservationType(perfect_recall=False, public_info=False))
    with pytest.raises(OptionError, match="observation parameters"):
        make_observation(game, params={"colour": "red"})
    with pytest.raises(OptionError, match="colour is not a parameter: allowed are players"):
        type(game)({"colour": "red"})


def test_states_and_moves_of_chance_are_told_in_words():
    game = load("boxes", {"players": 5, **CHANCY})
    told = [state.action_to_string(state.chance_outcomes()[-1][0]) for state in play(game, 1) if state.is_chance_node()]
    assert told[0] == "player_4 deals"
    assert told[1].endswith(" misdeals")
    assert told[2] == "the pack is faulty unnoticed"
    assert any(" is dealt " in words for words in told)
    assert any(words.endswith(" is turned up") for words in told)
    *_, last = play(game, 1)
    assert "the match is over" in str(last)
    assert isinstance(game.root, Dealing)
    assert str(game.new_initial_state()).startswith("deal 1: ")
