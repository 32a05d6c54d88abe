"""A table in words, for people: what `TableEnv.render` returns or prints."""

from __future__ import annotations

import os
import re
import shutil
import sys
from typing import TYPE_CHECKING

from marriage_env.render.boxes import BoxesView
from marriage_env.render.saucers import SaucersView
from marriage_env.render.view import WIDEST, View

if TYPE_CHECKING:
    from marriage_env.aec import TableEnv

VIEWS: dict[str, type[View]] = {"boxes": BoxesView, "saucers": SaucersView}

RED_CARD = re.compile(r"(?:10|[2-9JQKA])?[♥♦]")
#: What a terminal without these characters is given for them.
PLAIN = str.maketrans({"♣": "C", "♦": "D", "♥": "H", "♠": "S", "·": ",", "→": ">", "─": "-"})


def describe(env: TableEnv) -> str:
    """The table as `env.viewer` sees it, in some twenty lines of text.

    It tells the last step, whose turn it is and what for, hands (those of others as a number of cards, and the cards
    that all have seen), declarations, the trick or the row, pots, balances, and every payment of the last step with its
    reason and clause. Render mode ``"human"`` fits it to the terminal: its width from 80 to 100 columns, and red suits
    in red (unless ``NO_COLOR`` is set).
    """
    view = VIEWS[env.game.name]
    if env.render_mode == "human":
        columns = shutil.get_terminal_size((WIDEST, 24)).columns
        return for_terminal("\n".join(view(env, columns).lines())) + "\n"
    return "\n".join(view(env).lines())


def for_terminal(text: str) -> str:
    """The text as standard output can show it: in colour, or with letters for the suits."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        return text.translate(PLAIN)
    if getattr(sys.stdout, "isatty", lambda: False)() and not os.environ.get("NO_COLOR"):
        return RED_CARD.sub("\033[31m\\g<0>\033[0m", text)
    return text
