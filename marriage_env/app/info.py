"""What ``marriage-env info`` says."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec

import click

from marriage_env import __version__
from marriage_env.agents import agent_names
from marriage_env.games import GAMES
from marriage_env.records import VERSION

PACKAGES = ("gymnasium", "pettingzoo", "numpy", "numba")
#: A module that each extra brings, for what people see.
EXTRAS = {"play": "starlette", "pictures": "pygame"}


def show() -> None:
    """Print it."""
    click.echo(f"marriage-env {__version__}, records of version {VERSION}, Python {platform.python_version()}")
    for game in GAMES.values():
        click.echo(f"  {game.name:<10} {game.min_players} to {game.max_players} players")
    click.echo(f"agents     {', '.join(agent_names())}")
    click.echo(f"packages   {', '.join(f'{name} {version_of(name)}' for name in PACKAGES)}")
    for extra, module in EXTRAS.items():
        there = "is installed" if find_spec(module) else f"is missing: pip install 'marriage-env[{extra}]'"
        click.echo(f"extra      {extra} {there}")


def version_of(package: str) -> str:
    """The version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"
