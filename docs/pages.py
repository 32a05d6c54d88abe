"""Write what follows from the code: ``python docs/pages.py``.

Each environment's page, from its module and its table of observation fields; each game's rules, from the rulebook, with
pictures; and the schema of records.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import re
from pathlib import Path
from typing import Any

from marriage_env import GAMES
from marriage_env.fields import Field
from marriage_env.records.schema import record_schema
from marriage_env.rulebook import rules_page

DOCS = Path(__file__).parent
FOLDER = DOCS / "environments"
SCHEMA = DOCS / "records.schema.json"
#: Below which heading of the rules a picture stands: its file in docs/pictures, and what it shows.
PICTURES = {
    "boxes": {
        "## 2 The deal": (
            "boxes-5",
            "A table of Boxes for five after the deal: hands, boxes, the turn-up",
        ),
        "## 4 The play": ("boxes-6", "Six players in the middle of a trick, in which a king and a queen have married"),
        "## 5 Marriage on the table": ("boxes-10", "Ten players, and the marriage of hearts on the table"),
    },
    "saucers": {
        "## 2 The deal": ("saucers-3", "A table of Saucers for three after the deal: staked cards and saucers"),
        "## 4 Laying out": ("saucers-4", "Four players, and a row that an ace has ended"),
        "## 5 Out": ("saucers-6", "Six players at the end of a deal"),
    },
}
KINDS = {
    "set": "flags",
    "one": "one flag at most",
    "marks": "numbers, mostly 0",
    "values": "numbers",
}


def page(name: str) -> str:
    """The page of a game: the module's docstring, the fields, the reasons for payments."""
    game = GAMES[name]
    document = importlib.import_module(f"marriage_env.{name}_v0").__doc__ or ""
    before, history = document.split("## Version history")
    before = before.replace(f"listed in `docs/environments/{name}.md`", "listed below")
    parts = [before.rstrip(), "", *options(game), *fields(game), *reasons(game), "## Version history" + history]
    return "\n".join(parts)


def rules(name: str) -> str:
    """The rules of a game, with their pictures."""
    text = rules_page(name)
    for heading, (picture, shows) in PICTURES[name].items():
        before, found, after = text.partition(f"{heading}\n")
        if not found:
            raise ValueError(f"{heading!r} is no heading of the rules of {name}")
        text = f"{before}{found}\n![{shows}](../pictures/{picture}.png)\n{after}"
    return text


def options(game: Any) -> list[str]:
    """The rule options with their defaults, from the docstring of the game's rules."""
    described = inspect.getdoc(game.rules).split("Args:\n")[1]
    defaults = {field.name: field.default for field in dataclasses.fields(game.rules)}
    rows = []
    for name, text in re.findall(r"^ {4}(\w+): (.*(?:\n {8}.*)*)", described, re.MULTILINE):
        default = "by players" if defaults[name] is None else f"`{defaults[name]!r}`"
        rows.append(f"| `{name}` | {default} | {' '.join(text.split()).replace('``', '`')} |")
    about = "Numbers in brackets are clauses of the [rules](../rules/" + game.name + ".md)."
    return ["## Rule options", "", about, "", "| option | default | |", "|---|---|---|", *rows, ""]


def fields(game: Any) -> list[str]:
    """The observation's fields with their sizes for the fewest and the most players."""
    fewest, most = (game.layout(game.rules(players=n)) for n in (game.min_players, game.max_players))
    lines = [
        "## Observation fields",
        "",
        f"Sizes are for {game.min_players} and {game.max_players} players by default rules: {fewest.size} and "
        f"{most.size} numbers in all. x is what the number stands for.",
        "",
        "| field | size | kind | number | meaning |",
        "|---|---|---|---|---|",
    ]
    for small, large in zip(fewest.fields, most.fields, strict=True):
        size = f"{len(small.labels)}, {len(large.labels)}"
        lines.append(f"| `{small.name}` | {size} | {KINDS[small.kind]} | {formula(small, large)} | {small.meaning} |")
    return [*lines, ""]


def formula(small: Field, large: Field) -> str:
    """How the field's numbers are written."""
    if isinstance(small.code, tuple):
        return "; ".join(f"{label}: {code.formula}" for label, code in zip(small.labels, small.codes, strict=True))
    one, other = small.codes[:1], large.codes[:1]
    if not one or not other:
        return "(none)"
    return one[0].formula if one[0].formula == other[0].formula else f"{one[0].formula}, {other[0].formula}"


def reasons(game: Any) -> list[str]:
    """Why chips move, as `env.ledger` says it."""
    rows = [f"| {reason.words} | {reason.clause or '(none: `env` alone)'} |" for reason in game.reasons]
    return ["## Reasons in the ledger", "", "| reason | clause |", "|---|---|", *rows, ""]


def schema() -> str:
    """The schema of records, as it stands in its file."""
    return json.dumps(record_schema(), indent=1, ensure_ascii=True) + "\n"


def main() -> None:
    """Write all."""
    SCHEMA.write_text(schema(), encoding="utf-8")
    for name in GAMES:
        (FOLDER / f"{name}.md").write_text(page(name), encoding="utf-8")
        (DOCS / "rules" / f"{name}.md").write_text(rules(name), encoding="utf-8")


if __name__ == "__main__":
    main()
