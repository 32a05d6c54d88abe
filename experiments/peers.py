"""Random legal play of games of other suites, in steps a second, each in a process of its own.

A step is a player's decision: deals and other moves of chance take their time, but do not count.
Every suite gets the fastest form that it has from Python. Compilation and warming up are not timed.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import importlib.util
import itertools
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

# Nothing heavy is imported here: a process must be pinned before a library counts the cores for its threads.

ROOT = Path(__file__).resolve().parent.parent
BATCHES = (1, 1024, 8192, 131_072)
WARM_UP = 0.1  # seconds of play before the clock starts
GAME_OVER = -4  # OpenSpiel's current player of a game that is over
PETTINGZOO = {
    "texas_holdem_v4": "pettingzoo.classic.rlcard_envs.texas_holdem",
    "connect_four_v3": "pettingzoo.classic.connect_four.connect_four",
}
RLCARD = ("limit-holdem", "leduc-holdem")


@dataclass(frozen=True)
class Peer:
    """A game of another suite, and a way to play it.

    Args:
        name: Suite, game and way.
        package: The suite's package.
        run: Steps a second, from the seconds to play and the number of tables at once.
        batched: Whether it plays many tables at once; otherwise `run` ignores their number.
        observed: Whether every decision comes with an observation.
        needs: Further packages without which it cannot be played.
    """

    name: str
    package: str
    run: Callable[[float, int], float]
    batched: bool = False
    observed: bool = True
    needs: tuple[str, ...] = ()

    def missing(self) -> list[str]:
        """The packages that are not installed."""
        return [package for package in (self.package, *self.needs) if importlib.util.find_spec(package) is None]


def play_loop(env: Any, seconds: float) -> float:
    """Steps a second of the usual loop: `agent_iter`, `last`, a random legal action from the mask, `step`."""
    import numpy as np

    random = np.random.default_rng(0)
    steps, begun = 0, time.perf_counter()
    while not steps or time.perf_counter() - begun < seconds:
        env.reset()
        for _ in env.agent_iter():
            observation, _, termination, truncation, _ = env.last()
            action = None
            if not (termination or truncation):
                legal = np.flatnonzero(observation["action_mask"])
                action = int(legal[int(random.random() * len(legal))])
            env.step(action)
            steps += 1
    return steps / (time.perf_counter() - begun)


def pettingzoo_speed(path: str, kind: str, seconds: float, batch: int) -> float:
    """A PettingZoo environment in the AEC loop; `kind` is `env` or `raw_env`.

    Here alone each agent's last step, which plays nothing, counts too: so it does for our own environments.
    """
    env = getattr(importlib.import_module(path), kind)()
    env.reset(seed=0)
    play_loop(env, WARM_UP)
    return play_loop(env, seconds)


def rlcard_speed(game: str, seconds: float, batch: int) -> float:
    """An RLCard environment, whose `step` makes the observation of whoever is next."""
    env = importlib.import_module("rlcard").make(game, config={"seed": 0})
    rlcard_loop(env, WARM_UP)
    return rlcard_loop(env, seconds)


def rlcard_loop(env: Any, seconds: float) -> float:
    """Steps a second of whole games."""
    draw = Random(0).random
    steps, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        state, _ = env.reset()
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(draw() * len(legal))])
            steps += 1
    return steps / (time.perf_counter() - begun)


def openspiel_speed(name: str, way: str, seconds: float, batch: int) -> float:
    """An OpenSpiel game, stepped from Python."""
    game = importlib.import_module("pyspiel").load_game(name)
    observe = {"": None, "/observed": openspiel_observer(game).set_from, "/listed": list_tensor}[way]
    openspiel_loop(game, observe, WARM_UP)
    return openspiel_loop(game, observe, seconds)


def openspiel_observer(game: Any) -> Any:
    """What writes observations into one array: the fastest way."""
    library = importlib.import_module("open_spiel.python.observation")
    if game.get_type().provides_observation_tensor:
        return library.make_observation(game)
    return library.make_observation(game, library.INFO_STATE_OBS_TYPE)


def list_tensor(state: Any, player: int) -> Any:
    """The usual way: a method of the state, which makes a list of numbers."""
    return state.information_state_tensor(player)


def openspiel_loop(game: Any, observe: Callable[[Any, int], None] | None, seconds: float) -> float:
    """Decisions a second of whole games.

    Chance draws from `legal_actions`, too, which is faster than its list of probabilities: they are equal here.
    """
    draw = Random(0).random
    decisions, begun = 0, time.perf_counter()
    while time.perf_counter() - begun < seconds:
        state = game.new_initial_state()
        while (player := state.current_player()) != GAME_OVER:
            if player >= 0:
                decisions += 1
                if observe:
                    observe(state, player)
            legal = state.legal_actions()
            state.apply_action(legal[int(draw() * len(legal))])
    return decisions / (time.perf_counter() - begun)


def openspiel_bots_speed(name: str, seconds: float, batch: int) -> float:
    """An OpenSpiel game among the library's own random bots: one call a game, with no Python in it."""
    pyspiel = importlib.import_module("pyspiel")
    game = pyspiel.load_game(name)
    bots = [pyspiel.make_uniform_random_bot(player, player) for player in range(game.num_players())]
    seeds, decisions, spent = itertools.count(), 0, 0.0
    while spent < seconds:
        begun = time.perf_counter()
        states = [game.new_initial_state() for _ in range(100)]
        for state in states:
            pyspiel.evaluate_bots(state, bots, next(seeds))
        spent += time.perf_counter() - begun
        decisions += sum(move.player >= 0 for state in states for move in state.full_history())
    return decisions / spent


