"""What people type."""

import pytest

from marriage_env import IllegalActionError, boxes_v0, saucers_v0
from marriage_env.app.moves import plain, typed_action
from marriage_env.render.scene import scene_of
from marriage_env.render.text import VIEWS
from tests.helpers import MODULES, begin, boxes_pack, label


def table(env):
    view = VIEWS[env.game.name](env.game, env.rules, env.table, viewer=None)
    return scene_of(view).choices, view


def declaring():
    return begin(boxes_v0.raw_env(), [boxes_pack(5, 36, {0: "KC QC TD JD 9S"}, "TC")])


def playing():
    return begin(boxes_v0.raw_env(declaring="auto"), [boxes_pack(5, 36, {0: "KS QC TD JD 9S"}, "TC")])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("TD", "TD"),
        ("td", "TD"),
        ("10d", "TD"),
        ("10 d", "TD"),
        ("10♦", "TD"),
        ("play q♣", "QC"),
        ("  Play Q♣ ", "QC"),
        ("ks", "KS"),
    ],
)
def test_cards(text, name):
    env = playing()
    assert env.action_name(typed_action(text, *table(env))) == name


@pytest.mark.parametrize(
    "text", ["marriage_clubs", "marriage clubs", "Marriage of Clubs", "declare a marriage of clubs"]
)
def test_claims(text):
    env = declaring()
    assert env.action_name(typed_action(text, *table(env))) == "marriage_clubs"


def test_numbers_are_places_in_the_list():
    env = playing()
    choices, view = table(env)
    for place, choice in enumerate(choices, 1):
        assert typed_action(str(place), choices, view) == choice.action
    for text in ("0", "6", "-1", "007", "1.0", "²", "9" * 5000):
        with pytest.raises(IllegalActionError, match="is not an action; allowed: play"):
            typed_action(text, choices, view)


def test_what_is_not_legal_says_why_and_what_is():
    env = declaring()
    with pytest.raises(IllegalActionError, match=r"declare, or pass \(3.1\); allowed: declare jester"):
        typed_action("KC", *table(env))


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_no_two_actions_are_typed_alike(module):
    names = module.raw_env.game.action_names
    assert len({plain(name) for name in names}) == len(names)


def test_pass():
    env = declaring()
    assert env.action_name(typed_action("PASS", *table(env))) == "pass"
    assert saucers_v0.raw_env.game.action_names[60] == "pass"
