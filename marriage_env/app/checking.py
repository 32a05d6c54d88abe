"""What ``marriage-env check`` does."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from marriage_env.records import check_file


def check_files(files: Iterable[Path]) -> bool:
    """Check each record of each file, and say what was found; whether there was no difference and no fault.

    RecordFileError for a file that cannot be read.
    """
    sound = True
    for file in files:
        right = wrong = 0
        for line, error in check_file(file):
            if error is None:
                right += 1
            else:
                wrong += 1
                click.echo(f"{file}, line {line}: {type(error).__name__}: {error}")
        click.echo(f"{file}: {right} {'match' if right == 1 else 'matches'} by the rules, {wrong} not")
        sound = sound and not wrong
    return sound
