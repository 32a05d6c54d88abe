"""What learns, and where: the tables of a training run, and the network that begins there."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from sb3_contrib import MaskablePPO
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from agents.network import Network, NetworkAgent
from agents.ppo import PPOAgent, linear_layers, network_of, take_weights
from agents.trained import ShippedAgent, TrainedAgent
from experiments.advised import AdvisedVecEnv, follow_advice
from experiments.checkpoints import Run, restore_random, restored
from experiments.self_play import SelfPlay
from marriage_env import Agent, MarriageError, make_agent
from marriage_env.games import GAMES, rule_options
from marriage_env.sb3 import SingleSeatVecEnv
from marriage_env.table import ACTIONS

MASKED = 1e7  # logits must stay this near to 0: sb3-contrib sets that of what is not allowed to -1e8
VALUE_LAYERS = [64, 64]  # of the network that says what to expect; it need not be as good


def new_run(rules: dict[str, Any], options: argparse.Namespace, out: Path) -> Run:
    """A run that begins: so many tables side by side, one seat at each of which learns."""
    network = starting_network(rules, options)
    company = [make_agent(name) for name in options.opponents]
    envs = SingleSeatVecEnv(options.game, options.tables, company, draw_opponents=options.self_play, **rules)
    monitored = VecMonitor(AdvisedVecEnv(envs) if options.advice else envs)
    scaled = VecNormalize(monitored, norm_obs=False, gamma=1.0)
    model = MaskablePPO(
        "MlpPolicy",
        scaled,
        learning_rate=LinearSchedule(options.learning_rate, 0.0, 1.0) if options.anneal else options.learning_rate,
        n_steps=options.rollout,
        batch_size=min(options.batch, options.rollout * options.tables),
        n_epochs=options.epochs,
        gamma=1.0,  # chips count alike whenever they come
        ent_coef=options.entropy,
        policy_kwargs={"net_arch": {"pi": options.layers, "vf": VALUE_LAYERS}},
        tensorboard_log=str(out),
        seed=options.seed,
        device="cpu",
    )
    if network is not None:
        take_weights(model.policy, network)
    elif options.advice:
        follow_advice(model.policy)
    self_play = new_self_play(envs, company, options)
    return Run(envs, monitored, scaled, model, self_play, list(zip(options.opponents, company, strict=True)))


def check_learner(model: MaskablePPO) -> None:
    """Raise MarriageError if the learner's numbers have run off to where no training leads back from."""
    action_net = linear_layers(model.policy)[-1]  # behind tanh: no logit is further from 0 than its weights together
    reach = (action_net.weight.abs().sum(1) + action_net.bias.abs()).max()
    if not (reach < MASKED and all(part.isfinite().all() for part in model.policy.parameters())):
        raise MarriageError("training has diverged: allowed is a smaller --learning-rate")


def resumed_run(state: dict[str, Any], options: argparse.Namespace, out: Path) -> Run:
    """The run of a checkpoint, against the opponents that the options name now."""
    saved, named = state["settings"], state["named"]
    run = restored(state, new_self_play(state["envs"], named, options), out)
    if options.opponents != saved["opponents"]:
        named = [make_agent(name) for name in options.opponents]
        run.company += zip(options.opponents, named, strict=True)
        run.self_play.named = named
    if (options.opponents, options.scripted_share) != (saved["opponents"], saved["scripted_share"]):
        run.self_play.seat()
    restore_random(state)  # last: making a learner and opponents draws some
    return run


def new_self_play(envs: SingleSeatVecEnv, named: list[Agent], options: argparse.Namespace) -> SelfPlay:
    """Who keeps snapshots, as the options say; without --self-play he is never asked to."""
    return SelfPlay(envs, named, options.scripted_share, options.snapshot_every, options.snapshots)


def starting_network(rules: dict[str, Any], options: argparse.Namespace) -> Network | None:
    """What --start names, whose layers become the learner's; MarriageError if it plays something else."""
    if options.start is None:
        return None
    agent = make_agent(options.start)
    blank = GAMES[options.game].layout(rule_options(options.game, rules)).blank
    if isinstance(agent, ShippedAgent):
        agent = agent.player_of(blank)
    if not isinstance(agent, (PPOAgent, NetworkAgent)):
        raise MarriageError(f"--start {options.start}: allowed is a trained model (.zip, .safetensors, trained)")
    if isinstance(agent, TrainedAgent):
        agent.check(blank[None])
    network = network_of(agent.policy) if isinstance(agent, PPOAgent) else agent.network
    if "layers" in options.named and options.layers != network.hidden:
        asked, there = (" ".join(map(str, layers)) for layers in (options.layers, network.hidden))
        raise MarriageError(f"--layers {asked}: --start {options.start} has {there}; leave it out")
    if network.inputs not in (len(blank), len(blank) + ACTIONS):
        allowed = f"allowed are {len(blank)}, as an observation has here, or {ACTIONS} more, with advice"
        raise MarriageError(f"--start {options.start} takes {network.inputs} numbers: {allowed}")
    advice = network.inputs > len(blank)
    if "advice" in options.named and not advice:
        raise MarriageError(f"--advice: --start {options.start} takes none; leave it out")
    options.layers, options.advice = network.hidden, advice
    return network
