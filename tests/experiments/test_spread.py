"""Work spread over Ray: the same outcomes as in one process, whoever fails or is killed on the way."""

import functools
import json
import os
import signal
import socket
import subprocess
import sys
import time

import psutil
import pytest
from rich.console import Console

from experiments import exploit, ray_cluster, ray_workers, tournament
from experiments.exploitation import Measurement
from experiments.ray_workers import RayWorkers
from experiments.responses import Response, train_response
from experiments.spread import Here
from experiments.standings import standings
from experiments.tournament_folder import Folder
from experiments.tournament_play import parts
from marriage_env import BatchAgent, MarriageError
from tests.experiments.helpers import BOT, ROOT, bot, command, results, tournament_of

DEADLINE = 300.0  # seconds; of what takes some on a machine that is free


@pytest.fixture(scope="module")
def on_ray():
    """Two workers on this machine."""
    pytest.importorskip("ray")
    with ray_cluster.connected(None, 2) as ray:
        yield RayWorkers(ray)


def wait_for(condition, still=lambda: True):
    """What a condition comes to, in good time and while something still is so."""
    deadline = time.monotonic() + DEADLINE
    while not (found := condition()):
        assert still()
        assert time.monotonic() < deadline
        time.sleep(0.005)
    return found


def outcomes(workers, work, pieces):
    return dict(workers.as_done(work, pieces))


def square(number):
    return number * number


def meet(folder, number):
    """Done when the other of two pieces is being done, too; the process."""
    (folder / str(number)).touch()
    wait_for((folder / str(1 - number)).exists)
    return os.getpid()


def fail(kind, number):
    raise kind(f"number {number}")


def leave(number):
    sys.exit(f"enough of {number}")


def killed_until(mark, number):
    """Its worker is killed when it is first done."""
    if not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def always_killed(number):
    os.kill(os.getpid(), signal.SIGKILL)


# Agents


class Late(BatchAgent):
    """Takes too long, by no clock."""

    def choose(self, vectors, masks):
        raise TimeoutError


class Fails(BatchAgent):
    """Fails where it may play the queen of hearts."""

    def choose(self, vectors, masks):
        if masks[:, 42].any():
            raise KeyError("queen")
        return masks.argmax(1)


class Hangs(BatchAgent):
    """Takes too long, by the clock, where it may play the queen of hearts."""

    def choose(self, vectors, masks):
        while masks[:, 42].any():
            time.sleep(0.001)
        return masks.argmax(1)


class Unsent(BatchAgent):
    """Cannot be pickled."""

    def __init__(self):
        self.choose = lambda vectors, masks: masks.argmax(1)


# Workers


def test_every_piece_is_done_once_here_and_on_ray(on_ray):
    expected = {number: number * number for number in range(20)}
    assert outcomes(Here(), square, range(20)) == outcomes(on_ray, square, range(20)) == expected
    assert outcomes(on_ray, square, []) == {}


def test_pieces_are_done_at_once_by_several_processes(on_ray, tmp_path):
    pids = outcomes(on_ray, functools.partial(meet, tmp_path), range(2)).values()
    assert len({*pids, os.getpid()}) == 3


def test_pieces_are_taken_when_there_is_somebody_to_do_them(on_ray):
    done, taken = 0, 0

    def pieces():
        nonlocal taken
        for taken in range(1, 21):
            assert taken - done <= 2 * ray_workers.AHEAD
            yield taken

    for _ in on_ray.as_done(square, pieces()):
        done += 1
    assert taken == done == 20


@pytest.mark.parametrize("kind", [MarriageError, FileNotFoundError])
def test_errors_of_our_own_come_through_as_they_are(on_ray, kind):
    with pytest.raises(kind) as error:
        outcomes(on_ray, functools.partial(fail, kind), [7])
    assert str(error.value) == "number 7"


def test_other_errors_tell_where_they_come_from(on_ray):
    with pytest.raises(KeyError, match=r"in fail[\s\S]*number 7"):
        outcomes(on_ray, functools.partial(fail, KeyError), [7])


