"""Where observations have the action mask: beside the vector, in a dict; or not at all, as it is in the info."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray

#: What `mask_in` may be.
MASK_IN = ("observation", "info")


def observation_space(vectors: gymnasium.Space[Any], actions: int, mask_in: str) -> gymnasium.Space[Any]:
    """The space of observations whose vectors are in the space `vectors`, where there are so many actions."""
    if mask_in == "info":
        return vectors
    masks = gymnasium.spaces.Box(0, 1, (actions,), np.int8)
    return gymnasium.spaces.Dict({"observation": vectors, "action_mask": masks})


def observation_of(vector: NDArray[Any], mask: NDArray[np.int8], mask_in: str) -> Any:
    """An observation of a vector, (size,), and its mask, int8 (actions,); or of a batch of both, (n, ...)."""
    return vector if mask_in == "info" else {"observation": vector, "action_mask": mask}


def vector_and_mask(observation: Any, info: Mapping[str, Any]) -> tuple[NDArray[Any], NDArray[np.int8]]:
    """The vector and the mask of what an environment gave, wherever the mask stood."""
    if isinstance(observation, Mapping):
        return observation["observation"], observation["action_mask"]
    return observation, info["action_mask"]
