"""A table in words, for people."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from marriage_env.render.boxes import BoxesView
from marriage_env.render.saucers import SaucersView
from marriage_env.render.view import View, Viewer

if TYPE_CHECKING:
    from marriage_env.aec import TableEnv

VIEWS: dict[str, type[View]] = {"boxes": BoxesView, "saucers": SaucersView}

RED_CARD = re.compile(r"(?:10|[2-9JQKA])?[♥♦]")
#: What a terminal without these characters is given for them.
PLAIN = str.maketrans({"♣": "C", "♦": "D", "♥": "H", "♠": "S", "·": ",", "→": ">", "─": "-", "…": "..."})


def describe(env: TableEnv) -> str:
    """The table as `env.viewer` sees it, in some twenty lines of text.

    It tells the last step, whose turn it is and what for, hands (those of others as a number of cards, and the cards
    that all have seen), declarations, the trick or the row, pots, balances, and every payment of the last step with its
    reason and clause.
    """
    return "\n".join(view_of(env).lines())


def view_of(env: TableEnv) -> View:
    """The table as `env.viewer` sees it."""
    viewer: Viewer
    if env.viewer is None:
        viewer = None
    elif env.viewer == "all":
        viewer = "all"
    else:
        viewer = env.possible_agents.index(env.viewer)
    return VIEWS[env.game.name](env.game, env.rules, env.table, viewer=viewer)


def for_terminal(text: str) -> str:
    """The text as standard output can show it: red suits in red (unless ``NO_COLOR`` is set), or letters for suits."""
    text = in_its_characters(text)
    if getattr(sys.stdout, "isatty", lambda: False)() and not os.environ.get("NO_COLOR"):
        return RED_CARD.sub("\033[31m\\g<0>\033[0m", text)
    return text


def in_its_characters(text: str) -> str:
    """The text in characters that standard output has: for others, letters of suits, or question marks."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(PLAIN).encode(encoding, "replace").decode(encoding)
    return text
