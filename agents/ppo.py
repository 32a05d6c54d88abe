"""Players trained with MaskablePPO."""

from __future__ import annotations

import pickle
import struct
import zipfile
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.policies import MaskableActorCriticPolicy

from agents.advice import Adviser
from agents.network import Network, drawn
from marriage_env.agents import BatchAgent
from marriage_env.errors import AgentError

#: What reading a damaged model can raise.
BROKEN = (
    zipfile.BadZipFile,
    pickle.UnpicklingError,
    struct.error,
    ValueError,
    KeyError,
    AttributeError,
    OSError,
    EOFError,
    RuntimeError,
    TypeError,
)


class PPOAgent(BatchAgent):
    """Plays a MaskablePPO policy over observation vectors.

    Args:
        policy: the network, ``model.policy``, over observations, with advice if it takes that (`agents.advice`).
        deterministic: whether it always plays its likeliest legal action, or draws one as in training.
    """

    def __init__(self, policy: MaskableActorCriticPolicy, *, deterministic: bool = True) -> None:
        self.policy = policy
        self.deterministic = deterministic
        self._adviser = Adviser()
        self._random = np.random.default_rng()

    def choose(self, vectors: NDArray[np.float32], masks: NDArray[Any]) -> NDArray[np.int64]:
        """See `BatchAgent.choose`."""
        trained_on: tuple[int, ...] = self.policy.observation_space.shape or (0,)
        vectors = self._adviser.inputs(vectors, masks, trained_on[0])
        if vectors.shape[1:] != trained_on:
            raise AgentError(
                f"observations of shape {vectors.shape[1:]}: this model was trained on {trained_on}, for another game, "
                "another number of players or other rules"
            )
        allowed = masks.astype(bool)
        if self.deterministic:
            return np.asarray(self.policy.predict(vectors, action_masks=allowed, deterministic=True)[0], np.int64)
        with torch.no_grad():
            observations, _ = self.policy.obs_to_tensor(vectors)
            distribution: Any = self.policy.get_distribution(observations, allowed).distribution
            chances = distribution.probs.double().numpy()
        return drawn(chances, allowed, self._random)

    def seed(self, seed: int) -> None:
        """See `Agent.seed`."""
        self._random = np.random.default_rng(seed)


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
    return PPOAgent(model.policy)


def network_of(policy: MaskableActorCriticPolicy) -> Network:
    """What a policy chooses actions by; AgentError if it is no multilayer perceptron with tanh."""
    linear = linear_layers(policy)
    return Network([(part.weight.detach().numpy().copy(), part.bias.detach().numpy().copy()) for part in linear])


def take_weights(policy: MaskableActorCriticPolicy, network: Network) -> None:
    """Let a policy choose actions by the weights of `network`, which has its layers; what it expects stays its own."""
    with torch.no_grad():
        for part, (weight, bias) in zip(linear_layers(policy), network.layers, strict=True):
            part.weight.copy_(torch.as_tensor(weight))
            part.bias.copy_(torch.as_tensor(bias))


def linear_layers(policy: MaskableActorCriticPolicy) -> list[torch.nn.Linear]:
    """The layers by which a policy chooses; AgentError if there is anything but tanh between them."""
    extractor: Any = policy.mlp_extractor
    inner = list(getattr(extractor, "policy_net", []))
    linear, between = [*inner[::2], policy.action_net], inner[1::2]
    kinds = [(linear, torch.nn.Linear), (between, torch.nn.Tanh)]
    fits = all(type(part) is kind for parts, kind in kinds for part in parts)
    if not inner or len(linear) != len(between) + 1 or not fits:
        raise AgentError(f"a policy by {extractor!r:.100}: allowed is a multilayer perceptron with tanh")
    return linear
