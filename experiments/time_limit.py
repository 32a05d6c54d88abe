"""A time limit on what runs in this process."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any


class OutOfTime(KeyboardInterrupt):
    """The time is over: like Ctrl-C, which no handler of errors catches on the way, and which threads are ready for."""


@contextlib.contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise TimeoutError in what runs within, once so many seconds have passed.

    It comes between two steps of Python: a compiled call that does not return is not interrupted. Without effect in any
    thread but the main one, and where there is no such alarm.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return
    running = True

    def ring(*_: Any) -> None:
        if running:
            raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, seconds)  # again, should it be caught on the way
    try:
        yield
    except OutOfTime:
        raise TimeoutError(f"no answer in {seconds:g} s") from None
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
