"""Files of records: each kind of damage has its error, which says where; what is there is never lost."""

from __future__ import annotations

import dataclasses
import os
import random
import threading
from pathlib import Path
from typing import Any

import pytest

from marriage_env import Batch, saucers_v0
from marriage_env.errors import (
    RecordError,
    RecordFieldError,
    RecordFileError,
    RecordMismatchError,
    RecordSizeError,
    RecordSyntaxError,
    RecordTruncatedError,
    RecordVersionError,
)
from marriage_env.records import Record, append_record, check_file, files, read_records, save_records
from tests.helpers import play_random
from tests.records.helpers import example


def line_of(record: Record) -> bytes:
    """A record as it stands in a file."""
    return record.as_json().encode() + b"\n"


def test_what_is_saved_or_added_is_read(tmp_path: Path) -> None:
    records = [example("boxes"), example("saucers")]
    save_records(tmp_path / "new" / "saved.jsonl", iter(records))
    for record in records:
        append_record(tmp_path / "other" / "added.jsonl", record)
    for path in (tmp_path / "new" / "saved.jsonl", str(tmp_path / "other" / "added.jsonl")):
        assert list(read_records(path)) == records
        assert [line.error for line in check_file(path)] == [None, None]
    save_records(tmp_path / "new" / "saved.jsonl", [])
    assert list(read_records(tmp_path / "new" / "saved.jsonl")) == []
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["saved.jsonl"]


def test_a_file_that_is_saved_anew_stays_if_that_fails(tmp_path: Path) -> None:
    path = tmp_path / "saved.jsonl"
    save_records(path, [example("boxes")])

    def failing() -> Any:
        yield example("saucers")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save_records(path, failing())
    assert list(read_records(path)) == [example("boxes")]
    assert list(tmp_path.iterdir()) == [path]


def test_a_record_is_added_on_a_line_of_its_own_after_whatever_is_there(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    for there in (b"", b"\n", line_of(example("boxes"))[:-1], line_of(example("boxes"))[:50], b"not ours", b"\n\n \n"):
        path.write_bytes(there)
        append_record(path, example("saucers"))
        assert path.read_bytes().startswith(there)
        *_, last = check_file(path)
        assert last.error is None
    path.write_bytes(line_of(example("boxes"))[:-1])
    append_record(path, example("saucers"))
    assert list(read_records(path)) == [example("boxes"), example("saucers")]


def test_many_may_add_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    record = example("boxes")
    threads = [
        threading.Thread(target=lambda: [append_record(path, record) for _ in range(25)]) for _ in range(8)
    ]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(read_records(path)) == [record] * 200


def test_empty_lines_are_passed_over_and_the_last_may_lack_its_end(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    line = line_of(example("saucers"))
    path.write_bytes(b"\n \n" + line + b"\r\n" + line[:-1])
    assert list(read_records(path)) == [example("saucers")] * 2
    assert [found.number for found in check_file(path)] == [3, 5]


@pytest.mark.parametrize("game", ["boxes", "saucers"])
def test_a_record_cut_at_any_byte_is_refused(game: str, tmp_path: Path) -> None:
    line = line_of(example(game))
    for end in range(1, len(line) - 1):
        with pytest.raises(RecordTruncatedError, match="breaks off"):
            files.record_in_line(line[:end])
    path = tmp_path / "cut.jsonl"
    path.write_bytes(line + line[:-7])
    records = read_records(path)
    assert next(records) == example(game)
    with pytest.raises(RecordTruncatedError, match=r"cut\.jsonl, line 2: the last line breaks off"):
        next(records)


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (b"{]\n", RecordSyntaxError),
        (b"\xff\xfe\n", RecordSyntaxError),
        (b"\x00" * 1000 + b"\n", RecordSyntaxError),
        (b"GIF89a\n", RecordSyntaxError),
        (b"{", RecordTruncatedError),
        (b"{}\n", RecordVersionError),
        (b'{"marriage_record":2}\n', RecordVersionError),
        (b'{"marriage_record":1}\n', RecordFieldError),
        (b"[" * (files.LONGEST_LINE + 1), RecordSizeError),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_damage_is_named_with_its_file_and_line(content: bytes, error: type[RecordError], tmp_path: Path) -> None:
    path = tmp_path / "damaged.jsonl"
    path.write_bytes(line_of(example("saucers")) + content)
    records = read_records(path)
    next(records)
    with pytest.raises(error, match=r"damaged\.jsonl, line 2: ") as caught:
        next(records)
    assert type(caught.value) is error
    assert len(str(caught.value)) < 700


def test_checking_a_file_goes_on_after_a_record_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    record = example("boxes")
    wrong = dataclasses.replace(record, balances=(*record.balances[1:], record.balances[0]))
    path.write_bytes(line_of(record) + line_of(wrong) + b"{}\n" + line_of(record))
    found = list(check_file(path))
    assert [line.number for line in found] == [1, 2, 3, 4]
    assert [type(line.error) for line in found] == [type(None), RecordMismatchError, RecordVersionError, type(None)]


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "loop", "/dev/zero", "/dev/null", "a\0b", "x" * 5000):
        for use in (lambda path: next(read_records(path)), lambda path: next(check_file(path))):
            with pytest.raises(RecordFileError):
                use(path)
        with pytest.raises(RecordFileError):
            append_record(path, example("saucers"))
    with pytest.raises(RecordFileError, match="No such file"):
        next(read_records(tmp_path / "none.jsonl"))
    (tmp_path / "file").write_bytes(b"")
    for path in (tmp_path / "file" / "matches.jsonl", "", "/", "a\0b", tmp_path / "a\0b" / "matches.jsonl"):
        for write in (append_record, lambda path, record: save_records(path, [record])):
            with pytest.raises(RecordFileError):
                write(path, example("saucers"))


def test_a_file_that_the_system_does_not_give_out_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "matches.jsonl"
    save_records(path, [example("saucers")])

    def refuse(*_: Any) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    for use in (lambda: next(read_records(path)), lambda: append_record(path, example("boxes"))):
        with pytest.raises(RecordFileError, match="Permission"):
            use()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk here")
def test_a_full_disk_is_told_and_the_record_is_not_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "matches.jsonl"
    env = saucers_v0.raw_env(record=path)
    env.reset(seed=1)
    opened = files.open_regular
    monkeypatch.setattr(files, "open_regular", lambda *_: os.fdopen(os.open("/dev/full", os.O_RDWR), "r+b", 0))
    with pytest.raises(RecordFileError, match="No space left"):
        play_random(env, random.Random(1))
    assert all(env.terminations.values()), "the step was taken"
    with pytest.raises(RecordFileError):
        env.reset(seed=2)
    monkeypatch.setattr(files, "open_regular", opened)
    record = env.record
    env.reset(seed=2)
    assert list(read_records(path)) == [record]


def test_the_largest_matches_fit(tmp_path: Path) -> None:
    path = tmp_path / "matches.jsonl"
    batch = Batch("boxes", 1, seats="random", players=10, deals=100, conduct="fined", declaring="auto", record=path)
    batch.reset(seed=1)
    assert path.stat().st_size * 10 < files.LONGEST_LINE / 2
    assert [line.error for line in check_file(path)] == [None]
