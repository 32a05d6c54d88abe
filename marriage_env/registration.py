"""The games in Gymnasium's and PettingZoo's registries, once `marriage_env` is imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import pettingzoo

from marriage_env import boxes_v0, saucers_v0
from marriage_env.agents import Agent
from marriage_env.single_seat import SingleSeatEnv
from marriage_env.single_seat_vector import SingleSeatVectorEnv

MODULES = {"boxes": boxes_v0, "saucers": saucers_v0}


def single_seat(
    game: str,
    opponents: Sequence[Agent | str] | Agent | str = ("rules",),
    seat: int | None = None,
    mask_in: str = "info",
    **options: Any,
) -> SingleSeatEnv:
    """One seat of a game: what ``gymnasium.make("marriage_env/Boxes-v0", players=6)`` makes.

    Args:
        game: ``"boxes"`` or ``"saucers"``.
        opponents: the agents to the learner's left, or their names, in order, repeated as needed.
        seat: the learner's, or None: it rotates.
        mask_in: whether the learner's observations hold the mask, as for `SingleSeatEnv`.
        **options: of the game's environment.
    """
    return SingleSeatEnv(MODULES[game].env(**options), opponents, seat=seat, mask_in=mask_in)


def single_seat_vector(game: str, **arguments: Any) -> SingleSeatVectorEnv:
    """One seat at many tables: what ``gymnasium.make_vec("marriage_env/Boxes-v0", num_envs=64, players=6)`` makes.

    Args:
        game: ``"boxes"`` or ``"saucers"``.
        **arguments: of `SingleSeatVectorEnv`, the rule options among them.
    """
    return SingleSeatVectorEnv(game, **arguments)


def register() -> None:
    """Register each game: in Gymnasium as ``marriage_env/Boxes-v0``, in PettingZoo as ``marriage_env/boxes_v0``."""
    for game, module in MODULES.items():
        gymnasium.register(
            f"marriage_env/{game.capitalize()}-v0",
            entry_point="marriage_env.registration:single_seat",
            vector_entry_point="marriage_env.registration:single_seat_vector",
            kwargs={"game": game},
        )
        if hasattr(pettingzoo, "register"):  # PettingZoo has a registry from 1.27 on
            name = module.env.metadata["name"]
            pettingzoo.register("aec", f"marriage_env/{name}", f"marriage_env.{name}:env")
            pettingzoo.register("parallel", f"marriage_env/{name}", f"marriage_env.{name}:parallel_env")
