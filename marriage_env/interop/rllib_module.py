"""RLlib's own PPO network, which chooses among legal actions alone."""

from __future__ import annotations

from typing import Any

import gymnasium
import torch
from ray.rllib.algorithms.ppo.ppo_catalog import PPOCatalog
from ray.rllib.algorithms.ppo.torch.default_ppo_torch_rl_module import DefaultPPOTorchRLModule
from ray.rllib.core.columns import Columns
from ray.rllib.utils.torch_utils import FLOAT_MIN

from marriage_env.errors import OptionError

KEYS = {"observation", "action_mask"}


class VectorCatalog(PPOCatalog):  # type: ignore[misc]
    """RLlib's networks for the vector within a dict observation."""

    def __init__(self, observation_space: gymnasium.spaces.Dict, *args: Any, **kwargs: Any) -> None:
        super().__init__(observation_space["observation"], *args, **kwargs)


class MaskedPPOModule(DefaultPPOTorchRLModule):  # type: ignore[misc]
    """RLlib's default PPO module for observations of ``observation`` and ``action_mask``.

    It samples, infers and trains, as the module of one agent or of several; `model_config` is the default module's
    (`DefaultModelConfig`). The logit of an action that the mask forbids is the smallest float: its probability is 0.

    Raises:
        OptionError: the observation space is not such a dict, or the action space not `Discrete` of the mask's size.
    """

    def __init__(self, *, observation_space: Any = None, action_space: Any = None, **kwargs: Any) -> None:
        check_spaces(observation_space, action_space)
        kwargs["catalog_class"] = VectorCatalog
        super().__init__(observation_space=observation_space, action_space=action_space, **kwargs)

    def _forward(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return mask_logits(super()._forward(vectors_of(batch), **kwargs), batch)

    def _forward_train(self, batch: dict[str, Any], **kwargs: Any) -> dict[str, Any]:
        return mask_logits(super()._forward_train(vectors_of(batch), **kwargs), batch)

    def compute_values(self, batch: dict[str, Any], embeddings: Any = None) -> torch.Tensor:
        """The values of a batch of observations, float32 (n,): see `ValueFunctionAPI`."""
        values: torch.Tensor = super().compute_values(vectors_of(batch), embeddings)
        return values


def check_spaces(observation_space: Any, action_space: Any) -> None:
    """OptionError if there is no mask among the observations, or it is not one of the actions."""
    if not isinstance(observation_space, gymnasium.spaces.Dict) or set(observation_space) != KEYS:
        raise OptionError(
            f"observation_space={observation_space!r:.200}: allowed is a Dict of 'observation' and 'action_mask'; "
            "make the environment with mask_in='observation'"
        )
    size = observation_space["action_mask"].shape
    if not isinstance(action_space, gymnasium.spaces.Discrete) or size != (action_space.n,):
        raise OptionError(f"action_space={action_space!r:.200}: allowed is Discrete, of as many actions as {size}")


def vectors_of(batch: dict[str, Any]) -> dict[str, Any]:
    """The batch with the vectors alone as its observations; the batch itself is left as it is."""
    return {**batch, Columns.OBS: batch[Columns.OBS]["observation"]}


def mask_logits(output: dict[str, Any], batch: dict[str, Any]) -> dict[str, Any]:
    """The module's output, with the smallest float as the logit of each action that the batch's masks forbid."""
    forbidden = batch[Columns.OBS]["action_mask"] == 0
    output[Columns.ACTION_DIST_INPUTS] = output[Columns.ACTION_DIST_INPUTS].masked_fill(forbidden, FLOAT_MIN)
    return output