@functools.cache
def start_pgx(devices: int) -> tuple[Any, Any]:
    """JAX and Pgx, with so many XLA devices. A device shares out its operations over the cores.

    One for every core, each with its part of the tables, is up to twice as fast on two cores.
    """
    jax = importlib.import_module("jax")
    jax.config.update("jax_platforms", "cpu")
    jax.config.update("jax_num_cpu_devices", devices)
    return jax, importlib.import_module("pgx")  # last: its import starts XLA


def pgx_usual_speed(game: str, seconds: float, batch: int) -> float:
    """A Pgx game as its documentation has it: a compiled call for every step, which deals anew where a game is over."""
    jax, suite = start_pgx(1)
    env = suite.make(game)
    auto_reset = importlib.import_module("pgx.experimental").auto_reset
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    choose = jax.jit(lambda key, masks: jax.random.categorical(key, jax.numpy.log(masks.astype(float)), axis=1))
    states = jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.key(0), batch))
    key, calls, begun = jax.random.key(1), -2, time.perf_counter()
    while calls < 1 or time.perf_counter() - begun < seconds:
        if calls == 0:
            begun = time.perf_counter()
        key, choosing, dealing = jax.random.split(key, 3)
        actions = choose(choosing, states.legal_action_mask)
        states = jax.block_until_ready(step(states, actions, jax.random.split(dealing, batch)))
        calls += 1
    return calls * batch / (time.perf_counter() - begun)


