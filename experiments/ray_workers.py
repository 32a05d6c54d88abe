"""Work spread over the processors that Ray has: what is sent to workers, how they do it, and what if they are lost."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import os
import pickle
import socket
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from experiments.code_digest import code_digest
from experiments.ray_cluster import why
from marriage_env import Agent, MarriageError

Piece = TypeVar("Piece")
Outcome = TypeVar("Outcome")

RETRIES = 10  # of a piece whose worker was lost
AHEAD = 2  # pieces for each processor: one is waiting there while another is done


class RayWorkers:
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
            lost = f"{piece!s:.200}: its worker was lost, {RETRIES + 1} times over ({why(error)})"
            allowed = (
                "allowed is what a worker has memory for: give --workers a smaller number, and the command goes on"
            )
            raise MarriageError(f"{lost}: {allowed}") from error


def packed(work: Callable[[Any], Any]) -> bytes:
    """The work as bytes; MarriageError if it cannot be."""
    try:
        return pickle.dumps(work)
    except Exception as error:  # whatever an agent of somebody's own raises
        found = culprit(work)
        allowed = "are agents that" if isinstance(found, Agent) else "is what"
        told = f"--ray: {type(found).__name__} cannot be pickled, to be sent to workers ({why(error)})"
        raise MarriageError(f"{told}: allowed {allowed} can be, or to do without --ray") from error


def culprit(thing: object) -> object:
    """The innermost part of something that cannot be pickled, which cannot be either."""
    return next((culprit(part) for part in parts_of(thing) if not can_be_pickled(part)), thing)


def parts_of(thing: object) -> list[object]:
    """What something is made of: a function that has arguments already, a dataclass, a mapping, a sequence."""
    if isinstance(thing, functools.partial):
        return [thing.func, *thing.args]
    if dataclasses.is_dataclass(thing):
        return list(vars(thing).values())
    if isinstance(thing, Mapping):
        return list(thing.values())
    return list(thing) if isinstance(thing, (list, tuple)) else []


def can_be_pickled(thing: object) -> bool:
    """Whether it can be sent."""
    try:
        pickle.dumps(thing)
    except Exception:  # whatever an agent of somebody's own raises
        return False
    return True


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
    allowed = "allowed is the same checkout, at the same path, with the same Python and libraries, on every machine"
    if code_digest() != digest:
        raise MarriageError(f"{here} has other code or libraries: {allowed}")
    try:
        os.chdir(folder)
        done: Callable[[Any], Any] = pickle.loads(work)
    except Exception as error:  # whatever an agent of somebody's own raises
        raise MarriageError(f"{here} cannot begin ({type(error).__name__}: {error!s:.200}): {allowed}") from error
    return done
