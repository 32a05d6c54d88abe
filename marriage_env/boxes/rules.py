"""The rule options of Boxes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from marriage_env.cards import whole_pack
from marriage_env.errors import OptionError
from marriage_env.options import fill_from, one_of, rate, settle, whole
from marriage_env.table import record_dtype

MIN_PLAYERS, MAX_PLAYERS = 5, 10
HAND = 5
HIGHEST_MISDEAL_RATE = 0.99

#: The options as a record, so that compiled code can read them; and what no option changes, but a reduced game may.
#: Small, as every table has one.
RULES = record_dtype(
    ("pack", np.uint64),  # the cards in it
    ("misdeal_rate", np.float64),
    ("faulty_pack_rate", np.float64),
    ("fault_noticed_rate", np.float64),
    ("deals", np.int32),
    ("players", np.int32),
    ("trick_pay", np.int8),
    ("faulty_pack_fine", np.int8),
    ("pack_size", np.int8),
    ("hand", np.int8),  # cards for each, and so tricks
    ("declare_all", np.bool_),  # declaring="auto"
    ("fined", np.bool_),  # conduct="fined"
    ("either_order", np.bool_),  # marriage_order="either"
    ("must_trump", np.bool_),
)


@dataclass(frozen=True, kw_only=True)
class BoxesRules:
    """The rule options of Boxes, by the rulebook's names; each with its clause.

    Raises OptionError (a ValueError) that names the option, the value and what is allowed.

    Args:
        players: 5 to 10 (1.1).
        pack_size: 36 or 52; 36 is for up to 7 players. Default: 36 for 5 and 6 players, else 52 (1.2).
        declaring: ``"choice"``, or ``"auto"``: everything is declared for everybody (3.1).
        conduct: ``"strict"``, or ``"fined"``: breaches can be played, for a price (8).
        marriage_order: ``"king_first"``, or ``"either"``: the queen may lie on the table before her king (5.5).
        must_trump: whether a player who cannot follow suit must trump (4.2).
        trick_pay: chips due to a winner for each of his tricks, 0 to 100 (7.2).
        deals: deals in a match, 1 to 1,000 (7.3).
        misdeal_rate: probability that a deal fails, 0 to 0.99, so that one will stand (2.3).
        faulty_pack_rate: probability that the pack lacks a card, 0 to 1 (2.4).
        fault_noticed_rate: probability that this is noticed at the deal, 0 to 1 (2.4).
        faulty_pack_fine: chips the dealer pays each other player if it was not, 0 to 100 (2.4).
    """

    players: int = 5
    pack_size: int = None  # type: ignore[assignment]  # an int once made: the default depends on the players
    declaring: str = "choice"
    conduct: str = "strict"
    marriage_order: str = "king_first"
    must_trump: bool = False
    trick_pay: int = 1
    deals: int = 1
    misdeal_rate: float = 0.0
    faulty_pack_rate: float = 0.0
    fault_noticed_rate: float = 0.5
    faulty_pack_fine: int = 1

    def __post_init__(self) -> None:
        players = whole("players", self.players, MIN_PLAYERS, MAX_PLAYERS)
        usual_pack = 36 if players <= 6 else 52
        pack_size = one_of("pack_size", usual_pack if self.pack_size is None else self.pack_size, (36, 52))
        if HAND * players + 1 > pack_size:
            raise OptionError(
                f"pack_size={pack_size} with players={players}: {HAND} cards for each and the turn-up make "
                f"{HAND * players + 1}; allowed is 52 here, or up to 7 players"
            )
        settle(
            self,
            players=players,
            pack_size=pack_size,
            declaring=one_of("declaring", self.declaring, ("choice", "auto")),
            conduct=one_of("conduct", self.conduct, ("strict", "fined")),
            marriage_order=one_of("marriage_order", self.marriage_order, ("king_first", "either")),
            must_trump=one_of("must_trump", self.must_trump, (False, True)),
            trick_pay=whole("trick_pay", self.trick_pay, 0, 100),
            deals=whole("deals", self.deals, 1, 1000),
            misdeal_rate=rate("misdeal_rate", self.misdeal_rate, HIGHEST_MISDEAL_RATE),
            faulty_pack_rate=rate("faulty_pack_rate", self.faulty_pack_rate),
            fault_noticed_rate=rate("fault_noticed_rate", self.fault_noticed_rate),
            faulty_pack_fine=whole("faulty_pack_fine", self.faulty_pack_fine, 0, 100),
        )

    def fill(self, record: Any) -> None:
        """Write the options into a record of dtype `RULES`."""
        fill_from(self, record)
        record["hand"] = HAND
        record["pack"] = whole_pack(self.pack_size)
        record["declare_all"] = self.declaring == "auto"
        record["fined"] = self.conduct == "fined"
        record["either_order"] = self.marriage_order == "either"
