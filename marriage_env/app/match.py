"""A match that people and agents play together."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from marriage_env.aec import TableEnv
from marriage_env.agents import Agent, make_agent, seed_agents
from marriage_env.errors import AgentError, IllegalActionError, OptionError
from marriage_env.games import GAMES
from marriage_env.options import one_of, shown, whole
from marriage_env.records import Record, record_of
from marriage_env.records.record import MOST_ABOUT
from marriage_env.registration import MODULES
from marriage_env.render.scene import Scene, scene_of
from marriage_env.render.text import VIEWS
from marriage_env.render.view import View, Viewer

HUMAN = "human"
#: Agents that run nothing but what is installed with the games: others may run programs, or load files that do.
HARMLESS = re.compile(r"random|rules|trained(:[\w-]{1,50})?|search(:\d{1,9})?")
#: Who is asked for a hint, the first of them who plays by these rules.
HINTS = ("trained", "rules")


class Hint(NamedTuple):
    """What an agent would do: its name, and its likeliest actions with their probabilities, best first."""

    agent: str
    choices: list[tuple[int, float]]


class Match:
    """A match that people and agents play together; it is its own record.

    Args:
        game: its name.
        rules: its rule options.
        seats: who sits at each seat: ``"human"``, or an agent by its name.
        names: of the players; None for ``player_0`` and ``rules_1``, the agent and the seat.
        seed: of the cards and of the agents' own choices; None for a new one.

    Raises:
        OptionError: game, rules, seats, names or seed cannot be.
        AgentError: an agent is not known, cannot be loaded, or does not play by these rules.
    """

    def __init__(
        self,
        game: str,
        rules: Mapping[str, Any],
        seats: Sequence[str],
        *,
        names: Sequence[str] | None = None,
        seed: int | None = None,
    ) -> None:
        self.env: TableEnv = MODULES[one_of("game", game, tuple(GAMES))].raw_env(**rules)
        self.seats = self._checked_seats(seats)
        self.names = self._checked_names(names)
        self._about: dict[str, str] = {}  # what else its record has to say
        made = {name: make_agent(name) for name in dict.fromkeys(self.seats) if name != HUMAN}
        self._agents: list[Agent | None] = [made.get(name) for name in self.seats]
        self.env.reset(seed=seed)
        seed_agents(list(made.values()), int(self.env.table["seed"]))
        for name, agent in made.items():
            self._try(name, agent)

    @classmethod
    def of_record(cls, record: Record, seats: Sequence[str] | None = None) -> Match:
        """Go on where a record ends.

        Args:
            record: of a match.
            seats: see `Match`; None for what the record says, as far as its agents are harmless.

        Raises:
            OptionError: the record does not say who sits where, or names an agent that might run a program.
            RecordMismatchError: the rules do not bear the record out.
        """
        opening = record.opening
        match = cls(opening.game, dataclasses.asdict(opening.rules), seats or seats_in(record), names=record.players)
        match.env.resume(record)
        own = match.record.about
        others = [(name, text) for name, text in record.about.items() if name not in own]
        match._about = dict(others[: MOST_ABOUT - len(match.seats)])  # a record with more could not be read again
        return match

    @property
    def game(self) -> str:
        """Its name."""
        return str(self.env.game.name)

    @property
    def over(self) -> bool:
        """Whether it is over."""
        return all(self.env.terminations.values())

    @property
    def actor(self) -> int | None:
        """The seat that is to act; None when the match is over."""
        return None if self.over else int(self.env.table["actor"])

    @property
    def steps(self) -> int:
        """How many have been taken."""
        return len(self.env._actions)

    @property
    def humans(self) -> tuple[int, ...]:
        """Their seats."""
        return tuple(seat for seat, name in enumerate(self.seats) if name == HUMAN)

    @property
    def record(self) -> Record:
        """The match so far, with who sits where."""
        about = self._about | {f"seat {seat}": name for seat, name in enumerate(self.seats)}
        return dataclasses.replace(self.env.record, players=tuple(self.names), about=about)

    def view(self, viewer: Viewer, columns: int = 100) -> View:
        """The table as a viewer sees it, in words."""
        env = self.env
        return VIEWS[self.game](env.game, env.rules, env.table, names=self.names, viewer=viewer, columns=columns)

    def scene(self, viewer: Viewer) -> Scene:
        """The table as a viewer sees it, as data."""
        return scene_of(self.view(viewer))

    def act(self, action: int) -> None:
        """Let the actor take an action; IllegalActionError, with the reason and its clause, if it is not legal."""
        if self.over:
            raise IllegalActionError("the match is over: nobody is to act")
        number = whole("action", action, 0, len(self.env.game.action_names) - 1)
        if why := self.view(None).why_not(number):
            raise IllegalActionError(why)
        self.env.step(number)

    def agent_step(self) -> bool:
        """Let the agent that is to act take an action; False if none is.

        Raises AgentError if it fails: nothing has changed then.
        """
        if self.over or (agent := self._agents[self._actor]) is None:
            return False
        observation = self.env.observe(self.env.agent_selection)
        self.env.step(agent.act(observation))
        return True

    def replace_agent(self, seat: int, name: str) -> None:
        """Put another agent in a seat."""
        self._agents[seat] = make_agent(name)
        self.seats = (*self.seats[:seat], name, *self.seats[seat + 1 :])

    def undo(self) -> bool:
        """Take back the last action of a human, and what has happened since; False if there is none."""
        record = self.env.record
        mine = [place for place, step in enumerate(record.steps) if step.seat in self.humans]
        if not mine:
            return False
        actions = [(step.action, step.illegal) for step in record.steps[: mine[-1]]]
        self.env.resume(record_of(record.opening, actions))
        return True

    def hint(self, agent: str | None = None) -> Hint:
        """What an agent would do in the actor's place; None for the trained one, or else whoever plays by these rules.

        Raises:
            IllegalActionError: the match is over.
            AgentError: there is no such agent, or it does not play by these rules.
        """
        if self.over:
            raise IllegalActionError("the match is over: there is nothing to hint at")
        for name in HINTS[:-1] if agent is None else ():
            try:
                return self._hint(name)
            except AgentError:
                continue  # not installed, or not trained for these rules
        return self._hint(agent or HINTS[-1])

    # Within

    @property
    def _actor(self) -> int:
        return int(self.env.table["actor"])

    def _hint(self, name: str) -> Hint:
        agent, observation = make_agent(name), self.env.observe(self.env.agent_selection)
        explain = getattr(agent, "probabilities", None)
        if explain is None:
            return Hint(name, [(int(agent.act(observation)), 1.0)])
        chances = explain(observation["observation"][None], observation["action_mask"][None])[0]
        order = np.argsort(-chances, kind="stable")
        return Hint(name, [(int(action), float(chances[action])) for action in order if chances[action] > 0])

    def _checked_seats(self, seats: Sequence[str]) -> tuple[str, ...]:
        players = self.env.rules.players
        if isinstance(seats, str) or len(seats) != players or not all(isinstance(name, str) for name in seats):
            raise OptionError(f"seats={shown(seats):.200}: allowed are {players} names, of agents or {HUMAN!r}")
        return tuple(seats)

    def _checked_names(self, names: Sequence[str] | None) -> list[str]:
        if names is None:
            return [f"{'player' if name == HUMAN else name}_{seat}" for seat, name in enumerate(self.seats)]
        if len(names) != len(self.seats):
            raise OptionError(f"names={shown(names):.200}: allowed is one for each of {len(self.seats)} seats")
        return list(names)

    def _try(self, name: str, agent: Agent) -> None:
        """AgentError if an agent does not play by these rules: better now than in the middle of the match."""
        observation = self.env.observe(self.env.agent_selection)
        try:
            agent.act(observation)
        except AgentError as error:
            raise AgentError(f"agent {name!r} cannot play here: {error}") from error


def harmless(agent: str) -> bool:
    """Whether an agent's name may come from anywhere: it runs nothing that is not installed with the games."""
    return HARMLESS.fullmatch(agent) is not None


def seats_in(record: Record) -> list[str]:
    """Who sits at each seat by what a record says; OptionError if that is missing, or not harmless."""
    seats = [record.about.get(f"seat {seat}", "") for seat in range(record.opening.rules.players)]
    for seat, name in enumerate(seats):
        if name != HUMAN and not harmless(name):
            said = (
                f"the record has agent {name!r} at seat {seat}"
                if name
                else f"the record does not say who has seat {seat}"
            )
            raise OptionError(
                f"{said}: say who sits where (--seat, --agents); taken from a record are {HUMAN!r}, "
                "'random', 'rules', 'trained' and 'search:N' alone"
            )
    return seats
