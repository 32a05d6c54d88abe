"""Who sees to it that a match goes on, whatever the agents do."""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.external import ExternalAgent
from agents.line_process import printable
from experiments.time_limit import within
from marriage_env.agents import Agent, RandomAgent
from marriage_env.batch_agents import answers
from marriage_env.errors import AgentTimeoutError, IllegalActionError, MarriageError
from marriage_env.tables import Tables

#: Why a match is forfeited: the agent failed, took too long, chose what is not legal, or took too long too often.
KINDS = ERROR, TIMEOUT, ILLEGAL, UNASKED = "error", "timeout", "illegal", "unasked"
PATIENCE = 3  # timeouts in a block of deals, after which an agent is not asked again there
BLOCKS = 3  # in which an agent has used up that patience, after which it is not asked again in the tournament
AT_ONCE = 64  # decisions asked for in one call: a call is given the time of one of them
NONE = -1  # no action


@dataclass
class Conduct:
    """How an agent behaved.

    Attributes:
        decisions: that it has made.
        seconds: that they took.
        forfeits: how many matches it has forfeited, for each of `KINDS`.
        first: what was first said of each kind.
    """

    decisions: int = 0
    seconds: float = 0.0
    forfeits: dict[str, int] = field(default_factory=lambda: dict.fromkeys(KINDS, 0))
    first: dict[str, str] = field(default_factory=dict)

    @property
    def out_of_patience(self) -> bool:
        """Whether, this being the conduct in one block of deals, the agent is not asked again in it."""
        return self.forfeits[TIMEOUT] >= PATIENCE

    @property
    def was_asked(self) -> bool:
        """Whether the agent was asked for a decision at all."""
        return self.decisions > 0 or any(self.forfeits[kind] for kind in KINDS if kind != UNASKED)

    @property
    def was_left_out(self) -> bool:
        """Whether, this being the conduct in one block of deals, the agent was not asked from its beginning on."""
        return self.forfeits[UNASKED] > 0 and not self.was_asked

    @property
    def seconds_each(self) -> float:
        """Seconds per decision; no number if there was none."""
        return self.seconds / self.decisions if self.decisions else float("nan")

    def note(self, kind: str, said: str) -> None:
        """One match more is forfeited."""
        self.forfeits[kind] += 1
        self.first.setdefault(kind, said)

    def add(self, other: Conduct) -> None:
        """Add up: what came later."""
        self.decisions += other.decisions
        self.seconds += other.seconds
        self.forfeits = {kind: self.forfeits[kind] + other.forfeits[kind] for kind in KINDS}
        self.first = {**other.first, **self.first}


class Referee:
    """Asks agents for their decisions at the tables of one call of `play_lineups`.

    Whoever fails forfeits the match at that table: from then on, a random player is in his seat.

    Args:
        agents: who is asked.
        shape: how many tables and seats there are; all tables are played side by side.
        seconds: that an agent is given for a decision.
        seed: of the random player.
        unasked: places in `agents` of those that are not asked: they forfeit all their matches.

    Attributes:
        conduct: of each of `agents`.
        forfeited: bool (tables, seats), who has forfeited which match.
    """

    def __init__(
        self, agents: Sequence[Agent], shape: tuple[int, int], seconds: float, seed: int, unasked: Collection[int] = ()
    ) -> None:
        self.seconds = seconds
        self.conduct = [Conduct() for _ in agents]
        self.forfeited = np.zeros(shape, np.bool_)
        self._conduct_of = {id(agent): conduct for agent, conduct in zip(agents, self.conduct, strict=True)}
        self._unasked = {id(agents[place]) for place in unasked}
        self._slow: set[int] = set()  # who took too long for several decisions at once, and is asked one by one
        self._substitute = RandomAgent(seed)

    def ask(self, tables: Tables, agent: Agent, turns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Legal actions at the tables where it is the agent's turn: his own, or his substitute's."""
        seats = tables.buffers.actors[turns]
        actions = np.full(len(turns), NONE)
        playing = np.flatnonzero(~self.forfeited[turns, seats])
        for first in range(0, len(playing), AT_ONCE):
            asked = playing[first : first + AT_ONCE]
            actions[asked] = self._decisions(tables, agent, turns[asked])
        absent = actions == NONE
        self.forfeited[turns[absent], seats[absent]] = True
        actions[absent] = self._substitute.choose(tables.vectors(turns[absent]), tables.buffers.masks[turns[absent]])
        return actions

    def _decisions(self, tables: Tables, agent: Agent, turns: NDArray[np.int64]) -> NDArray[np.int64]:
        """An action for each table, or `NONE` where the agent has failed."""
        if len(turns) > 1 and self._asked_at_once(agent):
            try:
                return self._timed(tables, agent, turns)
            except (Exception, SystemExit) as error:  # asked one by one, it will show where
                if kind_of(error) == TIMEOUT:
                    self._slow.add(id(agent))
        return np.array([self._decision(tables, agent, turns[place : place + 1]) for place in range(len(turns))])

    def _asked_at_once(self, agent: Agent) -> bool:
        """Whether an agent is asked for several decisions in one call."""
        return not (isinstance(agent, ExternalAgent) or id(agent) in self._slow or self._why_unasked(agent))

    def _why_unasked(self, agent: Agent) -> str:
        """Why an agent is not asked; empty if it is."""
        if id(agent) in self._unasked:
            return f"not asked again in the tournament after {PATIENCE} timeouts in each of {BLOCKS} blocks of deals"
        if self._conduct_of[id(agent)].out_of_patience:
            return f"not asked again in a block of deals after {PATIENCE} timeouts in it"
        return ""

    def _decision(self, tables: Tables, agent: Agent, turn: NDArray[np.int64]) -> int:
        conduct = self._conduct_of[id(agent)]
        if why := self._why_unasked(agent):
            conduct.note(UNASKED, why)
            return NONE
        try:
            return int(self._timed(tables, agent, turn)[0])
        except (Exception, SystemExit) as error:
            conduct.note(kind_of(error), told(error))
            return NONE

    def _timed(self, tables: Tables, agent: Agent, turns: NDArray[np.int64]) -> NDArray[np.int64]:
        began = time.perf_counter()
        if isinstance(agent, ExternalAgent):
            actions = answers(tables, agent, turns)  # it has its own clock
        else:
            actions = within(self.seconds, lambda: answers(tables, agent, turns))
        conduct = self._conduct_of[id(agent)]
        conduct.seconds += time.perf_counter() - began
        conduct.decisions += len(turns)
        return actions


def kind_of(error: BaseException) -> str:
    """Of `KINDS`."""
    if isinstance(error, (AgentTimeoutError, TimeoutError)):
        return TIMEOUT
    return ILLEGAL if isinstance(error, IllegalActionError) else ERROR


def told(error: BaseException) -> str:
    """An error as one line."""
    own: Any = (MarriageError, TimeoutError)
    said = str(error) if isinstance(error, own) else f"{type(error).__name__}: {error}"
    return printable(said)[:500]
