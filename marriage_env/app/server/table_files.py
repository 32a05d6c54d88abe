"""Tables as files: each is two lines of JSON, the digests of its keys and the record of its match."""

from __future__ import annotations

import contextlib
import json
import logging
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from marriage_env.app.match import HUMAN, Match, seats_in
from marriage_env.app.server.keys import TABLE_ID, WATCH
from marriage_env.errors import MarriageError, TableError
from marriage_env.records import Record, from_json

VERSION = 1
MARK = "marriage_table"
ENDING = ".table.jsonl"
LARGEST = 2**24  # bytes
logger = logging.getLogger("marriage_env.server")


@dataclass(frozen=True)
class SavedTable:
    """A table as it is kept.

    Attributes:
        id: its name.
        digests: of its keys, by what they open.
        record: of its match; who sits where is in it.
    """

    id: str
    digests: Mapping[str, str]
    record: Record

    def text(self) -> str:
        """As a file has it."""
        return f"{json.dumps({MARK: VERSION, 'keys': dict(self.digests)})}\n{self.record.as_json()}\n"


class TableFiles:
    """The tables in a folder, which is made if there is none.

    Args:
        folder: theirs alone.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # records tell every hand

    def ids(self) -> list[str]:
        """The names of all tables."""
        names = (path.name.removesuffix(ENDING) for path in self.folder.glob(f"*{ENDING}"))
        return sorted(name for name in names if TABLE_ID.fullmatch(name))

    def save(self, table: SavedTable) -> None:
        """Write a table whole, or leave what was there: a server that is killed loses nothing it has told anybody."""
        path = self._path(table.id)
        new = path.with_suffix(".new")
        try:
            new.write_text(table.text(), encoding="ascii")
            os.replace(new, path)  # noqa: PTH105  (the word for it: one file takes the other's place at once)
        except OSError:
            with contextlib.suppress(OSError):
                new.unlink(missing_ok=True)  # half a table, where the disk is full
            raise

    def load(self, table_id: str) -> SavedTable:
        """Read a table.

        Raises:
            TableError: there is no such table, or its file is damaged. It is left as it is.
        """
        path = self._path(table_id)
        if not path.is_file():
            raise TableError("there is no such table here")
        try:
            if path.stat().st_size > LARGEST:
                raise TableError(f"it has more than {LARGEST} bytes")
            keys, record, *rest = path.read_text(encoding="ascii").split("\n")
            if rest != [""]:
                raise TableError("allowed are two lines")
            return checked(table_id, keys, from_json(record))
        except (MarriageError, ValueError, OSError, RecursionError) as error:
            raise TableError(f"table {table_id}: its file is damaged: {error}") from error

    def report_damaged(self) -> None:
        """Log which files are damaged: their tables cannot be played, and the files are left alone."""
        for table_id in self.ids():
            try:
                Match.of_record(self.load(table_id).record)
            except MarriageError as error:
                logger.warning("%s is passed over: %s", self._path(table_id), error)

    def _path(self, table_id: str) -> Path:
        return self.folder / f"{table_id}{ENDING}"


def checked(table_id: str, keys: str, record: Record) -> SavedTable:
    """A table by the lines of its file; TableError or another ValueError if they do not go together."""
    head = json.loads(keys)
    if not isinstance(head, dict) or head.get(MARK) != VERSION or not isinstance(head.get("keys"), dict):
        raise TableError(f"its first line is none of version {VERSION}")
    wanted = {WATCH, *(str(seat) for seat, name in enumerate(seats_in(record)) if name == HUMAN)}
    digests = head["keys"]
    if set(digests) != wanted or not all(isinstance(kept, str) and kept.isascii() for kept in digests.values()):
        raise TableError(f"its keys are none for {', '.join(sorted(wanted))}")
    return SavedTable(table_id, digests, record)
