"""A line that is no record is refused, by an error that names what is wrong; nothing else is ever raised."""

from __future__ import annotations

import copy
import json
import random
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marriage_env.errors import (
    RecordError,
    RecordFieldError,
    RecordMismatchError,
    RecordSizeError,
    RecordSyntaxError,
    RecordVersionError,
)
from marriage_env.records import check, from_json
from tests.records.helpers import EXAMPLES, Path, at, data_of, example, kind, places, put

GAMES = pytest.mark.parametrize("game", EXAMPLES)
#: A value of each type, with some that are nearly right.
OTHERS: list[Any] = [
    None,
    True,
    False,
    -1,
    0,
    1,
    10**30,
    1.5,
    1e300,
    "",
    "x",
    "QH",
    "²",
    [],
    [[]],
    {},
    {"a": 1},
    [None],
]


def read(data: Any) -> Any:
    """The record in data."""
    return from_json(json.dumps(data))


def some_of_each_kind(data: Any) -> list[Path]:
    """Paths of values: the first and the last of each kind."""
    found: dict[Path, list[Path]] = {}
    for path in places(data):
        found.setdefault(kind(path), []).append(path)
    return [path for paths in found.values() for path in dict.fromkeys((paths[0], paths[-1]))]


@GAMES
def test_every_field_is_needed_by_its_name(game: str) -> None:
    data = data_of(example(game))
    optional = {("packs", "*"), ("deals", "*", "missing"), ("deals", "*", "steps", "*", "paid")}
    for path in some_of_each_kind(data):
        if not isinstance(path[-1], str):
            continue
        changed = data_of(example(game))
        value = at(changed, path[:-1]).pop(path[-1])
        if kind(path) not in optional:
            with pytest.raises(RecordVersionError if path == ("marriage_record",) else RecordFieldError):
                read(changed)
        at(changed, path[:-1])[path[-1] + "_"] = value
        with pytest.raises(
            RecordError, match="marriage_record" if path == ("marriage_record",) else "(allowed|needed) are"
        ):
            read(changed)


@GAMES
def test_values_of_other_types_are_refused_or_found_out(game: str) -> None:
    original = example(game)
    for path in some_of_each_kind(data_of(original)):
        for other in OTHERS:
            changed = put(data_of(original), path, other)
            try:
                record = read(changed)
                if record != original:
                    check(record)
            except RecordError:
                continue
            assert harmless(path) or record == original, (path, other)


def harmless(path: Path) -> bool:
    """Whether a value may be another, and the record still be one that is borne out: who played, and what is told."""
    return path[0] in ("players", "about")


@GAMES
def test_every_change_of_what_was_played_is_found_and_said_where(game: str) -> None:
    """Each value in deals, each of the last balances and pots, and what the match began with."""
    original = example(game)
    cards = [card for hand in data_of(original)["deals"][0]["hands"] for card in hand]
    missed = 0
    for path in places(data_of(original)):
        value = at(data_of(original), path)
        if path[0] in ("game", "rules", "players", "about", "marriage_record") or isinstance(value, (dict, list)):
            continue
        for other in others_like(value, path, cards):
            with pytest.raises((RecordFieldError, RecordMismatchError)) as caught:
                check(read(put(data_of(original), path, other)))
                assert path[-1] == "action", f"{path}: {other!r} instead of {value!r} was not found"
                raise RecordMismatchError("nothing: another card of that rank, as good as this one")
            if str(caught.value).startswith("nothing"):
                missed += 1
            elif path[0] == "deals" and isinstance(caught.value, RecordMismatchError):
                check_place(str(caught.value), path)
            if path[0] in ("balances", "pots_left", "over"):
                assert str(caught.value).startswith(f"at the end: {path[0]}: recorded"), caught.value
    assert missed <= 3


def check_place(said: str, path: Path) -> None:
    """The deal of the change is told, and its step; of an action that was legal too, a later one, where it shows."""
    told = re.match(r"deal (\d+)(?:, step (\d+))?: ", said)
    assert told, said
    assert int(told[1]) == path[1] + 1, (path, said)
    if path[2] == "steps":
        assert int(told[2]) == path[3] + 1 or (path[-1] == "action" and int(told[2]) > path[3] + 1), (path, said)


