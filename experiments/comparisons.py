"""This suite beside others: random play, and training."""

from __future__ import annotations

import functools
import statistics

from rich.console import Console

from experiments import peers
from experiments.batch_speed import sizes_of_games
from experiments.report import Report, in_turns
from experiments.training_speed import OURS, TUTORIAL, WAYS, training_speed


def peer_report(seconds: float, rounds: int, console: Console) -> Report:
    """Random legal play, each suite in its own process, in its fastest form."""
    cores = len(peers.own_cores())
    own = [peer.name for peer in peers.PEERS.values() if peer.package == "marriage_env"]
    smallest = {name.split("/")[1]: name for name in reversed(own)}
    report = Report(
        "Random legal play beside other suites",
        "Steps a second, each in a process of its own; those marked * make no observations. What plays many "
        f"tables at once does so on one core and on {cores}, with the number of tables that is best of "
        f"{', '.join(f'{batch:,}' for batch in peers.BATCHES)} on each. The last columns: how many times as fast the "
        "smallest tables of our games are, on as many cores. Medians of rounds in turn.",
        ["game", "1 core", "tables", f"{cores} cores", "tables", *[f"x {game}" for game in smallest]],
    )
    batches: dict[tuple[str, int], int] = {}
    for peer in peers.PEERS.values():
        if peer.missing():
            console.print(f"  {peer.name}: not installed")
            continue
        for used in {1, cores} if peer.batched else {1}:
            found = peers.best(peer.name, seconds, used, peers.BATCHES)
            assert found is not None
            batches[peer.name, used] = found[0]
            console.print(f"  {peer.name}, {used} cores: {found[1]:,.0f} steps/s with {found[0]:,} tables")
    jobs = {key: functools.partial(speed, *key, seconds, tables) for key, tables in batches.items()}
    speeds = in_turns(jobs, rounds)
    for name in dict.fromkeys(name for name, _ in batches):
        row = [name if peers.PEERS[name].observed else f"{name} *"]
        for used in (1, cores):
            there = (name, used) in batches
            row += [f"{statistics.median(speeds[name, used]):,.0f}" if there else ""]
            row += [f"{batches[name, used]:,}" if there and peers.PEERS[name].batched else ""]
        used = cores if (name, cores) in batches else 1
        for other in smallest.values():
            ratio = statistics.median(a / b for a, b in zip(speeds[other, used], speeds[name, used], strict=True))
            row.append(f"{ratio:,.3g}")
        report.rows.append(row)
    return report


def speed(name: str, cores: int, seconds: float, tables: int) -> float:
    """Steps a second of an installed peer."""
    found = peers.measure(name, seconds, cores, tables)
    assert found is not None
    return found


def training_report(rounds: int) -> Report:
    """MaskablePPO over the batch, over nothing, and over one table."""
    report = Report(
        "Training with MaskablePPO, one core",
        "Learner's steps a second, learning included; default network, rule-based opponents. Over the batch and over "
        f"an environment of the same shapes that costs nothing: {OURS}. One table, as in PettingZoo's tutorial, but "
        f"that every reward reaches the learner: {TUTORIAL}, SB3's defaults. Medians of rounds in turn.",
        ["game", *WAYS, "share of nothing's", "x one table"],
    )
    for game, players in sizes_of_games():
        learners = {way: (make(game, players), rollouts) for way, (make, rollouts) in WAYS.items()}
        for learner, _ in learners.values():
            training_speed(learner, 1)  # warms up
        jobs = {way: functools.partial(training_speed, *learner) for way, learner in learners.items()}
        found = in_turns(jobs, rounds)
        batch, nothing, table = (found[way] for way in WAYS)
        share = statistics.median(a / b for a, b in zip(batch, nothing, strict=True))
        ratio = statistics.median(a / b for a, b in zip(batch, table, strict=True))
        speeds = [f"{statistics.median(found[way]):,.0f}" for way in WAYS]
        report.rows.append([f"{game}, {players} players", *speeds, f"{share:.0%}", f"{ratio:.1f}"])
    return report
