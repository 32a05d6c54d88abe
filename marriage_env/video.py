"""Films of matches: pictures written as MP4 or GIF, one after the other as they come."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import BaseWrapper

from marriage_env.errors import OptionError
from marriage_env.options import one_of, shown, whole
from marriage_env.render.needed import need_av

#: The codec of each form, its pixels, what its sizes are multiples of, and its options.
CODECS: dict[str, tuple[str, str, int, dict[str, str]]] = {
    "mp4": ("libx264", "yuv420p", 2, {"crf": "18"}),  # so that letters stay sharp
    "gif": ("gif", "pal8", 1, {}),
}
FORMS = tuple(CODECS)
COLOURS = 256  # of a picture in a GIF
SLOWEST, FASTEST = 0.001, 100.0  # pictures a second: GIF counts hundredths of one

Frame = NDArray[np.uint8]


def save_video(frames: Iterable[Frame], path: str | Path, fps: float = 2.0) -> None:
    """Write pictures as a film. They are taken one at a time, and not kept.

    Args:
        frames: uint8 of shape (height, width, 3), all of one shape, such as `render` returns in mode ``"rgb_array"``;
            one at least.
        path: of the file, which ends in ``.mp4`` or ``.gif``. In a film of odd width or height the last column or row
            is left out of MP4, which knows even ones alone.
        fps: pictures a second, 0.001 to 100.

    Raises:
        OptionError: one of these cannot be, the file cannot be written, or PyAV is not installed.
    """
    with Film(path, fps) as film:
        for frame in frames:
            film.add(frame)
        if film.shape is None:
            raise OptionError("frames is empty: allowed is one picture or more")


class Film:
    """A film that is being written: a file is there from the first picture on, and whole once the film is closed.

    Args:
        path: as for `save_video`.
        fps: as for `save_video`.
    """

    def __init__(self, path: str | Path, fps: float) -> None:
        self.path = path_of_film(path)
        self.form = self.path.suffix[1:].lower()
        self.fps = check_fps(fps)
        need_av("a film")
        self.shape: tuple[int, ...] | None = None
        self._file: Any = None
        self._stream: Any = None

    def __enter__(self) -> Film:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(self, frame: Frame) -> None:
        """Write a picture."""
        check_frame(frame, self.shape)
        if self.shape is None:
            self._open(frame.shape)
        coded = in_colours(frame) if self.form == "gif" else in_even_size(frame)
        with self._named():  # with the first picture that the codec gives out, the file is opened
            self._file.mux(self._stream.encode(coded))

    def close(self) -> None:
        """End the film. A second time does nothing."""
        file, self._file = self._file, None
        if file is not None:
            with self._named(), contextlib.closing(file):
                file.mux(self._stream.encode())

    @contextlib.contextmanager
    def _named(self) -> Iterator[None]:
        """OptionError that names the film if its file cannot be written."""
        try:
            yield
        except OSError as error:
            raise OptionError(f"path={str(self.path)!r} cannot be written: {error.strerror}") from error

    def _open(self, shape: tuple[int, ...]) -> None:
        import av

        codec, pixels, even, options = CODECS[self.form]
        self._file = av.open(self.path, "w")
        self._stream = self._file.add_stream(codec, rate=Fraction(self.fps).limit_denominator(1000))
        self._stream.options = options
        self._stream.pix_fmt = pixels
        self._stream.height, self._stream.width = (side - side % even for side in shape[:2])
        self.shape = shape


def in_even_size(frame: Frame) -> Any:
    """A picture for MP4, without the last row or column of odd ones."""
    import av

    height, width = (side - side % 2 for side in frame.shape[:2])
    return av.VideoFrame.from_ndarray(np.ascontiguousarray(frame[:height, :width]), format="rgb24")


def in_colours(frame: Frame) -> Any:
    """A picture for GIF, in the 256 colours that suit it best."""
    import av
    from PIL import Image

    image = Image.fromarray(frame).quantize(COLOURS, dither=Image.Dither.NONE)
    found = np.array(image.getpalette("RGB"), np.uint8).reshape(-1, 3)
    palette = np.full((COLOURS, 4), 255, np.uint8)
    palette[: len(found), 1:] = found  # after the alpha
    indices_and_palette: Any = (np.asarray(image), palette)
    return av.VideoFrame.from_ndarray(indices_and_palette, format="pal8")


class RecordVideo(BaseWrapper):  # type: ignore[misc]
    """An AEC environment whose matches are filmed: a picture after each reset and each action.

    Args:
        env: an environment with ``render_mode="rgb_array"``.
        folder: where films are written, as ``match-0.mp4``, ``match-1.mp4`` ...; it is made where there is none,
            and films of these names are overwritten.
        every: how many matches there are from one that is filmed to the next; the first one is.
        form: ``"mp4"`` or ``"gif"``.
        fps: pictures a second; None for the environment's own ``metadata["render_fps"]``.

    A film ends with its match, with the next reset, or with `close`.

    Raises:
        OptionError: one of these cannot be, or PyAV is not installed.
    """

    def __init__(
        self,
        env: AECEnv[str, Any, Any],
        folder: str | Path,
        *,
        every: int = 1,
        form: str = "mp4",
        fps: float | None = None,
    ) -> None:
        super().__init__(env)
        mode = getattr(env, "render_mode", None)
        if mode != "rgb_array":
            raise OptionError(f"render_mode={mode!r}: allowed for an environment that is filmed is 'rgb_array'")
        self.folder = Path(folder)
        self.every = whole("every", every, 1, 2**63 - 1)
        self.form = one_of("form", form, FORMS)
        self.fps = check_fps(env.metadata.get("render_fps") if fps is None else fps)
        need_av("RecordVideo")
        self._match = -1
        self._film: Film | None = None

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin a match, and its film if it is one of those that are filmed."""
        super().reset(seed=seed, options=options)
        self._end_film()
        self._match += 1
        if self._match % self.every == 0:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._film = Film(self.folder / f"match-{self._match}.{self.form}", self.fps)
            self._film.add(self.env.render())

    def step(self, action: Any) -> None:
        """Let the agent act, and film what comes of it."""
        super().step(action)
        if self._film is None:
            return
        self._film.add(self.env.render())
        if all(self.env.terminations.values()) or all(self.env.truncations.values()):
            self._end_film()

    def close(self) -> None:
        """End the film, and close the environment."""
        self._end_film()
        super().close()

    def _end_film(self) -> None:
        if self._film is not None:
            self._film.close()
            self._film = None


