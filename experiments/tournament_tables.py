"""A tournament's standings as tables, as CSV and as JSON."""

from __future__ import annotations

import csv
import dataclasses
import io
import platform
from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from experiments.referee import KINDS, Conduct
from experiments.report import CONFIDENCE, Report, finite, json_text
from experiments.standings import Standings
from experiments.tournament_play import Tournament

COLUMNS = (
    *("table", "agent", "company", "chips_per_deal", "chips_ci95", "gain", "gain_ci95", "mu", "sigma", "ordinal"),
    *("seats", "forfeits", "seconds_per_decision"),
)
#: What the kinds of forfeits are called in a heading.
FORFEITS = dict(zip(KINDS, ("errors", "timeouts", "illegal", "not asked"), strict=True))
LABEL = 28  # characters of an agent's name in tables and plots
WHOSE = "Chips per deal of the agent in the row, at one seat, each in turn, with the agent in the column at all others"


def matrix(standings: Standings) -> Report:
    """Who earns how much against whom."""
    report = Report("Who earns how much against whom", f"{WHOSE}; {CONFIDENCE}.", numbers(standings))
    for agent, label in labels(standings).items():
        row = [str(met.chips) for met in standings.encounters if met.agent == agent]
        report.rows.append([label, *row])
    return report


def gains(standings: Standings) -> Report:
    """Whom it pays to replace by whom."""
    note = (
        "Chips per deal that the agent in the row earns there beyond what the agent in the column earns among its own"
    )
    report = Report("Who gains by coming", f"{note} kind, on the same deals; {CONFIDENCE}.", numbers(standings))
    for agent, label in labels(standings).items():
        met = [found for found in standings.encounters if found.agent == agent]
        report.rows.append([label, *["" if found.company == agent else str(found.gain) for found in met]])
    return report


def labels(standings: Standings) -> dict[str, str]:
    """What each agent is called in tables and plots: its number and its name, the end of a long one: it tells most."""
    names = standings.conduct
    return {name: f"{place} {shortened(name)}" for place, name in enumerate(names, 1)}


def shortened(name: str) -> str:
    """A name of at most `LABEL` characters."""
    return name if len(name) <= LABEL else f"…{name[1 - LABEL :]}"


def numbers(standings: Standings) -> list[str]:
    """A heading for a column of each agent."""
    return ["agent", *map(str, range(1, len(standings.conduct) + 1))]


def ranking(standings: Standings) -> Report:
    """The mixed tables."""
    note = (
        "Companies drawn from all agents; ratings by OpenSkill (Plackett-Luce) from the ranking of chips in each deal"
    )
    header = ["agent", "chips per deal", "ahead of others", "mu", "sigma", "mu - 3 sigma", "seats"]
    report = Report("Mixed tables", f"{note}; {CONFIDENCE}.", header)
    for rank in standings.ranks:
        skill = [f"{number:.2f}" for number in (rank.mu, rank.sigma, rank.ordinal)]
        means = [str(mean) if rank.seats else "" for mean in (rank.chips, rank.ahead)]
        report.rows.append([labels(standings)[rank.agent], *means, *skill, f"{rank.seats:,}"])
    return report


def behaviour(standings: Standings, seconds: Mapping[str, float]) -> Report:
    """Time, and matches forfeited."""
    note = (
        "Decisions are those asked for: the house players' are made in compiled code, and timed over a sample. "
        "Forfeits: matches played to their end by a random player, scored one chip below the lowest at the table."
    )
    report = Report("Conduct", note, ["agent", "decisions", "time of one", *FORFEITS.values()])
    for name, found in standings.conduct.items():
        forfeits = [f"{found.forfeits[kind]:,}" for kind in KINDS]
        report.rows.append([labels(standings)[name], f"{found.decisions:,}", duration(seconds[name]), *forfeits])
    return report


def duration(seconds: float) -> str:
    """A time in its unit, to three digits."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns" if seconds > 0 else ""


def complaints(standings: Standings) -> Report:
    """What was first said of each kind of forfeit; without rows if there was none."""
    report = Report("What went wrong first", "The first of each kind.", ["agent", "kind", "message"])
    for name, found in standings.conduct.items():
        report.rows += [[labels(standings)[name], kind, found.first[kind]] for kind in KINDS if kind in found.first]
    return report


def as_csv(standings: Standings, seconds: Mapping[str, float]) -> str:
    """A row for each agent and company, and one for each agent at mixed tables."""
    file = io.StringIO(newline="")
    writer = csv.DictWriter(file, COLUMNS, restval="")
    writer.writeheader()
    for met in standings.encounters:
        row = {"table": "pair", "agent": met.agent, "company": met.company, "seats": met.seats}
        row |= {"chips_per_deal": met.chips.mean, "chips_ci95": met.chips.error}
        row |= {"gain": met.gain.mean, "gain_ci95": met.gain.error}
        writer.writerow(finite({**row, "forfeits": met.forfeits, "seconds_per_decision": seconds[met.agent]}))
    for rank in standings.ranks:
        row = {"table": "mixed", "agent": rank.agent, "seats": rank.seats}
        row |= {"chips_per_deal": rank.chips.mean, "chips_ci95": rank.chips.error}
        row |= {"mu": rank.mu, "sigma": rank.sigma, "ordinal": rank.ordinal}
        writer.writerow(finite({**row, "forfeits": rank.forfeits, "seconds_per_decision": seconds[rank.agent]}))
    return file.getvalue()


def as_json(settings: Mapping[str, Any], standings: Standings, seconds: Mapping[str, float]) -> str:
    """Everything, with all that reproduces it."""
    document = {
        "settings": settings,
        "versions": {"python": platform.python_version(), **settings["versions"], "openskill": version("openskill")},
        "pairs": [dataclasses.asdict(met) for met in standings.encounters],
        "mixed": [dataclasses.asdict(rank) for rank in standings.ranks],
        "conduct": {name: described(found, seconds[name]) for name, found in standings.conduct.items()},
    }
    return json_text(document)


def described(conduct: Conduct, seconds: float) -> dict[str, Any]:
    """An agent's conduct for JSON."""
    told = {"decisions": conduct.decisions, "seconds_per_decision": seconds}
    return {**told, "forfeits": conduct.forfeits, "first": conduct.first}


def title_of(tournament: Tournament) -> str:
    """What was played, in a line."""
    return f"{tournament.game}, {tournament.seats} players, {tournament.deals} duplicate deals"
