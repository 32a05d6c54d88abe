"""How the rules are compiled: one decorator, and what has to be known about it.

Every rule is a plain function over NumPy records; `compiled` hands it to Numba, whose machine code is kept on disk.
With the environment variable ``NUMBA_DISABLE_JIT=1`` the same functions run as plain Python, for the debugger and for
coverage.
"""

from __future__ import annotations

import contextlib
import hashlib
import sys
import threading
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numba import config, njit
from numba import types as numba_types
from numba.core.caching import IndexDataCacheFile

JIT_DISABLED: bool = bool(config.DISABLE_JIT)  # type: ignore[attr-defined]

#: Without the interpreter's lock; without the entry for C callbacks, which nobody calls.
SETTINGS: Any = {"nogil": True, "no_cfunc_wrapper": True, "error_model": "numpy"}


def can_cache() -> bool:
    """Whether Numba finds a folder for its code: beside the source, in the user's cache, or where he says."""
    try:
        njit(cache=True)(can_cache)
    except RuntimeError:
        say = "marriage_env: no folder can be written for compiled code, so each start compiles anew; "
        print(f"{say}set NUMBA_CACHE_DIR to one that can", file=sys.stderr, flush=True)
        return False
    return True


CACHED = not JIT_DISABLED and can_cache()
SMALL_INTEGERS = frozenset(getattr(numba_types, f"{sign}int{bits}") for sign in ("", "u") for bits in (8, 16, 32))


#: A digest of the package's source, with which Numba's cached code is marked. Numba itself looks at a function's own
#: file alone: after an edit in `chips.py` it would have `boxes/play.py` go on with the old payments.
SOURCES = hashlib.sha256(
    b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.rglob("*.py")))
).hexdigest()


class CacheFile(IndexDataCacheFile):  # type: ignore[misc]
    """Numba's files of cached code, safe for processes that compile at the same time.

    Numba numbers the files, and two processes may give the same number to the code of two signatures: then each finds
    the other's code. Here a file is named after the signature that it is for.
    """

    def save(self, key: Any, data: Any) -> None:
        """Save code under a key: its signature, the processor, and the function."""
        signature = hashlib.sha256(repr(key[:2]).encode()).hexdigest()[:16]
        name = f"{self._index_name.removesuffix('.nbi')}.{signature}.nbc"
        files: Any = super()
        files._save_data(name, data)  # before the index tells of it
        files._save_index({**files._load_index(), key: name})


def compiled(function: Callable[..., Any], **settings: Any) -> Callable[..., Any]:
    """Compile `function` with Numba, cached on disk, without the interpreter's lock while it runs.

    Three things that Numba does not document are made to fit: what its cache takes for the function's source
    (`SOURCES`), how it names its files (`CacheFile`), and for which types it compiles (`_widened`). Tests show that
    each has its effect.
    """
    if JIT_DISABLED:
        return function
    dispatcher: Any = njit(**SETTINGS, **settings, cache=CACHED)(function)
    if CACHED:
        dispatcher._cache._cache_file._source_stamp = SOURCES
        dispatcher._cache._cache_file.__class__ = CacheFile
    resolve = dispatcher.get_call_template
    dispatcher.get_call_template = lambda args, kws: resolve([_widened(arg) for arg in args], kws)
    return dispatcher  # type: ignore[no-any-return]


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a small function that is to become part of whatever calls it: Numba by itself leaves most calls calls."""
    return compiled(function, forceinline=True)


def _widened(kind: Any) -> Any:
    """The type that an argument of a Numba type is compiled for: small and literal integers count as int64.

    Otherwise a rule is compiled anew for each constant and each width of integer it is called with: twice the time.
    """
    plain: Any = numba_types.unliteral(kind)  # type: ignore[no-untyped-call]
    return numba_types.int64 if plain in SMALL_INTEGERS else plain


def bind(template: Callable[..., Any], inline: bool = False, **names: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `template` with some of its global names bound to a game's own functions.

    What is the same for every game is written once, as a template. A closure would do the same, but Numba cannot cache
    closures over compiled functions: their key changes with every process. Here the bound functions' names are part of
    the name under which the code is cached.
    """
    unknown = names.keys() - template.__globals__.keys()
    if unknown:
        raise NameError(f"{template.__name__} has no {', '.join(sorted(unknown))} to bind")
    bound = types.FunctionType(template.__code__, {**template.__globals__, **names}, template.__name__)
    functions = repr([(name, names[name].__module__, names[name].__qualname__) for name in sorted(names)])
    key = hashlib.sha256(functions.encode()).hexdigest()[:12]
    bound.__module__, bound.__qualname__ = template.__module__, f"{template.__qualname__}_{key}"
    return inlined(bound) if inline else compiled(bound)


if JIT_DISABLED:

    def multiply(left: Any, right: Any) -> Any:
        """The product of two uint64, modulo 2**64 (NumPy would warn that its scalars overflow)."""
        return np.uint64((int(left) * int(right)) & 0xFFFF_FFFF_FFFF_FFFF)

else:

    @inlined
    def multiply(left: Any, right: Any) -> Any:  # type: ignore[misc]
        """The product of two uint64, modulo 2**64."""
        return left * right


@contextlib.contextmanager
def compiling(what: str) -> Iterator[None]:
    """Say on standard error that `what` is being made ready, if that takes longer than two seconds."""
    line = f"marriage_env: getting {what} ready (compiled once for this machine, loaded from then on) ..."
    timer = threading.Timer(2.0, lambda: print(line, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
