"""Saucers, version 0."""

from marriage_env.aec import TableEnv
from marriage_env.saucers import GAME


class raw_env(TableEnv):
    game = GAME
    metadata = {"name": "saucers_v0", "render_modes": ["ansi", "human"], "is_parallelizable": False, "render_fps": 1}


class env(raw_env):
    illegal_ends_match = True
