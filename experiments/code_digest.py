"""A digest of all that decides what comes out, by which machines see whether they would do the same."""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

from experiments.provenance import versions

ROOT = Path(__file__).parent.parent
PACKAGES = ("marriage_env", "agents", "experiments")
ENDINGS = (".py", ".json", ".safetensors")  # code; cards of models, and the models


@functools.cache
def code_digest() -> str:
    """Of Python and the libraries that compute, and of this project's code and models."""
    digest = hashlib.sha256(f"{versions()}".encode())
    for path in sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*") if decides(path)):
        digest.update(f"\n{path.relative_to(ROOT).as_posix()} ".encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def decides(path: Path) -> bool:
    """Whether a file belongs to the project's code or models."""
    return path.suffix in ENDINGS and path.is_file()
