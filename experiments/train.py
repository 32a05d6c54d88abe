"""Train an agent with MaskablePPO: one seat learns, agents of your choice sit at the others.

The learner's seat and the dealer rotate from episode to episode; every chip that he wins or loses between two of his
turns is in his reward. With --self-play, his opponents are drawn for each episode, from those named and from earlier
states of himself. The model, the settings and TensorBoard logs go to one folder. Ctrl-C stops and saves.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import json
import shlex
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from agents.ppo import BROKEN, PPOAgent
from experiments.options import (
    AGENTS_HELP,
    DEFAULT_GAME,
    above_zero,
    add_game_options,
    count,
    not_negative,
    reported,
    rules_asked,
    seed,
)
from experiments.runs import MODEL, SETTINGS, commit
from marriage_env import GAMES, MarriageError, make_agent
from marriage_env.options import make_rules
from marriage_env.sb3 import SingleSeatVecEnv

SCALING, SNAPSHOTS = "scaling.pkl", "snapshots.pt"
CHECKPOINT_SECONDS = 60.0
#: What stays as it is when a run is resumed, beside the game.
LEARNER_OPTIONS = ("tables", "learning_rate", "rollout", "batch", "epochs", "entropy", "layers", "self_play")


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
        "--tables", type=count, default=256, metavar="N", help="games side by side (default: %(default)s)"
    )
    group.add_argument(
        "--self-play", action="store_true", help="draw opponents from --opponents and snapshots of the learner"
    )
    group.add_argument(
        "--snapshots", type=count, default=4, metavar="N", help="how many, the latest, take part (default: %(default)s)"
    )
    group.add_argument(
        "--snapshot-every", type=count, default=20, metavar="N", help="rollouts from one to the next (default: 20)"
    )
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="of deals, agents and network (default: 0)")
    group.add_argument("--out", type=Path, metavar="FOLDER", help="where results go (default: runs/GAME-PLAYERS)")
    group.add_argument("--resume", action="store_true", help="go on from the model in that folder, by its settings")
    group.add_argument("--overwrite", action="store_true", help="begin anew though there is a model in that folder")
    group = parser.add_argument_group("the learning algorithm")
    group.add_argument("--learning-rate", type=above_zero, default=1e-3, metavar="X", help="(default: %(default)s)")
    group.add_argument("--rollout", type=count, default=32, metavar="N", help="steps a table an update (default: 32)")
    group.add_argument("--batch", type=count, default=2048, metavar="N", help="steps a gradient (default: %(default)s)")
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
    words = sys.argv[1:] if arguments is None else arguments
    options.command = shlex.join(["python", "-m", "experiments.train", *words])
    options.named = sorted(named(parser, arguments))
    if options.steps is None and options.seconds is None:
        options.seconds = 60
    return options


def named(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> set[str]:
    """The options that the command line names."""
    absent = argparse.Namespace(**dict.fromkeys(vars(parser.parse_args([]))))
    parser.parse_args(arguments, absent)
    return {name for name, value in vars(absent).items() if value is not None}


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


class SelfPlay(BaseCallback):  # type: ignore[misc]
    """Keeps snapshots of the learner, and sets them at the table beside the scripted agents.

    Args:
        envs: the learner's tables, which draw each opponent from all there are.
        every: rollouts from one snapshot to the next; the first is the network as it begins.
        most: how many, the latest, take part.
    """

    def __init__(self, envs: SingleSeatVecEnv, every: int, most: int) -> None:
        super().__init__()
        self.envs, self.every, self.most = envs, every, most
        self.scripted = envs.env.opponents
        self.snapshots: list[PPOAgent] = []
        self.rollouts = 0

    def _on_rollout_start(self) -> None:
        if self.rollouts % self.every == 0:
            self.add(self.model.policy.state_dict())
        self.rollouts += 1

    def add(self, weights: dict[str, Any]) -> None:
        """Let the policy with these weights take part."""
        of: Any = self.model
        policy = of.policy_class(of.observation_space, of.action_space, of.lr_schedule, **of.policy_kwargs)
        policy.load_state_dict(weights)
        policy.set_training_mode(False)
        agent = PPOAgent(policy, deterministic=False)
        agent.seed(of.num_timesteps)
        self.snapshots = [*self.snapshots, agent][-self.most :]
        self.envs.env.opponents = [*self.scripted, *self.snapshots]

    def _on_step(self) -> bool:
        return True


def make_learning_envs(rules: dict[str, Any], options: argparse.Namespace) -> SingleSeatVecEnv:
    """So many tables side by side, one seat at each of which learns."""
    company = [make_agent(name) for name in options.opponents]
    return SingleSeatVecEnv(options.game, options.tables, company, draw_opponents=options.self_play, **rules)


def make_learner(envs: SingleSeatVecEnv, options: argparse.Namespace, out: Path) -> MaskablePPO:
    """A new learner, or the one that was saved in `out`; rewards are scaled to a size that suits it."""
    monitored = VecMonitor(envs)
    if options.resume:
        scaled = VecNormalize.load(str(out / SCALING), monitored)
        model = MaskablePPO.load(out / MODEL, scaled, tensorboard_log=str(out), device="cpu")
        scaled.seed((options.seed + model.num_timesteps) % 2**32)  # not the deals that he has had
        return model
    return MaskablePPO(
        "MlpPolicy",
        VecNormalize(monitored, norm_obs=False, gamma=1.0),
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


def train(rules: dict[str, Any], options: argparse.Namespace, out: Path, console: Console) -> None:
    """Train as the options say, and save into `out`; Ctrl-C, or a polite kill, ends training early and saves too."""
    torch.set_num_threads(1)  # the networks are small: threads would only wait for each other
    envs = make_learning_envs(rules, options)
    self_play = SelfPlay(envs, options.snapshot_every, options.snapshots)
    with going_on(out) if options.resume else contextlib.nullcontext():
        model = make_learner(envs, options, out)
        self_play.init_callback(model)
        if options.self_play and options.resume:
            for weights in torch.load(out / SNAPSHOTS, weights_only=True):
                self_play.add(weights)
    save = functools.partial(save_all, model, self_play, options, out)
    budget = Budget(options, save, console)
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        callbacks: list[BaseCallback] = [budget, self_play] if options.self_play else [budget]
        model.learn(10**12, callback=callbacks, reset_num_timesteps=not options.resume, tb_log_name="tensorboard")
    except BudgetSpent:
        pass
    except KeyboardInterrupt:
        console.print("stopped by Ctrl-C; saving what was learned")
    finally:
        budget.bar.stop()
        signal.signal(signal.SIGTERM, before)
    save()


def save_all(model: MaskablePPO, self_play: SelfPlay, options: argparse.Namespace, out: Path) -> None:
    """Write the model, its rewards' scaling, snapshots and settings; each file is there whole or not at all."""
    settings = {name: str(value) if isinstance(value, Path) else value for name, value in vars(options).items()}
    del settings["named"]
    rules = make_rules(GAMES[options.game].rules, rules_asked(options))
    settings |= {"rules": dataclasses.asdict(rules), "steps_learned": model.num_timesteps}
    settings["commit"] = commit()
    settings["versions"] = {name: version(name) for name in ("marriage-env", "sb3-contrib", "torch", "numpy")}
    model.save(out / f"new-{MODEL}")
    scaling = model.get_vec_normalize_env()
    assert scaling is not None
    scaling.save(str(out / f"new-{SCALING}"))
    torch.save([agent.policy.state_dict() for agent in self_play.snapshots], out / f"new-{SNAPSHOTS}")
    (out / f"new-{SETTINGS}").write_text(json.dumps(settings, indent=2) + "\n", encoding="utf-8")
    for name in (SCALING, SNAPSHOTS, SETTINGS, MODEL):
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
        with going_on(out):
            take_over(options, json.loads((out / SETTINGS).read_text(encoding="utf-8")))
    samples = options.rollout * options.tables
    if min(options.batch, samples) == 1 or samples % options.batch == 1:
        left = f"--batch {options.batch} leaves a batch of 1 from the {samples} steps of a rollout"
        raise MarriageError(f"{left}: allowed are batches of 2 or more")
    out.mkdir(parents=True, exist_ok=True)


