"""What results come from: the versions of what computes them, and the models that agents play by."""

from __future__ import annotations

import hashlib
import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from agents.trained import WEIGHTS, shipped_cards

#: All that play, or train, by numbers of their own: another version may come out otherwise.
LIBRARIES = (
    *("marriage-env", "numba", "llvmlite", "numpy", "safetensors"),
    *("torch", "stable-baselines3", "sb3-contrib", "gymnasium"),
)


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that compute, by name; of one that is not installed, ``"absent"``."""
    return {"python": platform.python_version(), **{name: version_of(name) for name in LIBRARIES}}


def version_of(library: str) -> str:
    """The version of a library that is installed, or ``"absent"``."""
    try:
        return version(library)
    except PackageNotFoundError:
        return "absent"


def models_of(agents: Sequence[str]) -> dict[str, dict[str, str]]:
    """Digests of the models that agents play by, by name: in files, and with the project."""
    files = [name for name in agents if os.path.isfile(name)]  # noqa: PTH113  (pathlib raises for a long name)
    digests = {name: hashlib.sha256(Path(name).read_bytes()).hexdigest() for name in files}
    return {"sha256": digests, "shipped_models": shipped_digests(agents)}


def shipped_digests(agents: Sequence[str]) -> dict[str, str]:
    """Digests of the models that come with the project, by name, if an agent plays by them."""
    if not any(name.partition(":")[0] == "trained" for name in agents):
        return {}
    return {path.stem: card.digest() for path, card in shipped_cards(WEIGHTS).items()}


def difference(there: Any, here: Any) -> str:
    """How a setting differs, in words: of one of several parts, those parts that do."""
    if isinstance(there, Mapping) and isinstance(here, Mapping):
        parts = [part for part in {**there, **here} if there.get(part) != here.get(part)]
        return "; ".join(f"{part} {difference(there.get(part), here.get(part))}" for part in parts)
    return f"{there!s:.100}, not {here!s:.100}"
