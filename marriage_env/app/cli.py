"""Where the program ``marriage-env`` begins: with a clear word to whoever lacks its packages."""

from __future__ import annotations

import io
import sys

NEEDED = "marriage-env: {} is missing: the program comes with pip install 'marriage-env[play]'"


def main() -> None:
    """Run the program."""
    try:
        from marriage_env.app.commands import program
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("marriage_env"):
            raise
        sys.exit(NEEDED.format(error.name))
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # what is typed in another encoding is no reason to end
    program(prog_name="marriage-env")