def pgx_speed(game: str, same_deals: bool, seconds: float, batch: int) -> float:
    """A Pgx game, many steps to a compiled call. Each core plays its part of the tables."""
    jax, suite = start_pgx(len(own_cores()))
    devices = jax.devices()[:batch]
    tables = batch // len(devices)
    steps = max(64, 2**17 // tables)
    deal, play = pgx_play(suite.make(game), tables, steps, same_deals)
    keys = jax.random.split(jax.random.key(0), len(devices))
    states = jax.pmap(deal, devices=devices)(keys)
    play = jax.pmap(play, devices=devices)
    calls, begun = -2, time.perf_counter()  # the first call compiles; the second warms up
    while calls < 1 or time.perf_counter() - begun < seconds:
        if calls == 0:
            begun = time.perf_counter()
        states, keys, _ = jax.block_until_ready(play(states, keys))
        calls += 1
    return calls * steps * tables * len(devices) / (time.perf_counter() - begun)


def pgx_play(env: Any, tables: int, steps: int, same_deals: bool) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """What deals, and what plays `steps` at every table and adds up what was seen and won there.

    XLA leaves out what nobody uses: the sum makes it work out each observation and reward.

    Under `vmap`, Pgx's `auto_reset` deals anew for all tables at each step, only to drop most of it, and spends most of
    the time on that. With `same_deals` a table gets one deal a call, and plays it again and again.
    """
    jax = importlib.import_module("jax")
    auto_reset = importlib.import_module("pgx.experimental").auto_reset
    step, reset_step = jax.vmap(env.step), jax.vmap(auto_reset(env.step, env.init))

    def deal(key: Any) -> Any:
        return jax.vmap(env.init)(jax.random.split(key, tables))

    def again(over: Any, dealt: Any, states: Any) -> Any:
        def choose(new: Any, old: Any) -> Any:
            return jax.numpy.where(over.reshape(-1, *[1] * (old.ndim - 1)), new, old)

        return jax.tree.map(choose, dealt, states)

    def play(states: Any, key: Any) -> Any:
        key, dealing = jax.random.split(key)
        dealt = deal(dealing) if same_deals else None

        def one(carry: Any, _: None) -> Any:
            states, key, total = carry
            key, choosing, dealing = jax.random.split(key, 3)
            actions = random_legal(choosing, states.legal_action_mask)
            if same_deals:
                after = step(states, actions)
                states = again(after.terminated, dealt, after)
            else:
                after = states = reset_step(states, actions, jax.random.split(dealing, tables))
            return (states, key, total + states.observation.sum(-1) + after.rewards[:, 0]), None

        return jax.lax.scan(one, (states, key, jax.numpy.zeros(tables)), None, steps)[0]

    return deal, play


def random_legal(key: Any, masks: Any) -> Any:
    """A random legal action for each row of masks, by one random number a row."""
    jax = importlib.import_module("jax")
    counts = masks.sum(-1)
    places = (jax.random.uniform(key, counts.shape) * counts).astype(int)
    return (masks.cumsum(-1) > places[:, None]).argmax(-1)


def pettingzoo_peers(game: str) -> list[Peer]:
    """An environment with and without the wrappers that check its user."""
    return [
        Peer(
            f"pettingzoo/{game}/{kind}",
            "pettingzoo",
            functools.partial(pettingzoo_speed, PETTINGZOO[game], kind),
            needs=("pygame", "rlcard"),
        )
        for kind in ("env", "raw_env")
    ]


def openspiel_peers(game: str) -> list[Peer]:
    """A game without observations, with them in an array or a list, and among bots."""
    bots = functools.partial(openspiel_bots_speed, game)
    return [
        Peer(f"openspiel/{game}{way}", "open_spiel", functools.partial(openspiel_speed, game, way), observed=bool(way))
        for way in ("", "/observed", "/listed")
    ] + [Peer(f"openspiel/{game}/bots", "open_spiel", bots, observed=False)]


def pgx_peers(game: str) -> list[Peer]:
    """A game as usual; many steps to a call; and with the same deal for all the games of a call."""
    ways = {
        "": functools.partial(pgx_usual_speed, game),
        "/scanned": functools.partial(pgx_speed, game, False),
        "/same-deals": functools.partial(pgx_speed, game, True),
    }
    return [Peer(f"pgx/{game}{way}", "pgx", run, batched=True, needs=("jax",)) for way, run in ways.items()]


def own_speed(game: str, players: int, seconds: float, batch: int) -> float:
    """Our own, stepped from Python, on a thread for every core of this process."""
    from experiments.batch_speed import stepping
    from marriage_env import Batch

    step = stepping(Batch(game, batch, players=players, threads=len(own_cores())), seconds)
    return step()


def own_peers(game: str, *players: int) -> list[Peer]:
    """The tables of our games, smallest and largest."""
    return [
        Peer(f"marriage/{game}/{number}", "marriage_env", functools.partial(own_speed, game, number), batched=True)
        for number in players
    ]


#: All peers by name, and ourselves.
PEERS = {
    peer.name: peer
    for peer in (
        *own_peers("boxes", 5, 10),
        *own_peers("saucers", 3, 6),
        *pgx_peers("leduc_holdem"),
        *pgx_peers("kuhn_poker"),
        *openspiel_peers("hearts"),
        *openspiel_peers("leduc_poker"),
        *(Peer(f"rlcard/{game}", "rlcard", functools.partial(rlcard_speed, game)) for game in RLCARD),
        *(peer for game in PETTINGZOO for peer in pettingzoo_peers(game)),
    )
}


def find(name: str) -> Peer:
    """The peer of that name."""
    if name not in PEERS:
        raise ValueError(f"{name!r:.100}: allowed is {', '.join(PEERS)}")
    return PEERS[name]


def measure(name: str, seconds: float, cores: int | None = None, batch: int = 1) -> float | None:
    """Steps a second in a new process on so many cores (all, if None); None if the peer is not installed.

    Raises ValueError for an unknown name, and ChildProcessError with its last words if the process fails.
    """
    if find(name).missing():
        return None
    command = [sys.executable, "-m", "experiments.peers", name, "--seconds", str(seconds), "--batch", str(batch)]
    if cores is not None:
        command += ["--cores", str(cores)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if run.returncode:
        words = run.stderr.strip() or f"ended with code {run.returncode}"
        raise ChildProcessError(f"{name}: {words.splitlines()[-1]}")
    return float(json.loads(run.stdout.splitlines()[-1])["steps_per_second"])


def best(name: str, seconds: float, cores: int | None, batches: Sequence[int]) -> tuple[int, float] | None:
    """The batch with the most steps a second, and these; None if the peer is not installed."""
    found = [
        (batch, speed)
        for batch in (batches if find(name).batched else [1])
        if (speed := measure(name, seconds, cores, batch)) is not None
    ]
    return max(found, key=lambda pair: pair[1], default=None)


def own_cores() -> list[int]:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def pin(cores: int) -> None:
    """Keep this process, with the threads that it will start, to so many cores."""
    if not hasattr(os, "sched_setaffinity"):
        raise ValueError("--cores: this system cannot keep a process to some cores")
    usable = own_cores()
    if not 1 <= cores <= len(usable):
        raise ValueError(f"--cores {cores}: allowed is a whole number from 1 to {len(usable)}")
    os.sched_setaffinity(0, usable[:cores])


def listing() -> str:
    """The peers, a line for each, and whether they are installed."""
    lines = []
    for peer in PEERS.values():
        missing = peer.missing()
        state = f"not installed: {', '.join(missing)}" if missing else "installed"
        lines.append(f"{peer.name:36}{state}{', batched' if peer.batched else ''}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="python -m experiments.peers", description=__doc__)
    parser.add_argument("name", nargs="?", choices=[*PEERS], metavar="NAME", help="the peer to measure; see --list")
    parser.add_argument("--list", action="store_true", help="list the peers, and whether they are installed")
    parser.add_argument("--seconds", type=float, default=1.0, metavar="X", help="of play (default: 1)")
    parser.add_argument("--batch", type=int, default=1024, metavar="N", help="tables at once (default: 1024)")
    parser.add_argument("--cores", type=int, metavar="K", help="keep to so many cores (default: all)")
    options = parser.parse_args(arguments)
    if options.list or options.name is None:
        print(listing())
        return
    if not (options.seconds > 0 and options.batch > 0):
        parser.error("--seconds, --batch: allowed is a number above 0")
    peer = PEERS[options.name]
    if missing := peer.missing():
        parser.error(f"{peer.name}: not installed: {', '.join(missing)}")
    try:
        if options.cores is not None:
            pin(options.cores)
    except ValueError as error:
        parser.error(str(error))
    speed = peer.run(options.seconds, options.batch)
    print(json.dumps({"name": peer.name, "batch": options.batch, "steps_per_second": speed}))


if __name__ == "__main__":
    main()
