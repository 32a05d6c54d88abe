"""A scene: what its viewer may see of a table, as plain data."""

import json
import random

import pytest
from hypothesis import given

from marriage_env import boxes_v0, saucers_v0
from marriage_env.cards import CARD_NAMES
from marriage_env.render.scene import scene_of
from marriage_env.render.text import VIEWS
from marriage_env.table import FIRST_CLAIM, PASS
from tests.helpers import FEW_TABLES, act, begin, boxes_pack, dealt_otherwise, hands, legal, matches, over, random_step


def scene(env, viewer):
    return scene_of(VIEWS[env.game.name](env.game, env.rules, env.table, viewer=viewer))


@given(matches())
def test_a_scene_does_not_tell_what_its_viewer_has_not_seen(match):
    env, rng = match
    for twin, seat in dealt_otherwise(env, rng, most=5):
        assert scene(twin, seat) == scene(env, seat)


@pytest.mark.parametrize("table", FEW_TABLES, ids=str)
def test_a_scene_tells_all_that_json_can_hold(table):
    env, rng = table.raw_env(deals=2), random.Random(1)
    env.reset(seed=1)
    while not over(env):
        told = scene(env, "all")
        assert json.loads(json.dumps(told.as_dict()))["now"] == told.now
        assert [len(player.hand) for player in told.players] == [len(hand) for hand in hands(env)]
        assert {choice.name for choice in told.choices} == legal(env)
        own = {CARD_NAMES[card] for card in hands(env)[told.actor]}
        assert set(told.refusals) == own - legal(env)
        assert [pot.chips for pot in told.pots] == list(env.pots.values())
        moved = sum(len(paid.payers) * len(paid.payees) for paid in told.transfers)
        assert moved == len(env.ledger)
        random_step(env, rng)
    assert scene(env, "all").over and scene(env, "all").actor is None


def test_choices_and_refusals_are_for_who_sees_the_actors_hand():
    env = boxes_v0.raw_env()
    env.reset(seed=2)
    actor = env.possible_agents.index(env.agent_selection)
    assert scene(env, actor).choices and scene(env, None).choices and scene(env, "all").choices
    other = scene(env, actor - 1 if actor else 1)
    assert not other.choices and not other.refusals


def auto(hands, turn_up, **options):
    """A table of Boxes where the first card is due."""
    return begin(boxes_v0.raw_env(declaring="auto", **options), [boxes_pack(5, 36, hands, turn_up)])


def why(env, action):
    view = VIEWS[env.game.name](env.game, env.rules, env.table, viewer=None)
    return view.why_not(env.game.action_names.index(action))


def test_why_not_names_the_clause():
    env = auto({0: "KC 7C 8D 9D 6S", 1: "8C 9S 6D 7D 7S", 2: "QC"}, "TH")
    assert why(env, "AS") == "A♠ is not in the hand"
    assert why(env, "pass") == "there is nothing to pass here: a card is due"
    assert why(env, "king").endswith("(3.1)")
    act(env, "7C")
    assert why(env, "9S") == "clubs were led, and there are some in the hand: follow suit (4.2)"
    assert why(env, "8C") == ""


def test_why_not_of_a_queen_who_is_called():
    env = auto({0: "KC", 2: "QC 7D"}, "TH")
    act(env, "KC")
    assert why(env, "7D") == "K♣ calls Q♣: she must be played (5.1)"


def test_why_not_of_the_option_to_trump():
    env = auto({0: "7C", 1: "TH 7D 8D 9D 6S"}, "9H", must_trump=True)
    act(env, "7C")
    assert why(env, "7D") == "who cannot follow must play a trump or Q♥ (4.2)"


def test_why_not_while_declaring():
    env = begin(boxes_v0.raw_env(), [boxes_pack(5, 36, {0: "KH QH JD"}, "TC")])
    assert why(env, "KH") == "first come the declarations: declare, or pass (3.1)"
    assert why(env, "sequence") == "sequence: its cards are not in the hand (3.2)"
    act(env, "jester")
    assert why(env, "jester") == "jester has been declared"


def test_why_not_in_saucers():
    env = saucers_v0.raw_env(declaring="auto", row_start="lowest")
    env.reset(seed=3)
    held = hands(env)[env.possible_agents.index(env.agent_selection)]
    assert why(env, CARD_NAMES[max(held)]) == "a row is started with a card of the lowest rank held (4.1)"
    rng = random.Random(3)
    said = set()
    while not over(env):
        told = scene(env, None)
        said |= set(told.refusals.values())
        random_step(env, rng)
    assert any(text.startswith("the row asks for a") and text.endswith("(4.3)") for text in said)
    assert why(env, "6C") == "the match is over"


def test_action_words():
    env = boxes_v0.raw_env()
    env.reset(seed=1)
    view = VIEWS["boxes"](env.game, env.rules, env.table)
    assert view.action_words(42) == "play Q♥"
    assert view.action_words(FIRST_CLAIM + 5) == "declare marriage of clubs"
    assert view.action_words(PASS) == "pass"
