"""How long a training run goes on, and what it shows and saves meanwhile."""

from __future__ import annotations

import argparse
import contextlib
import signal
import time
from collections.abc import Callable, Iterator
from math import inf
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from stable_baselines3.common.callbacks import BaseCallback

from experiments.learner import check_learner

CHECKPOINT_SECONDS = 60.0


class BudgetSpent(Exception):  # noqa: N818  (no error)
    """Training has come to the end that was set for it."""


class Budget(BaseCallback):  # type: ignore[misc]
    """Ends training after the rollout in which its steps or seconds are used up; shows how far it is and how it goes.

    A rollout that was begun is finished and learned from; so it is after Ctrl-C or a polite kill. Between rollouts,
    `save` is called: every so many of them if the options say so, else every minute; and before the first.
    """

    def __init__(self, options: argparse.Namespace, save: Callable[[], None], console: Console) -> None:
        super().__init__()
        self.steps, self.seconds, self.save, self.console = options.steps or inf, options.seconds or inf, save, console
        self.every = options.checkpoint_every
        self.rollouts, self.stopped = 0, False
        self.bar = Progress(
            TextColumn("training"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[learned]:,} steps, chips per deal {task.fields[chips]}"),
            TimeElapsedColumn(),
            console=console,
        )

    @property
    def used(self) -> float:
        """The part of the steps or seconds that is used up."""
        return max(self.model.num_timesteps / self.steps, (time.monotonic() - self.begun) / self.seconds)

    def _on_training_start(self) -> None:
        self.begun = self.saved = time.monotonic()
        self.task = self.bar.add_task("", total=1.0, learned=0, chips="?")
        self.bar.start()

    def _on_rollout_start(self) -> None:
        learner: Any = self.model
        check_learner(learner)
        if self.stopped or self.used >= 1.0:
            raise BudgetSpent
        if self._is_due():
            self.save()
            self.saved = time.monotonic()
        self.rollouts += 1

    def _is_due(self) -> bool:
        if self.every and self.rollouts:
            return bool(self.rollouts % self.every == 0)
        return self.rollouts == 0 or time.monotonic() - self.saved > CHECKPOINT_SECONDS

    def _on_step(self) -> bool:
        recent = [episode["r"] for episode in self.model.ep_info_buffer or []]
        chips = f"{sum(recent) / len(recent):+.1f}" if recent else "?"
        self.bar.update(self.task, completed=min(self.used, 1.0), learned=self.model.num_timesteps, chips=chips)
        return True

    @contextlib.contextmanager
    def stopped_by_signals(self) -> Iterator[None]:
        """Let Ctrl-C and a polite kill end training after this rollout; a second Ctrl-C stops at once, unsaved."""
        before = {number: signal.signal(number, self._stop) for number in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            self.bar.stop()
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self, number: int, frame: Any) -> None:
        signal.signal(number, signal.default_int_handler)
        self.stopped = True
        self.console.print("stopped by Ctrl-C; saving when this rollout is learned from (again: stops at once)")
