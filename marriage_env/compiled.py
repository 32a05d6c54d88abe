"""How the rules are compiled: one decorator, and what has to be known about it.

Every rule is a plain function over NumPy records; `compiled` hands it to Numba, whose machine code is kept on disk.
With the environment variable ``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python, for the debugger and for
coverage.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba import config, njit
from numba import types as numba_types
from numpy.typing import NDArray

JIT_DISABLED: bool = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]

#: Cached on disk; without the interpreter's lock; without the entry for C callbacks, which nobody calls.
SETTINGS: Any = {"cache": True, "nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy"}
SMALL_INTEGERS = frozenset(getattr(numba_types, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32))


def forget_stale_code() -> None:
    """Delete machine code older than the package's newest source file.

    Numba compares a function's cached code with that function's own file alone; an edit in `chips.py` would leave
    `boxes/play.py` running the old payments.
    """
    package = Path(__file__).parent
    code = list(package.rglob("*.nbi"))
    if code:
        newest_source = max(path.stat().st_mtime for path in package.rglob("*.py"))
        for path in code:
            with contextlib.suppress(OSError):  # another process was faster, or the folder is not ours to change
                if path.stat().st_mtime < newest_source:
                    path.unlink()


forget_stale_code()


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` with Numba, cached on disk, without the interpreter's lock while it runs."""
    dispatcher: Any = njit(**SETTINGS)(function)
    if not JIT_DISABLED:
        resolve = dispatcher.get_call_template
        dispatcher.get_call_template = lambda args, kws: resolve([_widened(arg) for arg in args], kws)
    return dispatcher  # type: ignore[no-any-return]


def _widened(kind: Any) -> Any:
    """The type that an argument of a Numba type is compiled for: small and literal integers count as int64.

    Otherwise a rule is compiled anew for each constant and each width of integer it is called with: twice the time.
    """
    plain: Any = numba_types.unliteral(kind)  # type: ignore[no-untyped-call]
    return numba_types.int64 if plain in SMALL_INTEGERS else plain


def bind(template: Callable[..., Any], **names: Any) -> Callable[..., Any]:
    """Compile `template` with some of its global names bound to a game's own functions.

    What is the same for every game is written once, as a template. A closure would do the same, but Numba cannot cache
    closures over compiled functions (their key changes with every process). The same code with other globals it can:
    the dtype of a game's record tells the entries apart.
    """
    bound = types.FunctionType(template.__code__, {**template.__globals__, **names}, template.__name__)
    bound.__module__, bound.__qualname__ = template.__module__, template.__qualname__
    return compiled(bound)


if JIT_DISABLED:

    def multiply(left: Any, right: Any) -> Any:
        """The product of two uint64, modulo 2**64 (NumPy would warn that its scalars overflow)."""
        return np.uint64((int(left) * int(right)) & 0xFFFF_FFFF_FFFF_FFFF)

else:

    @compiled
    def multiply(left: Any, right: Any) -> Any:  # type: ignore[misc]
        """The product of two uint64, modulo 2**64."""
        return left * right


def new_records(count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """`count` zeroed records, in the form in which compiled and plain functions can both read their fields."""
    records: NDArray[Any] = np.zeros(count, dtype)
    return _plain(records) if JIT_DISABLED else records


class PlainRecord(np.record):  # type: ignore[misc]
    """A record whose fields plain Python reads as compiled code does: as attributes, small integers as ints."""

    def __getattribute__(self, name: str) -> Any:
        return _plain(super().__getattribute__(name))


class PlainArray(np.ndarray):  # type: ignore[type-arg]
    """An array of `PlainRecord`, or in one."""

    def __getitem__(self, place: Any) -> Any:
        return _plain(super().__getitem__(place))


def _plain(value: Any) -> Any:
    """What was read from a record, for plain Python: NumPy's small integers would wrap where compiled code widens."""
    if isinstance(value, np.ndarray) and not isinstance(value, PlainArray):
        records = np.dtype((PlainRecord, value.dtype)) if value.dtype.names else value.dtype
        return value.view(records).view(PlainArray)
    if isinstance(value, (np.integer, np.bool_)) and not isinstance(value, np.uint64):
        return value.item()
    return value


def copy_records(records: NDArray[Any]) -> NDArray[Any]:
    """A copy of records, byte by byte (NumPy's own goes field by field)."""
    return records.view(np.ndarray).view(np.uint8).copy().view(records.dtype).view(type(records))


@contextlib.contextmanager
def compiling(what: str) -> Iterator[None]:
    """Say on standard error that `what` is being compiled, if that takes longer than two seconds."""
    line = f"marriage_env: compiling {what} for this machine, once (some seconds) ..."
    timer = threading.Timer(2.0, lambda: print(line, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
