"""What the parts of the strategy report share: at which tables it is measured, and means over occasions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.duplicate import CONFIDENCE_95, Estimate
from marriage_env.batch_engine import RULES
from marriage_env.tables import Tables


class Setting(NamedTuple):
    """A game and how many play it.

    Attributes:
        game: ``"boxes"`` or ``"saucers"``.
        players: at the table.
    """

    game: str
    players: int

    def __str__(self) -> str:
        return f"{self.game}, {self.players} players"

    @property
    def rules(self) -> dict[str, Any]:
        """The rule options."""
        return {"players": self.players}


def over_occasions(values: NDArray[np.float64], deals: NDArray[np.int64]) -> Estimate:
    """The mean of one value an occasion, of which a deal may have several.

    Args:
        values: (occasions,).
        deals: (occasions,), the number of the deal of each. Occasions of one deal may depend on each other, so that the
            interval is one over deals.
    """
    if not len(values):
        return Estimate(float("nan"), float("inf"))
    mean = float(values.mean())
    if len(np.unique(deals)) < 2:
        return Estimate(mean, float("inf"))
    sums = np.bincount(np.unique(deals, return_inverse=True)[1], values - mean)
    freedom = len(sums) / (len(sums) - 1)
    return Estimate(mean, CONFIDENCE_95 * float(np.sqrt((sums**2).sum() * freedom)) / len(values))


@dataclass(frozen=True)
class Share:
    """How often something was so, in percent, with its 95% confidence interval (Wilson's, good for few and for none).

    Attributes:
        percent: of all cases.
        low, high: the interval's ends.
    """

    percent: float
    low: float
    high: float

    @classmethod
    def of(cls, times: int, cases: int) -> Share:
        """So many times in so many cases, one at least."""
        share, square = times / cases, CONFIDENCE_95**2 / cases
        middle = (share + square / 2) / (1 + square)
        half = (share * (1 - share) * square + square**2 / 4) ** 0.5 / (1 + square)
        return cls(100 * share, 100 * max(middle - half, 0.0), 100 * min(middle + half, 1.0))

    def __str__(self) -> str:
        return f"{self.percent:.1f}% ({self.low:.1f} to {self.high:.1f})"


def advised(tables: Tables, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """What the rule-based player would do at each of `rows`."""
    actions = np.zeros(len(rows), np.int64)
    tables.choose("rules", rows, actions)
    return actions


def finish(tables: Tables, rows: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
    """Take an action at each of `rows`, and let rule-based players play on to the end."""
    tables.seating[rows] = RULES
    tables.advance(rows, actions)
