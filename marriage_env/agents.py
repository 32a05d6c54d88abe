"""Agents: whoever chooses actions from observations; the house players, and the registry that knows them all."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from marriage_env.errors import AgentError, IllegalChoiceError, OptionError
from marriage_env.fields import Layout
from marriage_env.game import Game
from marriage_env.games import origin
from marriage_env.observation import HALF, PHASE_AT
from marriage_env.options import whole
from marriage_env.record_arrays import copy_records
from marriage_env.table import ACTIONS, DECLARE, OVER

#: Where installed packages announce agents by name, and agents by the ending of the file they are loaded from ("zip").
NAMES_GROUP = "marriage_env.agents"
FILES_GROUP = "marriage_env.agent_files"

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
        """Choose an action: see `Agent.act`.

        Raises AgentError for a mask that is missing, does not fit or allows nothing, IllegalChoiceError, which is one,
        for a choice it forbids.
        """
        if isinstance(observation, Mapping):
            action_mask = observation.get("action_mask")
            observation = observation.get("observation")
        if action_mask is None:
            raise AgentError("act needs the action mask: a dict observation, or action_mask=info['action_mask']")
        try:
            vectors, masks = np.asarray(observation, np.float32), np.asarray(action_mask)
        except (TypeError, ValueError) as error:
            raise AgentError(f"act needs arrays, not {observation!r:.50} and {action_mask!r:.50}") from error
        single = masks.ndim == 1
        if single:
            vectors, masks = vectors[None], masks[None]
        if masks.ndim != 2 or len(masks) != len(vectors):
            raise AgentError(f"masks of shape {masks.shape} for observations of shape {vectors.shape}: one for each")
        if not masks.any(1).all():
            raise AgentError("an observation without a legal action: only who is to act can choose")
        actions = np.asarray(self.choose(vectors, masks) if len(masks) else (), np.int64)
        if actions.shape != (len(masks),):
            raise AgentError(
                f"{type(self).__name__} chose actions of shape {actions.shape}: allowed is {(len(masks),)}"
            )
        possible = (actions >= 0) & (actions < masks.shape[1])
        if not (possible & (masks[np.arange(len(masks)), actions * possible] != 0)).all():
            raise IllegalChoiceError(f"{type(self).__name__} chose an action that the mask does not allow")
        return int(actions[0]) if single else actions

    def seed(self, seed: int) -> None:
        """See `Agent.seed`."""


class RandomAgent(BatchAgent):
    """Any legal action, each equally likely."""

    def __init__(self, seed: int | None = None) -> None:
        self._random = np.random.default_rng(seed)

    def choose(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
        """See `BatchAgent.choose`."""
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
        game, rules, layout = origin_of_all(vectors, masks, "rules")
        actions = np.asarray(masks.argmax(1), np.int64)  # where the match is over, any that is allowed
        under_way = np.flatnonzero(~match_is_over(vectors, layout))
        if rules not in self._scratch:
            self._scratch[rules] = game.new_tables(1, rules)
            game.warm_up_player()
        scratch = copy_records(self._scratch[rules])  # other threads may be choosing, too
        advised = np.zeros(len(under_way), np.int64)
        game.advise(scratch, layout.at, np.ascontiguousarray(vectors[under_way], np.float32), advised)
        if (advised < 0).any():
            raise AgentError("an observation in which its seat is not to act, or that nobody can have seen")
        actions[under_way] = advised
        return actions


def match_is_over(vectors: NDArray[np.float32], layout: Layout) -> NDArray[np.bool_]:
    """Of each observation of a batch, (n, size), whether its match is over and nothing else: bool (n,).

    A vector of environments may ask for an action even then, and not look at it: any will do that the mask allows.
    """
    phases = vectors[:, layout.at[PHASE_AT] : layout.at[PHASE_AT + 1]]
    only_over = np.arange(phases.shape[1]) == OVER - DECLARE
    over: NDArray[np.bool_] = ((phases > HALF) == only_over).all(1)
    return over


def origin_of_all(vectors: NDArray[Any], masks: NDArray[Any], agent: str) -> tuple[Game, Any, Layout]:
    """The game, the rules and the layout of a batch of observations, as `origin`; AgentError if they are not of one."""
    if masks.shape[1] != ACTIONS:
        raise AgentError(f"masks of shape {masks.shape}: {agent} plays games with masks of {ACTIONS} entries")
    try:
        game, rules, layout = origin(vectors[0])
    except OptionError as error:
        raise AgentError(f"{agent} plays the games of marriage_env alone: {error}") from error
    if not ((vectors >= 0.0) & (vectors <= 1.0)).all():
        raise AgentError(f"observations with numbers outside [0, 1]: {agent} plays what a game has written")
    head = len(layout.fields[0].labels)
    if (vectors[:, :head] != vectors[0, :head]).any():
        raise AgentError(f"a batch of observations under different rules: {agent} plays one set of rules at a time")
    return game, rules, layout


HOUSE_PLAYERS: dict[str, Factory] = {
    "random": lambda _, seed: RandomAgent(seed),
    "rules": lambda _, seed: RulesAgent(),
}


def announced(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group, by name."""
    return {entry.name: entry for entry in entry_points(group=group)}