def path_of_film(path: Any) -> Path:
    """`path` as a Path; OptionError for one that no film can have."""
    if isinstance(path, (str, Path)) and Path(path).suffix[1:].lower() in FORMS and "\0" not in str(path):
        return Path(path)
    said = str(path) if isinstance(path, Path) else path
    raise OptionError(f"path={shown(said)}: allowed is a name that ends in .mp4 or .gif")


def check_fps(fps: Any) -> float:
    """`fps` as a float; OptionError for one that no film can have."""
    with contextlib.suppress(TypeError, ValueError, OverflowError):
        if not isinstance(fps, (bool, str)) and SLOWEST <= float(fps) <= FASTEST:
            return float(fps)
    raise OptionError(f"fps={shown(fps)}: allowed is a number from {SLOWEST:g} to {FASTEST:g}")


def check_frame(frame: Any, shape: tuple[int, ...] | None) -> None:
    """OptionError for what is no picture, or none of the film's shape."""
    picture = isinstance(frame, np.ndarray) and frame.dtype == np.uint8 and frame.ndim == 3 and frame.shape[2] == 3
    if not picture or min(frame.shape) < 2:
        found = f"{frame.dtype} of shape {frame.shape}" if isinstance(frame, np.ndarray) else f"{frame!r:.100}"
        raise OptionError(
            f"a frame is {found}: allowed is uint8 of shape (height, width, 3), 2 pixels or more each way"
        )
    if shape is not None and frame.shape != shape:
        raise OptionError(f"a frame has the shape {frame.shape}: allowed is {shape}, as the first has")
