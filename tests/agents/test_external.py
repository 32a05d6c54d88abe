"""Agents of other people: real processes that play, and that fail in every way."""

import json
import os
import pickle
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

from agents import external
from marriage_env import AgentError, IllegalActionError, boxes_v0, make_agent, saucers_v0
from marriage_env.errors import AgentAnswerError, AgentCrashError, AgentTimeoutError

#: Plays the first legal action; at the second decision does what is put in for TRICK.
BOT = """
import json, os, sys, time
turns = 0
for line in sys.stdin:
    request = json.loads(line)
    answer = {"action": request["legal"][0]} if request["type"] == "act" else {"ready": True}
    turns += request["type"] == "act"
    if turns == 2:
        TRICK
    print(json.dumps(answer), flush=True)
"""
TRICKS = {
    "crash": ("sys.exit('out of ideas')", AgentCrashError, "exit status 1; on standard error: out of ideas"),
    "signal": ("os.kill(os.getpid(), 9)", AgentCrashError, "signal 9"),
    "closes": ("os.close(1); time.sleep(60)", AgentCrashError, "closed its standard output"),
    "hang": ("time.sleep(60)", AgentTimeoutError, "did not answer in 0.5 s"),
    "hang_deaf": ("os.close(0); time.sleep(60)", AgentTimeoutError, "did not answer"),
    "complains": ("while True: sys.stderr.write('no! ' * 999)", AgentTimeoutError, "no! "),
    "garbage": ("print('I play the king', flush=True)", AgentAnswerError, "I play the king"),
    "empty": ("print(flush=True)", AgentAnswerError, "JSON object"),
    "not_utf8": ("os.write(1, bytes([255, 254, 10]))", AgentAnswerError, "JSON object"),
    "list": ("answer = [1]", AgentAnswerError, "JSON object"),
    "deep": ("print('[' * 60000, flush=True)", AgentAnswerError, "JSON object"),
    "no_action": ("answer = {'play': 1}", AgentAnswerError, '"action": a number'),
    "text": ("answer['action'] = str(answer['action'])", AgentAnswerError, '"action": a number'),
    "float": ("answer['action'] += 0.0", AgentAnswerError, '"action": a number'),
    "bool": ("answer['action'] = True", AgentAnswerError, '"action": a number'),
    "endless": ("while True: os.write(1, b'x' * 999)", AgentAnswerError, "more than 65536 bytes"),
    "flood": ("while True: os.write(1, b'x\\n' * 999)", AgentAnswerError, "'x'"),
    "illegal": ("answer['action'] = next(a for a in range(61) if a not in request['legal'])",
                IllegalActionError, "allowed are"),
    "huge": ("answer['action'] = 10 ** 4000", IllegalActionError, "allowed are"),
    "says_error": ("answer = {'error': 'no\\x1b idea'}", AgentCrashError, r"no\? idea"),
}  # fmt: skip


def views(module=boxes_v0, count=6):
    """The first observations of a match, each with its mask."""
    env = module.raw_env(mask_in="info")
    env.reset(seed=4)
    seen = []
    for _ in range(count):
        vector, _, _, _, info = env.last()
        seen.append((vector, info["action_mask"]))
        env.step(int(info["action_mask"].argmax()))
    return [np.stack(part) for part in zip(*seen, strict=True)]


def command(tmp_path, trick="pass", text=BOT):
    """The name of a bot written there."""
    path = tmp_path / "bot.py"
    path.write_text(text.replace("TRICK", trick))
    return f"command:{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Agents of somebody else's module."""
    text = """
    import os, random, sys
    import numpy as np

    class First:
        def act(self, observation, action_mask):
            assert observation.dtype == np.float32 and action_mask.shape == (61,)
            print("thinking")
            assert sys.stdin.read() == ""
            return action_mask.argmax()

    class Draws(First):
        def seed(self, seed):
            self.random = random.Random(seed)
        def act(self, observation, action_mask):
            return self.random.choice(np.flatnonzero(action_mask))

    class Fails(First):
        def act(self, observation, action_mask):
            return {}["missing"]

    class Outer:
        Inner = First

    class NoArguments:
        def __init__(self, needed): pass
        def act(self, observation, action_mask): return 0

    class Quits(First):
        def act(self, observation, action_mask): os._exit(0)

    def function(observation, action_mask):
        return int(action_mask.argmax())

    def half(observation, action_mask):
        return 0.5

    ready = First()
    number = 3
    """
    (tmp_path / "somebodys.py").write_text(textwrap.dedent(text))
    (tmp_path / "batched.py").write_text(
        "from marriage_env import BatchAgent\n\nclass Many(BatchAgent):\n"
        "    def choose(self, vectors, masks):\n        return masks.argmax(1)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    return "import:somebodys"


@pytest.fixture
def agent_of():
    """Makes agents, and closes them in the end."""
    made = []

    def make(name, **options):
        made.append(make_agent(name, **options))
        return made[-1]

    yield make
    for agent in made:
        agent.close()


@pytest.mark.parametrize("game", [boxes_v0, saucers_v0], ids=["boxes", "saucers"])
def test_a_command_plays(game, tmp_path, agent_of):
    vectors, masks = views(game)
    agent = agent_of(command(tmp_path))
    assert agent.act(vectors, masks).tolist() == masks.argmax(1).tolist()
    assert agent.act({"observation": vectors[0], "action_mask": masks[0]}) == masks[0].argmax()


@pytest.mark.parametrize(("program", "kind"), [(sys.executable, "py"), ("node", "js")], ids=["py", "js"])
def test_the_bots_of_the_page_play(program, kind, tmp_path, agent_of):
    if not shutil.which(program):
        pytest.skip(f"no {program}")
    page = (Path(__file__).parents[2] / "docs" / "tournament.md").read_text()
    (tmp_path / f"bot.{kind}").write_text(re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)[0])
    agent = agent_of(f"command:{program} {tmp_path / f'bot.{kind}'}")
    vectors, masks = views()
    agent.seed(1)
    first = agent.act(vectors, masks).tolist()
    agent.seed(1)
    assert agent.act(vectors, masks).tolist() == first


