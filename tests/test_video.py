"""Films: what is written can be read, picture by picture."""

import random
import sys

import gymnasium
import numpy as np
import pytest

pytest.importorskip("pygame")
av = pytest.importorskip("av")
iio = pytest.importorskip("imageio.v3")

from marriage_env import boxes_v0, saucers_v0  # noqa: E402
from marriage_env.errors import OptionError  # noqa: E402
from marriage_env.video import RecordVideo, save_video  # noqa: E402
from tests.helpers import random_step  # noqa: E402


def read(path):
    """The pictures of a film. By PyAV itself: ImageIO collects garbage after each film, a second in a long test run."""
    with av.open(path) as film:
        return np.stack([frame.to_ndarray(format="rgb24") for frame in film.decode(video=0)]).astype(int)


def pictures(count, width=64, height=48):
    """Pictures of one colour each."""
    for number in range(count):
        yield np.full((height, width, 3), (20 * number, 100, 255 - 20 * number), np.uint8)


@pytest.mark.parametrize("form", ["mp4", "gif", "GIF"])
@pytest.mark.parametrize("size", [(64, 48), (65, 49)])
def test_a_film_holds_its_pictures(tmp_path, form, size):
    path = tmp_path / f"film.{form}"
    save_video(pictures(6, *size), path, fps=4)
    even = form == "mp4"
    # By another library than wrote it.
    film = iio.imread(path, **({"plugin": "pyav"} if even else {"mode": "RGB"})).astype(int)
    width, height = (side - side % 2 if even else side for side in size)
    assert film.shape == (6, height, width, 3)
    for frame, meant in zip(film, pictures(6, width, height), strict=True):
        assert abs(frame - meant).max() < 12
    seconds = iio.immeta(path)["duration"] / (1 if even else 1000 / 6)
    assert seconds == pytest.approx(1.5)


def test_a_film_of_a_match_looks_like_the_match(tmp_path):
    env = boxes_v0.env(render_mode="rgb_array", render_width=480)
    env.reset(seed=1)
    shown, rng = [env.render()], random.Random(1)
    for _ in range(12):
        random_step(env, rng)
        shown.append(env.render())
    for form in ("mp4", "gif"):
        path = tmp_path / f"film.{form}"
        save_video(shown, str(path))
        film = read(path)
        assert film.shape == (len(shown), 300, 480, 3)
        assert all(abs(frame - meant).mean() < 6 for frame, meant in zip(film, shown, strict=True))


def test_pictures_are_taken_one_at_a_time(tmp_path):
    path = tmp_path / "film.gif"

    def watched():
        for number in range(60):
            yield np.random.default_rng(number).integers(0, 256, (100, 100, 3), np.uint8)
            if number == 50:
                assert path.stat().st_size > 100_000  # most of it is written

    save_video(watched(), path)


@pytest.mark.parametrize("name", ["film", "film.avi", "film.mp4.txt", ""])
def test_other_forms_are_refused(tmp_path, name):
    with pytest.raises(OptionError, match=r"ends in \.mp4 or \.gif"):
        save_video(pictures(2), tmp_path / name)


@pytest.mark.parametrize("path", [3, None, b"film.mp4", "a\0.mp4"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(OptionError, match=r"ends in \.mp4 or \.gif"):
        save_video(pictures(2), path)


@pytest.mark.parametrize("name", ["nowhere/film.mp4", "folder.gif"])
def test_a_place_that_cannot_be_written_is_named(tmp_path, name):
    (tmp_path / "folder.gif").mkdir()
    with pytest.raises(OptionError, match=rf"{name}' cannot be written: \w"):
        save_video(pictures(2), tmp_path / name)


@pytest.mark.parametrize("form", ["mp4", "gif"])
def test_a_full_disk_is_told_with_the_name_of_the_film(tmp_path, form):
    resource = pytest.importorskip("resource")
    noise = np.random.default_rng(0).integers(0, 255, (30, 100, 160, 3)).astype(np.uint8)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3000, limits[1]))
    try:
        with pytest.raises(OptionError, match=rf"film.{form}' cannot be written: File too large"):
            save_video(noise, tmp_path / f"film.{form}")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


