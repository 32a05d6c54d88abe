"""Train an agent with MaskablePPO: one seat learns, agents of your choice sit at the others.

The learner's seat and the dealer rotate from episode to episode; every chip that he wins or loses between two of his
turns is in his reward. The model, the settings and TensorBoard logs go to one folder. Ctrl-C stops
and saves.
"""

from __future__ import annotations

import argparse
import dataclasses
import functools
import json
import shlex
import signal
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecNormalize

from experiments.options import (
    AGENTS_HELP,
    above_zero,
    add_game_options,
    count,
    environment_maker,
    not_negative,
    reported,
    seed,
)
from marriage_env import MarriageError, SingleSeatEnv, make_agent
from marriage_env.aec import TableEnv

MODEL, SCALING, SETTINGS = "model.zip", "scaling.pkl", "settings.json"
CHECKPOINT_SECONDS = 60.0
#: What stays as it is when a run is resumed, beside the game.
LEARNER_OPTIONS = ("tables", "learning_rate", "rollout", "batch", "epochs", "entropy", "layers")


def parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m experiments.train",
        description=__doc__,
        epilog="Example: python -m experiments.train --game saucers --players 4 --seconds 120",
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
    group.add_argument("--steps", type=count, metavar="N", help="learner's steps to train for, rounded up to a rollout")
    group.add_argument(
        "--seconds",
        type=count,
        metavar="N",
        help="time to train for (default: 60 without --steps); with both, what runs out first ends training",
    )
    group.add_argument(
        "--tables", type=count, default=16, metavar="N", help="games side by side (default: %(default)s)"
    )
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="of deals, agents and network (default: 0)")
    group.add_argument("--out", type=Path, metavar="FOLDER", help="where results go (default: runs/GAME-PLAYERS)")
    group.add_argument("--resume", action="store_true", help="go on from the model in that folder, by its settings")
    group.add_argument("--overwrite", action="store_true", help="begin anew though there is a model in that folder")
    group = parser.add_argument_group("the learning algorithm")
    group.add_argument("--learning-rate", type=above_zero, default=1e-3, metavar="X", help="(default: %(default)s)")
    group.add_argument("--rollout", type=count, default=128, metavar="N", help="steps a table an update (default: 128)")
    group.add_argument("--batch", type=count, default=512, metavar="N", help="steps a gradient (default: %(default)s)")
    group.add_argument(
        "--epochs", type=count, default=4, metavar="N", help="passes over a rollout (default: %(default)s)"
    )
    group.add_argument(
        "--entropy", type=not_negative, default=0.01, metavar="X", help="bonus for variety (default: %(default)s)"
    )
    group.add_argument(
        "--layers", type=count, nargs="+", default=[128, 128], metavar="N", help="hidden layers (default: 128 128)"
    )
    options = parser.parse_args(arguments)
    if options.steps is None and options.seconds is None:
        options.seconds = 60
    return options


class BudgetSpent(Exception):  # noqa: N818  (no error)
    """Training has come to the end that was set for it."""


class Budget(BaseCallback):  # type: ignore[misc]
    """Ends training after the rollout in which its steps or seconds are used up; shows how far it is and how it goes.

    A rollout that was begun is finished and learned from. Every minute, `save` is called.
    """

    def __init__(self, options: argparse.Namespace, save: Callable[[], None], console: Console) -> None:
        super().__init__()
        self.steps, self.seconds, self.save = options.steps or inf, options.seconds or inf, save
        self.used = 0.0
        self.bar = Progress(
            TextColumn("training"),
            BarColumn(),
            TextColumn("{task.percentage:>3.0f}%"),
            TextColumn("{task.fields[learned]:,} steps, chips per deal {task.fields[chips]}"),
            TimeElapsedColumn(),
            console=console,
        )

    def _on_training_start(self) -> None:
        self.begun = self.saved = time.monotonic()
        self.first = self.num_timesteps
        self.task = self.bar.add_task("", total=1.0, learned=0, chips="?")
        self.bar.start()

    def _on_rollout_start(self) -> None:
        if self.used >= 1.0:
            raise BudgetSpent
        if time.monotonic() - self.saved > CHECKPOINT_SECONDS:
            self.save()
            self.saved = time.monotonic()

    def _on_step(self) -> bool:
        learned = self.num_timesteps - self.first
        self.used = max(learned / self.steps, (time.monotonic() - self.begun) / self.seconds)
        recent = [episode["r"] for episode in self.model.ep_info_buffer or []]
        chips = f"{sum(recent) / len(recent):+.1f}" if recent else "?"
        self.bar.update(self.task, completed=min(self.used, 1.0), learned=learned, chips=chips)
        return True


def make_learning_envs(make_env: Callable[[], TableEnv], options: argparse.Namespace) -> DummyVecEnv:
    """So many single-seat environments side by side."""

    def make() -> Callable[[], Monitor]:
        company = [make_agent(name) for name in options.opponents]
        return lambda: Monitor(SingleSeatEnv(make_env(), company))

    envs = DummyVecEnv([make() for _ in range(options.tables)])
    envs.seed(options.seed)
    return envs


