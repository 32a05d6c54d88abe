"""Agents of other people, each in a process of its own: a Python class or function by its import path, or a command.

Both speak one protocol, JSON lines on standard input and output: each line that they are sent is an object, to be
answered with one line, an object too. docs/tournament.md describes it.
"""

from __future__ import annotations

import contextlib
import json
import math
import numbers
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.line_process import GRACE, LineProcess, printable, quoted
from marriage_env.agents import BatchAgent
from marriage_env.errors import (
    AgentAnswerError,
    AgentCrashError,
    AgentError,
    IllegalChoiceError,
    OptionError,
)
from marriage_env.games import origin
from marriage_env.options import shown

VERSION = 1  # of the protocol
SECONDS = 10.0  # for a decision, unless the agent's attribute `seconds` says otherwise
START_SECONDS = 60.0  # to start: it may have to import and load much
WORKER = Path(__file__).with_name("worker.py")


class ExternalAgent(BatchAgent):
    """An agent in a process of its own.

    A process that has crashed, does not answer in time or says what is no object is ended; another is started when the
    agent is next asked. It is asked for one decision at a time, and must not expect them to be of one table.

    Args:
        name: what errors call it.
        command: the program and its arguments.
        seed: of its own random choices; None if it is told none.
        environment: the environment variables that it has beside those of this process, or instead of them.

    Attributes:
        seconds: that it is given for each decision, above 0. Setting others raises AgentError.

    Raises AgentError if it cannot be started.
    """

    def __init__(
        self, name: str, command: Sequence[str], seed: int | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self.name, self.command, self.environment = name, list(command), dict(environment or {})
        self.seconds = SECONDS
        self._seed = self._news = seed  # what it is to be told before it is next asked
        self._process: LineProcess | None = None
        self._running()

    @property
    def seconds(self) -> float:
        """How long it may think about a decision."""
        return self._seconds

    @seconds.setter
    def seconds(self, seconds: float) -> None:
        given = math.nan
        if isinstance(seconds, numbers.Real) and not isinstance(seconds, bool):
            with contextlib.suppress(OverflowError):
                given = float(seconds)
        if not 0 < given < math.inf:
            raise AgentError(f"seconds={shown(seconds)}: allowed is a number above 0, such as {SECONDS:g}")
        self._seconds = given

    @property
    def own_seed(self) -> int | None:
        """The seed of its own random choices; None if it was told none."""
        return self._seed

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_process": None}  # a copy starts one of its own when it is first asked

    def choose(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
        """See `BatchAgent.choose`.

        Raises:
            AgentCrashError: its process has ended, or it says that it cannot choose.
            AgentTimeoutError: no answer in time.
            AgentAnswerError: what it says is no answer.
            IllegalChoiceError: an action that the mask does not allow.
        """
        return np.array([self._choose(vector, mask) for vector, mask in zip(vectors, masks, strict=True)], np.int64)

    def seed(self, seed: int) -> None:
        """See `Agent.seed`. The process is told when it is next asked."""
        self._seed = self._news = int(seed)

    def close(self, grace: float = GRACE) -> None:
        """End the process, which has so many seconds to end by itself. Asked again, the agent starts another."""
        if self._process:
            self._process.close(grace)
        self._process = None

    # Within

    def _choose(self, vector: NDArray[np.float32], mask: NDArray[Any]) -> int:
        legal = np.flatnonzero(mask).tolist()
        view = {"observation": vector.tolist(), "legal": legal, "actions": len(mask)}
        self._running()
        if self._news is not None:
            self._tell("seed", {"seed": self._news}, self.seconds)
            self._news = None
        if self._wants_names:
            view |= described(vector, legal)
        answer = self._ask("act", view, self.seconds)
        action = answer.get("action")
        if not isinstance(action, int) or isinstance(action, bool):
            raise AgentAnswerError(f'{self.name} answered {json.dumps(answer):.100}: allowed is {{"action": a number}}')
        if action not in legal:
            names = described(vector, legal).get("names", legal)
            allowed = ", ".join(f"{number} ({name})" for number, name in zip(legal, names, strict=True))
            raise IllegalChoiceError(f"{self.name} chose action {action!s:.20}: allowed are {allowed}")
        return action

    def _running(self) -> None:
        """See that there is a process of this interpreter's own."""
        if self._process and self._process.owned:
            return
        self.close()
        self._process = LineProcess(self.name, self.command, self.environment)
        try:
            greeting = self._tell("hello", {"protocol": "marriage", "version": VERSION}, START_SECONDS)
        except AgentError:
            self.close()
            raise
        self._wants_names = greeting.get("names") is not False
        self._news = self._seed

    def _tell(self, kind: str, message: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """Its answer to what it is told, which says that it is ready."""
        answer = self._ask(kind, message, seconds)
        if answer.get("ready") is not True:
            said = f"{self.name} answered {kind} with {json.dumps(answer):.100}"
            raise AgentAnswerError(f'{said}: allowed is {{"ready": true}}')
        return answer

    def _ask(self, kind: str, message: Mapping[str, Any], seconds: float) -> dict[str, Any]:
        """The object that answers a message; the process is ended unless there is one."""
        assert self._process
        try:
            line = self._process.ask(json.dumps({"type": kind, **message}).encode(), seconds)
            answer = self._read(line)
        except BaseException:  # Ctrl-C, too: an answer that comes later must not be taken for the next one
            self.close(grace=0.0)
            raise
        if "error" in answer:
            raise AgentCrashError(f"{self.name} says: {printable(str(answer['error'])):.300}")
        return answer

    def _read(self, line: bytes) -> dict[str, Any]:
        assert self._process
        try:
            answer = json.loads(line)  # refuses what is not UTF-8, too
            if not isinstance(answer, dict):
                raise ValueError("it is none")
        except (ValueError, RecursionError) as error:
            said = f"{self.name} answered {quoted(line)}: allowed is a JSON object"
            raise AgentAnswerError(f"{said}{self._process.last_words()}") from error
        return answer


def described(vector: NDArray[np.float32], legal: Sequence[int]) -> dict[str, Any]:
    """What an observation says in names, for an agent that has no table of them; nothing for an unknown game's."""
    try:
        game, _, layout = origin(vector)
        fields = layout.decode(vector)
    except OptionError:
        return {}
    decoded = {name: with_words_for_keys(value) for name, value in fields.items()}
    return {"names": [game.action_names[action] for action in legal], "decoded": decoded}


def with_words_for_keys(value: Any) -> Any:
    """A field's value, as JSON can hold it: a key of several things becomes their words, as in ``"0 sequence"``."""
    if not isinstance(value, Mapping):
        return value
    return {" ".join(map(str, key)) if isinstance(key, tuple) else str(key): item for key, item in value.items()}


def from_import(argument: str | None, seed: int | None = None) -> ExternalAgent:
    """An agent by its import path: ``make_agent("import:my_package.my_module:MyAgent")``; see `agents.worker`.

    It is imported in a process of its own, from where this one would import it. Raises AgentError if it cannot be.
    """
    module, _, attribute = (argument or "").partition(":")
    if not module or not attribute:
        raise AgentError(
            f"agent import:{argument or ''}: allowed is an import path such as import:my_package.my_module:MyAgent"
        )
    path = os.pathsep.join(os.path.abspath(place) for place in sys.path)  # noqa: PTH100  ("" is where we are)
    command = [sys.executable, str(WORKER), module, attribute]
    return ExternalAgent(f"import:{argument}", command, seed, {"PYTHONPATH": path})


def from_command(argument: str | None, seed: int | None = None) -> ExternalAgent:
    """An agent that is a command: ``make_agent("command:./my_bot --fast")``. No shell reads it.

    Raises AgentError if it cannot be started.
    """
    try:
        command = shlex.split(argument or "")
    except ValueError as error:
        raise AgentError(f"agent command:{argument}: {error}") from error
    if not command:
        raise AgentError("agent command: allowed is a program with its arguments, such as command:./my_bot --fast")
    return ExternalAgent(f"command:{argument}", command, seed)
