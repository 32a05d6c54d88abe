"""How RLlib's sampling and training scale with environment runners, each on a batch of tables.

One seat of Saucers, 3 players, learns with PPO, as on docs/pipelines/rllib.md. All numbers of runners are measured in
turn, round by round; the table goes to the screen, as Markdown. Ray is started on this machine, or joined by --address.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import ray
import torch
from ray.rllib.algorithms.ppo import PPO, PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec

from experiments.options import count, reported
from experiments.report import Report
from marriage_env.interop.rllib_module import MaskedPPOModule


def learner(runners: int, tables: int, batch: int) -> PPO:
    """PPO with so many environment runners of so many tables, learning from `batch` steps of all together."""
    config = (
        PPOConfig()
        .environment(
            "marriage_env:marriage_env/Saucers-v0",
            env_config={"players": 3, "opponents": ["random"], "mask_in": "observation"},
        )
        .env_runners(
            num_env_runners=runners, num_envs_per_env_runner=tables, gym_env_vectorize_mode="vector_entry_point"
        )
        .rl_module(rl_module_spec=RLModuleSpec(module_class=MaskedPPOModule))
        .training(train_batch_size_per_learner=batch, minibatch_size=min(batch, 512), num_epochs=4)
    )
    return config.build_algo()


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


def measure(algorithms: Sequence[PPO], rounds: int) -> list[list[str]]:
    """For each algorithm a row: steps a second of sampling and of training, medians, and over those of the first."""
    works = (sample, train)
    found: list[list[list[float]]] = [[[] for _ in works] for _ in algorithms]
    for measured in range(-1, rounds):  # the first round is to warm up
        for speeds, algorithm in zip(found, algorithms, strict=True):
            for of_work, work in zip(speeds, works, strict=True):
                speed = per_second(work, algorithm)
                if measured >= 0:
                    of_work.append(speed)
    medians = [[statistics.median(of_work) for of_work in speeds] for speeds in found]
    return [
        [
            text
            for speed, first in zip(row, medians[0], strict=True)
            for text in (f"{speed:,.0f}", f"{speed / first:.2f}")
        ]
        for row in medians
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m experiments.rllib_scaling", description=__doc__)
    parser.add_argument(
        "--runners", type=count, nargs="+", default=[1, 2], metavar="N", help="environment runners (default: 1 2)"
    )
    parser.add_argument("--tables", type=count, default=64, metavar="N", help="of each runner (default: 64)")
    parser.add_argument("--batch", type=count, default=8192, metavar="N", help="steps of an iteration (default: 8192)")
    parser.add_argument("--rounds", type=count, default=7, metavar="N", help="of each timing (default: 7)")
    parser.add_argument("--address", help="of a Ray cluster, such as auto (default: start Ray on this machine)")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    here: dict[str, Any] = {"address": "local", "num_cpus": sum(options.runners), "include_dashboard": False}
    with reported(parser.prog):
        ray.init(**({"address": options.address} if options.address else here), log_to_driver=False)
        algorithms = [learner(runners, options.tables, options.batch) for runners in options.runners]
        rows = measure(algorithms, options.rounds)
        numbered = [[str(runners), *row] for runners, row in zip(options.runners, rows, strict=True)]
        print(Report("", "", ["runners", "sampling, steps/s", "×", "training, steps/s", "×"], numbered).grid())
        for algorithm in algorithms:
            algorithm.stop()
        ray.shutdown()


if __name__ == "__main__":
    main()