def agent_names() -> list[str]:
    """The names `make_agent` knows: the house players, then what installed packages announce."""
    return [*HOUSE_PLAYERS, *sorted(announced(NAMES_GROUP))]


def allowed_agents() -> str:
    """What `make_agent` takes, in words."""
    endings = sorted(announced(FILES_GROUP))
    files = [f"the path of a model (.{', .'.join(endings)})"] if endings else []
    return ", ".join([*agent_names(), *files])


def make_agent(name: str, *, seed: int | None = None) -> Agent:
    """Make an agent by its name.

    Args:
        name: a house player (``"random"``, ``"rules"``); the name of an agent that an installed package announces in
            the entry-point group ``marriage_env.agents``, with an argument after a colon if it takes one
            (``"search:2000"``); or the path of a file whose ending a package announces in the group
            ``marriage_env.agent_files`` (``"runs/boxes/model.zip"``).
        seed: of the agent's own random choices, from 0 to 2**64 - 1; None for a new one each time.

    Raises:
        AgentError: no such agent, no such file, it cannot be loaded, or the seed cannot be.
    """
    if not isinstance(name, str):
        raise AgentError(f"agent {name!r}: allowed are {allowed_agents()}")
    if seed is not None:
        try:
            seed = whole("seed", seed, 0, 2**64 - 1)
        except OptionError as error:
            raise AgentError(f"agent {name!r}: {error}, or None") from error
    kind, _, argument = name.partition(":")
    ending = Path(name).suffix[1:]
    if name in HOUSE_PLAYERS:
        return HOUSE_PLAYERS[name](None, seed)
    if kind in announced(NAMES_GROUP):
        return load_factory(name, announced(NAMES_GROUP)[kind])(argument or None, seed)
    if ending not in announced(FILES_GROUP):
        raise AgentError(f"agent {name!r} is not known: allowed are {allowed_agents()}")
    if not os.path.isfile(name):  # noqa: PTH113  (pathlib raises for a name that is too long)
        raise AgentError(f"agent {name!r}: there is no such file")
    return load_factory(name, announced(FILES_GROUP)[ending])(name, seed)


def as_agent(agent: Agent | str) -> Agent:
    """An agent, by its name or itself; AgentError for anything else."""
    if isinstance(agent, str):
        return make_agent(agent)
    if not isinstance(agent, Agent) or isinstance(agent, type):
        raise AgentError(f"agent {agent!r}: allowed is a name, or an object with the methods act and seed")
    return agent


def as_agents(option: str, agents: Sequence[Agent | str] | Agent | str) -> list[Agent]:
    """One agent or several, by names or themselves; AgentError or OptionError for anything else."""
    several = [agents] if isinstance(agents, str) or not isinstance(agents, Sequence) else agents
    if not several:
        raise OptionError(f"{option}=[]: allowed is one agent, or some")
    return [as_agent(agent) for agent in several]


def label_of(agent: Agent) -> str:
    """What an agent is called in records: a house player by its name, any other by its class's."""
    return {RandomAgent: "random", RulesAgent: "rules"}.get(type(agent), type(agent).__name__)


def seed_agents(agents: Sequence[Agent], seed: int) -> None:
    """Seed each agent, in order, from `seed`: not with seed + 1, ..., which may be a neighbouring table's."""
    for agent, own in zip(agents, np.random.SeedSequence([seed, 1]).generate_state(len(agents)), strict=True):
        agent.seed(int(own))


def load_factory(name: str, entry: EntryPoint) -> Factory:
    """What an installed package makes an agent with; AgentError if it cannot be imported."""
    try:
        factory: Factory = entry.load()
    except (ImportError, AttributeError) as error:
        raise AgentError(f"agent {name!r} is announced but cannot be loaded: {error}") from error
    return factory
