"""Let the kernel deal as chance has decided."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from marriage_env.boxes.state import MISDEAL
from marriage_env.cards import CARDS
from marriage_env.chips import pay
from marriage_env.interop.openspiel.deal import FAULTY, SOUND, Deal
from marriage_env.interop.openspiel.setup import Setup
from marriage_env.record_arrays import copy_records
from marriage_env.table import open_match

#: For each kind of pack, `faulty_pack_rate` and `fault_noticed_rate` under which the kernel comes to it for certain.
RATES_FOR_PACK = ((0.0, 0.0), (1.0, 1.0), (1.0, 0.0))


def carry_out(setup: Setup, tables: NDArray[Any], deal: Deal) -> NDArray[Any]:
    """The table when the kernel has dealt so; `tables`, which are one, stay as they are."""
    tables = copy_records(tables)
    table = tables[0]
    if table["deals"] == 0:
        open_match(table, deal.dealer)
    deal_pack(setup, table, deal.pack, pack_for(setup, deal))
    if any(deal.misdeals):
        table["misdeals"][: len(deal.misdeals)] = deal.misdeals
        others = (1 << setup.players) - 1 & ~(1 << int(table["dealer"]))
        pay(table, 1 << int(table["dealer"]), others, sum(deal.misdeals), MISDEAL)
    return tables


def deal_pack(setup: Setup, table: Any, kind: int | None, pack: list[int]) -> None:
    """Let the kernel deal a pack, and leave nothing to the table's own stream."""
    packs = np.zeros((int(table["deals"]) + 1, CARDS), np.uint8)
    packs[-1, : len(pack)] = pack
    if not setup.may_fail:
        setup.game.deal(table, packs)
        return
    rules = table["rules"]
    rules["misdeal_rate"] = 0.0
    rules["faulty_pack_rate"], rules["fault_noticed_rate"] = RATES_FOR_PACK[kind or SOUND]
    setup.game.deal(table, packs)
    setup.fill(rules)
    table["draws"] = 0


def pack_for(setup: Setup, deal: Deal) -> list[int]:
    """The pack from which the kernel deals so, top card first, as far as it is looked at."""
    coming = [iter(hand) for hand in deal.hands]
    pack = [next(coming[turn]) for turn in setup.places]
    turn_up = setup.turn_up if deal.turn_up is None else deal.turn_up
    if turn_up is not None:
        pack.append(turn_up)
    if deal.missing is not None:
        pack += [0] * (len(setup.cards) - 1 - len(pack))
        pack.insert(place_of_missing(setup), deal.missing)
    return pack


def place_of_missing(setup: Setup) -> int:
    """Where in the pack the kernel finds the card that is missing: the same place always, as no stream has gone on."""
    table = setup.game.new_tables(1, setup)[0]
    deal_pack(setup, table, FAULTY, list(range(len(setup.cards))))
    return int(table["missing"])
