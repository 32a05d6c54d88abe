"""The network of a player, in NumPy alone, and the ways to choose by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.agents import BatchAgent

#: Rows that go through the network at once: what they become on the way stays in the processor's cache.
CHUNK = 512


class Network:
    """A multilayer perceptron with tanh between its layers: what MaskablePPO's MlpPolicy chooses actions by.

    Args:
        layers: for each layer its weights, (outputs, inputs), and its bias, (outputs,); the last gives the actions'
            logits.
    """

    def __init__(self, layers: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> None:
        self.layers = [(np.asarray(weight, np.float32), np.asarray(bias, np.float32)) for weight, bias in layers]

    @property
    def hidden(self) -> list[int]:
        """The sizes of the hidden layers."""
        return [len(bias) for _, bias in self.layers[:-1]]

    def logits(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Float32 of shape (n, actions), for n observation vectors, (n, size)."""
        out = np.empty((len(vectors), len(self.layers[-1][1])), np.float32)
        for start in range(0, len(vectors), CHUNK):
            self._forward(vectors[start : start + CHUNK], out[start : start + CHUNK])
        return out

    def _forward(self, values: NDArray[np.float32], out: NDArray[np.float32]) -> None:
        for weight, bias in self.layers[:-1]:
            values = values @ weight.T
            values += bias
            np.tanh(values, out=values)
        weight, bias = self.layers[-1]
        np.matmul(values, weight.T, out=out)
        out += bias


class NetworkAgent(BatchAgent):
    """Plays by a network. It pickles whole, with the state of its own random choices.

    Args:
        network: over observation vectors of the game and rules that it is asked to play.
        deterministic: whether it always plays its likeliest legal action, or draws one as in training.
        seed: of the draws; None for a new one.
    """

    def __init__(self, network: Network, *, deterministic: bool = True, seed: int | None = None) -> None:
        self.network = network
        self.deterministic = deterministic
        self._random = np.random.default_rng(seed)

    def choose(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
        """See `BatchAgent.choose`."""
        allowed = masks.astype(np.bool_)
        logits = np.where(allowed, self.network.logits(vectors), -np.inf)
        if self.deterministic:
            return np.asarray(logits.argmax(1), np.int64)
        return drawn(np.exp(logits - logits.max(1, keepdims=True), dtype=np.float64), allowed, self._random)

    def seed(self, seed: int) -> None:
        """See `Agent.seed`."""
        self._random = np.random.default_rng(seed)


def drawn(chances: NDArray[np.float64], allowed: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.int64]:
    """One allowed action a row, int64 (n,), by chances of shape (n, actions) that need not sum to 1."""
    sums = chances.cumsum(1)
    lots = random.random((len(sums), 1)) * sums[:, -1:]
    actions = np.minimum((sums <= lots).sum(1), sums.shape[1] - 1)
    # rounding can lead past the last action that has a chance
    chosen: NDArray[np.int64] = np.where(allowed[np.arange(len(actions)), actions], actions, chances.argmax(1))
    return chosen
