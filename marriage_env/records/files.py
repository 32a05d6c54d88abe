"""Files of records: JSON Lines, a record a line."""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from marriage_env.errors import (
    OptionError,
    RecordError,
    RecordFileError,
    RecordSizeError,
    RecordSyntaxError,
    RecordTruncatedError,
)
from marriage_env.records.playing import check
from marriage_env.records.reading import from_json
from marriage_env.records.record import Record

#: No match makes a longer line: 1,000 deals, ten players of Boxes and the longest texts take some 4 MB.
LONGEST_LINE = 2**23


def record_path(path: Any) -> str | None:
    """The path of a file that records are to be added to, from wherever the program runs then; None for None.

    Raises OptionError for what is no path, RecordFileError for what is there, but can have none added.
    """
    if path is None:
        return None
    refusal = OptionError(f"record={path!r:.100}: allowed is the path of a file, or None")
    try:
        whole = os.path.abspath(os.fsdecode(path))  # noqa: PTH100  (a Path would refuse bytes)
    except TypeError:
        raise refusal from None
    if "\0" in whole:
        raise refusal
    if os.path.lexists(whole):
        open_regular(whole, os.O_RDWR | os.O_APPEND).close()
    return whole


class Line(NamedTuple):
    """A line of a file: its number from 1, and what is wrong with it, if anything is."""

    number: int
    error: RecordError | None


def read_records(path: str | os.PathLike[str]) -> Iterator[Record]:
    """The records in a file, one after the other; empty lines are passed over.

    Raises:
        RecordError: of a kind for each fault (`RecordFileError`, `RecordSizeError`, `RecordSyntaxError`,
            `RecordTruncatedError`, `RecordVersionError`, `RecordFieldError`); the message begins with file and line.
    """
    for number, line in lines_of(path):
        try:
            yield record_in_line(line)
        except RecordError as error:
            raise type(error)(f"{os.fspath(path)}, line {number}: {error}") from None


def check_file(path: str | os.PathLike[str]) -> Iterator[Line]:
    """Each record of a file, read and played again through the rules; RecordFileError if the file cannot be read."""
    for number, line in lines_of(path):
        try:
            check(record_in_line(line))
            yield Line(number, None)
        except RecordError as error:
            yield Line(number, error)


def append_record(path: str | os.PathLike[str], record: Record) -> None:
    """Add a record to a file, which is made if there is none, by one write: others may add theirs at the same time.

    What is there stays; a line cut short is left alone. RecordFileError if the record cannot be added.
    """
    line = record.as_json().encode("ascii") + b"\n"
    with writing_to(path) as target, open_regular(target, os.O_RDWR | os.O_CREAT | os.O_APPEND) as file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            line = line if file.read(1) == b"\n" else b"\n" + line
        if file.write(line) < len(line):
            raise OSError("there was room for a part of the record alone")


def save_records(path: str | os.PathLike[str], records: Iterable[Record]) -> None:
    """Write a file anew with these records: whole, or, if anything fails, not at all.

    Raises RecordFileError if it cannot be written.
    """
    with writing_to(path) as target:
        draft = target.with_name(f".{target.name}.{os.getpid()}.draft")
        try:
            with draft.open("wb") as file:
                for record in records:
                    file.write(record.as_json().encode("ascii") + b"\n")
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)


@contextlib.contextmanager
def writing_to(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A file to be written, in a folder that is there by then; RecordFileError, with the reason, if it cannot be."""
    target = Path(path)
    if not target.name or "\0" in str(target):
        raise RecordFileError(f"{os.fspath(path)!r:.200} cannot be written: it is no name of a file")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        yield target
    except OSError as error:
        raise RecordFileError(f"{os.fspath(path)!r:.200} cannot be written: {error}") from error


def record_in_line(line: bytes) -> Record:
    """The record in a line, with or without its end."""
    try:
        return from_json(line)
    except RecordSyntaxError as error:
        if line.endswith(b"\n"):
            raise
        raise RecordTruncatedError(f"the last line breaks off: {error}") from None


def lines_of(path: str | os.PathLike[str]) -> Iterator[tuple[int, bytes]]:
    """The lines of a file that are not empty, with their numbers."""
    with open_regular(path, os.O_RDONLY) as file:
        number = 0
        while line := file.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                where = f"{os.fspath(path)}, line {number}"
                raise RecordSizeError(f"{where}: longer than {LONGEST_LINE} bytes, which no record is")
            if line.strip():
                yield number, line


def open_regular(path: str | os.PathLike[str], flags: int) -> IO[bytes]:
    """A file, opened without waiting; what is written goes there at once. RecordFileError if it cannot be opened so."""
    try:
        descriptor = os.open(path, flags | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0), 0o666)
    except (OSError, ValueError) as error:
        raise RecordFileError(f"{os.fspath(path)!r:.200} cannot be opened: {error}") from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise RecordFileError(f"{os.fspath(path)!r:.200} is no file: allowed is a regular one")
    if flags == os.O_RDONLY:
        return os.fdopen(descriptor, "rb")
    return os.fdopen(descriptor, "r+b", buffering=0)
