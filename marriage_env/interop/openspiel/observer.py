"""What players see and know of a game in OpenSpiel, as numbers and in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from marriage_env.errors import OptionError
from marriage_env.interop.openspiel.setup import Setup


class Observer:
    """An observer as OpenSpiel asks for it.

    As observation or, with perfect recall, information state. Both have the same numbers: the observation vector, which
    forgets nothing of a deal. Of earlier deals it forgets much, so there is no information-state tensor where a match
    has several. In words, an information state is all that was seen, in order; an observation, the vector's fields.

    Args:
        setup: what the game is set up with.
        kind: a `pyspiel.IIGObservationType`: what all see, and what the player alone sees; with or without perfect
            recall. None: an observation.
        params: none are known.

    Raises:
        OptionError: another kind, or a parameter.

    Attributes:
        tensor: float32, set by `set_from`; of length 0 where none is provided.
        dict: its parts by the names of their fields.
    """

    def __init__(self, setup: Setup, kind: Any = None, params: Any = None) -> None:
        if params:
            raise OptionError(f"observation parameters {params}: allowed are none")
        if kind and not (kind.public_info and kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER):
            raise OptionError("observation type: allowed is public_info with the private_info of a SINGLE_PLAYER")
        self.recalls_all = bool(kind and kind.perfect_recall)
        self._layout = layout = setup.layout
        provided = has_tensor(setup) or not self.recalls_all
        self.tensor: NDArray[np.float32] = np.zeros(layout.size if provided else 0, np.float32)
        starts = zip(layout.fields, layout.at[:-1], layout.at[1:], strict=True)
        self.dict = {field.name: self.tensor[start:end] for field, start, end in starts} if provided else {}

    def set_from(self, state: Any, player: int) -> None:
        """Write what a player sees in a state into the tensor."""
        if len(self.tensor):
            state.node.observe(player, self.tensor)

    def string_from(self, state: Any, player: int) -> str:
        """What a player knows or sees in a state, in words."""
        if self.recalls_all:
            return str(state.node.known_to(player))
        vector = np.empty(self._layout.size, np.float32)
        state.node.observe(player, vector)
        return "\n".join(f"{name}: {value}" for name, value in self._layout.decode(vector).items())


def has_tensor(setup: Setup) -> bool:
    """Whether the observation vector tells all that a player knows: in a match of one deal."""
    return int(setup.rules.deals) == 1
