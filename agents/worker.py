"""The Python side of `agents.external`: runs a class, function or object by its import path as an agent.

It is run by its path, and imports nothing of this project: an agent needs no more than it imports itself. Allowed are
a class that is made without arguments, or an object, with the method ``act(observation, action_mask)`` and, if it has
random choices, ``seed(seed)``; or a function of an observation and its mask. The observation is a float32 vector, the
mask an int8 vector; the action returned is a whole number.
"""

from __future__ import annotations

import importlib
import json
import operator
import os
import sys
import traceback
from collections.abc import Callable
from typing import Any, TextIO

import numpy as np


def loaded(module: str, attribute: str) -> Any:
    """What is asked for decisions: an object with `act`, or a function."""
    thing = importlib.import_module(module)
    for name in attribute.split("."):
        thing = getattr(thing, name)
    agent = thing() if isinstance(thing, type) else thing
    if not callable(getattr(agent, "act", agent)):
        raise TypeError(f"{module}:{attribute} is {agent!r:.100}: allowed is a class with a method act, or a function")
    return agent


def decision(agent: Any, request: dict[str, Any]) -> int:
    """The action that the agent chooses; TypeError if it is no whole number."""
    mask = np.zeros(request["actions"], np.int8)
    mask[request["legal"]] = 1
    choose: Callable[..., Any] = getattr(agent, "act", agent)
    return operator.index(choose(np.array(request["observation"], np.float32), mask))


def answer(agent: Any, request: dict[str, Any]) -> dict[str, Any]:
    """What is answered to a request."""
    if request["type"] == "act":
        return {"action": decision(agent, request)}
    if request["type"] == "seed" and hasattr(agent, "seed"):
        agent.seed(request["seed"])
    return {"ready": True, "names": False}


def serve(module: str, attribute: str, requests: TextIO, answers: TextIO) -> None:
    """Answer each line until there are no more; what the agent raises is an answer, too."""
    agent: Any = None
    for line in requests:
        try:
            agent = loaded(module, attribute) if agent is None else agent
            said = answer(agent, json.loads(line))
        except Exception as error:
            traceback.print_exc()
            said = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps(said), file=answers, flush=True)


def main() -> None:
    """Run from the command line: module, attribute.

    What the agent itself prints goes to standard error, and what it reads is empty: the lines are not its own.
    """
    sys.path[0] = os.getcwd()  # noqa: PTH109  (as for any program that is run with -m)
    requests, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    module, attribute = sys.argv[1:3]
    serve(module, attribute, requests, answers)


if __name__ == "__main__":
    main()
