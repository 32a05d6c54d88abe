"""The one list of fields: encoders find each field by its place in it."""

import re

import pytest

from marriage_env import GAMES, observation
from marriage_env.boxes import observation as boxes
from marriage_env.saucers import observation as saucers

MODULES = {"boxes": boxes, "saucers": saucers}


@pytest.mark.parametrize("name", GAMES)
def test_places_have_the_names_of_their_fields(name):
    game = GAMES[name]
    fields = game.layout(game.rules()).fields
    places = {
        constant: value
        for module in (observation, MODULES[name])
        for constant, value in vars(module).items()
        if re.fullmatch(r"[A-Z_]+_AT", constant)
    }
    assert sorted(places.values()) == list(range(len(fields)))
    for constant, place in places.items():
        assert constant == f"{fields[place].name.upper()}_AT"


@pytest.mark.parametrize("name", GAMES)
def test_every_rule_option_is_told(name):
    game = GAMES[name]
    assert set(MODULES[name].RULE_CODES) == {"game", *game.rules.__dataclass_fields__}
