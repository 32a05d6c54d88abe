"""All that a training run is, as one file, so that it goes on as if it had never stopped.

A checkpoint is pickled: resume only runs that are your own or that you trust.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from agents.external import ExternalAgent
from agents.files import write_whole
from agents.ppo import BROKEN
from experiments.advised import AdvisedVecEnv
from experiments.self_play import SelfPlay
from marriage_env import Agent, AgentError, MarriageError, make_agent
from marriage_env.agents import RulesAgent
from marriage_env.sb3 import SingleSeatVecEnv

MARK = b"marriage training 1 "
#: What an opponent that is kept by name is known by: a number, the name, and a seed or None.
Key = tuple[int, str, int | None]
COUNTS = ("episode_returns", "episode_lengths", "episode_count")  # what a VecMonitor knows


@dataclass
class Run:
    """A training run.

    Attributes:
        envs: the learner's tables.
        monitored, scaled: they, with what is known of their episodes, and with rewards of a size that suits him.
        model: the learner.
        self_play: who keeps snapshots of him.
        company: every opponent that was made by name, with that name.
    """

    envs: SingleSeatVecEnv
    monitored: VecMonitor
    scaled: VecNormalize
    model: MaskablePPO
    self_play: SelfPlay
    company: list[tuple[str, Agent]]


class Pickler(pickle.Pickler):
    """Pickles a run, but for opponents in processes or that cannot be pickled: kept by name and seed, and made anew."""

    def __init__(self, file: io.BytesIO, company: list[tuple[str, Agent]]) -> None:
        super().__init__(file)
        self.kept = {
            id(agent): (number, name, agent.own_seed if isinstance(agent, ExternalAgent) else None)
            for number, (name, agent) in enumerate(company)
            if isinstance(agent, ExternalAgent) or not picklable(agent)
        }

    def persistent_id(self, thing: Any) -> Key | None:
        """What an opponent that is kept by name is known by."""
        return self.kept.get(id(thing))


class Unpickler(pickle.Unpickler):
    """Reads what `Pickler` wrote.

    Attributes:
        gone: why opponents cannot be made, by their names; `rules` stands in for each.
    """

    def __init__(self, file: io.BytesIO) -> None:
        super().__init__(file)
        self.made: dict[Key, Agent] = {}
        self.gone: dict[str, AgentError] = {}

    def persistent_load(self, key: Key) -> Agent:
        """The opponent who is known by `key`."""
        if key not in self.made:
            _, name, seed = key
            try:
                self.made[key] = make_agent(name)
                if seed is not None:
                    self.made[key].seed(seed)
            except AgentError as error:
                self.gone[name], self.made[key] = error, RulesAgent()
        return self.made[key]


def picklable(agent: Agent) -> bool:
    """Whether an agent can be pickled."""
    try:
        pickle.dumps(agent)
    except Exception:  # whatever an agent of somebody's own raises
        return False
    return True


def model_bytes(model: MaskablePPO) -> bytes:
    """A model as SB3 saves it."""
    file = io.BytesIO()
    model.save(file)
    return file.getvalue()


def save_checkpoint(path: Path, run: Run, settings: dict[str, Any]) -> None:
    """Write all that a run is between two rollouts, and the settings that made it; whole or not at all."""
    state = {
        "settings": settings,
        "model": model_bytes(run.model),
        "company": run.company,
        "envs": run.envs,
        "episodes": {name: getattr(run.monitored, name) for name in COUNTS},
        "scaled": run.scaled,
        "returns": run.scaled.returns,
        "named": run.self_play.named,
        "snapshots": run.self_play.snapshots,
        "rollouts": run.self_play.rollouts,
        "random": (torch.get_rng_state(), np.random.get_state(), random.getstate()),
    }
    file = io.BytesIO()
    Pickler(file, run.company).dump(state)
    content = file.getvalue()
    write_whole(path, MARK + hashlib.sha256(content).hexdigest().encode() + b"\n" + content)


def load_checkpoint(path: Path, opponents: Sequence[str] | None = None) -> dict[str, Any]:
    """What `save_checkpoint` has written; MarriageError if it is not there or not whole.

    Args:
        path: of the checkpoint.
        opponents: who plays on, by name; None for those who did. AgentError if one of them cannot be made; for others
            `rules` plays the episodes under way to their ends.
    """
    try:
        head, _, content = path.read_bytes().partition(b"\n")
        if head != MARK + hashlib.sha256(content).hexdigest().encode():
            raise ValueError("its digest is not that of its content")
        unpickler = Unpickler(io.BytesIO(content))
        state: dict[str, Any] = unpickler.load()
    except MarriageError:
        raise
    except (*BROKEN, ImportError, IndexError) as error:
        why = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        raise MarriageError(f"--resume: {path} is not whole ({why}): allowed is an earlier run's folder") from error
    for name in state["settings"]["opponents"] if opponents is None else opponents:
        if name in unpickler.gone:
            raise unpickler.gone[name]
    return state


def restored(state: dict[str, Any], self_play: SelfPlay, logs: Path) -> Run:
    """The run of a checkpoint; `self_play` takes over what it kept. Random numbers go on by `restore_random`."""
    envs = state["envs"]
    monitored = VecMonitor(AdvisedVecEnv(envs) if state["settings"]["advice"] else envs)
    for name, value in state["episodes"].items():
        setattr(monitored, name, value)
    scaled = state["scaled"]
    scaled.set_venv(monitored)
    scaled.returns = state["returns"]
    self_play.snapshots, self_play.rollouts = state["snapshots"], state["rollouts"]
    file = io.BytesIO(state["model"])
    model = MaskablePPO.load(file, scaled, device="cpu", force_reset=False, tensorboard_log=str(logs))
    return Run(state["envs"], monitored, scaled, model, self_play, state["company"])


def restore_random(state: dict[str, Any]) -> None:
    """Let the random numbers that training draws go on where they were."""
    of_torch, of_numpy, of_python = state["random"]
    torch.set_rng_state(of_torch)
    np.random.set_state(of_numpy)
    random.setstate(of_python)
