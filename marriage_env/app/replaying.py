"""A recorded match, stepped through in the terminal, or filmed."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from marriage_env.app.typed import somebody_types, typed_line
from marriage_env.errors import OptionError, RecordFileError
from marriage_env.games import GAMES
from marriage_env.records import Record, moments, read_records
from marriage_env.render.scene import scene_of
from marriage_env.render.text import VIEWS, for_terminal
from marriage_env.render.view import View, Viewer

KEYS = "Enter: on; b: back; a number: that step; v SEAT, v all: whose cards; q: leave"


def nth_record(path: Path, number: int) -> Record:
    """A match of a file, counted from 1; RecordFileError if there are not so many."""
    record = next(itertools.islice(read_records(path), number - 1, None), None)
    if record is None:
        raise RecordFileError(f"{path} has no match {number}")
    return record


def viewer_asked(text: str, players: int) -> Viewer:
    """Whose cards are shown, by what was typed; OptionError for nobody at the table."""
    if text in ("all", "actor"):
        return "all" if text == "all" else None
    if not (text.isascii() and text.isdecimal() and len(text) < 3 and int(text) < players):
        raise OptionError(f"viewer {text!r:.40}: allowed are 'all', 'actor', or a seat from 0 to {players - 1}")
    return int(text)


def views(record: Record, viewer: Viewer) -> Iterator[View]:
    """Each moment of a match as a viewer sees it; RecordMismatchError where the rules do not allow what was done."""
    return (view_of(record, moment.table, viewer) for moment in moments(record))


def view_of(record: Record, table: Any, viewer: Viewer) -> View:
    """A moment of a match, by the table's record, as a viewer sees it."""
    game = GAMES[record.opening.game]
    return VIEWS[game.name](game, record.opening.rules, table, names=record.players, viewer=viewer)


def check_target(path: Path | None, source: Path) -> None:
    """OptionError if what is written there would take the place of the records it is made from."""
    if path is not None and os.path.exists(path) and os.path.samefile(path, source):  # noqa: PTH110, PTH121
        raise OptionError(f"{path} keeps the records themselves: allowed is another name")


def step_through(record: Record, viewer: Viewer) -> None:
    """Show a match step by step, as its reader asks; from beginning to end where nobody can ask."""
    if not somebody_types():
        for number, view in enumerate(views(record, viewer)):
            show(view, number, len(record.steps))
        return
    tables, number, last = [moment.table for moment in moments(record)], 0, len(record.steps)
    click.echo(KEYS)
    while True:
        show(view_of(record, tables[number], viewer), number, last)
        try:
            answer = typed_line("> ").strip()
        except EOFError:
            return
        if answer in ("q", "quit"):
            return
        if answer.startswith("v "):
            viewer = viewer_or_same(answer[2:].strip(), record.opening.rules.players, viewer)
        elif answer in ("", "b"):
            number = min(number + 1, last) if not answer else max(number - 1, 0)
        elif answer.isascii() and answer.isdecimal() and len(answer) < 8 and int(answer) <= last:
            number = int(answer)
        else:
            click.echo(f"{KEYS}; steps are 0 to {last}")


def viewer_or_same(asked: str, players: int, viewer: Viewer) -> Viewer:
    """The viewer who is asked for; the same as before, with a word, for nobody at the table."""
    try:
        return viewer_asked(asked, players)
    except OptionError as error:
        click.echo(str(error))
        return viewer


def show(view: View, number: int, last: int) -> None:
    """Print the table after a step."""
    click.echo(for_terminal("\n".join([f"step {number} of {last}", *view.lines(), ""])))


def film(record: Record, path: Path, viewer: Viewer, *, width: int, fps: float) -> None:
    """Write a match as a film; OptionError without the extra ``pictures``, or for an ending that is no film's."""
    from marriage_env.render.pictures import picture
    from marriage_env.video import save_video

    frames: Iterator[Any] = (picture(scene_of(view), width) for view in views(record, viewer))
    save_video(frames, path, fps=fps)
