"""The record of a table of Boxes, and the names of what is in it."""

from __future__ import annotations

import numpy as np

from marriage_env.boxes.rules import HAND, MAX_PLAYERS, RULES
from marriage_env.cards import CARD_NAMES, CLUBS, DIAMONDS, SPADES, card_id
from marriage_env.chips import Reason
from marriage_env.table import table_dtype

BOXES = ("sequence", "marriage", "jester", "king", "queen")
SEQUENCE_BOX, MARRIAGE_BOX, JESTER_BOX, KING_BOX, QUEEN_BOX = range(5)

CLAIM_NAMES = (
    "sequence",
    "marriage",
    "jester",
    "king",
    "queen",
    "marriage_clubs",
    "marriage_diamonds",
    "marriage_spades",
)
SEQUENCE, MARRIAGE, JESTER, KING_CLAIM, QUEEN_CLAIM, MARRIAGE_CLUBS, MARRIAGE_DIAMONDS, MARRIAGE_SPADES = range(8)
#: The suit of each marriage that has no box.
PLAIN_MARRIAGES = ((MARRIAGE_CLUBS, CLUBS), (MARRIAGE_DIAMONDS, DIAMONDS), (MARRIAGE_SPADES, SPADES))

ACTION_NAMES = (*CARD_NAMES, *CLAIM_NAMES, "pass")

KING_OF_HEARTS, QUEEN_OF_HEARTS, JACK_OF_DIAMONDS = card_id("KH"), card_id("QH"), card_id("JD")
TRICKS = HAND
NO_CARD = 255  # where a card could stand

REASONS = (
    Reason("contribution", "2.1"),
    Reason("misdeal", "2.3"),
    Reason("faulty pack noticed", "2.4"),
    Reason("faulty pack played", "2.4"),
    Reason("box won", "3.2"),
    Reason("put back", "3.2"),
    Reason("marriage in hand", "3.2"),
    Reason("best sequence", "3.4"),
    Reason("marriage on the table", "5.3"),
    Reason("jester covered", "6.1"),
    Reason("jester", "6.2"),
    Reason("tricks", "7.2"),
    Reason("penalty", "7.2"),
    Reason("revoke", "8.2"),
    Reason("marriage lost", "8.2"),
    Reason("illegal action", ""),  # the environment's, not the rulebook's
)
(
    CONTRIBUTION,
    MISDEAL,
    FAULT_NOTICED,
    FAULT_PLAYED,
    BOX_WON,
    PUT_BACK,
    MARRIAGE_IN_HAND,
    BEST_SEQUENCE,
    MARRIAGE_ON_TABLE,
    JESTER_COVERED,
    JESTER_PAID,
    TRICK_PAY,
    PENALTY,
    REVOKE,
    MARRIAGE_LOST,
    ILLEGAL_ACTION,
) = range(16)

#: The longest ledger is that of a step which ends a deal and opens the next under declaring="auto": a revoke and a
#: marriage by the last card, the jester, two winners' tricks, penalties, a faulty pack's fine; then misdeals, a fault
#: noticed, contributions, and the claims: 3 payments for the marriage, 2 each for jester, king and queen, 3 marriages
#: more, the best sequence. That is 23.
LONGEST_LEDGER = 24

#: One table.
TABLE = table_dtype(
    RULES,
    ("turn_up", np.uint8),  # its suit is trumps
    ("missing", np.uint8),  # the card a faulty pack lacks unnoticed, or NO_CARD
    ("misdeals", np.int32, (2,)),  # before this deal stood: with its first pack, and with a sound one for a faulty one
    ("fault_noticed", np.bool_),  # a faulty pack, before this deal stood
    ("tricks", np.uint8, (MAX_PLAYERS,)),  # taken by each seat
    ("trick_start", np.uint8),  # plays before this trick
    ("in_trick", np.uint16),  # bit s: seat s has played to this trick
    ("winning", np.uint8),  # the seat that would take the trick as it stands, or NOBODY
    ("winning_card", np.uint8),  # what it has played to the trick, or NO_CARD
    ("married", np.bool_),  # a marriage holds the trick (5.4)
    ("revokes", np.uint64),  # cards played against 4.2
    ("lost_by", np.uint8, (4,)),  # who passed instead of marrying the queen of the suit (8.2), or NOBODY
    seats=MAX_PLAYERS,
    pots=len(BOXES),
    plays=HAND * MAX_PLAYERS,
    entries=LONGEST_LEDGER,
)
