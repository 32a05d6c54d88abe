"""Agents: whoever chooses actions from observations; the house players, and the registry that knows them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from marriage_env.errors import AgentError
from marriage_env.games import origin

#: Where installed packages announce agents: a name, or the ending of a file ("zip"), and a factory.
ENTRY_POINTS = "marriage_env.agents"

#: What makes an agent: from the text after the colon of its name, or the file's path, or None; and a seed or None.
Factory = Callable[[str | None, int | None], "Agent"]


@runtime_checkable
class Agent(Protocol):
    """Whoever plays: `act`, on one observation or a batch of them; and `seed`, so that his play can be repeated."""

    def act(self, observation: Any, action_mask: Any = None) -> Any:
        """Choose an action.

        Args:
            observation: what the environment gave: a dict of ``observation`` and ``action_mask``, or the vector alone,
                float32 of shape (size,); or a batch of vectors, (n, size).
            action_mask: int8 or bool of shape (61,) or (n, 61); not needed beside a dict.

        Returns:
            A legal action, an int 0..60; for a batch an int64 array of shape (n,).
        """
        ...

    def seed(self, seed: int) -> None:
        """Draw the agent's own random choices from `seed` on; nothing to do for one that makes none."""
        ...


class BatchAgent:
    """An agent that chooses for batches; `act` fits everything else to that. Subclasses write `choose`."""

    def choose(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
        """Actions, int64 of shape (n,), for n observation vectors, (n, size), with their masks, (n, 61)."""
        raise AgentError(f"{type(self).__name__} does not say how it chooses: a BatchAgent needs a method `choose`")

    def act(self, observation: Any, action_mask: Any = None) -> Any:
        """Choose an action: see `Agent.act`."""
        if isinstance(observation, Mapping):
            action_mask = observation["action_mask"]
            observation = observation["observation"]
        if action_mask is None:
            raise AgentError("act needs the action mask: a dict observation, or action_mask=info['action_mask']")
        vectors, masks = np.asarray(observation, np.float32), np.asarray(action_mask)
        if masks.ndim == 1:
            return int(self.choose(vectors[None], masks[None])[0])
        return self.choose(vectors, masks)

    def seed(self, seed: int) -> None:
        """See `Agent.seed`."""


class RandomAgent(BatchAgent):
    """Any legal action, each equally likely."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = np.random.default_rng(seed)

    def choose(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
        """See `BatchAgent.choose`."""
        if not masks.any(1).all():
            raise AgentError("an observation without a legal action: only who is to act can choose")
        lots = np.where(masks, self._random.random(masks.shape), -1.0)
        return np.asarray(lots.argmax(1), np.int64)

    def seed(self, seed: int) -> None:
        """See `Agent.seed`."""
        self._random = np.random.default_rng(seed)


class RulesAgent(BatchAgent):
    """The rule-based player of whatever game the observations are of: see each game's `scripted.py`."""

    def __init__(self) -> None:
        self._scratch: dict[Any, NDArray[Any]] = {}  # a table to think at, for each set of rules met

    def choose(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
        """See `BatchAgent.choose`. All observations must be of one game under the same rules."""
        if not masks.any(1).all():
            raise AgentError("an observation without a legal action: only who is to act can choose")
        game, rules, layout = origin(vectors[0])
        actions = np.zeros(len(vectors), np.int64)
        if rules not in self._scratch:
            self._scratch[rules] = game.new_tables(1, rules)
        game.advise(self._scratch[rules], layout.at, np.ascontiguousarray(vectors), actions)
        return actions


HOUSE_PLAYERS: dict[str, Factory] = {
    "random": lambda _, seed: RandomAgent(seed),
    "rules": lambda _, seed: RulesAgent(),
}


def agent_names() -> list[str]:
    """The names `make_agent` knows: the house players, then what installed packages announce."""
    return [*HOUSE_PLAYERS, *sorted(entry.name for entry in entry_points(group=ENTRY_POINTS))]


def make_agent(name: str, *, seed: int | None = None) -> Agent:
    """Make an agent by its name.

    Args:
        name: a house player (``"random"``, ``"rules"``); the name of an agent that an installed package announces in
            the entry-point group ``marriage_env.agents``, with an argument after a colon if it takes one
            (``"search:2000"``); or the path of a file whose ending a package announces (``"runs/boxes/model.zip"``).
        seed: of the agent's own random choices; None for a new one each time.

    Raises:
        AgentError: no such agent, no such file, or it cannot be loaded.
    """
    if not isinstance(name, str):
        raise AgentError(f"agent {name!r}: allowed is a name: {', '.join(agent_names())}, or the path of a model")
    path = Path(name)
    if name in HOUSE_PLAYERS:
        return HOUSE_PLAYERS[name](None, seed)
    kind, _, argument = name.partition(":")
    announced = {entry.name: entry for entry in entry_points(group=ENTRY_POINTS)}
    if kind in announced:
        key, argument_or_path = kind, argument or None
    elif path.suffix[1:] in announced:
        key, argument_or_path = path.suffix[1:], name
        if not path.is_file():
            raise AgentError(f"agent {name!r}: there is no such file")
    else:
        raise AgentError(f"agent {name!r} is not known: allowed are {', '.join(agent_names())}, or the path of a model")
    try:
        factory: Factory = announced[key].load()
    except ImportError as error:
        raise AgentError(f"agent {name!r} is announced but cannot be loaded: {error}") from error
    return factory(argument_or_path, seed)