def others_like(value: Any, path: Path, cards: list[str]) -> list[Any]:
    """Values of the same type as one."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1]
    if path[0] == "chance":
        return [str(int(value) + 1), str(int(value) + 2**32)]
    if value in cards:
        return [card for card in (*cards[:2], cards[-1]) if card != value]
    if path[-1] == "action":
        return [action for action in ("pass", cards[0], cards[1]) if action != value]
    return [value + "x", "contribution" if value != "contribution" else "sequence"]


@GAMES
def test_what_is_left_out_or_added_in_deals_is_found(game: str) -> None:
    original = example(game)
    for path in places(data_of(original)):
        if path[0] != "deals" or not isinstance(path[-1], int):
            continue
        for copies in (0, 2):
            changed = data_of(original)
            items = at(changed, path[:-1])
            items[path[-1] : path[-1] + 1] = [items[path[-1]]] * copies
            with pytest.raises(RecordError):
                check(read(changed))


@GAMES
def test_versions(game: str) -> None:
    for version in (0, 2, -1, True, "1", 1.0, None, [1], 10**40):
        with pytest.raises(RecordVersionError):
            read(put(data_of(example(game)), ("marriage_record",), version))
    for data in ({}, {"event": "poker"}):
        with pytest.raises(RecordVersionError, match="no field 'marriage_record'"):
            read(data)


@pytest.mark.parametrize(
    "line",
    [
        b"", b"x", b"[]", b"1", b"null", b'"marriage_record"', b"{", b"{}}", b"{'a': 1}", b'{"a": 1,}',
        b"\xef\xbb\xbf{}", b"\xff{}", b'{"a": "\xc3"}', b'{"a": NaN}', b'{"a": -Infinity}', b'{"a": 01}',
        b'{"a": "\n"}', b"[" * 100_000, b'{"a":' * 100_000, b'{"a": ' + b"9" * 100_000 + b"}",
        b'{"a": 1, "a": 1}', b'{"marriage_record": 1, "marriage_record": 1}', "{}".encode("utf-16"),
        b"__import__('os').system('true')", b"<script>alert(1)</script>", b"!!python/object:os.system [true]",
        b"cos\nsystem\n(S'true'\ntR.",
    ],
    ids=lambda line: repr(line[:16]),
)  # fmt: skip
def test_what_is_no_json_object_is_refused(line: bytes) -> None:
    with pytest.raises(RecordSyntaxError) as caught:
        from_json(line)
    assert len(str(caught.value)) < 500


@GAMES
@pytest.mark.parametrize("depth", [5, 100, 300, 600, 900, 950, 990, 5000])
def test_brackets_within_brackets_are_refused_wherever_they_stand(game: str, depth: int) -> None:
    line = example(game).as_json()
    for field in ("about", "players", "dealer", "pots", "over", "chance"):
        value = json.dumps(json.loads(line)[field], separators=(",", ":"))
        assert f'"{field}":{value}' in line
        for opened, closed in (("[", "]"), ('{"a":', "}")):
            nested = opened * depth + "1" + closed * depth
            with pytest.raises(RecordError):
                from_json(line.replace(f'"{field}":{value}', f'"{field}":{nested}'))


def test_a_name_given_twice_among_very_many_is_found_quickly() -> None:
    names = ",".join(f'"{number}":0' for number in range(200_000))
    with pytest.raises(RecordSyntaxError, match="'199999' twice"):
        from_json("{" + names + ',"199999":0}')


@pytest.mark.parametrize(
    "name",
    ["\x00", "a\nb", "\r", "\t", "\x1b[31mred", "\x7f", "\x85", "\x9b2J", "\u200b", "\u200e", "\u202e", "\u2066",
     "\u2028", "\ufeff", "\ud800", "\udfff", "\U000e0041", "\u00ad", "\u00a0", "\ue000", "\uffff", "", 5, None, ["a"]],
    ids=ascii,
)  # fmt: skip
def test_names_that_could_be_more_than_they_show_are_refused(name: Any) -> None:
    for path in (("players", 0), ("about", "place")):
        with pytest.raises(RecordFieldError) as caught:
            read(put(data_of(example("saucers")), path, name))
        assert str(caught.value).isprintable(), "nor does the message do it"
    if isinstance(name, str):
        with pytest.raises(RecordFieldError) as caught:
            read(put(data_of(example("saucers")), ("about",), {name: "x"}))
        assert str(caught.value).isprintable()


def test_names_of_all_scripts_and_markup_are_text() -> None:
    names = ["<script>alert(1)</script>", "Ольга & 王芳", "{{7*7}} ${7*7}", "'; DROP TABLE records; --"]
    assert read(put(data_of(example("saucers")), ("players",), names)).players == tuple(names)


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("players", 0), "x" * 201, "201 characters"),
        (("about",), {"a": "x" * 201}, "201 characters"),
        (("about",), {str(number): "x" for number in range(51)}, "51 texts"),
        (("deals",), [{}] * 3, "3 items"),
        (("packs",), [[]] * 3, "3 items"),
        (("deals", 0, "steps"), [{}] * 500, "500 items"),
        (("deals", 0, "steps", 0, "paid"), [{}] * 500, "500 items"),
        (("deals", 0, "steps", 0, "paid", 0, "from"), [0] * 500, "500 items"),
        (("deals", 0, "hands", 0), ["QH"] * 500, "500 items"),
    ],
    ids=lambda value: str(value)[:30],
)
def test_what_is_larger_than_any_game_is_refused(path: Path, value: Any, said: str) -> None:
    with pytest.raises(RecordSizeError, match=said):
        read(put(data_of(example("boxes")), path, value))


@GAMES
@given(data=st.data())
def test_flipped_bytes_raise_record_errors_alone(game: str, data: st.DataObject) -> None:
    original = example(game)
    line = bytearray(original.as_json().encode())
    for _ in range(data.draw(st.integers(1, 3))):
        line[data.draw(st.integers(0, len(line) - 1))] = data.draw(st.integers(0, 255))
    refused_or_the_same(bytes(line), original)


@GAMES
@given(data=st.data(), number=st.integers(0, 2**32))
def test_changed_json_raises_record_errors_alone(game: str, data: st.DataObject, number: int) -> None:
    original = example(game)
    changed = data_of(original)
    paths = list(places(changed))
    path = random.Random(number).choice(paths)
    anything = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
        max_leaves=8,
    )
    swapped = copy.deepcopy(at(changed, random.Random(number + 1).choice(paths)))
    put(changed, path, data.draw(anything | st.just(swapped)))
    refused_or_the_same(json.dumps(changed).encode(), original)


def refused_or_the_same(line: bytes, original: Any) -> None:
    """RecordError, or a record of the same match, whoever is said to have played it."""
    try:
        record = from_json(line)
        check(record)
    except RecordError as error:
        assert str(error).isprintable()
        return
    assert record.deals == original.deals
    assert record.balances == original.balances
    assert record.pots == original.pots


@given(line=st.one_of(st.binary(max_size=200), st.text(max_size=200)))
def test_anything_else_raises_record_errors_alone(line: Any) -> None:
    with pytest.raises(RecordError):
        from_json(line)
