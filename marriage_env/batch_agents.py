"""Agents at the tables of a batch: the house players in compiled code, any other asked for many tables at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.agents import Agent, RandomAgent, RulesAgent
from marriage_env.batch import need_legal
from marriage_env.batch_checks import as_actions
from marriage_env.batch_engine import CALLER, RANDOM, RULES
from marriage_env.errors import AgentError, OptionError
from marriage_env.tables import Tables

#: Agents that play within a batch's call, by the tables' own random streams whatever seed they were made with.
COMPILED: dict[type[Any], int] = {RandomAgent: RANDOM, RulesAgent: RULES}
AWAITED = -1  # where the number of an agent could stand: his turn is waited for


def numbered(agents: Iterable[Agent]) -> tuple[list[Agent], list[int]]:
    """Each agent once, in order; and for each of `agents` his number there."""
    numbers: dict[int, int] = {}
    distinct: list[Agent] = []
    found = []
    for agent in agents:
        if id(agent) not in numbers:
            numbers[id(agent)] = len(distinct)
            distinct.append(agent)
        found.append(numbers[id(agent)])
    return distinct, found


def seating_codes(agents: Sequence[Agent], players: NDArray[np.int64]) -> NDArray[np.uint8]:
    """The batch's codes of who plays, for `players`: numbers of `agents`, or `AWAITED`."""
    codes = [COMPILED.get(type(agent), CALLER) for agent in agents]
    return np.array([*codes, CALLER], np.uint8)[players]  # AWAITED finds the last


def answers(tables: Tables, agent: Agent, turns: NDArray[np.int64]) -> NDArray[np.int64]:
    """What an agent does at the tables where it is to act: legal actions."""
    try:
        actions = as_actions(agent.act(tables.vectors(turns), tables.buffers.masks[turns]), len(turns))
    except OptionError as error:
        raise AgentError(f"{type(agent).__name__} was asked for {len(turns)} actions: {error}") from error
    need_legal(tables, turns, actions)
    return actions


def play_on(
    tables: Tables,
    agents: Sequence[Agent],
    players: NDArray[np.int64],
    rows: NDArray[np.int64],
    ask: Callable[[Tables, Agent, NDArray[np.int64]], NDArray[np.int64]] = answers,
) -> None:
    """Ask the agents that are not compiled, until it is nobody's turn of theirs at any of `rows`.

    Each is asked once for all the tables at which it is to act.

    Args:
        tables: without autoreset, seated as `seating_codes` says.
        agents: who plays.
        players: the number of the agent at each seat of each table, or `AWAITED`.
        rows: the tables meant.
        ask: gets from an agent its actions at the tables where it is to act: legal ones.

    Raises what `ask` raises: what an agent raises, AgentError for answers that are no actions, IllegalActionError for
    one not legal.
    """
    out = tables.buffers
    while len(rows):
        rows = rows[~tables.over(rows)]
        actors = players[rows, out.actors[rows]]
        rows, actors = rows[actors != AWAITED], actors[actors != AWAITED]
        for number in np.unique(actors):
            turns = rows[actors == number]
            tables.advance(turns, ask(tables, agents[number], turns))
