"""The benchmark's plot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot

from experiments.report import Report


def plot(sizes: Report, peers: Report, path: Path) -> None:
    """Draw steps a second by the number of tables, and beside other suites."""
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(14, 6), layout="constrained")
    tables = [int(heading.replace(",", "")) for heading in sizes.header[1:-1]]
    for row in sizes.rows:
        left.plot(tables, [float(cell) for cell in row[1:-1]], marker="o", label=row[0])
    left.set(xscale="log", xlabel="tables", ylabel="million steps a second, one core", title=sizes.title)
    left.grid(alpha=0.3)
    left.legend()
    draw_bars(right, peers.rows)
    right.set(xscale="log", xlabel="steps a second, all cores where it can use them", title=peers.title)
    right.grid(axis="x", alpha=0.3)
    figure.savefig(path, dpi=120)
    pyplot.close(figure)


def draw_bars(axes: Any, rows: Sequence[Sequence[str]]) -> None:
    """A bar for each game, the fastest on top, ours in another colour."""
    speeds = {row[0]: float((row[3] or row[1]).replace(",", "")) for row in rows}
    names = sorted(speeds, key=speeds.__getitem__)
    colours = ["tab:orange" if name.startswith("marriage") else "tab:blue" for name in names]
    axes.barh(names, [speeds[name] for name in names], color=colours)
