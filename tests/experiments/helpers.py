"""What tests of experiments share: tournaments, a bot in a process of its own, and what comes out."""

import re
import shlex
import sys
from pathlib import Path

from experiments import tournament
from experiments.tournament_play import Tournament

ROOT = Path(__file__).parent.parent.parent
THREE = {"players": 3}
#: A bot that chooses the lowest legal action.
BOT = "import json, sys\nfor line in sys.stdin:\n    request = json.loads(line)\n" + (
    "    print(json.dumps({'action': request['legal'][0]} if 'legal' in request else {'ready': True}), flush=True)\n"
)
#: What may differ from run to run.
TIMES = re.compile(r'"seconds_per_decision": \S+')


def tournament_of(*names, game="saucers", rules=None, deals=6, seed=1, seconds=10.0):
    """A tournament of agents by these names."""
    return Tournament(game, rules or THREE, names, deals, seed, seconds)


def bot(tmp_path, text=BOT, name="bot.py"):
    """The name of an agent that is such a program."""
    (tmp_path / name).write_text(text)
    return f"command:{shlex.quote(sys.executable)} {shlex.quote(str(tmp_path / name))}"


def command(out, *agents, deals=3, more=()):
    """The words of a command that plays a tournament of Saucers."""
    return ["--game", "saucers", "--deals", str(deals), "--out", str(out), "--agents", *agents, *more]


def results(folder):
    """What came out of a tournament, as text, without the seconds that decisions took."""
    return TIMES.sub("", (folder / tournament.JSON).read_text())
