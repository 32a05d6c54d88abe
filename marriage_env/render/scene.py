"""A table as its viewer sees it, as plain data: what pictures, the browser's table and replays are drawn from."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from marriage_env.cards import CARD_NAMES, card_ids
from marriage_env.render.payments import Entry, Party, parties_in
from marriage_env.render.view import View, Viewer
from marriage_env.render.words import SUIT_ORDER
from marriage_env.table import ACTIONS, OVER


@dataclass(frozen=True)
class Player:
    """A player at the table.

    Attributes:
        seat: his.
        name: his.
        dealer: whether he has dealt.
        eldest: whether he sits to the dealer's left.
        acting: whether he is to act.
        balance: chips won or lost in the match.
        gain: chips won or lost in this deal, contributions included.
        count: tricks taken, or cards held: see `Scene.counted`.
        hand: the cards of his hand that the viewer sees, as people sort them.
        open: those of his hand that all players know.
        hidden: how many other cards he holds.
        claims: what he has declared, in words and order.
        passed: whether he gave up what was left to declare.
    """

    seat: int
    name: str
    dealer: bool
    eldest: bool
    acting: bool
    balance: int
    gain: int
    count: int
    hand: tuple[str, ...]
    open: tuple[str, ...]
    hidden: int
    claims: tuple[str, ...]
    passed: bool


@dataclass(frozen=True)
class Pot:
    """A box, a staked card or a saucer: its name in the rulebook, its title for people, the card staked, its chips."""

    name: str
    title: str
    card: str | None
    chips: int


@dataclass(frozen=True)
class Laid:
    """A card on the table, and who has played it."""

    seat: int
    card: str


@dataclass(frozen=True)
class Transfer:
    """Each of `payers` has paid each of `payees` so many chips in the last step."""

    payers: tuple[Party, ...]
    payees: tuple[Party, ...]
    chips: int
    reason: str
    clause: str


@dataclass(frozen=True)
class Choice:
    """What the actor may do: an action's number, its name (a card, a claim, ``"pass"``), and the name in words."""

    action: int
    name: str
    words: str


@dataclass(frozen=True)
class Scene:
    """A table as its viewer sees it.

    Cards are named as everywhere (``"QH"``); players are told by their seats.

    Attributes:
        game: its name.
        title: the name as people write it.
        deal: which deal it is, from 1.
        deals: how many there are.
        viewer: a seat, ``"all"``, ``"public"`` for who sees no hand, or None for whoever is to act.
        counted: what `Player.count` counts.
        turn_up: of Boxes, a card.
        trumps: of Boxes, the name of its suit.
        players: by seats.
        pots: in the rulebook's order.
        played_title: what lies on the table, a trick or a row; empty if nothing does.
        played: its cards in the order they were played.
        outcome: what becomes of it.
        last: the last step in words.
        now: what is to be done, in words.
        paid: the payments of the last step in words, with their reasons and clauses.
        transfers: the same as data, in the order they were made.
        actor: the seat that is to act; None when the match is over.
        choices: what it may do, if the viewer sees its hand.
        refusals: why not, for every other card in that hand.
        over: whether the match is over.
    """

    game: str
    title: str
    deal: int
    deals: int
    viewer: Viewer
    counted: str
    turn_up: str | None
    trumps: str | None
    players: tuple[Player, ...]
    pots: tuple[Pot, ...]
    played_title: str
    played: tuple[Laid, ...]
    outcome: str
    last: str
    now: str
    paid: tuple[str, ...]
    transfers: tuple[Transfer, ...]
    actor: int | None
    choices: tuple[Choice, ...]
    refusals: dict[str, str]
    over: bool

    def as_dict(self) -> dict[str, Any]:
        """The scene as dicts, tuples, strings and numbers, as JSON takes them."""
        return dataclasses.asdict(self)


def scene_of(view: View) -> Scene:
    """What a view shows."""
    over = view.phase == OVER
    open_hand = not over and view.sees(view.actor)
    played = view.played()
    return Scene(
        game=view.game.name,
        title=view.title,
        deal=min(int(view.table["deals"]) + 1, view.rules.deals),
        deals=view.rules.deals,
        viewer=view.viewer,
        counted=view.counted,
        turn_up=view.turn_up(),
        trumps=view.trumps(),
        players=tuple(player_of(view, seat) for seat in view.seats),
        pots=tuple(pots_of(view)),
        played_title=view.played_title() if played else "",
        played=tuple(Laid(seat, CARD_NAMES[card]) for seat, card in played),
        outcome=view.outcome(),
        last=view.last(),
        now=view.what_now(),
        paid=tuple(view.payments()),
        transfers=tuple(transfer_of(view, entry) for entry in view.ledger),
        actor=None if over else view.actor,
        choices=tuple(choices_of(view)) if open_hand else (),
        refusals=refusals_of(view) if open_hand else {},
        over=over,
    )


def player_of(view: View, seat: int) -> Player:
    """A player as the viewer sees him."""
    seen = view.seen_hand(seat)
    balance = int(view.table["balances"][seat])
    return Player(
        seat=seat,
        name=view.names[seat],
        dealer=seat == view.dealer,
        eldest=seat == view.eldest,
        acting=seat == view.actor and view.phase != OVER,
        balance=balance,
        gain=balance - int(view.table["opening_balances"][seat]),
        count=view.count(seat),
        hand=sorted_names(seen),
        open=sorted_names(int(view.table["hands"][seat]) & view.known(seat)),
        hidden=view.held(seat) - seen.bit_count(),
        claims=tuple(view.claims(seat)),
        passed=bool(view.table["gave_up"][seat]),
    )


def pots_of(view: View) -> Iterable[Pot]:
    """The pots with their chips."""
    pots = zip(view.game.pot_names, view.pot_titles, view.table["pots"].tolist(), strict=True)
    for number, (name, title, chips) in enumerate(pots):
        yield Pot(name, title, view.staked_card(number), chips)


def transfer_of(view: View, entry: Entry) -> Transfer:
    """A ledger entry, its parties by seats and names."""
    payers, payees, chips, number = entry
    words, clause = view.game.reasons[number]
    pots = view.game.pot_names
    return Transfer(parties_in(payers, pots), parties_in(payees, pots), chips, words, clause)


def choices_of(view: View) -> Iterable[Choice]:
    """The legal actions of the actor."""
    legal = int(view.table["legal"])
    for action in range(ACTIONS):
        if legal >> action & 1:
            yield Choice(action, view.game.action_names[action], view.action_words(action))


def refusals_of(view: View) -> dict[str, str]:
    """Why the actor may not play the other cards in his hand."""
    hand = card_ids(int(view.table["hands"][view.actor]))
    return {CARD_NAMES[card]: why for card in hand if (why := view.why_not(card))}


def sorted_names(cards: int) -> tuple[str, ...]:
    """The names of a set of cards as people sort a hand: suit by suit, high to low."""
    ids = sorted(card_ids(cards), key=lambda card: (SUIT_ORDER.index(card % 4), -card))
    return tuple(CARD_NAMES[card] for card in ids)
