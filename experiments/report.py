"""Tables of results, for the screen and for pages."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from rich.table import Table
from rich.text import Text

from marriage_env import MarriageError

CONFIDENCE = "± 95% confidence interval"
Name = TypeVar("Name")


def in_turns(jobs: Mapping[Name, Callable[[], float]], rounds: int) -> dict[Name, list[float]]:
    """Every job once a round, so that all meet the same machine."""
    results: dict[Name, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        for name, job in jobs.items():
            results[name].append(job())
    return results


def millions(number: float) -> str:
    """A number in millions, with the digits that mean something."""
    return f"{number / 1e6:.3g}"


def finite(thing: Any) -> Any:
    """The same, as JSON and CSV can hold it: None for a number that is none, or has no bounds."""
    if isinstance(thing, Mapping):
        return {key: finite(value) for key, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [finite(value) for value in thing]
    return None if isinstance(thing, float) and not math.isfinite(thing) else thing


def json_text(document: Mapping[str, Any]) -> str:
    """A document as JSON, with null for every number that JSON has not."""
    return json.dumps(finite(document), indent=2, allow_nan=False) + "\n"


@dataclass
class Report:
    """A table of results: title, a note of how they came about, headings, rows."""

    title: str
    note: str
    header: list[str]
    rows: list[list[str]] = field(default_factory=list)

    def on_screen(self) -> Table:
        """As a table for the terminal."""
        title, note = Text(self.title, style="table.title"), Text(self.note, style="table.caption")
        table = Table(title=title, title_justify="left", caption=note, caption_justify="left")
        for place, heading in enumerate(self.header):
            table.add_column(
                Text(heading), justify="right" if place else "left", no_wrap=not place, overflow="fold"
            )  # in a narrow terminal no digit is left out
        for row in self.rows:
            table.add_row(*map(Text, row))  # names are names, never markup
        return table

    def grid(self) -> str:
        """The rows as a Markdown table."""
        lines = [self.header, ["---", *["---:"] * (len(self.header) - 1)], *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    def markdown(self) -> str:
        """As a part of a page."""
        return f"## {self.title}\n\n{self.note}\n\n{self.grid()}\n"


def need_marks(option: str, path: Path, markers: Iterable[str]) -> None:
    """See, before the work, that a page has the marks between which tables are to go; MarriageError if not."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise MarriageError(f"{option} {path}: {error}") from error
    for marker in markers:
        if text.count(f"<!-- {marker} -->") != 1 or text.count(f"<!-- end of {marker} -->") != 1:
            raise MarriageError(f"{option} {path}: allowed is one with <!-- {marker} --> and its end, once each")


def replace_between(path: Path, marker: str, text: str) -> None:
    """Put `text` between the comments ``<!-- marker -->`` and ``<!-- end of marker -->`` of a page."""
    begin, end = f"<!-- {marker} -->", f"<!-- end of {marker} -->"
    page = path.read_text(encoding="utf-8")
    before, rest = page.split(begin)
    after = rest.split(end)[1]
    path.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
