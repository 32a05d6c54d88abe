"""Mode "human": a window for each environment, which may be closed at any time."""

import copy
import pickle
import random
import time

import pytest

pygame = pytest.importorskip("pygame")

from marriage_env import boxes_v0, saucers_v0  # noqa: E402
from marriage_env.render.pictures import window as windows  # noqa: E402
from tests.helpers import MODULES, label, over, play_random, random_step  # noqa: E402


@pytest.fixture(autouse=True)
def quick_dummy(monkeypatch):
    """No screen, and pictures that need not stay."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for module in MODULES:
        monkeypatch.setitem(module.raw_env.metadata, "render_fps", 10_000)
    yield
    pygame.quit()
    windows._open.clear()


def shown(env):
    """The pixels in an environment's window."""
    return pygame.surfarray.array3d(env._window._window.get_surface()).swapaxes(0, 1)


def made(module=boxes_v0, **options):
    env = module.env(render_mode="human", render_width=320, **options)
    env.reset(seed=1)
    return env


def ask_to_close(env):
    """What happens when somebody closes the window."""
    pygame.event.post(pygame.event.Event(pygame.WINDOWCLOSE, window=env._window._window))


@pytest.mark.parametrize("module", MODULES, ids=label)
def test_each_step_is_shown(module, capsys):
    env = made(module)
    still = module.env(render_mode="rgb_array", render_width=320)
    still.reset(seed=1)
    rng, twin_rng = random.Random(1), random.Random(1)
    while not over(env):
        assert (shown(env) == still.render()).all()
        random_step(env, rng)
        random_step(still, twin_rng)
    assert (shown(env) == still.render()).all() and env.render() is None
    assert not capsys.readouterr().out
    env.close()
    env.close()
    assert not windows._open


def test_a_closed_window_stays_closed_and_the_match_goes_on():
    env = made()
    ask_to_close(env)
    play_random(env, random.Random(1))
    assert over(env) and not windows._open
    env.reset(seed=2)
    assert env.render() is None and not windows._open
    env.close()
    env.render()
    assert len(windows._open) == 1
    env.close()


def test_several_windows():
    one, other = made(), made(saucers_v0)
    assert len(windows._open) == 2
    ask_to_close(one)
    play_random(other, random.Random(1), limit=2)  # it is the other that notices
    assert list(windows._open.values()) == [other._window]
    play_random(one, random.Random(1), limit=2)
    other.close()
    assert not windows._open


def test_events_of_others_are_left_to_them():
    env = made()
    pygame.event.clear()
    pygame.event.post(pygame.event.Event(pygame.USEREVENT, number=7))
    play_random(env, random.Random(1), limit=3)
    assert [event.number for event in pygame.event.get(pygame.USEREVENT)] == [7]
    env.close()


@pytest.mark.parametrize(
    "copied", [lambda env: env.clone(), copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))]
)
def test_a_copy_goes_on_without_the_window(copied):
    env = made()
    before = shown(env)
    twin = copied(env)
    assert twin.render_mode is None and twin._window is None
    play_random(twin, random.Random(1))
    twin.close()
    assert len(windows._open) == 1 and (shown(env) == before).all()
    random_step(env, random.Random(1))
    assert (shown(env) != before).any()
    env.close()


@pytest.mark.parametrize("part", [pygame.quit, pygame.display.quit])
def test_a_window_comes_back_when_another_part_of_the_program_shuts_down_pygame(part):
    env = made()
    part()
    random_step(env, random.Random(1))
    assert shown(env).any()
    part()
    env.close()


def test_a_window_that_was_shut_down_is_closed_without_harm_to_those_of_others():
    env, other = made(), made()
    pygame.quit()
    pygame.display.init()
    foreign = pygame.Window("of another part of the program", (10, 10))
    env.close()
    other.render()
    other.close()
    assert foreign.get_surface().get_size() == (10, 10)
    foreign.destroy()


def test_pictures_stay_for_as_long_as_the_pace_asks(monkeypatch):
    monkeypatch.setitem(boxes_v0.raw_env.metadata, "render_fps", 20)
    env = made()
    start = time.monotonic()
    play_random(env, random.Random(1), limit=4)
    assert time.monotonic() - start >= 4 / 20
    env.close()
