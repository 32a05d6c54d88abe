"""Players trained with MaskablePPO."""

from __future__ import annotations

import pickle
import zipfile
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO

from marriage_env.agents import BatchAgent
from marriage_env.errors import AgentError

#: What reading a damaged model can raise.
BROKEN = (
    zipfile.BadZipFile,
    pickle.UnpicklingError,
    ValueError,
    KeyError,
    AttributeError,
    OSError,
    EOFError,
    RuntimeError,
    TypeError,
)


class PPOAgent(BatchAgent):
    """Plays a MaskablePPO policy over observation vectors, always its likeliest legal action.

    Args:
        model: the trained model.
    """

    def __init__(self, model: MaskablePPO) -> None:
        self.model = model

    def choose(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
        """See `BatchAgent.choose`."""
        trained_on = self.model.observation_space.shape
        if vectors.shape[1:] != trained_on:
            raise AgentError(
                f"observations of shape {vectors.shape[1:]}: this model was trained on {trained_on}, for another game, "
                "another number of players or other rules"
            )
        actions, _ = self.model.predict(vectors, action_masks=masks.astype(bool), deterministic=True)
        return np.asarray(actions, np.int64)


def load(path: str | None, seed: int | None = None) -> PPOAgent:
    """The player of a model that `experiments.train` has saved: ``make_agent("runs/boxes/model.zip")``.

    Such a file is unpickled: load only those you trust. Raises AgentError if it is no such file.
    """
    if path is None:
        raise AgentError("a trained agent needs the path of its model, such as 'runs/boxes/model.zip'")
    try:
        with zipfile.ZipFile(path) as archive:
            missing = {"data", "policy.pth"} - set(archive.namelist())
        if missing:
            raise ValueError(f"it has no {' and no '.join(sorted(missing))}")
        model = MaskablePPO.load(path, device="cpu")
    except BROKEN as error:
        why = f"{type(error).__name__}: {error}"
        raise AgentError(f"{path} is not a model that experiments.train has saved: {why}") from error
    return PPOAgent(model)
