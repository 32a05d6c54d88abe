"""Work on many tables shared out over threads."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

LEAST_TABLES = 2048  # for each thread: to wake one takes about as long as a step at so many


class ThreadTeam:
    """So many threads, the caller's own among them; the others are started when first needed."""

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self._others: ThreadPoolExecutor | None = None
        self._process = 0

    def run(
        self,
        work: Callable[..., Any],
        common: tuple[Any, ...],
        of_tables: tuple[Any, ...],
        own: Sequence[Any],
        lightness: int = 1,
    ) -> list[Any]:
        """Call `work(*common, *of_tables, *own[k])` for the k-th part of the tables, side by side; the results.

        Args:
            work: compiled code that lets go of the interpreter's lock, and does nothing that another part feels.
            common: what all parts are given.
            of_tables: arrays with a row for each table, of which a part is given its own; or None, as it is.
            own: for each thread, what it alone is given.
            lightness: how many times as many tables make up the work of a step.
        """
        tables = len(of_tables[0])
        workers = min(self.threads, tables // (LEAST_TABLES * lightness))
        if workers < 2:
            return [work(*common, *of_tables, *own[0])]
        if self._others is None or self._process != os.getpid():  # threads do not live on in a forked process
            self._others, self._process = ThreadPoolExecutor(self.threads - 1, "marriage_env"), os.getpid()
        borders = [tables * worker // workers for worker in range(workers + 1)]
        parts = [
            tuple(None if array is None else array[start:end] for array in of_tables)
            for start, end in itertools.pairwise(borders)
        ]
        try:
            jobs = [self._others.submit(work, *common, *parts[worker], *own[worker]) for worker in range(1, workers)]
            first = work(*common, *parts[0], *own[0])
            return [first, *[job.result() for job in jobs]]
        except BaseException:
            self._end_others()
            raise

    def _end_others(self) -> None:
        """Wait, even through Ctrl-C, until no thread is at work: nobody may touch the tables while one still is."""
        others = self._others
        while others is not None:
            try:
                others.shutdown(cancel_futures=True)
                self._others = others = None
            except KeyboardInterrupt:  # one is on its way already
                continue
