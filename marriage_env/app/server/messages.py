"""What browsers say to a table, read with care."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from marriage_env.errors import MessageError

LONGEST = 1000  # characters
MOST_STEPS = 10**6
#: The fields of each kind of message.
FIELDS = {"hello": ("key",), "act": ("step", "action"), "hint": ("step",), "undo": ("step",)}


@dataclass(frozen=True)
class Message:
    """What a browser says: of what kind it is; the key, the step it answers to, the action, as far as it has them."""

    kind: str
    key: str = ""
    step: int = 0
    action: int = 0


def message_of(text: str | None) -> Message:
    """A message by its text, None for one of bytes.

    Raises:
        MessageError: it is no message; it says what is allowed.
    """
    if text is None:
        raise MessageError("bytes are no message: allowed is text")
    if len(text) > LONGEST:
        raise MessageError(f"a message of {len(text)} characters: allowed are {LONGEST}")
    data = parsed(text)
    kind = data.get("type") if isinstance(data, dict) else None
    if not isinstance(kind, str) or kind not in FIELDS:
        raise MessageError(f"no message: allowed are objects of type {', '.join(FIELDS)}")
    fields = FIELDS[kind]
    if set(data) != {"type", *fields}:
        raise MessageError(f"a message of type {kind} has the fields type, {', '.join(fields)}")
    for name in fields:
        right = isinstance(data[name], str) if name == "key" else is_count(data[name])
        if not right:
            raise MessageError(f"{name} in a message: allowed is {'a text' if name == 'key' else 'a whole number'}")
    return Message(kind, **{name: data[name] for name in fields})


def parsed(text: str) -> Any:
    """JSON as data; MessageError if it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise MessageError("no message: allowed is JSON") from None


def is_count(value: Any) -> bool:
    """Whether it is a whole number of a size that steps and actions have."""
    return type(value) is int and 0 <= value < MOST_STEPS
