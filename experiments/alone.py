"""One training run at a time in a folder."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from marriage_env import MarriageError

try:
    import fcntl
except ImportError:  # not on Windows: there nobody is kept out
    fcntl = None  # type: ignore[assignment]

LOCK = "lock"


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Keep other runs out of a folder, until the end of what is within or of this process, however that comes.

    Raises MarriageError if another run is at work there.
    """
    with (folder / LOCK).open("ab") as file:
        if fcntl is not None:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                allowed = "allowed is another folder, by --out, or to wait for its end"
                raise MarriageError(f"another run is at work in {folder}: {allowed}") from None
            except OSError:  # a file system without locks keeps nobody out
                pass
        yield
