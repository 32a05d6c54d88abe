"""Marriage: two old card games as fast multi-player reinforcement-learning environments.

The games are PettingZoo environments, `marriage_env.boxes_v0` and `marriage_env.saucers_v0`; `Batch` plays them at
thousands of tables at once; `make_agent` makes players for them.
"""

from marriage_env.agents import Agent, BatchAgent, agent_names, make_agent
from marriage_env.batch import Batch
from marriage_env.errors import AgentError, IllegalActionError, MarriageError, OptionError, ResetNeededError
from marriage_env.games import GAMES, decode
from marriage_env.registration import register
from marriage_env.single_seat import SingleSeatEnv
from marriage_env.single_seat_vector import SingleSeatVectorEnv
from marriage_env.worlds import sample_worlds

__all__ = [
    "GAMES",
    "Agent",
    "AgentError",
    "Batch",
    "BatchAgent",
    "IllegalActionError",
    "MarriageError",
    "OptionError",
    "ResetNeededError",
    "SingleSeatEnv",
    "SingleSeatVectorEnv",
    "agent_names",
    "decode",
    "make_agent",
    "sample_worlds",
]

__version__ = "0.1.0"

register()
