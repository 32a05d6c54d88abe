"""A time limit on what runs in this process."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import TypeVar

Answer = TypeVar("Answer")


class OutOfTime(KeyboardInterrupt):
    """The time is over: like Ctrl-C, which no handler of errors catches on the way, and which threads are ready for."""


def within(seconds: float, call: Callable[[], Answer]) -> Answer:
    """What a call returns, or TimeoutError if that takes longer than so many seconds.

    It is stopped between two steps of Python: a compiled call that does not return is not interrupted. Without effect
    in any thread but the main one, and where there is no such alarm.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return call()
    running = False  # an alarm of an earlier limit may still be on its way

    def ring(_: int, frame: FrameType | None) -> None:
        if running and frame is not None and frame.f_code not in here:
            raise OutOfTime

    here = within.__code__, ring.__code__  # the call has not begun or is over: nothing is to be stopped
    before = signal.signal(signal.SIGALRM, ring)
    try:
        running = True
        signal.setitimer(signal.ITIMER_REAL, seconds, seconds)  # again, should it be caught on the way
        return call()
    except OutOfTime:
        raise TimeoutError(f"no answer in {seconds:g} s") from None
    finally:
        running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