def test_work_that_ends_its_process_is_an_error_and_not_tried_again(on_ray):
    with pytest.raises(MarriageError, match="enough of 7"):
        outcomes(on_ray, leave, [7])


def test_a_piece_whose_worker_is_killed_is_done_by_another(on_ray, tmp_path):
    work = functools.partial(killed_until, tmp_path / "mark")
    assert outcomes(on_ray, work, range(4)) == {number: number for number in range(4)}


def test_a_piece_that_loses_every_worker_is_named(on_ray, monkeypatch):
    monkeypatch.setattr(ray_workers, "RETRIES", 1)
    with pytest.raises(MarriageError, match=r"^7: its worker was lost, 2 times over \(.*\): allowed is what a worker"):
        outcomes(RayWorkers(on_ray._ray), always_killed, [7])


@pytest.mark.parametrize(
    ("work", "message"),
    [
        (lambda number: number, r"function cannot be pickled, .*: allowed is what can be"),
        (functools.partial(square, Unsent()), r"Unsent cannot be pickled, .*: allowed are agents that can be"),
        (functools.partial(square, [Late, Unsent()]), r"Unsent cannot be pickled, .*: allowed are agents that can be"),
        (
            Measurement("saucers", {}, 1, 0, {"pair": (Unsent(), Unsent())}),
            r"Unsent cannot be pickled, .*: allowed are agents that can be",
        ),
    ],
    ids=["function", "agent", "agents", "pairs of agents"],
)
def test_work_that_cannot_be_sent_is_named(work, message):
    with pytest.raises(MarriageError, match=message):
        ray_workers.packed(work)


def test_a_worker_with_other_code_is_refused(on_ray, monkeypatch):
    monkeypatch.setattr(ray_workers, "code_digest", lambda: "other")
    with pytest.raises(MarriageError, match="has other code or libraries: allowed is the same checkout"):
        outcomes(on_ray, square, [7])


def test_a_worker_without_the_folder_is_refused(on_ray, tmp_path, monkeypatch):
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.setattr(ray_workers.Path, "cwd", lambda: gone)
    with pytest.raises(MarriageError, match=r"cannot begin \(FileNotFoundError: .*gone"):
        outcomes(on_ray, square, [7])


# Tournaments


def played(folder, asked, agents, workers):
    """What is found, without the seconds that decisions took."""
    kept = Folder(folder, asked)
    tournament.play_missing(asked, agents, kept, Console(), workers)
    found = standings(asked, kept.load)
    for conduct in found.conduct.values():
        conduct.seconds = 0.0
    return found


@pytest.mark.parametrize(
    ("agent", "seconds"),
    [
        pytest.param(Late(), 10.0, id="late", marks=pytest.mark.nightly),
        pytest.param(Fails(), 10.0, id="fails"),
        pytest.param(Hangs(), 0.3, id="hangs"),
    ],
)
def test_agents_that_fail_or_hang_have_the_same_standings(on_ray, agent, seconds, tmp_path):
    asked = tournament_of("it", "random", "rules", deals=45, seconds=seconds)
    agents = [agent, *map(tournament.make_agent, asked.agents[1:])]
    assert played(tmp_path / "ray", asked, agents, on_ray) == played(tmp_path / "here", asked, agents, Here())


class Backwards:
    """Does the pieces it can get from the last to the first, all of them given out at once."""

    def as_done(self, work, pieces):
        for piece in reversed(list(pieces)):
            yield piece, work(piece)


def test_who_is_asked_does_not_depend_on_the_order_in_which_parts_are_done(tmp_path):
    asked = tournament_of("late", "rules", deals=65)
    agents = [Late(), tournament.make_agent("rules")]
    expected = played(tmp_path / "here", asked, agents, Here())
    assert expected.conduct["late"].forfeits["timeout"] == 9
    assert played(tmp_path / "backwards", asked, agents, Backwards()) == expected


