"""The rulebook in a terminal."""

from __future__ import annotations

import sys

import click
from rich.console import Console
from rich.markdown import Markdown

from marriage_env.render.text import for_terminal, in_its_characters
from marriage_env.rulebook import clause_text, rules_page

WIDEST = 100  # columns


def show(game: str, clause: str | None) -> None:
    """Print the rules of a game, or one clause of them; as they are written where the output is no terminal."""
    text = rules_page(game) if clause is None else f"**{clause}** {clause_text(game, clause)}"
    if sys.stdout.isatty():
        console = Console(width=min(Console().width, WIDEST))
        with console.capture() as captured:
            console.print(Markdown(text))
        (click.echo_via_pager if clause is None else click.echo)(in_its_characters(captured.get()))
    else:
        click.echo(for_terminal(text))
