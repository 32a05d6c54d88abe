"""Both games as Python games of OpenSpiel: `python_marriage_boxes` and `python_marriage_saucers`, there on import.

    import pyspiel
    import marriage_env.interop.openspiel

    game = pyspiel.load_game("python_marriage_saucers(players=4,row_start=lowest)")

They are played by the very compiled rules of the environments. The parameters are the rule options, by their names and
with their defaults (`pack_size` 0: by the players), and:

- ``utility``: ``chips`` (default), what a player wins or loses, general-sum as the pots keep chips; ``ahead``, how far
  he is ahead of the mean of all, which sums to zero.
- ``dealer``: the seat that deals first; -1 (default): chance decides.
- ``skip_forced``: whether an action without an alternative is taken at once, as no move of the game (default False).
- ``cards``: the names of the cards that may be dealt, such as ``JD QC KC``, for a reduced game. It may have fewer
  players than the full one, from 2; in Boxes also ``hand``, the cards for each (0, the default: 5), and ``turn_up``, a
  card beside `cards` that is always turned up (default: chance decides).
"""

from __future__ import annotations

import pyspiel

from marriage_env.interop.openspiel.game import BoxesGame, MarriageGame, SaucersGame, game_type
from marriage_env.interop.openspiel.state import MarriageState

__all__ = ["BoxesGame", "MarriageGame", "MarriageState", "SaucersGame"]

for adapter in (BoxesGame, SaucersGame):
    pyspiel.register_game(game_type(adapter.kernel), adapter)