def test_the_class_of_the_page_plays(tmp_path, monkeypatch, agent_of):
    page = (Path(__file__).parents[2] / "docs" / "tournament.md").read_text()
    (tmp_path / "my_module.py").write_text(re.findall(r"```py\n(class .*?)```", page, re.DOTALL)[0])
    monkeypatch.syspath_prepend(tmp_path)
    vectors, masks = views()
    assert agent_of("import:my_module:MyAgent", seed=1).act(vectors, masks).tolist() == masks.argmax(1).tolist()


@pytest.mark.parametrize("name", ["somebodys:First", "somebodys:Outer.Inner", "somebodys:function", "somebodys:ready"])
def test_what_is_imported_plays(name, module, agent_of):
    vectors, masks = views()
    assert agent_of(f"import:{name}").act(vectors, masks).tolist() == masks.argmax(1).tolist()


def test_a_batch_agent_is_imported(module, agent_of):
    vectors, masks = views()
    assert agent_of("import:batched:Many").act(vectors, masks).tolist() == masks.argmax(1).tolist()


@pytest.mark.parametrize("game", [boxes_v0, saucers_v0], ids=["boxes", "saucers"])
def test_a_request_says_all_in_names(game, tmp_path, agent_of):
    heard = tmp_path / "heard"
    trick = f"open({str(heard)!r}, 'w').write(line)"
    vectors, masks = views(game)
    agent_of(command(tmp_path, trick)).act(vectors[:2], masks[:2])
    request = json.loads(heard.read_text())
    env = game.raw_env()
    assert np.array(request["observation"], np.float32).tobytes() == vectors[1].tobytes()
    assert request["legal"] == np.flatnonzero(masks[1]).tolist()
    assert request["names"] == [env.action_name(action) for action in request["legal"]]
    assert request["actions"] == 61
    decoded = env.decode(vectors[1])
    assert request["decoded"].keys() == decoded.keys()
    assert request["decoded"]["hand"] == decoded["hand"]
    claims = {f"{seat} {claim}": state for (seat, claim), state in decoded["claims"].items()}
    assert request["decoded"]["claims"] == claims


@pytest.mark.parametrize("trick", TRICKS)
def test_who_fails_is_named_and_plays_on(trick, tmp_path, agent_of):
    code, kind, message = TRICKS[trick]
    vectors, masks = views()
    name = command(tmp_path, code)
    agent = agent_of(name)
    agent.seconds = 0.5
    assert agent.act(vectors[0], masks[0]) == masks[0].argmax()
    with pytest.raises(kind, match=message) as caught:
        agent.act(vectors[1], masks[1])
    assert isinstance(caught.value, AgentError)
    assert str(caught.value).startswith(name)
    assert str(caught.value).isprintable()
    assert agent.act(vectors[2], masks[2]) == masks[2].argmax()


@pytest.mark.parametrize("seconds", [1e7, 1e300, np.float32(3e6), 10**9])
def test_who_may_take_long_answers(seconds, tmp_path, agent_of):
    vectors, masks = views()
    agent = agent_of(command(tmp_path, "time.sleep(0.1)"))
    agent.seconds = seconds
    assert agent.act(vectors, masks).tolist() == masks.argmax(1).tolist()


@pytest.mark.parametrize("seconds", [0, -1.0, float("nan"), float("inf"), 10**400, True, "9", None, 1j])
def test_seconds_that_cannot_be_are_named(seconds, tmp_path, agent_of):
    agent = agent_of(command(tmp_path))
    with pytest.raises(AgentError, match=r"seconds=.*allowed is a number above 0"):
        agent.seconds = seconds
    assert agent.seconds == external.SECONDS


