"""Checks that rule options go through."""

from __future__ import annotations

import ast
import dataclasses
import numbers
import operator
from typing import Any, TypeVar

import numpy as np

from marriage_env.errors import OptionError

Rules = TypeVar("Rules")


MOST_SHOWN = 200  # characters of a value in a message


def shown(value: Any) -> str:
    """A value in a message, cut where it is long; Python refuses to write integers of thousands of digits."""
    try:
        text = repr(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}..."


def whole(option: str, value: Any, low: int, high: int) -> int:
    """`value` as an int from `low` to `high`; OptionError otherwise."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, (bool, np.bool_)) or not low <= number <= high:
        raise OptionError(f"{option}={shown(value)}: allowed is a whole number from {low} to {high}")
    return number


def rate(option: str, value: Any, high: float = 1.0) -> float:
    """`value` as a probability of at most `high`; OptionError otherwise."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not between(0, value, high):
        raise OptionError(f"{option}={shown(value)}: allowed is a number from 0 to {high:g}")
    return float(value)


def between(low: Any, value: Any, high: Any) -> bool:
    """Whether a number, of any kind and size, is from `low` to `high`; NaN is not."""
    return bool(low <= value <= high)


def items(value: Any) -> list[Any] | None:
    """The items of a list, a tuple or an array of one dimension or more; None for anything else."""
    return list(value) if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim) else None


def one_of(option: str, value: Any, allowed: tuple[Any, ...]) -> Any:
    """`value` if it is one of `allowed` (of the same type); OptionError otherwise."""
    plain = value.item() if isinstance(value, np.generic) else value
    for choice in allowed:
        if type(plain) is type(choice) and plain == choice:
            return choice
    raise OptionError(f"{option}={shown(value)}: allowed is {' or '.join(map(repr, allowed))}")


def make_rules(rules: type[Rules], options: dict[str, Any]) -> Rules:
    """The rules with the given options; OptionError for one they do not know."""
    known = [field.name for field in dataclasses.fields(rules)]  # type: ignore[arg-type]
    for option in options:
        if option not in known:
            raise OptionError(f"{option:.100} is not a rule option: allowed are {', '.join(known)}")
    return rules(**options)


def settle(rules: object, **values: Any) -> None:
    """Set checked values in a frozen dataclass that is being made."""
    for name, value in values.items():
        object.__setattr__(rules, name, value)


def fill_from(rules: object, record: Any) -> None:
    """Write the options that a record has under their own names."""
    for name in record.dtype.names:
        if hasattr(rules, name):
            record[name] = getattr(rules, name)


def parse_rule(text: str) -> tuple[str, Any]:
    """``deals=4``, as on a command line, as ``("deals", 4)``; what is no Python literal is a word."""
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise OptionError(f"rule {text!r:.100}: allowed is NAME=VALUE, such as conduct=fined")
    try:
        return name, ast.literal_eval(value)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return name, value
