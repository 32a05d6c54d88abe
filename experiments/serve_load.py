"""How soon a move is shown when many tables are played at once, through the real protocol.

``python -m experiments.serve_load --tables 50`` serves tables in a process of its own and plays at all of them at the
same time from this one, as many rounds as asked for. It prints the median and the 95th percentile of the time from
sending an action to the scene that shows it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from experiments.options import count
from marriage_env.games import GAMES

SERVE = """
import sys
from pathlib import Path
from marriage_env.app.server import serve
serve(port=0, folder=Path(sys.argv[1]))
"""


def new_table(address: str, game: str, agent: str) -> str:
    """Set up a table of one person and agents: the person's key."""
    players = GAMES[game].min_players
    seats = [{"player": agent if seat else "human", "name": f"player_{seat}"} for seat in range(players)]
    order = {"game": game, "rules": {"players": players}, "seats": seats}
    request = urllib.request.Request(
        f"{address}api/tables", json.dumps(order).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as response:
        key: str = json.load(response)["keys"]["0"]
    return key


async def play(address: str, key: str, think: float) -> list[float]:
    """Play a match as a person would, who thinks for so many seconds on average: how long each move took to show."""
    delays: list[float] = []
    async with connect(f"{address.replace('http', 'ws', 1)}ws") as socket:
        await socket.send(json.dumps({"type": "hello", "key": key}))
        told = json.loads(await socket.recv())
        while not told["scene"]["over"]:
            scene = told["scene"]
            if scene["actor"] != scene["viewer"]:
                told = await scene_told(socket)
                continue
            await asyncio.sleep(random.expovariate(1 / think) if think else 0)
            action = random.choice(scene["choices"])["action"]
            sent = time.perf_counter()
            await socket.send(json.dumps({"type": "act", "step": told["step"], "action": action}))
            told = await scene_told(socket)
            delays.append(time.perf_counter() - sent)
    return delays


async def scene_told(socket: ClientConnection) -> dict[str, Any]:
    """The next message with a scene."""
    while True:
        told: dict[str, Any] = json.loads(await socket.recv())
        if "scene" in told:
            return told


async def play_all(address: str, keys: list[str], think: float) -> list[float]:
    """Play at all tables at once: how long each move took to show."""
    delays = await asyncio.gather(*(play(address, key, think) for key in keys))
    return [delay for own in delays for delay in own]


def measure(tables: int, agent: str, rounds: int, think: float) -> list[float]:
    """Serve, play, and stop: how long each move took to show, in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        server = subprocess.Popen([sys.executable, "-c", SERVE, folder], stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        try:
            told = re.search(r"http://\S+", server.stdout.readline())
            assert told, "the server has not begun"
            address, games = told[0], list(GAMES)
            asyncio.run(play_all(address, [new_table(address, game, agent) for game in games], 0))  # compiles the rules
            delays: list[float] = []
            for _ in range(rounds):
                keys = [new_table(address, games[number % len(games)], agent) for number in range(tables)]
                delays += asyncio.run(play_all(address, keys, think))
            return delays
        finally:
            server.terminate()
            server.wait()


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--tables", type=count, default=50)
    parser.add_argument("--agent", default="rules", help="who plays with the person at each table")
    parser.add_argument("--rounds", type=count, default=5, help="matches at each table, one after the other")
    parser.add_argument("--think", type=float, default=0.0, help="seconds, on average, before each move")
    arguments = parser.parse_args()
    delays = measure(arguments.tables, arguments.agent, arguments.rounds, arguments.think)
    late = statistics.quantiles(delays, n=20)[-1]
    print(
        f"{arguments.tables} tables with {arguments.agent}, {len(delays)} moves: shown after "
        f"{1000 * statistics.median(delays):.0f} ms (median), {1000 * late:.0f} ms (95th percentile)"
    )


if __name__ == "__main__":
    main()
