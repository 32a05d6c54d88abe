"""The rules run as plain Python too (NUMBA_DISABLE_JIT=1), and play the same."""

from __future__ import annotations

import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import marriage_env
from tests.helpers import MODULES, over, plain, random_step
from tests.test_golden import differences, golden_matches, start_golden

RULES: dict[str, Any] = {
    "deals": 2,
    "conduct": "fined",
    "marriage_order": "either",
    "must_trump": True,
    "misdeal_rate": 0.4,
    "faulty_pack_rate": 0.6,
    "row_start": "lowest",
}
SCRIPT = "import json; from tests.test_jit_disabled import record; print(json.dumps(record()))"


def random_match(module: Any, seed: int, lively: bool) -> dict[str, Any]:
    """A random match: what came of it, and a digest of all that was seen on the way."""
    game = module.raw_env.game
    known = {name: value for name, value in RULES.items() if name in game.rules.__dataclass_fields__ and lively}
    players = game.min_players + seed % (game.max_players - game.min_players + 1)
    env = module.raw_env(players=players, **known)
    env.reset(seed=seed)
    rng = random.Random(seed)
    digest = hashlib.sha256()
    while not over(env):
        for agent in env.possible_agents:
            digest.update(repr(plain(env.observe(agent))).encode())
        random_step(env, rng)
        digest.update(repr((env.ledger, env.pots, env.rewards)).encode())
    digest.update(env.state().tobytes())
    return {"game": game.name, "seed": seed, "balances": env.balances, "pots": env.pots, "digest": digest.hexdigest()}


def batch_match(game: str, dtype: str) -> str:
    """A digest of what a small batch shows, with house players at some of its seats."""
    players = marriage_env.GAMES[game].min_players
    known = {name: RULES[name] for name in RULES if name in marriage_env.GAMES[game].rules.__dataclass_fields__}
    company = [None, "rules", "random", *[None] * (players - 3)]
    batch = marriage_env.Batch(game, 2, players=players, seats=company, dtype=dtype, **known)
    out = batch.reset(seed=5)
    digest = hashlib.sha256()
    for step in range(25):
        batch.step(batch.choose("rules" if step % 3 else "random"))
        digest.update(b"".join(buffer.tobytes() for buffer in out))
    digest.update(batch.observe(1).tobytes() + batch.take([1, 1]).save())
    return digest.hexdigest()


def record() -> dict[str, Any]:
    """Golden matches that differ, and random matches."""
    from marriage_env.compiled import JIT_DISABLED

    differing = []
    for module in MODULES:
        golden = golden_matches(module.raw_env.game.name)
        for number in range(0, len(golden), 40):
            found = differences(start_golden(module, golden[number]), golden[number])
            if found:
                differing.append([module.raw_env.game.name, number, *found])
    played = [random_match(module, seed, seed % 2 == 1) for module in MODULES for seed in range(4)]
    batches = [batch_match(game, dtype) for game in marriage_env.GAMES for dtype in ("float32", "uint8")]
    return {"jit disabled": JIT_DISABLED, "golden": differing, "random": played, "batches": batches}


def test_plain_python_plays_the_same_as_compiled_code() -> None:
    ours = record()
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        cwd=Path(__file__).parent.parent,
        env={
            **os.environ,
            "NUMBA_DISABLE_JIT": "1",
            "PYTHONPATH": os.pathsep.join(
                [str(Path(marriage_env.__file__).parents[1]), str(Path(__file__).parents[1])]
            ),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    theirs = json.loads(run.stdout.splitlines()[-1])
    assert theirs["jit disabled"] and not ours["jit disabled"]
    assert theirs["golden"] == ours["golden"] == []
    assert theirs["random"] == json.loads(json.dumps(ours["random"]))
