"""A training run's folder: what lies in it, and where it comes from."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from marriage_env import MarriageError
from marriage_env.games import GAMES, rule_options

MODEL, SETTINGS, CHECKPOINT = "model.zip", "settings.json", "checkpoint.bin"


def read_settings(run: Path) -> dict[str, Any]:
    """The settings of a run; MarriageError if they are not those of one."""
    try:
        settings = json.loads((run / SETTINGS).read_text(encoding="utf-8"))
        if not isinstance(settings, dict) or settings.get("game") not in GAMES:
            raise ValueError("they name no game")
        rule_options(settings["game"], settings["rules"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        found = f"{run / SETTINGS}: no settings of a run ({error!r:.200})"
        raise MarriageError(f"{found}: allowed is a folder of experiments.train") from error
    return settings


def commit() -> str | None:
    """The commit of the checkout that this runs from; None if it is none."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
