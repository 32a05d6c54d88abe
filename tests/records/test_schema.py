"""The JSON Schema takes every record that is written, and none that lacks a field or has another type in it."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from marriage_env import errors
from marriage_env.records import check, from_json
from tests.helpers import TABLES, Table, play_random
from tests.records.helpers import EXAMPLES, at, data_of, example, forfeit, kind, places, put

jsonschema = pytest.importorskip("jsonschema")
DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def validator() -> Any:
    """What validates by the schema as it stands in the docs."""
    schema = json.loads((DOCS / "records.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("seats", TABLES, ids=str)
def test_every_record_is_valid(seats: Table, validator: Any) -> None:
    env = seats.env(deals=2)
    env.reset(seed=1)
    for steps in (0, 9):
        play_random(env, random.Random(1), limit=steps)
        validator.validate(env.record.as_data())
    forfeit(env)
    validator.validate(env.record.as_data())


@pytest.mark.parametrize("game", EXAMPLES)
def test_examples_are_valid_and_damaged_ones_are_not(game: str, validator: Any) -> None:
    assert validator.is_valid(data_of(example(game)))
    optional = {"missing", "illegal", "paid"}
    seen = set()
    for path in places(data_of(example(game))):
        if kind(path) in seen:
            continue
        seen.add(kind(path))
        assert not validator.is_valid(put(data_of(example(game)), path, [[None]])), path
        if isinstance(path[-1], str):
            changed = data_of(example(game))
            value = at(changed, path[:-1]).pop(path[-1])
            assert validator.is_valid(changed) == (path[-1] in optional), path
            at(changed, path[:-1])[path[-1] + "_"] = value
            assert not validator.is_valid(changed), path
    for name in ("\x1b[2J", "", "x" * 201, "a\u202eb"):
        assert not validator.is_valid(put(data_of(example(game)), ("players", 0), name))


def test_the_page_shows_a_record_that_is_one(validator: Any) -> None:
    page = (DOCS / "records.md").read_text(encoding="utf-8")
    data = json.loads(re.search(r"```json\n(.*?)```", page, re.DOTALL).group(1))  # type: ignore[union-attr]
    validator.validate(data)
    check(from_json(json.dumps(data)))
    block = next(block for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "the example below" in block)
    namespace: dict[str, Any] = {}
    exec(block.partition("\n\nother")[0], namespace)
    assert json.loads(namespace["line"]) == data, "it is the record that the block above it makes"


def test_the_page_names_every_field_and_error() -> None:
    page = (DOCS / "records.md").read_text(encoding="utf-8")
    names = {name for game in EXAMPLES for path in places(data_of(example(game))) for name in path}
    rules = {name for game in EXAMPLES for name in data_of(example(game))["rules"]}
    for name in names - rules:
        assert isinstance(name, int) or f"`{name}`" in page, name
    for name, error in vars(errors).items():
        if isinstance(error, type) and issubclass(error, errors.RecordError):
            assert f"`{name}`" in page, name
