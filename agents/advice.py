"""What the rule-based player would do, as a part of what a network sees: it learns when to do otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.agents import RulesAgent
from marriage_env.errors import AgentError
from marriage_env.table import ACTIONS


def with_advice(vectors: NDArray[np.float32], advice: NDArray[np.int64]) -> NDArray[np.float32]:
    """Observation vectors, (n, size), each followed by 61 numbers: 1 for the action advised, (n,), 0 for the others."""
    seen = np.zeros((len(vectors), vectors.shape[1] + ACTIONS), np.float32)
    seen[:, : vectors.shape[1]] = vectors
    seen[np.arange(len(vectors)), vectors.shape[1] + advice] = 1.0
    return seen


class Adviser:
    """Asks the rule-based player, for networks that take his advice."""

    def __init__(self) -> None:
        self._rules = RulesAgent()

    def inputs(self, vectors: NDArray[np.float32], masks: NDArray[Any], wanted: int) -> NDArray[np.float32]:
        """Observation vectors as a network takes them that wants so many numbers: with advice, if it wants 61 more."""
        if wanted != vectors.shape[1] + ACTIONS:
            return vectors
        advice = self._rules.choose(vectors, masks)
        if not masks[np.arange(len(advice)), advice].all():
            raise AgentError("an observation and a mask that do not agree: what rules would do is not allowed")
        return with_advice(vectors, advice)
