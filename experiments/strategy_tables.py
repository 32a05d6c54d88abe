"""What the strategy report has found, as tables, plots and JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from experiments.duplicate import Estimate
from experiments.report import CONFIDENCE, Report, json_text
from experiments.strategy_breaches import Breaches, Judged, Stakes, by_kind, by_situation, by_trick
from experiments.strategy_claims import ClaimCost
from experiments.strategy_data import Setting
from experiments.strategy_luck import Apart, Luck
from experiments.strategy_plots import (
    plot_apart,
    plot_breaches,
    plot_claims,
    plot_luck,
    plot_pots,
    plot_seats,
    plot_stakes,
)
from experiments.strategy_seats import Pots, Seats

USUAL, DEAR = Stakes(), Stakes(trick_pay=8, pots=40)  # those whose breaches are told in detail


@dataclass(frozen=True)
class Findings:
    """All that was measured."""

    luck: Mapping[Setting, Luck]
    apart: Mapping[Setting, Sequence[Apart]]
    claims: Mapping[Setting, Sequence[ClaimCost]]
    breaches: Mapping[Stakes, Sequence[Judged]]
    seats: Mapping[Setting, Sequence[Seats]]
    pots: Mapping[Setting, Sequence[Pots]]

    def kinds(self) -> dict[Stakes, list[Breaches]]:
        """Breaches by what is played for, and the rule that is broken."""
        return {stakes: by_kind(positions) for stakes, positions in self.breaches.items()}

    def situations(self) -> dict[Stakes, list[Breaches]]:
        """Breaches by what they are for."""
        return {stakes: by_situation(self.breaches[stakes]) for stakes in (USUAL, DEAR)}

    def tricks(self) -> dict[Stakes, list[Breaches]]:
        """Breaches by the trick."""
        return {stakes: by_trick(self.breaches[stakes]) for stakes in (USUAL, DEAR)}


def told(estimate: Estimate) -> str:
    """An estimate as a cell: empty if there is none, and without an interval if that has no end."""
    if math.isnan(estimate.mean):
        return ""
    return str(estimate) if math.isfinite(estimate.error) else f"{estimate.mean:+.2f}"


def percent(estimate: Estimate) -> str:
    """An estimate in percent as a cell."""
    return f"{estimate.mean:.1f}% ± {estimate.error:.1f}"


def range_told(found: float, fewest: float, most: float) -> str:
    """A number of deals with the ends of its interval, in whole deals."""
    if math.isinf(found):
        return "not told apart"
    low, middle, high = (f"{math.ceil(end):,}" if math.isfinite(end) else "any number" for end in (fewest, found, most))
    return f"{middle} ({low} to {high})"


def luck_report(found: Mapping[Setting, Luck]) -> Report:
    """What explains the chips at a mixed table."""
    report = Report(
        "Luck of the deal",
        f"Share of the variance of a player's chips in a deal; {CONFIDENCE}, by drawing the deals again.",
        ["table", "company", "variance", "the cards and the seat", "who plays", "the rest"],
    )
    for setting, luck in found.items():
        shares = [percent(luck.shares[name]) for name in ("cards", "player", "rest")]
        report.rows.append([str(setting), ", ".join(luck.company), f"{luck.variance:.1f}", *shares])
    return report


def apart_report(found: Mapping[Setting, Sequence[Apart]]) -> Report:
    """How many deals tell players apart."""
    report = Report(
        "Deals needed",
        "Deals until the 95% interval of the lead is as wide, to one side, as the lead itself; in brackets, the same "
        "for the ends of the lead's own interval.",
        ["table", "player", "at a table of", "chips per deal ahead", "plain deals", "duplicate deals"],
    )
    for setting, several in found.items():
        for one in several:
            numbers = [range_told(*one.plain), range_told(*one.duplicate)]
            report.rows.append([str(setting), one.player, one.company, told(one.ahead), *numbers])
    return report


def claims_report(found: Mapping[Setting, Sequence[ClaimCost]]) -> Report:
    """What claims bring, and what it costs to give them up."""
    report = Report(
        "Claims given up",
        f"Chips for each occasion on which the claim is held, all players being rule-based; {CONFIDENCE}.",
        ["claim", "table", "occasions", "brings at once", "costs, given up", "won back in play", "costs, pots shared"],
    )
    for setting, costs in found.items():
        for one in costs:
            estimates = (one.at_once, one.cost, one.concealed, one.shared)
            report.rows.append([one.claim, str(setting), f"{one.occasions:,}", *map(told, estimates)])
    return report


def breaches_report(title: str, found: Mapping[Stakes, Sequence[Breaches]]) -> Report:
    """What breaches bring."""
    report = Report(
        title,
        "One position of each kind a deal, drawn from rule-based play. Chips by which the best breach beats the best "
        f"lawful action, in new worlds and at the table itself; {CONFIDENCE}.",
        ["breach", "stakes", "positions", "the fine", "gain", "at the table", "promises gain in", "gain there"],
    )
    for stakes, several in found.items():
        for one in several:
            estimates = [told(one.difference), told(one.real), str(one.promising), told(one.gain)]
            report.rows.append([one.name, str(stakes), f"{one.positions:,}", str(one.fine), *estimates])
    return report


def seats_report(found: Mapping[Setting, Sequence[Seats]]) -> Report:
    """Chips by place."""
    most = max(setting.players for setting in found)
    report = Report(
        "The seat",
        f"Chips per deal, and each place's beyond that, counted from eldest; {CONFIDENCE}.",
        ["table", "all are", "in each pot", "chips per deal", *("eldest", *map(str, range(2, most + 1)))],
    )
    for setting, several in found.items():
        for one in several:
            places = [*map(told, one.ahead), *[""] * (most - setting.players)]
            report.rows.append([str(setting), one.player, str(one.pots), told(one.table), *places])
    return report


def pots_report(found: Mapping[Setting, Sequence[Pots]]) -> Report:
    """Who takes what lies in the pots."""
    report = Report(
        "The pots",
        f"One rule-based player at a table of random ones, duplicate deals; chips per deal, {CONFIDENCE}.",
        ["table", "in each pot", "rules", "random", "rules ahead", "ahead, all declared", "left in the pots"],
    )
    for setting, several in found.items():
        for one in several:
            estimates = (one.rules, one.random, one.ahead, one.declared, one.left)
            report.rows.append([str(setting), str(one.pots), *map(told, estimates)])
    return report


def reports(found: Findings) -> dict[str, Report]:
    """All tables, by the page's markers."""
    return {
        "luck": luck_report(found.luck),
        "apart": apart_report(found.apart),
        "claims": claims_report(found.claims),
        "breaches": breaches_report("Breaches by what is played for", found.kinds()),
        "situations": breaches_report("Breaches by what they are for", found.situations()),
        "tricks": breaches_report("Breaches by the trick", found.tricks()),
        "seats": seats_report(found.seats),
        "pots": pots_report(found.pots),
    }


def draw_plots(found: Findings, folder: Path) -> None:
    """All plots."""
    plot_luck(found.luck, folder / "luck.png")
    plot_apart(found.apart, folder / "apart.png")
    plot_claims(found.claims, folder / "claims.png")
    plot_breaches(found.situations(), folder / "breaches.png")
    plot_stakes(found.kinds(), folder / "stakes.png")
    plot_seats(found.seats, folder / "seats.png")
    plot_pots(found.pots, folder / "pots.png")


def figures(found: Findings, settings: Mapping[str, Any]) -> str:
    """All figures, with the settings that make them again, as JSON."""

    def plain(by_table: Mapping[Any, Any]) -> dict[str, Any]:
        several = {str(table): one if isinstance(one, list) else [one] for table, one in by_table.items()}
        return {table: [dataclasses.asdict(one) for one in group] for table, group in several.items()}

    parts: dict[str, Mapping[Any, Any]] = {
        "luck": found.luck,
        "apart": found.apart,
        "claims": found.claims,
        "breaches": found.kinds(),
        "situations": found.situations(),
        "tricks": found.tricks(),
        "seats": found.seats,
        "pots": found.pots,
    }
    return json_text({**settings, **{name: plain(part) for name, part in parts.items()}})
