"""What a declaration given up costs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from experiments.duplicate import Estimate, deal_seeds
from experiments.strategy_data import Setting, advised, finish, over_occasions
from marriage_env import GAMES
from marriage_env.games import rule_options
from marriage_env.table import CLAIMS, DECLARE, FIRST_CLAIM
from marriage_env.tables import Tables

AT_ONCE = 4096  # deals


@dataclass(frozen=True)
class ClaimCost:
    """What a claim brings, and what giving it up costs, in chips for each occasion on which it is held.

    Attributes:
        claim: its name.
        occasions: hands that held it.
        at_once: what it brings by the end of the declarations.
        cost: chips lost by the end of the deal to whoever gives it up.
        concealed: what is won back in the play: `at_once` less `cost`.
        shared: the cost if what lies in the pots at the end is shared alike by all.
    """

    claim: str
    occasions: int
    at_once: Estimate
    cost: Estimate
    concealed: Estimate
    shared: Estimate


def give_up(actions: NDArray[np.int64], masks: NDArray[np.int8], claim: int) -> NDArray[np.int64]:
    """What who gives up a claim does instead of the rule-based player's actions: all else, then pass.

    The rule-based player declares in the rulebook's order, so that where he would declare this claim, the next legal
    action after it is the next claim he would declare, or to pass.

    Args:
        actions: (n,), the rule-based player's.
        masks: (n, 61), the legal actions.
        claim: 0 to 7.
    """
    given_up = FIRST_CLAIM + claim
    following = given_up + 1 + masks[:, given_up + 1 :].argmax(1)
    return np.where(actions == given_up, following, actions)


def play_deals(tables: Tables, seats: NDArray[np.int64], claim: int | None) -> NDArray[np.float64]:
    """Play opened deals to the end, by rule-based players, one seat of each giving up a claim (None: no claim).

    Returns:
        Of that seat: chips when all have declared, chips at the end, and a share alike in the pots; (deals, 3).
    """
    rows = tables.all_rows()
    records = tables.records.view(np.ndarray)
    while len(declaring := rows[records["phase"] == DECLARE]):
        actions = advised(tables, declaring)
        if claim is not None:
            own = tables.buffers.actors[declaring] == seats[declaring]
            actions = np.where(own, give_up(actions, tables.buffers.masks[declaring], claim), actions)
        tables.advance(declaring, actions)
    at_once = records["balances"][rows, seats].astype(np.float64)
    finish(tables, rows, advised(tables, rows))
    pots = records["pots"].sum(1) / tables.players
    return np.column_stack([at_once, records["balances"][rows, seats], pots])


def occasions(
    setting: Setting, deals: int, seed: int, pots: int = 0
) -> list[tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """For each claim, what giving it up cost on each occasion that held it: (occasions, 3), and the deals' numbers.

    The columns are those of `play_deals`. `pots` chips lie in each pot when a deal opens.
    """
    game = GAMES[setting.game]
    made = rule_options(setting.game, setting.rules)
    found: list[list[tuple[NDArray[np.float64], NDArray[np.int64]]]] = [[] for _ in range(CLAIMS)]
    of_deals = deal_seeds(seed, deals)
    for first in range(0, deals, AT_ONCE):
        opened = Tables(game, made, min(AT_ONCE, deals - first), observe=False)
        rows = opened.all_rows()
        opened.seed(rows, of_deals[first + rows])
        opened.open(rows, pots=np.full((len(rows), len(game.pot_names)), pots))
        held = opened.records.view(np.ndarray)["open_claims"][:, : setting.players]
        for claim in range(CLAIMS):
            where, seats = np.nonzero(held >> claim & 1)
            played, given_up = (play_deals(opened.copies(where), seats, what) for what in (None, claim))
            found[claim].append((played - given_up, first + where))
    return [(np.concatenate([part for part, _ in parts]), np.concatenate([at for _, at in parts])) for parts in found]


def claim_costs(setting: Setting, deals: int, seed: int, pots: int = 0) -> list[ClaimCost]:
    """What each claim brings, and what giving it up costs, over all occasions of so many deals."""
    return [
        ClaimCost(
            name,
            len(lost),
            over_occasions(lost[:, 0], at),
            over_occasions(lost[:, 1], at),
            over_occasions(lost[:, 0] - lost[:, 1], at),
            over_occasions(lost[:, 1] + lost[:, 2], at),
        )
        for name, (lost, at) in zip(GAMES[setting.game].claim_names, occasions(setting, deals, seed, pots), strict=True)
    ]
