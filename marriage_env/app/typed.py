"""Lines that people type."""

from __future__ import annotations

import sys

from marriage_env.render.text import in_its_characters


def somebody_types() -> bool:
    """Whether standard input is a terminal; it may be closed, too."""
    return sys.stdin is not None and sys.stdin.isatty()


def typed_line(prompt: str) -> str:
    """A line of standard input; EOFError when there is none to come."""
    if sys.stdin is None:
        raise EOFError
    return input(in_its_characters(prompt))
