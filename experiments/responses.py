"""Training responses to agents, each in a folder that tells how it is trained, and whether it is finished.

A worker that finds that folder as it was prepared trains there, and goes on from the checkpoint of one that was lost.
Any other trains in a folder of its own, from the beginning, and sends what comes out.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agents.files import write_whole
from agents.network import NetworkAgent
from agents.ppo import PPOAgent
from agents.trained import ShippedAgent
from experiments import train
from experiments.provenance import difference, models_of
from experiments.runs import CHECKPOINT, MODEL, SETTINGS, read_settings
from marriage_env import MarriageError, make_agent

RESPONSE = "response.json"
TO_SEND = (MODEL, SETTINGS, CHECKPOINT)


@dataclass(frozen=True)
class Response:
    """A response that is trained, or is to be.

    Attributes:
        agent: against whom, by name.
        folder: where it is kept.
        words: that `experiments.train` is given, but for the folder.
    """

    agent: str
    folder: Path
    words: tuple[str, ...]

    @property
    def model(self) -> Path:
        """Its network, once there is one."""
        return self.folder / MODEL

    @property
    def finished(self) -> bool:
        """Whether it has been trained to its end, as it is to be."""
        record = self._record()
        return self.model.is_file() and record.get("finished") is True and record.get("settings") == self._settings()

    def check_free(self) -> None:
        """Raise MarriageError if something else is in its folder."""
        there, settings = self._record().get("settings"), self._settings()
        if there == settings or not any((self.folder / name).is_file() for name in (MODEL, CHECKPOINT)):
            return
        why = f" ({difference(there, settings):.300})" if isinstance(there, Mapping) else ""
        allowed = "--measure-only, --overwrite, or another folder by --out"
        raise MarriageError(f"{self.model} is there, trained otherwise{why}: allowed is {allowed}")

    def prepare(self, *, anew: bool) -> dict[str, Any]:
        """Prepare the folder for a training that begins, or goes on; what `train_response` is told of it."""
        record = self._record()
        if anew or record.get("settings") != self._settings():
            record = {"settings": self._settings(), "training": secrets.token_hex(8), "finished": False}
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / CHECKPOINT).unlink(missing_ok=True)
            self._write(record)
        return record

    def finish(self, record: Mapping[str, Any], files: Mapping[str, bytes]) -> None:
        """Keep what has come out of training, unless it is there already."""
        for name, content in files.items():
            write_whole(self.folder / name, content)
        self._write({**record, "finished": True})

    def prepared_here(self, record: Mapping[str, Any]) -> bool:
        """Whether this process sees the folder that was prepared."""
        return self._record() == record

    def _settings(self) -> dict[str, Any]:
        return {"train": list(self.words), **models_of([self.agent])}

    def _record(self) -> dict[str, Any]:
        with contextlib.suppress(OSError, ValueError, RecursionError):
            record = json.loads((self.folder / RESPONSE).read_text(encoding="utf-8"))
            if isinstance(record, dict):
                return record
        return {}

    def _write(self, record: Mapping[str, Any]) -> None:
        write_whole(self.folder / RESPONSE, (json.dumps(record, indent=2) + "\n").encode())


def train_response(prepared: tuple[Response, dict[str, Any]]) -> dict[str, bytes]:
    """Train a response that was prepared; the files that come out, unless they are where they are to be.

    Raises MarriageError for another model of the agent's, and for a training that is stopped before its end.
    """
    response, record = prepared
    models = models_of([response.agent])
    expected = {name: record["settings"][name] for name in models}
    if models != expected:
        other = f"a worker has another model of {response.agent} ({difference(expected, models):.300})"
        raise MarriageError(f"{other}: allowed is the same file, at the same path, on every machine")
    if response.prepared_here(record):
        run_training(response, response.folder)
        return {}
    with tempfile.TemporaryDirectory() as folder:
        run_training(response, Path(folder))
        return {name: (Path(folder) / name).read_bytes() for name in TO_SEND}


def run_training(response: Response, folder: Path) -> None:
    """Train in a folder, from its checkpoint on if there is one; MarriageError if that is stopped before its end."""
    how = "--resume" if (folder / CHECKPOINT).is_file() else "--overwrite"
    train.main([*response.words, "--out", str(folder), how])
    settings = read_settings(folder)
    learned, steps = settings["steps_learned"], settings["steps"]
    if settings["seconds"] is None and learned < steps:
        stopped = f"the training against {response.agent} was stopped after {learned:,} of {steps:,} steps"
        raise MarriageError(f"{stopped}: the same command again goes on")


def beginning(name: str) -> list[str]:
    """How the learner begins: as the agent himself if he is a network, otherwise by following `rules`."""
    networks = (NetworkAgent, PPOAgent, ShippedAgent)
    return ["--start", name] if isinstance(make_agent(name), networks) else ["--advice"]
