"""Where work is done: piece after piece in this process, or spread over a Ray cluster.

Both are asked in one way, and give the same outcomes: a piece must not depend on those before it.
"""

from __future__ import annotations

import argparse
import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol, TypeVar

from experiments.options import count
from experiments.ray_cluster import ADDRESSES, connected
from experiments.ray_workers import RayWorkers
from marriage_env import MarriageError

Piece = TypeVar("Piece")
Outcome = TypeVar("Outcome")


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
    if options.ray:
        with connected(options.address, options.workers) as ray:
            yield RayWorkers(ray, options.workers if options.address else None)
    else:
        for name in ("address", "workers"):
            if getattr(options, name) is not None:
                raise MarriageError(f"--{name} {getattr(options, name)!s:.100}: allowed with --ray alone")
        yield Here()
