"""The rules of the games as pages of text, and their clauses by number."""

from __future__ import annotations

import functools
import re
from importlib.resources import files

from marriage_env.games import GAMES
from marriage_env.options import one_of

#: A clause begins with its number in bold, at the beginning of a line.
CLAUSE = re.compile(r"^\*\*(\d(?:\.\d)?)\*\*\s+", re.MULTILINE)


@functools.cache
def rules_page(game: str) -> str:
    """The rules of a game, in Markdown. OptionError if there is no such game."""
    name = one_of("game", game, tuple(GAMES))
    return files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")


@functools.cache
def clauses(game: str) -> dict[str, str]:
    """Each clause of a game's rules by its number (``"4.2"``), in their order, in Markdown without the number."""
    page = rules_page(game)
    found = list(CLAUSE.finditer(page))
    ends = [next_one.start() for next_one in found[1:]] + [len(page)]
    bodies = (page[clause.end() : end] for clause, end in zip(found, ends, strict=True))
    return {clause[1]: body.partition("\n## ")[0].strip() for clause, body in zip(found, bodies, strict=True)}


def clause_text(game: str, number: str) -> str:
    """One clause, in Markdown. OptionError if the rules have no such clause; the message lists those there are."""
    return clauses(game)[one_of("clause", number, tuple(clauses(game)))]
