"""Where work is done: piece after piece in this process, or spread over a Ray cluster.

Both are asked in one way, and give the same outcomes: a piece must not depend on those before it.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import hashlib
import itertools
import logging
import os
import pickle
import platform
import socket
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol, TypeVar

from experiments.options import count
from marriage_env import MarriageError

Piece = TypeVar("Piece")
Outcome = TypeVar("Outcome")

ROOT = Path(__file__).parent.parent
INSTALL = 'pip install ".[ray]"'
CODE = ("marriage_env", "agents", "experiments")
LIBRARIES = ("numba", "numpy")
RETRIES = 10  # of a piece whose worker was lost
AHEAD = 2  # pieces for each processor: one is waiting there while another is done
CONNECT_SECONDS = 5.0
ADDRESSES = "allowed is auto, HOST:PORT or ray://HOST:PORT"


class Workers(Protocol):
    """Who does the work."""

    def as_done(self, work: Callable[[Piece], Outcome], pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Outcome]]:
        """Do the pieces, and give each with its outcome as soon as it is done, in any order.

        Args:
            work: does a piece.
            pieces: taken one by one, when there is somebody to do it: so what is next may follow from what is done.

        Raises what `work` raises.
        """
        ...


class Here:
    """Does one piece after the other, in this process."""

    def as_done(self, work: Callable[[Piece], Outcome], pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Outcome]]:
        """See `Workers.as_done`."""
        for piece in pieces:
            yield piece, work(piece)


class OnRay:
    """Spreads pieces over the processors that Ray has, and gives a piece whose worker was lost to another.

    Args:
        ray: the module, connected.
        most: how many pieces are given out at once; None for as many as the cluster can use.
    """

    def __init__(self, ray: Any, most: int | None = None) -> None:
        self._ray, self._most = ray, most
        self._do = ray.remote(num_cpus=1, max_retries=RETRIES)(do)

    def as_done(self, work: Callable[[Piece], Outcome], pieces: Iterable[Piece]) -> Iterator[tuple[Piece, Outcome]]:
        """See `Workers.as_done`. Work, pieces and outcomes are pickled; each worker unpacks the work once.

        Raises MarriageError for what cannot be pickled, for a piece that loses one worker after the other, and for a
        worker that cannot do what this process does.
        """
        sent = self._ray.put((packed(work), str(Path.cwd()), code_digest()))
        left = iter(pieces)
        under_way: dict[Any, Piece] = {}
        while True:
            for piece in itertools.islice(left, max(self._at_once() - len(under_way), 0)):
                under_way[self._do.remote(sent, piece)] = piece
            if not under_way:
                return
            (done, *_), _ = self._ray.wait(list(under_way))
            piece = under_way.pop(done)
            yield piece, self._outcome(done, piece)

    def _at_once(self) -> int:
        """How many pieces are given out at once, of a cluster that may grow and shrink."""
        return self._most or max(AHEAD * int(self._ray.cluster_resources().get("CPU", 1)), 1)

    def _outcome(self, done: Any, piece: object) -> Any:
        errors = self._ray.exceptions
        try:
            return self._ray.get(done)
        except errors.RayTaskError as error:
            if isinstance(error.cause, (MarriageError, OSError)):
                raise error.cause from None
            raise
        except errors.RayError as error:
            lost = f"{piece!s:.200}: lost, and given out again up to {RETRIES} times"
            raise MarriageError(f"{lost} ({str(error).partition(chr(10))[0]:.200})") from error


# In a worker


def do(sent: tuple[bytes, str, str], piece: Any) -> Any:
    """Do a piece of the work that was sent; a worker's only task."""
    try:
        return unpacked(*sent)(piece)
    except SystemExit as error:  # it would end the worker, and be taken for the loss of one
        raise MarriageError(str(error.code)) from error


