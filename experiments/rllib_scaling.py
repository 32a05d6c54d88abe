"""How RLlib's sampling and training scale with environment runners, each on a batch of tables.

One seat of Saucers, 3 players, learns with PPO, as on docs/pipelines/rllib.md. All numbers of runners are measured in
turn, round by round, with the same steps an iteration.
"""

from __future__ import annotations

import argparse
import functools
import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from rich.console import Console

from experiments.options import count, reported
from experiments.ray_cluster import ADDRESSES, connected
from experiments.report import Report, in_turns, need_marks, replace_between
from marriage_env.interop.rllib_module import MaskedPPOModule

MARK = "scaling"  # of a page


class Speeds(NamedTuple):
    """Steps a second of so many runners, medians: of sampling alone, and of sampling and learning in turn."""

    runners: int
    sampling: float
    training: float


def config_of(runners: int, tables: int, batch: int) -> PPOConfig:
    """PPO with so many environment runners of so many tables, learning from `batch` steps of all together."""
    return (
        PPOConfig()
        .environment(
            "marriage_env:marriage_env/Saucers-v0",
            env_config={"players": 3, "opponents": ["random"], "mask_in": "observation"},
        )
        .env_runners(
            num_env_runners=runners, num_envs_per_env_runner=tables, gym_env_vectorize_mode="vector_entry_point"
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedPPOModule))
        .training(
            train_batch_size_per_learner=batch,
            minibatch_size=min(batch, 512),
            num_epochs=4,
            lr=1e-3,
            gamma=1,
            vf_clip_param=1e4,
        )
        .debugging(seed=0)
    )


def sample(algorithm: PPO) -> int:
    """Let every runner sample his share of a batch; the steps of all."""
    return sum(
        algorithm.env_runner_group.foreach_env_runner(
            lambda runner: sum(map(len, runner.sample())), local_env_runner=False
        )
    )


def train(algorithm: PPO) -> int:
    """Sample a batch and learn from it; its steps."""
    return int(algorithm.train()["env_runners"]["num_env_steps_sampled"])


def per_second(work: Callable[[PPO], int], algorithm: PPO) -> float:
    """Steps a second of one call."""
    begun = time.perf_counter()
    return work(algorithm) / (time.perf_counter() - begun)


def measure(algorithms: Mapping[int, PPO], rounds: int) -> list[Speeds]:
    """How fast algorithms are, by the number of their runners."""
    jobs = {
        (runners, work): functools.partial(per_second, work, algorithm)
        for runners, algorithm in algorithms.items()
        for work in (sample, train)
    }
    in_turns(jobs, 1)  # to warm up
    found = {job: statistics.median(speeds) for job, speeds in in_turns(jobs, rounds).items()}
    return [Speeds(runners, found[runners, sample], found[runners, train]) for runners in algorithms]


def scaling_report(options: argparse.Namespace, found: Sequence[Speeds]) -> Report:
    """The speeds as a table, and as multiples of the first."""
    rows = [
        [
            str(runners),
            *(f"{sampling:,.0f}", f"{sampling / found[0].sampling:.2f}"),
            *(f"{training:,.0f}", f"{training / found[0].training:.2f}"),
        ]
        for runners, sampling, training in found
    ]
    return Report(
        "RLlib's sampling and training",
        f"Medians of {options.rounds} rounds in turn; {options.tables} tables a runner, {options.batch:,} steps an "
        f"iteration of all runners together; the learner in the driver, on a machine of {os.cpu_count()} cores.",
        ["runners", "sampling, steps/s", "×", "training, steps/s", "×"],
        rows,
    )


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.rllib_scaling",
        description=__doc__,
        epilog="Example: python -m experiments.rllib_scaling --runners 1 2 8 --address auto",
    )
    parser.add_argument(
        "--runners", type=count, nargs="+", default=[1, 2], metavar="N", help="environment runners (default: 1 2)"
    )
    parser.add_argument("--tables", type=count, default=64, metavar="N", help="of each runner (default: 64)")
    parser.add_argument("--batch", type=count, default=4096, metavar="N", help="steps of an iteration (default: 4096)")
    parser.add_argument("--rounds", type=count, default=7, metavar="N", help="of each timing (default: 7)")
    parser.add_argument("--address", metavar="ADDR", help=f"of a Ray cluster; {ADDRESSES} (default: this machine)")
    parser.add_argument("--page", type=Path, metavar="FILE", help=f"put the table between this page's marks: {MARK}")
    options = parser.parse_args(arguments)
    options.runners = list(dict.fromkeys(options.runners))
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    torch.set_num_threads(1)  # the other cores are for the environment runners
    with reported("rllib_scaling"):
        if options.page:
            need_marks("--page", options.page, [MARK])
        with connected(options.address, sum(options.runners)):
            algorithms = {
                runners: config_of(runners, options.tables, options.batch).build_algo() for runners in options.runners
            }
            found = measure(algorithms, options.rounds)
        report = scaling_report(options, found)
        Console().print(report.on_screen())
        if options.page:
            replace_between(options.page, MARK, f"{report.grid()}\n\n{report.note}")


if __name__ == "__main__":
    main()