@pytest.mark.parametrize("fps", [0, -1, 1e-9, 101, float("nan"), float("inf"), "2", None, True, 10**400])
def test_a_bad_pace_is_refused(tmp_path, fps):
    with pytest.raises(OptionError, match="fps"):
        save_video(pictures(2), tmp_path / "film.mp4", fps=fps)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "frame", [None, np.zeros((8, 8)), np.zeros((8, 8, 3)), np.zeros((8, 8, 4), np.uint8), np.zeros((1, 8, 3), np.uint8)]
)
def test_what_is_no_picture_is_refused(tmp_path, frame):
    with pytest.raises(OptionError, match="a frame"):
        save_video([frame], tmp_path / "film.mp4")
    assert not list(tmp_path.iterdir())


def test_pictures_of_different_shapes_are_refused_and_what_was_filmed_stays(tmp_path):
    with pytest.raises(OptionError, match="as the first has"):
        save_video([*pictures(3), *pictures(1, width=80)], tmp_path / "film.mp4")
    assert len(read(tmp_path / "film.mp4")) == 3


def test_no_pictures_are_refused(tmp_path):
    with pytest.raises(OptionError, match="one picture or more"):
        save_video([], tmp_path / "film.mp4")


@pytest.mark.parametrize("module", ["av", "PIL"])
def test_without_its_libraries_it_is_said_what_to_install(tmp_path, monkeypatch, module):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(OptionError, match=r"pip install 'marriage-env\[pictures\]'"):
        save_video(pictures(2), tmp_path / "film.gif")


# RecordVideo


def filmed(folder, module=boxes_v0, **options):
    return RecordVideo(module.env(render_mode="rgb_array", render_width=320), folder, **options)


def play(env, steps=10**6):
    """Play at random; how many actions were taken."""
    taken = 0
    for agent in env.agent_iter():
        observation, _, terminated, truncated, _ = env.last()
        if taken == steps:
            break
        done = terminated or truncated
        env.step(None if done else env.action_space(agent).sample(observation["action_mask"]))
        taken += not done
    return taken


@pytest.mark.parametrize(("module", "form"), [(boxes_v0, "mp4"), (saucers_v0, "gif")])
def test_matches_are_filmed(tmp_path, module, form):
    env = filmed(tmp_path / "new" / "folder", module, form=form)
    for number in range(2):
        env.reset(seed=number)
        taken = play(env)
        film = read(tmp_path / "new" / "folder" / f"match-{number}.{form}")  # whole before the next match begins
        assert film.shape == (taken + 1, 200, 320, 3)
        assert (film[0] != film[-1]).any()
    env.close()


def test_every_third_match_is_filmed(tmp_path):
    env = filmed(tmp_path, every=3)
    for number in range(5):
        env.reset(seed=number)
        play(env, steps=2)
    env.close()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["match-0.mp4", "match-3.mp4"]
    assert len(read(tmp_path / "match-0.mp4")) == len(read(tmp_path / "match-3.mp4")) == 3


def test_an_illegal_action_ends_the_film(tmp_path):
    env = filmed(tmp_path)
    env.reset(seed=1)
    env.step(int(np.flatnonzero(env.infos[env.agent_selection]["action_mask"] == 0)[0]))
    assert len(read(tmp_path / "match-0.mp4")) == 2


def test_a_refused_reset_leaves_the_film_as_it_was(tmp_path):
    env = filmed(tmp_path)
    env.reset(seed=1)
    with pytest.raises(OptionError):
        env.reset(options={"nothing": 1})
    play(env, steps=3)
    env.close()
    assert len(read(tmp_path / "match-0.mp4")) == 4


@pytest.mark.parametrize(
    ("option", "value"), [("every", 0), ("every", 1.5), ("form", "avi"), ("fps", 0), ("form", None)]
)
def test_a_bad_option_is_refused(tmp_path, option, value):
    with pytest.raises(OptionError, match=option):
        filmed(tmp_path, **{option: value})


def test_an_environment_without_pictures_is_refused(tmp_path):
    with pytest.raises(OptionError, match="render_mode='ansi'"):
        RecordVideo(boxes_v0.env(render_mode="ansi"), tmp_path)


def test_pictures_of_a_single_seat_make_a_film(tmp_path):
    env = gymnasium.make("marriage_env/Saucers-v0", render_mode="rgb_array", render_width=320)
    _, info = env.reset(seed=1)
    shown, done = [env.render()], False
    while not done:
        _, _, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
        shown.append(env.render())
        done = terminated or truncated
    save_video(shown, tmp_path / "seat.mp4", fps=env.metadata["render_fps"])
    assert len(read(tmp_path / "seat.mp4")) == len(shown)
