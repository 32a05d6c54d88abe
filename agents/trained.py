"""Players whose models come with the project, or lie in a file: they play with NumPy alone."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.models import ENDING, Card, Model, load_model, read_card
from agents.network import NetworkAgent
from marriage_env.agents import BatchAgent
from marriage_env.errors import AgentError, OptionError
from marriage_env.games import origin

#: The models that come with the project.
WEIGHTS = Path(__file__).parent / "weights"


class Start:
    """What every observation of a model's game under its rules begins with, and how long it is.

    Args:
        card: the model's.
    """

    def __init__(self, card: Card) -> None:
        layout = card.layout
        self.head, self.size = layout.blank[: len(layout.fields[0].labels)], layout.size

    def missed_by(self, vectors: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Which observations, bool (n,), begin otherwise: they are of another game or under other rules."""
        if vectors.ndim != 2 or vectors.shape[1] != self.size:
            return np.ones(len(vectors), np.bool_)
        different: NDArray[np.bool_] = (vectors[:, : len(self.head)] != self.head).any(1)
        return different


class TrainedAgent(NetworkAgent):
    """Plays by a model, the game and the rules on its card.

    Args:
        model: what `agents.models.load_model` has loaded.
        deterministic: whether it always plays its likeliest legal action, or draws one as in training.
        seed: of the draws; None for a new one.
    """

    def __init__(self, model: Model, *, deterministic: bool = True, seed: int | None = None) -> None:
        super().__init__(model.network, deterministic=deterministic, seed=seed)
        self.card = model.card
        self._start = Start(model.card)

    def choose(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
        """See `BatchAgent.choose`. AgentError for observations of another game or under other rules."""
        self.check(vectors)
        return super().choose(vectors, masks)

    def probabilities(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.float64]:
        """See `NetworkAgent.probabilities`; errors as for `choose`."""
        self.check(vectors)
        return super().probabilities(vectors, masks)

    def check(self, vectors: NDArray[np.float32]) -> None:
        """Raise AgentError if one of the observations, (n, size), is of another game or under other rules."""
        others = self._start.missed_by(vectors)
        if others.any():
            plays = f"this model plays {self.card.game} under {shown(self.card.rules)}"
            raise AgentError(f"{told_by(vectors[np.argmax(others)])}: {plays}")


class ShippedAgent(BatchAgent):
    """Plays every game and rules that a shipped model was trained for, as the observations say."""

    def choose(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
        """See `BatchAgent.choose`. All observations must be of one game under the same rules.

        AgentError if no model was trained for them; ModelError for a model that is damaged.
        """
        return self.player_of(vectors[0]).choose(vectors, masks)

    def probabilities(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.float64]:
        """See `NetworkAgent.probabilities`; errors as for `choose`."""
        return self.player_of(vectors[0]).probabilities(vectors, masks)

    def player_of(self, vector: NDArray[np.float32]) -> TrainedAgent:
        """The player of the model that was trained for what an observation is of; AgentError if none was."""
        for path, start in shipped_starts(WEIGHTS).items():
            if not start.missed_by(vector[None]).any():
                return shipped_agent(path)
        raise AgentError(f"{told_by(vector)}: no model was trained for it; there {listed()}")


def told_by(vector: NDArray[np.float32]) -> str:
    """The game and the rules of an observation, in words."""
    try:
        game, rules, _ = origin(vector)
    except OptionError as error:
        return str(error)
    return f"observations of {game.name} under {shown(vars(rules))}"


def shown(rules: dict[str, Any]) -> str:
    """Rule options in words."""
    return ", ".join(f"{name}={value}" for name, value in rules.items())


def listed() -> str:
    """The shipped models, in words."""
    cards = shipped_cards(WEIGHTS)
    return f"are {', '.join(path.stem for path in cards)}" if cards else "are none"


@functools.cache
def shipped_cards(folder: Path) -> dict[Path, Card]:
    """The models in a folder, in the order of their names, with their cards."""
    return {path: read_card(path)[0] for path in sorted(folder.glob(f"*{ENDING}"), key=lambda path: path.stem)}


@functools.cache
def shipped_starts(folder: Path) -> dict[Path, Start]:
    """The models in a folder, with what the observations that they play begin with."""
    return {path: Start(card) for path, card in shipped_cards(folder).items()}


@functools.cache
def shipped_agent(path: Path) -> TrainedAgent:
    """The player of a shipped model, loaded once in this process."""
    return TrainedAgent(load_model(path))


def load(path: str | None, seed: int | None = None) -> TrainedAgent:
    """The player of a model's file: ``make_agent("models/boxes-5.safetensors")``.

    Raises ModelError, an AgentError, if the file or its card is missing, damaged or no pair.
    """
    if path is None:
        raise AgentError("a model's agent needs its path, such as 'models/boxes-5.safetensors'")
    return TrainedAgent(load_model(path), seed=seed)


def make(argument: str | None = None, seed: int | None = None) -> BatchAgent:
    """The agent ``trained``, who plays by whichever shipped model fits; ``trained:boxes-5`` is that model's alone.

    Raises AgentError if there is no such model.
    """
    if argument is None:
        return ShippedAgent()
    for path in shipped_cards(WEIGHTS):
        if path.stem == argument:
            return TrainedAgent(load_model(path), seed=seed)
    raise AgentError(f"trained:{argument}: there is no such model; there {listed()}")
