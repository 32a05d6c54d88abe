"""A tournament's folder: its settings, and each part of it once it is played."""

from __future__ import annotations

import dataclasses
import io
import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from agents.files import write_whole
from experiments.provenance import difference, models_of, versions
from experiments.referee import Conduct
from experiments.tournament_play import DEALS_AT_ONCE, Part, Result, Tournament
from marriage_env import MarriageError
from marriage_env.records import save_records

SETTINGS, PARTS, RECORDS = "tournament.json", "parts", "records"


def settings_of(tournament: Tournament) -> dict[str, Any]:
    """What must be the same to go on: the tournament, its blocks, the libraries, and the models its agents play by."""
    return {
        **dataclasses.asdict(tournament),
        "agents": list(tournament.agents),
        "deals_in_a_block": DEALS_AT_ONCE,
        "versions": versions(),
        **models_of(tournament.agents),
    }


class Folder:
    """Where a tournament's parts are kept.

    Args:
        path: of the folder; made if it is not there.
        tournament: whose it is.
        overwrite: whether a tournament that is there is thrown away.
        with_records: whether a part's records belong to it: without them, it has not been played.

    Raises MarriageError if another tournament is there.
    """

    def __init__(
        self, path: Path, tournament: Tournament, *, overwrite: bool = False, with_records: bool = False
    ) -> None:
        self.path, self.parts, self.records, self.with_records = path, path / PARTS, path / RECORDS, with_records
        if overwrite:
            (path / SETTINGS).unlink(missing_ok=True)
            shutil.rmtree(self.parts, ignore_errors=True)
            shutil.rmtree(self.records, ignore_errors=True)
        self.parts.mkdir(parents=True, exist_ok=True)
        settings = settings_of(tournament)
        if (path / SETTINGS).exists() or any(self.parts.iterdir()):
            self._compare(settings)
        write_whole(path / SETTINGS, (json.dumps(settings, indent=2) + "\n").encode())

    def has(self, part: Part) -> bool:
        """Whether a part has been played."""
        return self._file(part).exists() and (not self.with_records or self._records_of(part).exists())

    def save(self, part: Part, result: Result) -> None:
        """Keep a part, its records first."""
        if self.with_records:
            save_records(self._records_of(part), result.records)
        else:  # those that are there are of matches that count no longer
            self._records_of(part).unlink(missing_ok=True)
        conduct = json.dumps({number: dataclasses.asdict(found) for number, found in result.conduct.items()})
        content = io.BytesIO()
        np.savez_compressed(
            content,
            part=np.frombuffer(part.name.encode(), np.uint8),
            lineups=result.lineups,
            chips=result.chips,
            forfeited=result.forfeited,
            conduct=np.frombuffer(conduct.encode(), np.uint8),
        )
        write_whole(self._file(part), content.getvalue())

    def load(self, part: Part) -> Result:
        """A part that has been played; MarriageError if its file is damaged, or another part's."""
        try:
            with np.load(self._file(part)) as arrays:
                if arrays["part"].tobytes() != part.name.encode():
                    raise ValueError("it is another part's")
                conduct = json.loads(arrays["conduct"].tobytes())
                behaved = {int(number): Conduct(**found) for number, found in conduct.items()}
                return Result(arrays["lineups"], arrays["chips"], arrays["forfeited"], behaved)
        except Exception as error:  # damaged bytes raise errors of a dozen kinds
            raise MarriageError(
                f"{self._file(part)} is damaged: delete it to have it played again ({error!s:.200})"
            ) from error

    # Within

    def _file(self, part: Part) -> Path:
        return self.parts / f"{part.name}.npz"

    def _records_of(self, part: Part) -> Path:
        return self.records / f"{part.name}.jsonl"

    def _compare(self, settings: dict[str, Any]) -> None:
        otherwise = "allowed is the same command again, another folder by --out, or --overwrite"
        try:
            there = json.loads((self.path / SETTINGS).read_text(encoding="utf-8"))
            differ = [name for name in settings if there[name] != settings[name]]
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise MarriageError(
                f"{self.path} holds a tournament whose {SETTINGS} cannot be read: {otherwise}"
            ) from error
        if differ:
            name = differ[0]
            told = difference(there[name], settings[name])
            raise MarriageError(f"{self.path} holds another tournament ({name} {told:.300}): {otherwise}")