def test_parts_kept_from_a_stopped_run_are_played_again_if_others_are_asked_in_them(tmp_path):
    asked = tournament_of("late", "rules", deals=65)
    agents = [Late(), tournament.make_agent("rules")]
    kept = Folder(tmp_path / "stopped", asked)
    work = functools.partial(tournament.play_piece, asked, agents)
    for part in parts(asked)[-9:]:  # as if nobody had run out of patience before
        kept.save(part, work(tournament.Piece(part, frozenset())))
    assert played(tmp_path / "stopped", asked, agents, Here()) == played(tmp_path / "whole", asked, agents, Here())


def test_a_finished_tournament_is_not_played_again(tmp_path):
    asked = tournament_of("random", "rules", deals=25)
    agents = [tournament.make_agent(name) for name in asked.agents]
    given = []

    class Counted(Here):
        def as_done(self, work, pieces):
            return super().as_done(work, (given.append(piece) or piece for piece in pieces))

    for _ in range(2):
        played(tmp_path, asked, agents, Counted())
    assert len(given) == len(parts(asked))


#: A bot that plays when there is a file that says so.
HELD = "import os, time\n" + BOT.replace(
    "    print(", "    while 'legal' in request and not os.path.exists('may_play'): time.sleep(0.01)\n    print("
)


def workers_of(driver):
    """The processes that are doing pieces for a driver with a Ray of its own, by their titles."""
    try:
        children = psutil.Process(driver.pid).children(recursive=True)
        return {child for child in children if " ".join(child.cmdline()).startswith("ray::do")}
    except psutil.Error:
        return set()


