"""Train an agent with MaskablePPO: one seat learns, agents of your choice sit at the others.

The learner's seat and the dealer rotate from episode to episode; every chip that he wins or loses between two of his
turns is in his reward. The model, the settings and TensorBoard logs go to one folder. Ctrl-C stops and saves.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from experiments.options import AGENTS_HELP, add_game_options, count, environment_maker, seed
from marriage_env import MarriageError, SingleSeatEnv, make_agent
from marriage_env.aec import TableEnv

MODEL = "model.zip"
SETTINGS = "settings.json"


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.train",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_game_options(parser)
    group = parser.add_argument_group("training")
    group.add_argument(
        "--opponents",
        nargs="+",
        default=["rules", "random"],
        metavar="AGENT",
        help=f"who sits to the learner's left, in order, repeated as needed: {AGENTS_HELP} (default: rules random)",
    )
    group.add_argument("--steps", type=count, metavar="N", help="learner's steps to train for")
    group.add_argument("--seconds", type=count, metavar="N", help="or the time to train for (default: 60)")
    group.add_argument(
        "--tables", type=count, default=16, metavar="N", help="games side by side (default: %(default)s)"
    )
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="of deals, agents and network (default: 0)")
    group.add_argument("--out", type=Path, metavar="FOLDER", help="where results go (default: runs/GAME-PLAYERS)")
    group.add_argument("--resume", action="store_true", help="go on from the model in that folder")
    group = parser.add_argument_group("the learning algorithm")
    group.add_argument("--learning-rate", type=float, default=1e-3, metavar="X", help="(default: %(default)s)")
    group.add_argument("--rollout", type=count, default=128, metavar="N", help="steps a table an update (default: 128)")
    group.add_argument("--batch", type=count, default=512, metavar="N", help="steps a gradient (default: %(default)s)")
    group.add_argument(
        "--epochs", type=count, default=4, metavar="N", help="passes over a rollout (default: %(default)s)"
    )
    group.add_argument(
        "--entropy", type=float, default=0.01, metavar="X", help="bonus for variety (default: %(default)s)"
    )
    group.add_argument(
        "--layers", type=count, nargs="+", default=[128, 128], metavar="N", help="hidden layers (default: 128 128)"
    )
    options = parser.parse_args(arguments)
    if options.steps is None and options.seconds is None:
        options.seconds = 60
    return options


class Budget(BaseCallback):  # type: ignore[misc]
    """Stops training when its steps or seconds are used up, and shows how far it is and how it goes."""

    def __init__(self, steps: int | None, seconds: int | None, console: Console) -> None:
        super().__init__()
        self.steps, self.seconds = steps, seconds
        self.bar = Progress(
            TextColumn("training"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[learned]:,} steps, chips per deal {task.fields[chips]}"),
            TimeElapsedColumn(),
            console=console,
        )

    def _on_training_start(self) -> None:
        self.begun, self.first = time.monotonic(), self.num_timesteps
        self.task = self.bar.add_task("", total=1.0, learned=0, chips="?")
        self.bar.start()

    def _on_step(self) -> bool:
        learned, elapsed = self.num_timesteps - self.first, time.monotonic() - self.begun
        used = max(learned / (self.steps or float("inf")), elapsed / (self.seconds or float("inf")))
        recent = [episode["r"] for episode in self.model.ep_info_buffer or []]
        chips = f"{sum(recent) / len(recent):+.1f}" if recent else "?"
        self.bar.update(self.task, completed=min(used, 1.0), learned=learned, chips=chips)
        return used < 1.0

    def _on_training_end(self) -> None:
        self.bar.stop()


def make_learning_envs(
    make_env: Callable[[], TableEnv], opponents: Sequence[str], tables: int, seed: int
) -> VecNormalize:
    """So many single-seat environments side by side, rewards scaled to a size that suits the learner."""

    def make(table: int) -> Callable[[], Monitor]:
        company = [make_agent(name) for name in opponents]
        return lambda: Monitor(SingleSeatEnv(make_env(), company))

    envs = DummyVecEnv([make(table) for table in range(tables)])
    envs.seed(seed)
    return VecNormalize(envs, norm_obs=False, gamma=1.0)


def train(make_env: Callable[[], TableEnv], options: argparse.Namespace, out: Path, console: Console) -> Path:
    """Train as the options say, and save; the path of the model. Ctrl-C ends training early, the model is saved too."""
    torch.set_num_threads(1)  # the networks are small: threads would only wait for each other
    envs = make_learning_envs(make_env, options.opponents, options.tables, options.seed)
    path = out / MODEL
    if options.resume:
        model = MaskablePPO.load(path, envs, tensorboard_log=str(out), device="cpu")
    else:
        model = MaskablePPO(
            "MlpPolicy",
            envs,
            learning_rate=options.learning_rate,
            n_steps=options.rollout,
            batch_size=min(options.batch, options.rollout * options.tables),
            n_epochs=options.epochs,
            gamma=1.0,  # chips count alike whenever they come
            ent_coef=options.entropy,
            policy_kwargs={"net_arch": options.layers},
            tensorboard_log=str(out),
            seed=options.seed,
            device="cpu",
        )
    budget = Budget(options.steps, options.seconds, console)
    try:
        model.learn(10**12, callback=budget, reset_num_timesteps=not options.resume, tb_log_name="tensorboard")
    except KeyboardInterrupt:
        budget.bar.stop()
        console.print("stopped by Ctrl-C; saving what was learned")
    model.save(path)
    return path


def write_settings(out: Path, options: argparse.Namespace) -> None:
    """All settings, next to the model they made."""
    settings: dict[str, Any] = {
        name: str(value) if isinstance(value, Path) else value for name, value in vars(options).items()
    }
    (out / SETTINGS).write_text(json.dumps(settings, indent=2) + "\n")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    console = Console()
    try:
        make_env = environment_maker(options)
        out = options.out or Path("runs") / f"{options.game}-{make_env().rules.players}"
        if options.resume and not (out / MODEL).is_file():
            raise MarriageError(
                f"--resume: there is no {out / MODEL}; allowed is the folder of an earlier run, by --out"
            )
        out.mkdir(parents=True, exist_ok=True)
        write_settings(out, options)
        path = train(make_env, options, out, console)
    except MarriageError as error:
        sys.exit(f"train: {error}")
    console.print(
        f"saved {path}; measure it: python -m experiments.evaluate --game {options.game} --agents {path} random"
    )


if __name__ == "__main__":
    main()
