"""The plots of the strategy report; every bar and point with its 95% confidence interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

from experiments.duplicate import Estimate
from experiments.strategy_breaches import KINDS, SITUATIONS, Breaches, Stakes
from experiments.strategy_claims import ClaimCost
from experiments.strategy_data import Setting
from experiments.strategy_luck import Apart, Luck
from experiments.strategy_seats import Pots, Seats

PART_NAMES = {"cards": "the cards and the seat", "player": "who plays", "rest": "the rest"}


def drawn(axes: Any, path: Path) -> None:
    """Write a figure whose axes are drawn, and be done with it."""
    for each in axes:
        each.grid(alpha=0.3)
        each.set_axisbelow(True)
    axes[0].figure.savefig(path, dpi=110)
    pyplot.close(axes[0].figure)


def panels(count: int, width: float, height: float, sharey: bool = False) -> Any:
    """The axes of a figure, side by side."""
    _, axes = pyplot.subplots(1, count, figsize=(width, height), layout="constrained", squeeze=False, sharey=sharey)
    return axes[0]


def points(estimates: Sequence[Estimate]) -> tuple[list[float], list[float]]:
    """Means and half-widths; an interval without end is not drawn."""
    errors = [estimate.error if math.isfinite(estimate.error) else 0.0 for estimate in estimates]
    return [estimate.mean for estimate in estimates], errors


def plot_luck(lucks: Mapping[Setting, Luck], path: Path) -> None:
    """The shares of the variance."""
    (axes,) = panels(1, 8, 4)
    width = 0.8 / len(lucks)
    for number, (setting, luck) in enumerate(lucks.items()):
        means, errors = points([luck.shares[name] for name in PART_NAMES])
        places = [place + (number - (len(lucks) - 1) / 2) * width for place in range(len(PART_NAMES))]
        axes.bar(places, means, width, yerr=errors, capsize=4, label=str(setting))
    axes.set_xticks(range(len(PART_NAMES)), list(PART_NAMES.values()))
    axes.set(ylabel="% of the variance of chips in a deal", ylim=(0, None), title="What explains a player's chips")
    axes.legend()
    drawn([axes], path)


def plot_apart(found: Mapping[Setting, Sequence[Apart]], path: Path) -> None:
    """Matches needed to tell players apart, in plain and in duplicate play; none for those that are not told apart."""
    (axes,) = panels(1, 8, 4)
    ways = {
        "plain: each deal once": [(one.plain, 1) for many in found.values() for one in many],
        "duplicate: each deal from every seat": [
            (one.duplicate, setting.players) for setting, many in found.items() for one in many
        ],
    }
    names = [f"{one.player} or {one.company}\n{setting}" for setting, many in found.items() for one in many]
    for number, (way, needed) in enumerate(ways.items()):
        ends = {place: [end * each for end in one] for place, (one, each) in enumerate(needed) if math.isfinite(one[0])}
        below = [middle - low for middle, low, _ in ends.values()]
        above = [high - middle if math.isfinite(high) else 0.0 for middle, _, high in ends.values()]
        places = [place + 0.15 - 0.3 * number for place in ends]
        if ends:  # a logarithmic axis cannot be drawn for nothing at all
            axes.errorbar([end[0] for end in ends.values()], places, xerr=(below, above), fmt="o", capsize=4, label=way)
    axes.set_yticks(range(len(names)), names)
    axes.set(xscale="log", xlabel="matches (deals times rotations) until the 95% interval is clear of 0")
    axes.set(title="How long it takes to tell players apart", ylim=(len(names) - 0.5, -0.5))
    axes.legend(handles=axes.containers)
    drawn([axes], path)


def plot_claims(found: Mapping[Setting, Sequence[ClaimCost]], path: Path) -> None:
    """What claims bring at once, and what giving them up costs."""
    axes = panels(len(found), 12, 4.5)
    for each, (setting, costs) in zip(axes, found.items(), strict=True):
        for number, (label, estimates) in enumerate(
            {"brings at once": [one.at_once for one in costs], "costs, given up": [one.cost for one in costs]}.items()
        ):
            means, errors = points(estimates)
            places = [place + 0.4 * number - 0.2 for place in range(len(costs))]
            each.barh(places, means, 0.4, xerr=errors, capsize=2, label=label)
        each.set_yticks(range(len(costs)), [one.claim for one in costs])
        each.invert_yaxis()
        each.set(xlabel="chips for each occasion", title=str(setting))
        each.legend()
    drawn(axes, path)


def plot_breaches(situations: Mapping[Stakes, Sequence[Breaches]], path: Path) -> None:
    """What breaches bring before the fine, by what they are for; each stakes in a panel, the fine as a line."""
    axes = panels(len(situations), 13, 4.5, sharey=True)
    for each, (stakes, rows) in zip(axes, situations.items(), strict=True):
        means, errors = points([one.before_fine for one in rows])
        each.barh([SITUATIONS.index(one.name) for one in rows], means, xerr=errors, capsize=2)
        each.axvline(0, color="black", linewidth=0.8)
        each.axvline(rows[0].fine, color="tab:red", label="the fine")
        each.set(xlabel="chips that the best breach brings before the fine", title=str(stakes))
        each.legend()
    axes[0].set_yticks(range(len(SITUATIONS)), SITUATIONS)
    axes[0].invert_yaxis()
    drawn(axes, path)


def plot_stakes(found: Mapping[Stakes, Sequence[Breaches]], path: Path) -> None:
    """How often a breach promises gain, by what is played for."""
    (axes,) = panels(1, 8, 3.5)
    for number, kind in enumerate(KINDS):
        shares = {place: row.promising for place, rows in enumerate(found.values()) for row in rows if row.name == kind}
        middle = [share.percent for share in shares.values()]
        below = [share.percent - share.low for share in shares.values()]
        above = [share.high - share.percent for share in shares.values()]
        places = [place + 0.2 * number - 0.1 for place in shares]
        axes.errorbar(middle, places, xerr=(below, above), fmt="o", capsize=3, label=kind)
    axes.set_yticks(range(len(found)), [str(stakes) for stakes in found])
    axes.invert_yaxis()
    axes.set(
        xlabel="% of positions in which a breach promises gain",
        title="How often it may pay to break a rule",
        xlim=(0, None),
    )
    axes.legend(loc="upper right")
    drawn([axes], path)


def plot_seats(found: Mapping[Setting, Sequence[Seats]], path: Path) -> None:
    """Chips by place beyond the table's mean."""
    axes = panels(len(found), 12, 4)
    for each, (setting, several) in zip(axes, found.items(), strict=True):
        places = [("eldest", *map(str, range(2, setting.players)), "dealer")[place] for place in range(setting.players)]
        for number, seats in enumerate(several):
            means, errors = points(seats.ahead)
            label = f"{seats.player}, {seats.pots} in each pot"
            beside = [place + 0.08 * (number - 1.5) for place in range(setting.players)]
            each.errorbar(beside, means, yerr=errors, marker="o", capsize=3, label=label)
        each.set_xticks(range(setting.players), places)
        each.axhline(0, color="black", linewidth=0.8)
        each.set(xlabel="place, from eldest", ylabel="chips per deal beyond the table's mean", title=str(setting))
        each.legend()
    drawn(axes, path)


def plot_pots(found: Mapping[Setting, Sequence[Pots]], path: Path) -> None:
    """The rule-based player's lead over random ones, by what lies in the pots."""
    (axes,) = panels(1, 7, 4)
    for setting, several in found.items():
        sizes = [pots.pots for pots in several]
        for style, how in (("-", ""), ("--", ", all declared for everybody")):
            means, errors = points([pots.declared if how else pots.ahead for pots in several])
            axes.errorbar(sizes, means, yerr=errors, fmt=style, marker="o", capsize=4, label=f"{setting}{how}")
    axes.set(xlabel="chips in each pot when the deal opens", ylabel="chips per deal ahead of random players")
    axes.set(title="One rule-based player among random ones", ylim=(0, None))
    axes.legend()
    drawn([axes], path)
