"""Pictures: nothing overlaps, nothing runs over its place, nothing is shown that the viewer has not seen."""

import copy
import dataclasses
import itertools
import pickle
import random
import subprocess
import sys

import gymnasium
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pygame = pytest.importorskip("pygame")

from marriage_env import boxes_v0, saucers_v0  # noqa: E402
from marriage_env.cards import CARD_NAMES  # noqa: E402
from marriage_env.errors import OptionError  # noqa: E402
from marriage_env.render import needed  # noqa: E402
from marriage_env.render.pictures import cards, lettering, panel, picture  # noqa: E402
from marriage_env.render.pictures.layout import layout_of  # noqa: E402
from tests.helpers import (  # noqa: E402
    FEW_TABLES,
    MODULES,
    TABLES,
    act,
    begin,
    boxes_pack,
    dealt_otherwise,
    label,
    matches,
    over,
    play_random,
    random_step,
    saucers_pack,
)
from tests.render.test_scene import scene  # noqa: E402
from tests.test_aec import lively  # noqa: E402

WIDTHS = (640, 1000, 1600)


# Places


def assert_places_are_apart(told, width):
    layout = layout_of(told, width)
    whole = pygame.Rect((0, 0), layout.size)
    places = layout.places()
    assert len(layout.seats) == len(told.players) and len(layout.pots) == len(told.pots)
    assert len(layout.played) >= len(told.played)
    for name, rect in places.items():
        assert whole.contains(rect) and rect.width > 0 and rect.height > 0, (name, rect)
    for (one, here), (other, there) in itertools.combinations(places.items(), 2):
        assert not here.colliderect(there), (one, here, other, there)


@pytest.mark.parametrize("width", [320, *WIDTHS, 3840])
@pytest.mark.parametrize("table", TABLES, ids=str)
def test_places_are_apart_in_every_phase(table, width):
    env, rng = table.raw_env(deals=2), random.Random(width)
    env.reset(seed=width)
    while not over(env):
        assert_places_are_apart(scene(env, rng.randrange(table.players)), width)
        random_step(env, rng)
    assert_places_are_apart(scene(env, "all"), width)


def test_places_are_apart_for_a_row_of_a_whole_suit():
    pack = saucers_pack(6, 52, {0: "2S 3S 4S 5S 6S 7S 8S 9S", 1: "TS JS QS KS AS"})
    env = begin(saucers_v0.raw_env(players=6, declaring="auto"), [pack])
    act(env, *(rank + "S" for rank in "23456789TJQKA"))
    told = scene(env, "all")
    assert len(told.played) == 13
    for width in WIDTHS:
        assert_places_are_apart(told, width)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("table", FEW_TABLES, ids=str)
def test_all_that_is_told_of_a_step_finds_room(table, width):
    env, rng = lively(table), random.Random(width)
    env.reset(seed=width)
    while not over(env):
        random_step(env, rng)
        told = scene(env, "all")
        layout = layout_of(told, width)
        for rect, texts, sizes in (
            (layout.now, [told.now], panel.TEXT_SIZES),
            (layout.last, [told.last], panel.TEXT_SIZES),
            (layout.paid, told.paid, panel.PAYMENT_SIZES),
        ):
            place = panel.body_of(layout, rect)
            paragraphs, _ = lettering.fitted(texts, *place.size, [layout.px(size) for size in sizes])
            assert " ".join(itertools.chain(*paragraphs)) == " ".join(texts)


def changed(one, other):
    """The smallest rectangle that holds all pixels in which two pictures differ."""
    rows, columns = np.nonzero((one != other).any(axis=2))
    return pygame.Rect(columns.min(), rows.min(), np.ptp(columns) + 1, np.ptp(rows) + 1)


#: What is said is longer than any place for it, in words that are longer than lines.
ENDLESS = "An endless name with Q♥ and (5.1) and Donaudampfschifffahrtsgesellschaftskapitänsmützenabzeichen " * 8
SHADOW = 0.008  # of the width: a plate's shadow falls beside it


def with_endless_player(told):
    player = dataclasses.replace(
        told.players[1],
        name=ENDLESS,
        balance=-123456789,
        gain=-123456789,
        count=987654321,
        claims=(ENDLESS,) * 8,
        hand=CARD_NAMES[:26],
        open=CARD_NAMES[:5],
        hidden=26,
        passed=True,
        dealer=True,
        eldest=True,
        acting=True,
    )
    players = (told.players[0], player, *told.players[2:])
    return dataclasses.replace(told, played=(), players=players), lambda layout: layout.seats[1]


