"""A tournament's report: one HTML page that needs nothing else, plots included."""

from __future__ import annotations

import base64
import html
import io
import math
from collections.abc import Mapping
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot
from matplotlib.figure import Figure

from experiments.report import Report
from experiments.standings import Standings
from experiments.tournament_tables import WHOSE, labels

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }}
h1, h2 {{ line-height: 1.2; }}
.table {{ overflow-x: auto; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ padding: .3rem .8rem; text-align: right; border-bottom: 1px solid #8886; }}
th:first-child, td:first-child {{ text-align: left; overflow-wrap: anywhere; }}
.messages td {{ text-align: left; overflow-wrap: anywhere; }}
img {{ max-width: 100%; background: white; border-radius: .5rem; }}
p {{ opacity: .85; }}
</style>
</head>
<body>
<h1>{title}</h1>
{body}
</body>
</html>
"""


def page(title: str, settings: Mapping[str, Any], tables: Mapping[str, Report], standings: Standings) -> str:
    """The report.

    Args:
        title: of the page.
        settings: of the tournament, by name.
        tables: ``matrix``, ``gains``, ``ranking``, ``behaviour`` and ``complaints``.
        standings: what the plots show.
    """
    parts = [
        section(tables["ranking"]),
        image(bars(standings), "Chips per deal at mixed tables, and ratings"),
        section(tables["matrix"]),
        image(heat_map(standings), WHOSE),
        section(tables["gains"]),
        section(tables["behaviour"]),
        section(tables["complaints"], "messages") if tables["complaints"].rows else "",
        section(Report("Settings", "", ["setting", "value"], settings_rows(settings))),
    ]
    return PAGE.format(title=html.escape(title), body="\n".join(parts))


def settings_rows(settings: Mapping[str, Any]) -> list[list[str]]:
    """A row for each setting; for one of several parts, a row for each of them."""
    rows = []
    for name, value in settings.items():
        if isinstance(value, Mapping):
            rows += [[f"{name}: {part}", str(one)] for part, one in value.items()]
        elif isinstance(value, (list, tuple)):
            rows += [[f"{name}: {place}", str(one)] for place, one in enumerate(value, 1)]
        else:
            rows.append([name, str(value)])
    return rows


def section(report: Report, kind: str = "") -> str:
    """A table with its title and note."""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in report.header)
    rows = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>\n" for row in report.rows)
    title, note = html.escape(report.title), html.escape(report.note)
    table = f'<div class="table {kind}"><table>\n<tr>{head}</tr>\n{rows}</table></div>'
    return f"<h2>{title}</h2>\n<p>{note}</p>\n{table}"


def image(figure: Figure, meaning: str) -> str:
    """A figure within the page."""
    content = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "tournament"}):  # the same again, the same file
        figure.savefig(content, format="svg", bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
    data = base64.b64encode(content.getvalue()).decode()
    return f'<img alt="{html.escape(meaning)}" src="data:image/svg+xml;base64,{data}">'


def heat_map(standings: Standings) -> Figure:
    """Chips per deal of every agent in every company."""
    names = list(standings.conduct)
    rows = [[met.chips.mean for met in standings.encounters if met.agent == agent] for agent in names]
    middle = (min(map(min, rows)) + max(map(max, rows))) / 2
    size = 3.5 + 0.8 * len(names)
    figure, axes = pyplot.subplots(figsize=(size + 1.5, size), layout="constrained")
    shown = axes.imshow(rows, cmap="cividis")
    ticks = list(labels(standings).values())
    axes.set_xticks(range(len(names)), ticks, rotation=40, ha="right", parse_math=False)
    axes.set_yticks(range(len(names)), ticks, parse_math=False)
    axes.set(xlabel="company, at all other seats", ylabel="agent")
    for place, row in enumerate(rows):
        for company, chips in enumerate(row):
            colour = "white" if chips < middle else "black"
            axes.text(company, place, f"{chips:+.2f}", ha="center", va="center", color=colour)
    figure.colorbar(shown, label="chips per deal", shrink=0.8)
    return figure


def bars(standings: Standings) -> Figure:
    """Mixed tables: chips per deal with their intervals, and ratings ± 3 sigma."""
    ranks = standings.ranks
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 1.8 + 0.45 * len(ranks)), layout="constrained")
    places = range(len(ranks))
    errors = [rank.chips.error if math.isfinite(rank.chips.error) else math.nan for rank in ranks]  # nan: none is drawn
    left.barh(places, [rank.chips.mean for rank in ranks], xerr=errors, color="tab:blue", capsize=4)
    left.axvline(0, color="black", linewidth=0.8)
    left.set(xlabel="chips per deal, with 95% confidence intervals", title="Chips at mixed tables")
    right.errorbar([rank.mu for rank in ranks], places, xerr=[3 * rank.sigma for rank in ranks], fmt="o", capsize=4)
    right.set(xlabel="mu ± 3 sigma", title="OpenSkill")
    for axes in (left, right):
        axes.set_yticks(places, [labels(standings)[rank.agent] for rank in ranks], parse_math=False)
        axes.set_ylim(len(ranks) - 0.5, -0.5)
        axes.grid(axis="x", alpha=0.3)
    return figure