def test_what_is_said_unasked_is_no_answer_to_the_next(tmp_path, agent_of):
    vectors, masks = views()
    agent = agent_of(command(tmp_path, "print(json.dumps(answer), flush=True)"))
    agent.act(vectors[:2], masks[:2])
    time.sleep(0.3)
    with pytest.raises(AgentAnswerError, match="unasked"):
        agent.act(vectors[2], masks[2])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Fails", "says: KeyError: 'missing'"),
        ("half", "TypeError"),
        ("Quits", "exit status 0"),
    ],
)
def test_what_an_imported_agent_raises_is_told(name, message, module, agent_of):
    vectors, masks = views()
    with pytest.raises(AgentCrashError, match=message):
        agent_of(f"{module}:{name}").act(vectors[0], masks[0])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("command", "a program with its arguments"),
        ("command:", "a program with its arguments"),
        ("command:no-such-program --fast", "no-such-program --fast cannot be started"),
        ("command:/", "cannot be started"),
        ("command:'", "quotation"),
        ("command:a\0b", "cannot be started"),
        ("command:true", "ended with exit status 0"),
        ("command:cat", "answered hello"),
        ("command:echo hello", "hello"),
        ("import", "import path"),
        ("import:somebodys", "import path"),
        ("import::First", "import path"),
        ("import:no_such_module:First", "ModuleNotFoundError"),
        ("import:somebodys:Nobody", "AttributeError"),
        ("import:somebodys:NoArguments", "needed"),
        ("import:somebodys:number", "allowed is a class"),
    ],
)
def test_who_cannot_start_is_refused_at_once(name, message, module):
    with pytest.raises(AgentError, match=message):
        make_agent(name)


def test_who_does_not_greet_in_time_is_refused(monkeypatch):
    monkeypatch.setattr(external, "START_SECONDS", 0.2)
    with pytest.raises(AgentTimeoutError, match=r"command:sleep 60 did not answer in 0\.2 s"):
        make_agent("command:sleep 60")


def test_a_seed_repeats_play(module, agent_of):
    vectors, masks = (part.repeat(10, 0) for part in views())
    agent = agent_of(f"{module}:Draws", seed=3)
    first = agent.act(vectors, masks)
    agent.seed(3)
    assert agent.act(vectors, masks).tolist() == first.tolist()
    agent.seed(4)
    assert agent.act(vectors, masks).tolist() != first.tolist()
    agent.seed(3)
    agent.close()  # another process, the same seed
    assert agent.act(vectors, masks).tolist() == first.tolist()
    twin = pickle.loads(pickle.dumps(agent))
    assert twin.act(vectors, masks).tolist() == first.tolist()
    twin.close()


@pytest.mark.parametrize("name", ["import:somebodys:First", "command"])
def test_a_pickled_agent_holds_no_environment_and_starts_when_asked(name, module, tmp_path, monkeypatch, agent_of):
    monkeypatch.setenv("SOMEBODYS_TOKEN", "a-secret")
    agent = agent_of(command(tmp_path) if name == "command" else name)
    content = pickle.dumps(agent)
    assert b"a-secret" not in content
    monkeypatch.setattr(external, "LineProcess", None)  # nothing can be started
    twin = pickle.loads(content)
    monkeypatch.undo()
    vectors, masks = views()
    assert twin.act(vectors, masks).tolist() == masks.argmax(1).tolist()
    twin.close()


def test_who_is_imported_has_the_environment(tmp_path, monkeypatch, agent_of):
    (tmp_path / "wants.py").write_text(
        "import os\nassert os.environ['WANTED'] == '1'\nact = lambda view, mask: mask.argmax()"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("WANTED", "1")
    agent_of("import:wants:act")


def processes(mark, expected=0):
    """The processes with a mark in their command line, once there are as many as expected, or time is over."""
    deadline = time.monotonic() + 5
    while len(found := marked(mark)) != expected and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def marked(mark):
    """The processes with a mark in their command line."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            pass
    return found


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="no /proc")
def test_nothing_is_left_behind(tmp_path):
    """Neither processes, with the children they have started, nor pipes; whether they end by themselves or not."""
    mark = str(tmp_path)
    trick = f"import subprocess; subprocess.Popen(['sh', '-c', 'sleep 60; : {mark}'])\n        time.sleep(60)"
    vectors, masks = views()
    pipes = len(list(Path("/dev/fd").iterdir()))
    agent = make_agent(command(tmp_path, trick))
    agent.seconds = 0.5
    agent.act(vectors[0], masks[0])
    assert len(processes(mark, 1)) == 1
    with pytest.raises(AgentTimeoutError):
        agent.act(vectors[1], masks[1])
    assert processes(mark) == []
    agent.act(vectors[0], masks[0])
    del agent
    assert processes(mark) == []
    assert len(list(Path("/dev/fd").iterdir())) == pipes


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_asks_a_process_of_its_own_and_the_interpreter_ends_them_all(tmp_path):
    name, mark = command(tmp_path), str(tmp_path)
    script = f"""
import os, sys
import numpy as np
from marriage_env import make_agent
agent = make_agent({name!r})
mask = np.array([0, 1, 1])
assert agent.act(np.zeros(3), mask) == 1
child = os.fork()
for _ in range(50):
    assert agent.act(np.zeros(3), mask) == 1
if child == 0:
    sys.exit(3)  # ends as an interpreter does
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
assert agent.act(np.zeros(3), mask) == 1
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
    assert processes(mark) == []