ENDLESS_SCENES = {
    "player": with_endless_player,
    "pot": lambda told: (
        dataclasses.replace(
            told, pots=(dataclasses.replace(told.pots[0], title=ENDLESS, chips=10**12), *told.pots[1:])
        ),
        lambda layout: layout.pots[0],
    ),
    "outcome": lambda told: (
        dataclasses.replace(told, outcome=ENDLESS, played_title=ENDLESS),
        lambda layout: layout.heading,
    ),
    "title": lambda told: (dataclasses.replace(told, title=ENDLESS), lambda layout: layout.title),
    "deal": lambda told: (dataclasses.replace(told, deal=10**90), lambda layout: layout.deal),
    "now": lambda told: (dataclasses.replace(told, now=ENDLESS), lambda layout: layout.now),
    "last": lambda told: (dataclasses.replace(told, last=ENDLESS), lambda layout: layout.last),
    "paid": lambda told: (dataclasses.replace(told, paid=(ENDLESS, *["x"] * 40)), lambda layout: layout.paid),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("table", FEW_TABLES, ids=str)
@pytest.mark.parametrize("what", ENDLESS_SCENES)
def test_what_is_too_long_keeps_to_its_place(what, table, width):
    env = table.raw_env(deals=2)
    env.reset(seed=1)
    play_random(env, random.Random(1), limit=9)
    told = dataclasses.replace(scene(env, "all"), played=(), paid=("x" * 400,))
    long, place = ENDLESS_SCENES[what](told)
    rect = place(layout_of(told, width)).inflate(2 * round(SHADOW * width), 2 * round(SHADOW * width))
    assert rect.contains(changed(picture(told, width), picture(long, width)))


def test_names_of_players_keep_to_their_cards():
    env = saucers_v0.raw_env(players=4)
    env.reset(seed=1)
    play_random(env, random.Random(1), limit=12)
    told = scene(env, "all")
    seat = told.played[0].seat
    players = tuple(dataclasses.replace(player, name=ENDLESS * (player.seat == seat)) for player in told.players)
    blank = tuple(dataclasses.replace(player, name="") for player in told.players)
    layout = layout_of(told, 1000)
    own = [layout.seats[seat], *(layout.played[place] for place, laid in enumerate(told.played) if laid.seat == seat)]
    one, other = (picture(dataclasses.replace(told, players=each), 1000) for each in (players, blank))
    for rect in own:
        one[rect.top : rect.bottom, rect.left : rect.right] = 0
        other[rect.top : rect.bottom, rect.left : rect.right] = 0
    assert np.array_equal(one, other)


# What a picture shows


@settings(max_examples=25)
@given(matches())
def test_a_picture_does_not_show_what_its_viewer_has_not_seen(match):
    env, rng = match
    for twin, seat in dealt_otherwise(env, rng, most=12):
        assert np.array_equal(picture(scene(twin, seat), 320), picture(scene(env, seat), 320))


def test_viewers_are_shown_different_pictures():
    env = boxes_v0.raw_env()
    env.reset(seed=1)
    pictures = [picture(scene(env, viewer), 640) for viewer in (None, "all", 0, 1)]
    assert not any(np.array_equal(one, other) for one, other in itertools.combinations(pictures, 2))


@pytest.mark.parametrize("height", [20, 60, 90, 160, 400])
def test_every_card_has_a_face_of_its_own(height):
    faces = {cards.face(card, height).get_buffer().raw for card in CARD_NAMES}
    assert len(faces) == 52
    assert cards.back(height).get_buffer().raw not in faces
    assert cards.back(height).get_size() == cards.face("QH", height).get_size() == (round(0.7 * height), height)


def test_trick_turn_up_and_marks_change_the_picture():
    env = begin(boxes_v0.raw_env(declaring="auto"), [boxes_pack(5, 36, {0: "7C", 1: "8C"}, "TH")])
    act(env, "7C")
    told = scene(env, 2)
    shown = picture(told, 1000)
    seats = told.players
    for change in (
        {"turn_up": "9H"},
        {"trumps": "clubs"},
        {"played": (dataclasses.replace(told.played[0], card="6C"),)},
        {"outcome": ""},
        {"now": "x"},
        {"last": "x"},
        {"paid": ("x",)},
        {"deal": 2},
        {"pots": (dataclasses.replace(told.pots[0], chips=11), *told.pots[1:])},
        *(
            {"players": (dataclasses.replace(seats[0], **{name: value}), *seats[1:])}
            for name, value in {
                "name": "x",
                "dealer": True,
                "eldest": False,
                "acting": True,
                "balance": 77,
                "count": 4,
                "hand": ("AS",),
                "hidden": 2,
                "claims": ("jester",),
                "passed": True,
            }.items()
        ),
    ):
        assert not np.array_equal(picture(dataclasses.replace(told, **change), 1000), shown), change


def test_texts_that_fonts_do_not_know_are_drawn_all_the_same():
    for text in ("\0", "\ud800", "\n\t", "", "…", "♥♠", "日本", "\N{RIGHT-TO-LEFT OVERRIDE}x", "\N{FAMILY}"):
        assert lettering.image(text, 20, (1, 2, 3)).get_width() >= 1


@given(st.text(max_size=60), st.integers(12, 40), st.integers(1, 300))
def test_a_cut_text_fits(text, size, width):
    shown = lettering.elided(text, size, width)
    assert lettering.width_of(shown, size) <= max(width, lettering.width_of("…", size))
    assert shown == text or shown.endswith("…")
    assert all(
        lettering.width_of(line, size) <= max(width, lettering.width_of("…", size))
        for line in lettering.wrapped(text, size, width)
    )


# The environments' modes


@pytest.mark.parametrize("module", MODULES, ids=label)
@pytest.mark.parametrize("width", [320, 641, 1000])
def test_rgb_array(module, width):
    env = module.env(render_mode="rgb_array", render_width=width)
    env.reset(seed=1)
    first = env.render()
    assert first.dtype == np.uint8 and first.shape == (round(width * 5 / 8), width, 3)
    assert first.flags.c_contiguous and first.flags.writeable
    assert np.array_equal(env.render(), first)
    random_step(env, random.Random(1))
    assert not np.array_equal(env.render(), first)
    copies = [env.clone(), copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    assert all(np.array_equal(twin.render(), env.render()) for twin in copies)


def test_viewer_applies_to_pictures():
    shown = {}
    for viewer in (None, "all", "player_0", "player_1"):
        env = boxes_v0.env(render_mode="rgb_array", viewer=viewer)
        env.reset(seed=1)
        shown[viewer] = env.render()
        seat = int(viewer[-1]) if viewer and viewer != "all" else viewer
        assert np.array_equal(shown[viewer], picture(scene(env, seat), 1000))


def test_gymnasium_makes_pictures():
    env = gymnasium.make("marriage_env/Boxes-v0", render_mode="rgb_array", render_width=320)
    env.reset(seed=1)
    assert env.render().shape == (200, 320, 3)
    assert env.metadata["render_fps"] == 2 and "rgb_array" in env.metadata["render_modes"]


def test_pictures_survive_another_part_of_the_program_that_shuts_down_pygame():
    env = boxes_v0.env(render_mode="rgb_array", render_width=640)
    env.reset(seed=1)
    shown = env.render()
    pygame.quit()
    lettering.image.cache_clear()
    lettering.width_of.cache_clear()
    assert np.array_equal(env.render(), shown)


@pytest.mark.parametrize("mode", ["human", "rgb_array"])
@pytest.mark.parametrize("module", MODULES, ids=label)
def test_without_pygame_it_is_said_what_to_install(module, mode, monkeypatch):
    monkeypatch.setitem(sys.modules, "pygame", None)
    with pytest.raises(OptionError, match=r"pip install 'marriage-env\[pictures\]'"):
        module.env(render_mode=mode)
    module.env(render_mode="ansi")


def test_another_pygame_is_told_from_ours(monkeypatch):
    monkeypatch.delattr(pygame, "IS_CE")
    with pytest.raises(OptionError, match="pygame is installed in its place"):
        needed.need_pygame("x")


def test_words_need_no_pygame():
    code = (
        "import sys; from marriage_env import boxes_v0\n"
        "env = boxes_v0.env(render_mode='ansi'); env.reset(seed=1); env.render(); print('pygame' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
