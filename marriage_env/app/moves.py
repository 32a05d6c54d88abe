"""What a person types, as an action."""

from __future__ import annotations

import re
from collections.abc import Sequence

from marriage_env.cards import SUIT_SYMBOLS, SUITS
from marriage_env.errors import IllegalActionError
from marriage_env.render.scene import Choice
from marriage_env.render.view import View

SYMBOLS = str.maketrans(dict(zip(SUIT_SYMBOLS, SUITS, strict=True)))
FILLERS = re.compile(r"\b(?:declare|play|lay|of|a|the)\b")


def plain(text: str) -> str:
    """An action's name without what people add: ``"play q♥"`` and ``"QH"`` come out the same."""
    words = FILLERS.sub(" ", text.translate(SYMBOLS).lower().replace("_", " "))
    joined = " ".join(words.split())
    return re.sub(r"^10 ?([cdhs])$", r"t\1", joined)


def typed_action(text: str, choices: Sequence[Choice], view: View) -> int:
    """The action that a person means: by its place in the list (from 1), or by its name.

    Raises:
        IllegalActionError: there is no such action, or the rules do not allow it here; the message says why, and what
            is allowed.
    """
    if text.isascii() and text.isdecimal() and 0 < int(text[:4]) <= len(choices) and len(text) < 4:
        return choices[int(text) - 1].action
    wanted = plain(text)
    for action, name in enumerate(view.game.action_names):
        if plain(name) == wanted:
            if why := view.why_not(action):
                raise IllegalActionError(f"{why}; allowed: {listed(choices)}")
            return action
    raise IllegalActionError(f"{text!r:.40} is not an action; allowed: {listed(choices)}, or `help`")


def listed(choices: Sequence[Choice]) -> str:
    """Choices in words."""
    return ", ".join(choice.words for choice in choices)