@functools.lru_cache(maxsize=1)
def unpacked(work: bytes, folder: str, digest: str) -> Callable[[Any], Any]:
    """The work, unpacked once, so that agents' processes stay; MarriageError if this worker would not do the same."""
    here = f"the worker on {socket.gethostname()}"
    allowed = "allowed is the same checkout, at the same path, with the same libraries, on every machine"
    if code_digest() != digest:
        raise MarriageError(f"{here} has other code or libraries: {allowed}")
    try:
        os.chdir(folder)
        done: Callable[[Any], Any] = pickle.loads(work)
    except Exception as error:  # whatever an agent of somebody's own raises
        raise MarriageError(f"{here} cannot begin ({type(error).__name__}: {error!s:.200}): {allowed}") from error
    return done


# On both sides


def packed(work: Callable[[Any], Any]) -> bytes:
    """The work as bytes; MarriageError if it cannot be."""
    try:
        return pickle.dumps(work)
    except Exception as error:  # whatever an agent of somebody's own raises
        why = f"{type(error).__name__}: {error!s:.200}"
        raise MarriageError(f"--ray: allowed are agents that can be pickled, to be sent to workers ({why})") from error


@functools.cache
def code_digest() -> str:
    """Of all that decides what comes out: this project's code and models, Python, and the libraries that compute."""
    digest = hashlib.sha256()
    versions = {name: version(name) for name in LIBRARIES}
    digest.update(f"{platform.python_version_tuple()[:2]} {versions}".encode())
    for path in sorted(path for package in CODE for path in (ROOT / package).rglob("*") if is_code(path)):
        digest.update(f"{path.relative_to(ROOT)}\n".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def is_code(path: Path) -> bool:
    """Whether a file belongs to the project's code or models."""
    return path.suffix in (".py", ".safetensors") and path.is_file()


# The command line


def add_spread_options(parser: argparse.ArgumentParser) -> None:
    """Where the work is done."""
    group = parser.add_argument_group("where it is done")
    group.add_argument("--ray", action="store_true", help="spread it over processes, or machines, by Ray")
    group.add_argument("--address", metavar="ADDR", help=f"of a Ray cluster; {ADDRESSES} (default: this machine alone)")
    group.add_argument(
        "--workers", type=count, metavar="N", help="pieces of work done at once (default: as many as processors)"
    )


@contextlib.contextmanager
def workers_asked(options: argparse.Namespace) -> Iterator[Workers]:
    """Whom the command line asks for, until the end of what is within; MarriageError for what cannot be."""
    if not options.ray:
        for name in ("address", "workers"):
            if getattr(options, name) is not None:
                raise MarriageError(f"--{name} {getattr(options, name)!s:.100}: allowed with --ray alone")
        yield Here()
        return
    ray = imported()
    try:
        connect(ray, options.address, options.workers)
        yield OnRay(ray, options.workers if options.address else None)
    finally:
        ray.shutdown()


def imported() -> Any:
    """The module `ray`; MarriageError if it is not installed."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # it would warn of what is to change
    try:
        import ray
    except ImportError as error:
        raise MarriageError(f"--ray needs Ray ({error!s:.100}): allowed after {INSTALL}") from error
    return ray


def connect(ray: Any, address: str | None, workers: int | None) -> None:
    """Start Ray on this machine, or connect to a cluster; MarriageError if there is none."""
    quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    if address is None:
        ray.init(address="local", num_cpus=workers, include_dashboard=False, **quiet)
        return
    if address != "auto":
        knock(address)
    if address.startswith("ray://"):  # the process that speaks for this one there would not find this project
        quiet["runtime_env"] = {"env_vars": {"PYTHONPATH": str(ROOT)}}
    try:
        ray.init(address=address, **quiet)
    except (ConnectionError, ImportError, RuntimeError, ValueError) as error:
        raise MarriageError(f"--address {address}: {str(error).partition(chr(10))[0]:.200}; {ADDRESSES}") from error


def knock(address: str) -> None:
    """See whether anybody is at home, since Ray itself goes on trying for minutes; MarriageError if nobody is."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 2**16:
        raise MarriageError(f"--address {address:.100}: {ADDRESSES}")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except OSError as error:
        raise MarriageError(f"--address {address}: no answer ({error.strerror or error}); {ADDRESSES}") from error
