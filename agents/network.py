"""The network of a player, without the library that trained it, and the ways to choose by it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.advice import Adviser
from marriage_env.agents import BatchAgent
from marriage_env.compiled import compiled
from marriage_env.errors import AgentError
from marriage_env.table import ACTIONS


@compiled
def affine(values: Any, weights: Any, bias: Any, out: Any) -> None:
    """Write the bias and ``values @ weights`` into `out`, (n, outputs); all are float32, `weights` (inputs, outputs).

    Not NumPy's product: observations are mostly zeros, which this passes over, and it never waits for threads, on which
    NumPy's depends. And a row comes out the same to the last bit, alone or in any batch.
    """
    for row in range(len(values)):
        for place in range(len(bias)):
            out[row, place] = bias[place]
        for index in range(values.shape[1]):
            value = values[row, index]
            if value != 0:
                for place in range(len(bias)):
                    out[row, place] += value * weights[index, place]


class Network:
    """A multilayer perceptron with tanh between its layers: what MaskablePPO's MlpPolicy chooses actions by.

    Args:
        layers: for each layer its weights, (outputs, inputs), and its bias, (outputs,); the last gives the actions'
            logits.
    """

    def __init__(self, layers: Sequence[tuple[NDArray[Any], NDArray[Any]]]) -> None:
        self.layers = [(np.asarray(weight, np.float32), np.asarray(bias, np.float32)) for weight, bias in layers]
        self._turned = [np.ascontiguousarray(weight.T) for weight, _ in self.layers]

    @property
    def hidden(self) -> list[int]:
        """The sizes of the hidden layers."""
        return [len(bias) for _, bias in self.layers[:-1]]

    @property
    def inputs(self) -> int:
        """How many numbers it takes."""
        return int(self.layers[0][0].shape[1])

    def logits(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Float32 of shape (n, actions), for n vectors, (n, inputs)."""
        values = np.ascontiguousarray(vectors, np.float32)
        for number, ((_, bias), weights) in enumerate(zip(self.layers, self._turned, strict=True)):
            inputs = np.tanh(values, out=values) if number else values
            values = np.empty((len(vectors), len(bias)), np.float32)
            affine(inputs, weights, bias, values)
        return values


class NetworkAgent(BatchAgent):
    """Plays by a network. It pickles whole, with the state of its own random choices.

    Args:
        network: over observation vectors of the game and rules that it is asked to play, with advice if it takes that
            (`agents.advice`).
        deterministic: whether it always plays its likeliest legal action, or draws one as in training.
        seed: of the draws; None for a new one.
    """

    def __init__(self, network: Network, *, deterministic: bool = True, seed: int | None = None) -> None:
        self.network = network
        self.deterministic = deterministic
        self._adviser = Adviser()
        self._random = np.random.default_rng(seed)

    def choose(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
        """See `BatchAgent.choose`."""
        logits = self._allowed_logits(vectors, masks)
        if self.deterministic:
            return np.asarray(logits.argmax(1), np.int64)
        return drawn(likelihoods(logits), masks.astype(np.bool_), self._random)

    def probabilities(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.float64]:
        """How likely each action is by the network, float64 (n, actions); rows sum to 1. Arguments as for `choose`."""
        chances = likelihoods(self._allowed_logits(vectors, masks))
        shares: NDArray[np.float64] = chances / chances.sum(1, keepdims=True)
        return shares

    def _allowed_logits(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.float32]:
        """The network's logits, (n, actions), minus infinity where the mask forbids."""
        if masks.shape[1] != ACTIONS:
            raise AgentError(f"masks of shape {masks.shape}: allowed are masks of {ACTIONS} entries")
        inputs = self._adviser.inputs(vectors, masks, self.network.inputs)
        return np.where(masks.astype(np.bool_), self.network.logits(inputs), np.float32(-np.inf))

    def seed(self, seed: int) -> None:
        """See `Agent.seed`."""
        self._random = np.random.default_rng(seed)


def likelihoods(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    """How likely each action is, (n, actions), as a multiple of the likeliest."""
    multiples: NDArray[np.float64] = np.exp(logits - logits.max(1, keepdims=True), dtype=np.float64)
    return multiples


def drawn(chances: NDArray[np.float64], allowed: NDArray[np.bool_], random: np.random.Generator) -> NDArray[np.int64]:
    """One allowed action a row, int64 (n,), by chances of shape (n, actions) that need not sum to 1."""
    sums = chances.cumsum(1)
    lots = random.random((len(sums), 1)) * sums[:, -1:]
    actions = np.minimum((sums <= lots).sum(1), sums.shape[1] - 1)
    # rounding can lead past the last action that has a chance
    chosen: NDArray[np.int64] = np.where(allowed[np.arange(len(actions)), actions], actions, chances.argmax(1))
    return chosen