@contextlib.contextmanager
def going_on(out: Path) -> Iterator[None]:
    """Say of what a run's folder cannot be read that the run cannot go on."""
    try:
        yield
    except BROKEN as error:
        why = f"{type(error).__name__}: {str(error).partition(chr(10))[0]}"
        raise MarriageError(f"--resume: {out} is not whole ({why}): allowed is an earlier run's folder") from error


def take_over(options: argparse.Namespace, saved: dict[str, Any]) -> None:
    """Go on by the settings of the run that is resumed, but for who plays where the command line names it.

    MarriageError where it names another game or learner.
    """
    for name in ("game", "players", "rule", *LEARNER_OPTIONS):
        if name in options.named and getattr(options, name) != saved[name]:
            option = f"--{name.replace('_', '-')} {getattr(options, name)}"
            raise MarriageError(f"{option}: --resume goes on with {saved[name]}, as the run began; leave it out")
        setattr(options, name, saved[name])
    for name in ("opponents", "snapshots", "snapshot_every"):
        if name not in options.named:
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
        game = options.game or DEFAULT_GAME
        players = make_rules(GAMES[game].rules, rules_asked(options)).players
        out = options.out or Path("runs") / f"{game}-{players}"
        prepare(options, out)
        options.game = options.game or game
        train(rules_asked(options), options, out, console)
        console.print(f"saved {out / MODEL}; measure it:", markup=False, soft_wrap=True, highlight=False)
        console.print(f"  {measuring_command(options, out)}", markup=False, soft_wrap=True, highlight=False)


if __name__ == "__main__":
    main()
