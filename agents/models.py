"""Models as files: weights in ``NAME.safetensors``, a card in ``NAME.json``, each with the other's digest.

Nothing in them is ever unpickled. Reading them takes NumPy and safetensors alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from agents.cards import ADVICE, Card, ModelError, card_path, card_said_by, read_card
from agents.files import write_whole
from agents.network import Network
from marriage_env.table import ACTIONS

__all__ = ["Card", "Model", "ModelError", "fill_results", "load_model", "read_card", "save_model"]

ENDING = ".safetensors"
TYPES = (np.float16, np.float32)
#: What reading a damaged file can raise.
BROKEN = (SafetensorError, OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, MemoryError)


@dataclass(frozen=True)
class Model:
    """A network, and the card that says what it plays."""

    card: Card
    network: Network


def load_model(path: str | Path) -> Model:
    """The model of a file ``NAME.safetensors`` with its card beside it.

    Raises ModelError, which names the file, what does not match and what is expected.
    """
    path = Path(path)
    check_ending(path)
    if not os.path.isfile(path):  # noqa: PTH113  (pathlib raises for a name that is too long)
        raise ModelError(f"{path}: there is no such file; allowed is a model with its card")
    card, digest = read_card(path)
    tensors, about = read_tensors(path)
    check_tensors(path, tensors, card)
    if about.get("format") != str(card.format):
        raise ModelError(f"{path}: format {about.get('format')!r:.100}; its card says {str(card.format)!r}")
    if about.get("card") != digest:
        raise ModelError(f"{path}: {card_path(path).name} is not the card it was saved with; allowed is that card")
    if tensors_digest(tensors) != card.weights:
        raise ModelError(
            f"{path}: not the weights that {card_path(path).name} names; allowed is what it was saved with"
        )
    return Model(card, Network([(tensors[f"{name}.weight"], tensors[f"{name}.bias"]) for name in layer_names(card)]))


def read_tensors(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, str]]:
    """What is in a file of weights, and what its header says of it; ModelError if it is no such file."""
    try:
        with safe_open(path, framework="np") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except BROKEN as error:
        why = f"{type(error).__name__}: {str(error).partition(chr(10))[0]:.200}"
        raise ModelError(f"{path}: no file of weights ({why}); allowed is what agents.models has saved") from error


def save_model(path: Path, card: Card, network: Network, *, half: bool = False) -> None:
    """Save a model and its card, on which the layers and the digest of the weights are filled in.

    Args:
        path: ends in ``.safetensors``; the card is written beside it.
        card: of the network: its game, rules and past.
        network: what plays.
        half: whether weights are written as float16; otherwise as float32.

    Raises ModelError for weights that do not fit the card or are not finite; then nothing is written.
    """
    advice = ADVICE if network.inputs == card.observation["size"] + ACTIONS else None
    card = dataclasses.replace(card, layers=network.hidden, advice=advice)
    kind: Any = np.float16 if half else np.float32
    tensors: dict[str, NDArray[Any]] = {}
    with np.errstate(over="ignore"):  # what float16 cannot hold is found below
        for name, (weight, bias) in zip(layer_names(card), network.layers, strict=True):
            tensors |= {f"{name}.weight": np.ascontiguousarray(weight, kind), f"{name}.bias": bias.astype(kind)}
    write_model(path, card, tensors)


def fill_results(path: Path, results: Mapping[str, Any]) -> None:
    """Write the results of a saved model on its card, in the place of those that are there."""
    card = load_model(path).card
    write_model(path, dataclasses.replace(card, results=dict(results)), read_tensors(path)[0])


def write_model(path: Path, card: Card, tensors: dict[str, NDArray[Any]]) -> None:
    """Write both files of a model; each is there whole or not at all, and two that are no pair are not loaded.

    Raises ModelError for what could not be loaded again; then nothing is written.
    """
    check_ending(path)
    check_tensors(path, tensors, card)
    card = dataclasses.replace(card, weights=tensors_digest(tensors))
    try:
        text = json.dumps(dataclasses.asdict(card), indent=2, allow_nan=False) + "\n"
        card = card_said_by(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelError(f"{path}: no card of a model: {error!s:.300}") from error
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, save(tensors, {"format": str(card.format), "card": card.digest()}))
    write_whole(card_path(path), text.encode())


def layer_names(card: Card) -> list[str]:
    """What the layers are called in the file, in order."""
    return [*(f"layer_{number}" for number in range(len(card.layers))), "actions"]


def check_ending(path: Path) -> None:
    """Raise ModelError for a file that is not called a model."""
    if path.suffix != ENDING:
        raise ModelError(f"{path}: no model by its name; allowed is one that ends in {ENDING}")


def check_tensors(path: Path, tensors: Mapping[str, NDArray[Any]], card: Card) -> None:
    """Raise ModelError for tensors that the card does not describe, or numbers that are not finite."""
    sizes = [card.inputs, *card.layers, ACTIONS]
    shapes: dict[str, tuple[int, ...]] = {}
    for name, inputs, outputs in zip(layer_names(card), sizes[:-1], sizes[1:], strict=True):
        shapes |= {f"{name}.weight": (outputs, inputs), f"{name}.bias": (outputs,)}
    for name in sorted(shapes.keys() ^ tensors.keys()):
        missing = "is missing" if name in shapes else "is not known"
        raise ModelError(f"{path}: tensor {name!r:.100} {missing}; its card says {', '.join(shapes):.300}")
    for name, shape in shapes.items():
        tensor = tensors[name]
        if tensor.shape != shape or tensor.dtype not in TYPES:
            found = f"{tensor.dtype} of shape {tensor.shape}"
            raise ModelError(f"{path}: tensor {name} is {found}; its card says float16 or float32 of shape {shape}")
        if not np.isfinite(tensor).all():
            raise ModelError(f"{path}: tensor {name} has numbers that are not finite; allowed are finite ones")


def tensors_digest(tensors: Mapping[str, NDArray[Any]]) -> str:
    """The SHA-256 of tensors: their names, types, shapes and numbers."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        tensor = tensors[name]
        digest.update(f"{name} {tensor.dtype} {tensor.shape}\n".encode())
        digest.update(tensor.tobytes())
    return digest.hexdigest()
