"""Train an agent with MaskablePPO: one seat learns, agents of your choice sit at the others.

The learner's seat and the dealer rotate from episode to episode; every chip that he wins or loses between two of his
turns is in his reward. With --self-play, his opponents are drawn for each episode, from those named and from earlier
states of himself. The model, the settings, a checkpoint and TensorBoard logs go to one folder. Ctrl-C stops and
saves. A run that was stopped in any way goes on from its last checkpoint as if it had never stopped (--resume).
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import functools
import json
import shlex
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from stable_baselines3.common.callbacks import BaseCallback

from agents.files import write_whole
from experiments.alone import alone_in
from experiments.budget import Budget, BudgetSpent
from experiments.checkpoints import Run, load_checkpoint, model_bytes, save_checkpoint
from experiments.learner import check_learner, new_run, resumed_run
from experiments.options import (
    AGENTS_HELP,
    DEFAULT_GAME,
    above_zero,
    add_game_options,
    count,
    layer,
    not_negative,
    reported,
    rules_asked,
    seed,
    share,
)
from experiments.runs import CHECKPOINT, MODEL, SETTINGS, commit
from marriage_env import GAMES, MarriageError
from marriage_env.options import make_rules
from marriage_env.table import ACTIONS

USUAL_SECONDS = 60
#: What stays as it is when a run is resumed, beside the game.
LEARNER_OPTIONS = (
    *("tables", "learning_rate", "anneal", "rollout", "batch", "epochs", "entropy", "layers", "start", "advice"),
    *("self_play", "seed"),
)
#: What goes on as it was, where the command line does not name it.
RUN_OPTIONS = ("opponents", "scripted_share", "snapshots", "snapshot_every", "steps")


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
    group.add_argument(
        "--steps",
        type=count,
        metavar="N",
        help="learner's steps to train for in all, with those before --resume, rounded up to a rollout",
    )
    group.add_argument(
        "--seconds",
        type=count,
        metavar="N",
        help=f"time to train for, this time (default: {USUAL_SECONDS} without --steps); with both options, what runs "
        "out first ends training",
    )
    group.add_argument(
        "--tables", type=count, default=256, metavar="N", help="games side by side (default: %(default)s)"
    )
    group.add_argument(
        "--self-play", action="store_true", help="draw opponents from --opponents and snapshots of the learner"
    )
    group.add_argument(
        "--snapshots",
        type=count,
        default=16,
        metavar="N",
        help="how many take part at most, spread evenly over the learner's history (default: %(default)s)",
    )
    group.add_argument(
        "--snapshot-every", type=count, default=20, metavar="N", help="rollouts from one to the next (default: 20)"
    )
    group.add_argument(
        "--scripted-share",
        type=share,
        default=0.5,
        metavar="X",
        help="share of opponents drawn from --opponents rather than from snapshots (default: %(default)s)",
    )
    group.add_argument(
        "--start",
        metavar="MODEL",
        help="begin with this model's network (.zip, .safetensors, trained), and a new value function",
    )
    group.add_argument(
        "--advice",
        action="store_true",
        help="let the learner see what the rule-based player would do, and begin by following it",
    )
    group.add_argument(
        "--checkpoint-every",
        type=count,
        metavar="N",
        help="rollouts from one checkpoint to the next (default: a minute)",
    )
    group.add_argument("--seed", type=seed, default=0, metavar="N", help="of deals, agents and network (default: 0)")
    group.add_argument("--out", type=Path, metavar="FOLDER", help="where results go (default: runs/GAME-PLAYERS)")
    group.add_argument(
        "--resume", action="store_true", help="go on from the checkpoint in that folder, by its settings"
    )
    group.add_argument("--overwrite", action="store_true", help="begin anew though there is a model in that folder")
    group = parser.add_argument_group("the learning algorithm")
    group.add_argument("--learning-rate", type=above_zero, default=1e-3, metavar="X", help="(default: %(default)s)")
    group.add_argument("--anneal", action="store_true", help="let it fall linearly to 0 at the end of --steps")
    group.add_argument("--rollout", type=count, default=32, metavar="N", help="steps a table an update (default: 32)")
    group.add_argument("--batch", type=count, default=2048, metavar="N", help="steps a gradient (default: %(default)s)")
    group.add_argument(
        "--epochs", type=count, default=4, metavar="N", help="passes over a rollout (default: %(default)s)"
    )
    group.add_argument(
        "--entropy", type=not_negative, default=0.01, metavar="X", help="bonus for variety (default: %(default)s)"
    )
    group.add_argument(
        "--layers", type=layer, nargs="+", default=[128, 128], metavar="N", help="hidden layers (default: 128 128)"
    )
    options = parser.parse_args(arguments)
    words = sys.argv[1:] if arguments is None else arguments
    options.command = shlex.join(["python", "-m", "experiments.train", *words])
    options.named = sorted(named(parser, arguments))
    options.commit, options.state = commit(), None
    return options


def named(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> set[str]:
    """The options that the command line names."""
    absent = argparse.Namespace(**dict.fromkeys(vars(parser.parse_args([]))))
    parser.parse_args(arguments, absent)
    return {name for name, value in vars(absent).items() if value is not None}


def train(rules: dict[str, Any], options: argparse.Namespace, out: Path, console: Console) -> None:
    """Train as the options say, and save into `out`; Ctrl-C, or a polite kill, ends training early and saves too."""
    torch.set_num_threads(1)  # the networks are small: threads would only wait for each other
    run = resumed_run(options.state, options, out) if options.resume else new_run(rules, options, out)
    save = functools.partial(save_all, run, options, out)
    budget = Budget(options, save, console)
    if options.steps is not None and run.model.num_timesteps >= options.steps:
        learned = f"{run.model.num_timesteps:,} steps are learned"
        console.print(f"{learned}, as --steps {options.steps} asks; a larger one trains longer")
    else:
        with budget.stopped_by_signals():
            learn(run, options, budget)
    save()


def learn(run: Run, options: argparse.Namespace, budget: Budget) -> None:
    """Let the learner learn until the budget is spent."""
    callbacks: list[BaseCallback] = [budget, run.self_play] if options.self_play else [budget]
    # SB3 counts from where it stands, and tells the learning rate how far it is
    steps = (options.steps or 10**12) - run.model.num_timesteps
    try:
        with contextlib.suppress(BudgetSpent):
            run.model.learn(steps, callbacks, reset_num_timesteps=not options.resume, tb_log_name="tensorboard")
    except ValueError:  # what torch says of logits that are no numbers, between two updates
        check_learner(run.model)
        raise


def save_all(run: Run, options: argparse.Namespace, out: Path) -> None:
    """Write the model and the settings, for whoever plays by it, and the checkpoint, with which training goes on.

    Raises MarriageError for a learner that has diverged; then nothing is written.
    """
    check_learner(run.model)
    settings = {name: str(value) if isinstance(value, Path) else value for name, value in vars(options).items()}
    del settings["named"], settings["state"]
    rules = make_rules(GAMES[options.game].rules, rules_asked(options))
    settings |= {"rules": dataclasses.asdict(rules), "steps_learned": run.model.num_timesteps}
    settings["versions"] = {name: version(name) for name in ("marriage-env", "sb3-contrib", "torch", "numpy")}
    write_whole(out / MODEL, model_bytes(run.model))
    write_whole(out / SETTINGS, (json.dumps(settings, indent=2) + "\n").encode())
    save_checkpoint(out / CHECKPOINT, run, settings)


def prepare(options: argparse.Namespace, out: Path, held: contextlib.ExitStack) -> None:
    """See that the run can begin: its folder, and what is in it. With --resume, take over the settings found there.

    The folder is kept for this run until `held` ends. Raises MarriageError for what cannot be.
    """
    if options.resume and options.overwrite:
        raise MarriageError("--resume --overwrite: the one goes on, the other begins anew; allowed is one of them")
    there = [name for name in (MODEL, CHECKPOINT) if (out / name).is_file()]
    if there and not (options.resume or options.overwrite):
        raise MarriageError(f"{out / there[0]} is there: allowed is --resume, --overwrite, or another folder by --out")
    if options.resume and CHECKPOINT not in there:
        raise MarriageError(f"--resume: no {CHECKPOINT} in {out}: allowed is an earlier run's folder, by --out")
    if options.resume:
        held.enter_context(alone_in(out))  # before it is read: another run would write what comes after that
        opponents = options.opponents if "opponents" in options.named else None
        options.state = load_checkpoint(out / CHECKPOINT, opponents)
        take_over(options, options.state["settings"])
    if options.steps is None and options.seconds is None:
        options.seconds = USUAL_SECONDS
    if options.anneal and options.steps is None:
        raise MarriageError("--anneal: the learning rate falls to 0 at the end of --steps, which must be named")
    if options.advice and min(options.layers) < ACTIONS:
        layers = " ".join(map(str, options.layers))
        raise MarriageError(f"--layers {layers}: with --advice, allowed are layers of {ACTIONS} or more")
    samples = options.rollout * options.tables
    if min(options.batch, samples) == 1 or samples % options.batch == 1:
        left = f"--batch {options.batch} leaves a batch of 1 from the {samples} steps of a rollout"
        raise MarriageError(f"{left}: allowed are batches of 2 or more")
    if not options.resume:
        out.mkdir(parents=True, exist_ok=True)
        held.enter_context(alone_in(out))


def take_over(options: argparse.Namespace, saved: dict[str, Any]) -> None:
    """Go on by the settings of the run that is resumed, but for who plays where the command line names it.

    MarriageError where it names another game or learner.
    """
    for name in ("game", "players", "rule", *LEARNER_OPTIONS):
        if name in options.named and getattr(options, name) != saved[name]:
            asked, before = as_typed(name, getattr(options, name)), as_typed(name, saved[name])
            goes_on = f"--resume goes on {f'with {before}' if before else 'without'}, as the run began"
            raise MarriageError(f"{asked}: {goes_on}; leave it out")
        setattr(options, name, saved[name])
    for name in RUN_OPTIONS:
        if name not in options.named:
            setattr(options, name, saved[name])
    if options.command != saved["command"]:
        options.command = f"{saved['command']} && {options.command}"


def as_typed(name: str, value: Any) -> str:
    """An option as it is typed on the command line; nothing for one that is not."""
    if value is None or value is False:
        return ""
    option = f"--{name.replace('_', '-')}"
    if name == "rule":  # given once for each
        return " ".join(f"{option} {shlex.quote(rule)}" for rule in value)
    words = [] if value is True else value if isinstance(value, list) else [value]
    return " ".join([option, *(shlex.quote(str(word)) for word in words)])


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
    with reported("train"), contextlib.ExitStack() as held:
        game = options.game or DEFAULT_GAME
        players = make_rules(GAMES[game].rules, rules_asked(options)).players
        out = options.out or Path("runs") / f"{game}-{players}"
        prepare(options, out, held)
        options.game = options.game or game
        train(rules_asked(options), options, out, console)
        console.print(f"saved {out / MODEL}; measure it:", markup=False, soft_wrap=True, highlight=False)
        console.print(f"  {measuring_command(options, out)}", markup=False, soft_wrap=True, highlight=False)


if __name__ == "__main__":
    main()