def started(script, *arguments):
    words = [sys.executable, "-m", f"experiments.{script}", *arguments]
    return subprocess.Popen(words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def running(driver):
    return driver.poll() is None


def kill(driver):
    """Kill a driver, and see the workers of its Ray gone."""
    workers = workers_of(driver)
    driver.kill()
    driver.communicate()
    wait_for(lambda: not any(worker.is_running() for worker in workers))


def test_a_tournament_comes_out_the_same_on_ray_though_the_driver_and_then_a_worker_are_killed(tmp_path):
    """With a bot that holds both workers up, so that they are killed in the midst of it on any machine."""
    pytest.importorskip("ray")
    may_play, whole, killed = tmp_path / "may_play", tmp_path / "whole", tmp_path / "killed"
    agents = ["random", "rules", bot(tmp_path, HELD.replace("may_play", str(may_play)))]
    more = ["--time-limit", "3600", "--records"]
    may_play.touch()
    tournament.main(command(whole, *agents, more=more))
    may_play.unlink()
    spread_out = command(killed, *agents, more=[*more, "--ray", "--workers", "2"])
    try:
        driver = started("tournament", *spread_out)
        wait_for(lambda: len(list(killed.glob("parts/*.npz"))) > 1, functools.partial(running, driver))
        kill(driver)
        kept = {path: path.read_bytes() for path in killed.glob("parts/*.npz")}
        driver = started("tournament", *spread_out)
        before = wait_for(lambda: len(found := workers_of(driver)) == 2 and found, functools.partial(running, driver))
        min(before, key=lambda worker: worker.pid).kill()
        wait_for(lambda: workers_of(driver) - before, functools.partial(running, driver))
    finally:
        may_play.touch()
    assert driver.wait() == 0
    assert driver.stderr.read() == ""
    assert 1 < len(kept) < 10
    assert all(path.read_bytes() == content for path, content in kept.items())
    assert results(killed) == results(whole)
    records = [{path.name: path.read_bytes() for path in out.glob("records/*")} for out in (killed, whole)]
    assert records[0] == records[1]
    assert len(records[0]) > len(kept)


# Best responses


def responses(out, *more):
    learner = ["--train", "--tables", "8", "--rollout", "16", "--checkpoint-every", "1"]
    agents = ["--agents", "random", "rules"]
    return ["--game", "saucers", *agents, "--steps", "3000", "--deals", "40", "--out", str(out), *more, *learner]


def found(file):
    return json.loads(file.read_text())["results"]


@pytest.mark.nightly
def test_best_responses_are_the_same_on_ray_though_a_worker_and_then_the_driver_are_killed(tmp_path):
    pytest.importorskip("ray")
    files, out = [tmp_path / "here.json", tmp_path / "ray.json"], tmp_path / "ray"
    exploit.main(responses(tmp_path / "here", "--json", str(files[0])))
    spread_out = responses(out, "--json", str(files[1]), "--ray", "--workers", "1")
    driver = started("exploit", *spread_out)
    wait_for((out / "random" / "checkpoint.bin").exists, functools.partial(running, driver))
    for worker in workers_of(driver):
        worker.kill()
    wait_for(lambda: any(map(finished, out.glob("*/response.json"))), functools.partial(running, driver))
    kill(driver)
    kept = {path: path.stat().st_mtime_ns for path in out.glob("*/response.json") if finished(path)}
    driver = started("exploit", *spread_out)
    assert driver.wait() == 0, driver.stderr.read()
    assert found(files[0]) == found(files[1])
    assert all(path.stat().st_mtime_ns == when for path, when in kept.items())


def finished(record):
    return json.loads(record.read_text())["finished"]


def test_what_training_complains_of_is_one_line(on_ray, tmp_path):
    response = Response("random", tmp_path, ("--opponents", "random", "--steps", "64", "--batch", "1", "--tables", "2"))
    with pytest.raises(MarriageError, match=r"^train: --batch 1 leaves a batch of 1"):
        list(on_ray.as_done(train_response, [(response, response.prepare(anew=False))]))


# The command line


@pytest.mark.parametrize("script", [tournament, exploit], ids=["tournament", "exploit"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--address", "auto"], "--address auto: allowed with --ray alone"),
        (["--workers", "2"], "--workers 2: allowed with --ray alone"),
        (["--ray", "--workers", "0"], "from 1 to"),
        (["--ray", "--workers", "many"], "from 1 to"),
        (["--ray", "--address", "somewhere"], "--address somewhere: allowed is auto, HOST:PORT or ray://HOST:PORT"),
        (["--ray", "--address", "127.0.0.1:99999"], "allowed is auto, HOST:PORT"),
        (["--ray", "--address", "127.0.0.1:1"], "127.0.0.1:1: no answer"),
        (["--ray", "--address", "ray://127.0.0.1:1"], "ray://127.0.0.1:1: no answer"),
    ],
    ids=str,
)
def test_bad_arguments_are_named_before_anything_is_done(script, arguments, message, tmp_path, capsys):
    if "--ray" in arguments:
        pytest.importorskip("ray")
    with pytest.raises(SystemExit) as stop:
        script.main(["--agents", "random", "rules", "--out", str(tmp_path / "out"), "--deals", "10", *arguments])
    assert message in f"{stop.value.code} {capsys.readouterr().err}"
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("error", "named"),
    [(socket.gaierror(-2, "unknown name"), "unknown name"), (TimeoutError(), "TimeoutError"), (UnicodeError("x"), "x")],
)
def test_nobody_at_an_address_is_told_without_waiting_for_long(error, named, monkeypatch):
    def nobody(address, seconds):
        assert (address, seconds) == (("somewhere", 6379), ray_cluster.CONNECT_SECONDS)
        raise error

    monkeypatch.setattr(socket, "create_connection", nobody)
    with pytest.raises(MarriageError, match=rf"^--address somewhere:6379: no answer \(.*{named}\); allowed is auto"):
        ray_cluster.knock("somewhere:6379")


def test_a_ray_that_cannot_be_started_is_one_line(monkeypatch, tmp_path):
    pytest.importorskip("ray")
    monkeypatch.setenv("RAY_TMPDIR", "/proc/nope")
    with pytest.raises(SystemExit, match=r"^tournament: Ray cannot be started on this machine \(.*/proc/nope.*\): al"):
        tournament.main(["--agents", "random", "rules", "--ray", "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()


def test_without_ray_it_is_told_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SystemExit, match=r'^tournament: --ray needs Ray .*: allowed after pip install -e "\.\[ray\]"$'):
        tournament.main(["--agents", "random", "rules", "--ray", "--out", str(tmp_path / "out")])
    assert not (tmp_path / "out").exists()
