"""What pictures and films need beside the library's own dependencies, and what to say where it is missing."""

from __future__ import annotations

import importlib.util

from marriage_env.errors import OptionError

INSTALL = "pip install 'marriage-env[pictures]'"


def need_pygame(what: str) -> None:
    """OptionError that names `what` if pictures cannot be drawn here."""
    if importlib.util.find_spec("pygame") is None:
        raise OptionError(f"{what} needs pygame-ce, which is not installed: {INSTALL}")
    import pygame

    if not getattr(pygame, "IS_CE", False):
        raise OptionError(
            f"{what} needs pygame-ce, but pygame is installed in its place: pip uninstall pygame; {INSTALL}"
        )


def need_av(what: str) -> None:
    """OptionError that names `what` if films cannot be written here."""
    for module, package in (("av", "PyAV"), ("PIL", "Pillow")):
        if importlib.util.find_spec(module) is None:
            raise OptionError(f"{what} needs {package}, which is not installed: {INSTALL}")
