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

JIT_DISABLED: bool = bool(config.DISABLE_JIT)


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` with Numba, cached on disk, without the interpreter's lock while it runs."""
    dispatcher: Any = njit(cache=True, nogil=True, no_cfunc_wrapper=True, error_model="numpy")(function)
    if not JIT_DISABLED:
        resolve = dispatcher.get_call_template
        dispatcher.get_call_template = lambda args, kws: resolve([_widened(arg) for arg in args], kws)
    return dispatcher  # type: ignore[no-any-return]


def _widened(kind: Any) -> Any:
    """The type that an argument of a Numba type is compiled for: small and literal integers count as int64.

    Otherwise a rule is compiled anew for each constant and each width of integer it is called with: twice the time.
    """
    kind = numba_types.unliteral(kind)
    return numba_types.int64 if isinstance(kind, numba_types.Integer) and kind.bitwidth < 64 else kind


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
    def multiply(left: Any, right: Any) -> Any:
        """The product of two uint64, modulo 2**64."""
        return left * right


def new_records(count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """`count` zeroed records, in the form in which compiled and plain functions can both read their fields."""
    records: NDArray[Any] = np.zeros(count, dtype)
    return records.view(np.recarray) if JIT_DISABLED else records


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
