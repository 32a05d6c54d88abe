"""When it pays to break a rule and be fined: Boxes 8.2."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from experiments.duplicate import Estimate, deal_seeds
from experiments.strategy_data import Share, advised, finish
from marriage_env import GAMES
from marriage_env.boxes.play import allowed_by_suit
from marriage_env.boxes.state import JACK_OF_DIAMONDS, KING_OF_HEARTS, QUEEN_OF_HEARTS, TRICKS
from marriage_env.cards import KING, holds
from marriage_env.games import rule_options
from marriage_env.table import ANSWER, PASS, PLAY
from marriage_env.tables import Tables, as_bytes
from marriage_env.worlds import sample_worlds

WORLDS = 100  # drawn to choose a breach and a lawful action, and as many new ones to see what these are worth
BOX = GAMES["boxes"]
#: What can be broken: 4.2, by a card; 5.1, by passing when the queen is called.
CARD, QUEEN = "a card against 4.2", "to pass instead of the queen"
KINDS = (CARD, QUEEN)

SITUATIONS = (
    "passes, to keep the queen of hearts",
    "passes, to keep another queen",
    "plays the jester",
    "does not play the jester, though asked",
    "plays the queen of hearts",
    "does not play the queen of hearts, though asked",
    "plays a king whose queen may answer",
    "plays a trump, having one trick",
    "plays a trump otherwise",
    "anything else",
)


class Stakes(NamedTuple):
    """What is played for.

    Attributes:
        players: at the table; a breach costs a chip for each but one.
        trick_pay: see `BoxesRules`.
        pots: chips in each box when the deal opens.
    """

    players: int = 5
    trick_pay: int = 1
    pots: int = 0

    def __str__(self) -> str:
        return f"{self.players} players, {self.trick_pay} a trick, {self.pots} in each box"

    @property
    def rules(self) -> Any:
        """The rules, under which rules can be broken."""
        return rule_options(BOX.name, {"players": self.players, "trick_pay": self.trick_pay, "conduct": "fined"})


class Position(NamedTuple):
    """A table at which whoever is to act can break a rule, and what he sees."""

    table: NDArray[Any]
    vector: NDArray[np.float32]


@dataclass(frozen=True)
class Judged:
    """What the best breach of a position is worth beside its best lawful action.

    Attributes:
        kind: of `KINDS`.
        situation: of `SITUATIONS`.
        to_come: tricks after the one under way.
        fine: chips that it costs.
        promised: chips by which the breach was better in the worlds in which both were chosen.
        gain: the same in new worlds.
        real: the same at the table itself.
    """

    kind: str
    situation: str
    to_come: int
    fine: int
    promised: float
    gain: float
    real: float


@dataclass(frozen=True)
class Breaches:
    """Breaches over a number of positions.

    Attributes:
        name: what they have in common.
        positions: how many there are.
        fine: chips that a breach costs.
        difference: chips by which the best breach is better than the best lawful action, in new worlds.
        real: the same at the tables themselves.
        promising: the share of the positions in which a breach promises more than all that is lawful.
        gain: `difference` where it does; not a number if it never does.
    """

    name: str
    positions: int
    fine: int
    difference: Estimate
    real: Estimate
    promising: Share
    gain: Estimate

    @property
    def before_fine(self) -> Estimate:
        """What a breach brings before the fine is paid: a lower fine than that would make it pay."""
        return Estimate(self.difference.mean + self.fine, self.difference.error)


def lawful_actions(table: Any) -> int:
    """What the rules allow whoever is to act at a table under ``conduct="fined"``, bit a for action a."""
    legal = int(table["legal"])
    if table["phase"] == ANSWER:
        return legal & ~(1 << PASS)
    if table["phase"] == PLAY:
        return int(allowed_by_suit(table, table["hands"][table["actor"]]))
    return legal


def actions_in(bits: int) -> list[int]:
    """The actions of a set, lowest first."""
    return [action for action in range(PASS + 1) if bits >> action & 1]


def draw_positions(stakes: Stakes, deals: int, seed: int) -> dict[str, list[Position]]:
    """From each deal of rule-based players, one position of each kind, drawn from all that it has."""
    tables = Tables(BOX, stakes.rules, deals)
    rng = np.random.default_rng([seed, *stakes])
    rows = tables.all_rows()
    tables.seed(rows, deal_seeds(seed, deals))
    tables.open(rows, pots=np.full((deals, len(BOX.pot_names)), stakes.pots))
    kept: dict[str, dict[int, Position]] = {kind: {} for kind in KINDS}
    lots = {kind: np.zeros(deals) for kind in KINDS}
    while len(rows := rows[~tables.over(rows)]):
        for row in rows:
            table = tables.records[row]
            if lawful_actions(table) != int(table["legal"]):
                kind, lot = (QUEEN if table["phase"] == ANSWER else CARD), rng.random()
                if lot > lots[kind][row]:
                    lots[kind][row] = lot
                    kept[kind][int(row)] = Position(tables.records[[row]], tables.vectors(np.array([row]))[0])
        tables.advance(rows, advised(tables, rows))
    return {kind: [found[row] for row in sorted(found)] for kind, found in kept.items()}


def worth(tables: Tables, worlds: NDArray[Any], actions: Sequence[int], seat: int) -> NDArray[np.float64]:
    """What a seat has at the end of the deal, on average over worlds, by the action it takes: (actions,).

    From there on rule-based players play. `tables` are as many, at least, as there are worlds times actions.
    """
    count = len(worlds)
    rows = np.arange(count * len(actions))
    for number in range(len(actions)):
        as_bytes(tables.records)[number * count : (number + 1) * count] = as_bytes(worlds)
    finish(tables, rows, np.repeat(np.array(actions, np.int64), count))
    chips = tables.buffers.returns[rows, seat].astype(np.float64)
    means: NDArray[np.float64] = chips.reshape(len(actions), count).mean(1)
    return means


def judge(position: Position, kind: str, tables: Tables, seed: int) -> Judged:
    """Choose the best breach and the best lawful action in some worlds, and compare the two in others."""
    table = position.table[0]
    lawful = lawful_actions(table)
    allowed, forbidden = actions_in(lawful), actions_in(int(table["legal"]) & ~lawful)
    chosen_in, valued_in = (sample_worlds(position.vector, WORLDS, seed=2 * seed + new) for new in range(2))
    found = worth(tables, chosen_in, [*allowed, *forbidden], 0)
    best = allowed[int(found[: len(allowed)].argmax())]
    breach = forbidden[int(found[len(allowed) :].argmax())]
    gains = [
        float(np.subtract(*worth(tables, worlds, [breach, best], seat)))
        for worlds, seat in ((valued_in, 0), (position.table, int(table["actor"])))
    ]
    promised = float(found[len(allowed) :].max() - found[: len(allowed)].max())
    to_come = TRICKS - 1 - int(table["trick_start"]) // tables.players
    return Judged(kind, situation(table, best, breach), to_come, tables.players - 1, promised, *gains)


def situation(table: Any, best: int, breach: int) -> str:
    """What a breach is for, beside the best lawful action: one of `SITUATIONS`."""
    if breach == PASS:
        return SITUATIONS[0] if best == QUEEN_OF_HEARTS else SITUATIONS[1]
    if breach == JACK_OF_DIAMONDS:
        return SITUATIONS[2]
    if best == JACK_OF_DIAMONDS:
        return SITUATIONS[3]
    if breach == QUEEN_OF_HEARTS:
        return SITUATIONS[4]
    if best == QUEEN_OF_HEARTS:
        return SITUATIONS[5]
    if breach // 4 == KING and breach != KING_OF_HEARTS and not queen_is_gone(table, breach):
        return SITUATIONS[6]
    if breach % 4 == int(table["turn_up"]) % 4:
        return SITUATIONS[7] if int(table["tricks"][table["actor"]]) == 1 else SITUATIONS[8]
    return SITUATIONS[9]


def queen_is_gone(table: Any, king: int) -> bool:
    """Whether the queen of a king in hand can no longer answer him: she has been played, or is in the same hand."""
    queen = king - 4
    return bool(table["play_order"][queen]) or bool(holds(table["hands"][table["actor"]], queen))


def judged(stakes: Stakes, deals: int, seed: int) -> list[Judged]:
    """One position of each kind from each of so many deals that has one, judged."""
    tables = Tables(BOX, stakes.rules, WORLDS * TRICKS, observe=False)
    return [
        judge(position, kind, tables, number)
        for kind, positions in draw_positions(stakes, deals, seed).items()
        for number, position in enumerate(positions)
    ]


def summed_up(name: str, positions: Sequence[Judged]) -> Breaches:
    """What breaches bring to who breaks the rule where that promises more than all that is lawful."""
    promised, gain, real = np.array([(one.promised, one.gain, one.real) for one in positions], np.float64).T
    return Breaches(
        name,
        len(positions),
        positions[0].fine,
        Estimate.over_deals(gain),
        Estimate.over_deals(real),
        Share.of(int((promised > 0).sum()), len(positions)),
        Estimate.over_deals(gain[promised > 0]),
    )


def grouped(groups: Mapping[str, Sequence[Judged]]) -> list[Breaches]:
    """Breaches by groups; those without a position are left out."""
    return [summed_up(name, group) for name, group in groups.items() if group]


def by_situation(positions: Sequence[Judged]) -> list[Breaches]:
    """Breaches by what they are for."""
    return grouped({name: [one for one in positions if one.situation == name] for name in SITUATIONS})


def by_trick(positions: Sequence[Judged]) -> list[Breaches]:
    """Breaches by a card, by the trick; in the last, with one card in hand, none is possible."""
    by_card = [one for one in positions if one.kind == CARD]
    to_come = range(TRICKS - 1, 0, -1)
    return grouped({f"trick {TRICKS - left}": [one for one in by_card if one.to_come == left] for left in to_come})


def by_kind(positions: Sequence[Judged]) -> list[Breaches]:
    """Breaches by the rule that is broken."""
    return grouped({kind: [one for one in positions if one.kind == kind] for kind in KINDS})