def make_learner(envs: DummyVecEnv, options: argparse.Namespace, out: Path) -> MaskablePPO:
    """A new learner, or the one that was saved in `out`; rewards are scaled to a size that suits it."""
    if options.resume:
        scaled = VecNormalize.load(str(out / SCALING), envs)
        return MaskablePPO.load(out / MODEL, scaled, tensorboard_log=str(out), device="cpu")
    return MaskablePPO(
        "MlpPolicy",
        VecNormalize(envs, norm_obs=False, gamma=1.0),
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


def train(make_env: Callable[[], TableEnv], options: argparse.Namespace, out: Path, console: Console) -> None:
    """Train as the options say, and save into `out`; Ctrl-C, or a polite kill, ends training early and saves too."""
    torch.set_num_threads(1)  # the networks are small: threads would only wait for each other
    rules = make_env().rules
    model = make_learner(make_learning_envs(make_env, options), options, out)
    save = functools.partial(save_all, model, options, rules, out)
    budget = Budget(options, save, console)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        model.learn(10**12, callback=budget, reset_num_timesteps=not options.resume, tb_log_name="tensorboard")
    except BudgetSpent:
        pass
    except KeyboardInterrupt:
        console.print("stopped by Ctrl-C; saving what was learned")
    finally:
        budget.bar.stop()
        signal.signal(signal.SIGTERM, before)
    save()


def save_all(model: MaskablePPO, options: argparse.Namespace, rules: Any, out: Path) -> None:
    """Write the model, the scaling of its rewards, and all settings; each file is there whole or not at all."""
    settings = {name: str(value) if isinstance(value, Path) else value for name, value in vars(options).items()}
    settings |= {"rules": dataclasses.asdict(rules), "steps_learned": model.num_timesteps}
    settings["versions"] = {name: version(name) for name in ("marriage-env", "sb3-contrib", "torch", "numpy")}
    model.save(out / f"new-{MODEL}")
    scaling = model.get_vec_normalize_env()
    assert scaling is not None
    scaling.save(str(out / f"new-{SCALING}"))
    (out / f"new-{SETTINGS}").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    for name in (SCALING, SETTINGS, MODEL):
        (out / f"new-{name}").replace(out / name)


def prepare(options: argparse.Namespace, out: Path) -> None:
    """See that the run can begin: its folder, and what is in it. With --resume, take over the settings found there.

    Raises MarriageError for what cannot be.
    """
    there = (out / MODEL).is_file()
    if there and not (options.resume or options.overwrite):
        raise MarriageError(f"{out / MODEL} is there: allowed is --resume, --overwrite, or another folder by --out")
    if options.resume and not (there and (out / SETTINGS).is_file()):
        raise MarriageError(
            f"--resume: no {MODEL} and {SETTINGS} in {out}: allowed is an earlier run's folder, by --out"
        )
    if options.resume:
        take_over(options, json.loads((out / SETTINGS).read_text(encoding="utf-8")))
    samples = options.rollout * options.tables
    if min(options.batch, samples) == 1 or samples % options.batch == 1:
        left = f"--batch {options.batch} leaves a batch of 1 from the {samples} steps of a rollout"
        raise MarriageError(f"{left}: allowed are batches of 2 or more")
    out.mkdir(parents=True, exist_ok=True)


def take_over(options: argparse.Namespace, saved: dict[str, Any]) -> None:
    """Go on by the settings of the run that is resumed; MarriageError where the command line says otherwise."""
    usual = vars(parse([]))
    for name in ("game", "players", "rule", *LEARNER_OPTIONS):
        asked = getattr(options, name)
        if asked not in (saved[name], usual[name]):
            option = f"--{name.replace('_', '-')} {asked}"
            raise MarriageError(f"{option}: --resume goes on with {saved[name]}, as the run began; leave it out")
        setattr(options, name, saved[name])


def measuring_command(options: argparse.Namespace, out: Path) -> str:
    """The command that measures what was trained."""
    players = [] if options.players is None else ["--players", str(options.players)]
    rules = [word for rule in options.rule for word in ("--rule", rule)]
    model = ["--agents", str(out / MODEL), "random"]
    return shlex.join(["python", "-m", "experiments.evaluate", "--game", options.game, *players, *rules, *model])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    options = parse(arguments)
    console = Console()
    with reported("train"):
        make_env = environment_maker(options)
        env = make_env()
        out = options.out or Path("runs") / f"{env.game.name}-{env.rules.players}"
        prepare(options, out)
        options.game = options.game or env.game.name
        train(environment_maker(options), options, out, console)
        console.print(f"saved {out / MODEL}; measure it:", markup=False, soft_wrap=True, highlight=False)
        console.print(f"  {measuring_command(options, out)}", markup=False, soft_wrap=True, highlight=False)


if __name__ == "__main__":
    main()
