"""The rule options of Saucers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from marriage_env.cards import whole_pack
from marriage_env.options import fill_from, one_of, settle, whole
from marriage_env.table import record_dtype

MIN_PLAYERS, MAX_PLAYERS = 3, 6

#: The options as a record, so that compiled code can read them; and what no option changes, but a reduced game may.
RULES = record_dtype(
    ("pack", np.uint64),  # the cards in it
    ("deals", np.int32),
    ("players", np.int32),
    ("pack_size", np.int32),
    ("declare_all", np.bool_),  # declaring="auto"
    ("start_lowest", np.bool_),  # row_start="lowest"
    ("low_courts", np.bool_),  # court_points="low"
)


@dataclass(frozen=True, kw_only=True)
class SaucersRules:
    """The rule options of Saucers, by the rulebook's names; each with its clause.

    Raises OptionError (a ValueError) that names the option, the value and what is allowed.

    Args:
        players: 3 to 6 (1.1).
        pack_size: 36 or 52. Default: 36 for 3 and 4 players, else 52 (1.2).
        declaring: ``"choice"``, or ``"auto"``: everything is declared for everybody (3.1).
        row_start: ``"any"``, or ``"lowest"``: a row starts with a card of the lowest rank held (4.1).
        court_points: ``"ten"``, or ``"low"``: K 4, Q 3, J 2 (5.2).
        deals: deals in a match, 1 to 1,000 (5.3).
    """

    players: int = 3
    pack_size: int = None  # type: ignore[assignment]  # an int once made: the default depends on the players
    declaring: str = "choice"
    row_start: str = "any"
    court_points: str = "ten"
    deals: int = 1

    def __post_init__(self) -> None:
        players = whole("players", self.players, MIN_PLAYERS, MAX_PLAYERS)
        usual_pack = 36 if players <= 4 else 52
        settle(
            self,
            players=players,
            pack_size=one_of("pack_size", usual_pack if self.pack_size is None else self.pack_size, (36, 52)),
            declaring=one_of("declaring", self.declaring, ("choice", "auto")),
            row_start=one_of("row_start", self.row_start, ("any", "lowest")),
            court_points=one_of("court_points", self.court_points, ("ten", "low")),
            deals=whole("deals", self.deals, 1, 1000),
        )

    def fill(self, record: Any) -> None:
        """Write the options into a record of dtype `RULES`."""
        fill_from(self, record)
        record["pack"] = whole_pack(self.pack_size)
        record["declare_all"] = self.declaring == "auto"
        record["start_lowest"] = self.row_start == "lowest"
        record["low_courts"] = self.court_points == "low"
