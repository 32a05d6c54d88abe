"""The record of a table of Saucers, and the names of what is in it."""

from __future__ import annotations

import numpy as np

from marriage_env.cards import CARD_NAMES, CARDS, NINE, card_id
from marriage_env.chips import Reason
from marriage_env.saucers.rules import MAX_PLAYERS, RULES
from marriage_env.table import table_dtype

POTS = ("nine", "ten", "jack", "queen", "king", "ace", "marriage", "trynka")
STAKED = 6  # pots 0..5 are the staked cards 9♣ 10♣ J♣ Q♣ K♣ A♣
MARRIAGE_SAUCER, TRYNKA_SAUCER = 6, 7
STAYS_IN_SAUCER = 2

CLAIM_NAMES = ("marriage", "trynka", "nine", "ten", "jack", "queen", "king", "ace")
MARRIAGE, TRYNKA, FIRST_STAKED_CLAIM = 0, 1, 2

ACTION_NAMES = (*CARD_NAMES, *CLAIM_NAMES, "pass")

LOWEST_STAKED_RANK = NINE
QUEEN_OF_CLUBS, KING_OF_CLUBS = card_id("QC"), card_id("KC")
NO_ROW = 255  # as the rank on which a row stands: a new row is to be started

REASONS = (
    Reason("contribution", "2.1"),
    Reason("marriage", "3.2"),
    Reason("staked card declared", "3.2"),
    Reason("highest trynka", "3.3"),
    Reason("staked card laid", "4.4"),
    Reason("cards left", "5.2"),
    Reason("illegal action", ""),  # the environment's, not the rulebook's
)
CONTRIBUTION, MARRIAGE_DECLARED, STAKED_DECLARED, HIGHEST_TRYNKA, STAKED_LAID, CARDS_LEFT, ILLEGAL_ACTION = range(7)

#: The longest ledger is that of a step which ends a deal and opens the next under declaring="auto": a staked card laid,
#: 2 payments by each of 5 players; then 2 contributions, the marriage, 6 staked cards, the trynka. That is 21.
LONGEST_LEDGER = 22

#: One table.
TABLE = table_dtype(
    RULES,
    ("row", np.uint8),  # rank of the row's last card, or NO_ROW
    ("declined", np.uint8),  # who kept K♣ back after his Q♣ (4.5), or NOBODY
    seats=MAX_PLAYERS,
    pots=len(POTS),
    plays=CARDS,
    entries=LONGEST_LEDGER,
)
