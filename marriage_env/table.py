"""What the records of both games have in common: fields, actions, and how a step begins."""

from __future__ import annotations

from typing import Any

import numpy as np

from marriage_env.cards import CARDS, only
from marriage_env.chips import ENTRY, give_back, pay, player
from marriage_env.compiled import compiled, inlined
from marriage_env.randomness import shuffle

NOBODY = 255  # where a seat could stand
ACTIONS = 61
FIRST_CLAIM = 52
CLAIMS = 8
ALL_CLAIMS = 255  # as bits
PASS = 60
PASS_ALONE = np.uint64(1 << PASS)
ALL_ACTIONS = np.uint64((1 << ACTIONS) - 1)

#: Phases. CHANCE: a deal is due. DECLARE: the actor may declare. PLAY: he plays or lays a card. ANSWER: he has a choice
#: out of the common course (Boxes 5.1: the queen to a king; Saucers 4.5: K♣ after Q♣). OVER: the match is at an end.
CHANCE, DECLARE, PLAY, ANSWER, OVER = range(5)
PHASE_NAMES = ("chance", "declare", "play", "answer", "over")


def record_dtype(*fields: Any) -> np.dtype[Any]:
    """An aligned record of the given fields, each byte of which belongs to one: equal records are equal bytes."""
    ordered = sorted(fields, key=lambda field: -np.dtype(field[1]).alignment)
    aligned = np.dtype(ordered, align=True)
    padding = aligned.itemsize - sum(aligned[name].itemsize for name in aligned.names or ())
    return np.dtype([*ordered, ("padding", np.uint8, (padding,))], align=True) if padding else aligned


def table_dtype(rules: np.dtype[Any], *own: Any, seats: int, pots: int, plays: int, entries: int) -> np.dtype[Any]:
    """The record of a game: the common fields, then the game's own.

    `seats` and `pots` are the most a game has, `plays` the most cards played in a deal, `entries` the most ledger
    entries of one step.
    """
    return record_dtype(
        ("rules", rules),
        ("seed", np.uint64),  # of the random stream
        ("draws", np.uint64),  # made from it so far
        ("legal", np.uint64),  # bit a: the actor may take action a
        ("hands", np.uint64, (seats,)),  # card sets
        ("balances", np.int32, (seats,)),
        ("rewards", np.int32, (seats,)),  # change of the balances in the last step
        ("opening_balances", np.int32, (seats,)),  # before this deal's contributions
        ("pots", np.int32, (pots,)),
        ("opening_pots", np.int32, (pots,)),  # after this deal's contributions
        ("deals", np.int32),  # deals played to their end
        ("ledger", ENTRY, (entries,)),
        ("entries", np.uint8),  # of the ledger
        ("fresh", np.bool_),  # no step yet: the first contributions go with the first step
        ("phase", np.uint8),
        ("dealer", np.uint8),
        ("actor", np.uint8),
        ("open_claims", np.uint8, (seats,)),  # bit c: the seat may still declare claim c
        ("claim_order", np.uint8, (seats * CLAIMS,)),  # k: the seat's k-th declaration was this claim; 0: not declared
        ("gave_up", np.uint8, (seats,)),  # 1: passed with something left to declare
        ("shown_by", np.uint8, (CARDS,)),  # the seat that has shown the card by declaring, in this deal, or NOBODY
        ("plays", np.uint8),  # cards played in this deal, in order:
        ("played_card", np.uint8, (plays,)),
        ("play_order", np.uint8, (CARDS,)),  # k: the card was the k-th play of this deal; 0: not played in it
        ("played_by", np.uint8, (CARDS,)),  # the seat that played the card when it was last played
        *own,
    )


@inlined
def left_of(table: Any, seat: Any) -> Any:
    """The seat to the left."""
    return seat + 1 if seat + 1 < table.rules.players else 0


@inlined
def eldest(table: Any) -> Any:
    """The seat to the dealer's left."""
    return left_of(table, table.dealer)


@compiled
def open_match(table: Any, dealer: Any) -> Any:
    """Set out for the first deal of a match: nobody has won or lost anything. The pots are left as they are."""
    for seat in range(len(table.balances)):
        table.balances[seat] = 0
    table.deals = 0
    table.dealer = dealer
    table.phase = CHANCE
    clear_account(table)
    table.fresh = True


@compiled
def open_deal(table: Any) -> Any:
    """Clear away what belonged to the deal before (not who played what: a view may look back at it)."""
    for seat in range(len(table.hands)):
        table.opening_balances[seat] = table.balances[seat]
        table.hands[seat] = 0
        table.open_claims[seat] = 0
        table.gave_up[seat] = 0
    for place in range(len(table.claim_order)):
        table.claim_order[place] = 0
    for card in range(CARDS):
        table.shown_by[card] = NOBODY
        table.play_order[card] = 0
    table.plays = 0


@compiled
def note_opening_pots(table: Any) -> Any:
    """The pots as they stand when all have contributed."""
    for pot in range(len(table.pots)):
        table.opening_pots[pot] = table.pots[pot]


@compiled
def clear_account(table: Any) -> Any:
    """Nothing has been paid yet in this step."""
    for seat in range(len(table.rewards)):
        table.rewards[seat] = 0
    table.entries = 0


@compiled
def open_step(table: Any) -> Any:
    """A step begins: its account is empty, but the first step's account includes the first contributions."""
    if table.fresh:
        table.fresh = False
    else:
        clear_account(table)


@compiled
def break_off(table: Any, pot: Any, reason: Any) -> Any:
    """End the match where it is; the actor pays one chip to a pot for it, and no other chips move in this step.

    If nobody has acted yet, what was paid at the deal is given back first: the match never came about.
    """
    if table.fresh:
        give_back(table)
    table.fresh = False
    clear_account(table)
    pay(table, player(table.actor), pot, 1, reason)
    table.phase = OVER
    table.legal = 0


@compiled
def close_deal(table: Any) -> Any:
    """A deal is at its end: the match is over, or the dealer's place moves to the left."""
    table.deals += 1
    if table.deals == table.rules.deals:
        table.phase = OVER
        table.legal = 0
    else:
        table.dealer = left_of(table, table.dealer)
        table.phase = CHANCE


@compiled
def record_play(table: Any, seat: Any, card: Any) -> Any:
    """Take a card out of a hand, and write down that it was played."""
    table.hands[seat] &= ~only(card)
    table.played_card[table.plays] = card
    table.played_by[card] = seat
    table.plays += 1
    table.play_order[card] = table.plays


@inlined
def player_at(table: Any, play: Any) -> Any:
    """The seat that made a play of this deal (0 for the first)."""
    return table.played_by[table.played_card[play]]


@compiled
def fill_pack(table: Any, packs: Any, needed: Any, pack: Any) -> Any:
    """Fill `pack` with this deal's: the one that was set, or a shuffled one of which the first `needed` cards count.

    `packs`, uint8 of shape (deals set, 52), holds what was set, top card first.
    """
    for place in range(len(pack)):
        pack[place] = packs[table.deals, place] if table.deals < len(packs) else CARDS - len(pack) + place
    if table.deals >= len(packs):
        shuffle(table, pack, needed)
