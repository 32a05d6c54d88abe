"""The program `marriage-env`, as its user calls it."""

import dataclasses
import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time

import pytest

click = pytest.importorskip("click")
pytest.importorskip("prompt_toolkit")

from click.testing import CliRunner  # noqa: E402
from prompt_toolkit.document import Document  # noqa: E402

from marriage_env import __version__, saucers_v0  # noqa: E402
from marriage_env.app import terminal  # noqa: E402
from marriage_env.app.commands import program  # noqa: E402
from marriage_env.app.match import HUMAN, Match  # noqa: E402
from marriage_env.errors import RecordFileError  # noqa: E402
from marriage_env.records import append_record, read_records, save_records  # noqa: E402
from marriage_env.render.scene import Choice  # noqa: E402
from marriage_env.rulebook import clauses  # noqa: E402
from tests.app.test_replay_page import scenes_in  # noqa: E402


def run(*arguments, typed=""):
    return CliRunner().invoke(program, [str(argument) for argument in arguments], input=typed)


def failed(result, code, words):
    assert result.exit_code == code, result.output
    assert words in result.output
    assert "Traceback" not in result.output


@pytest.fixture
def records(tmp_path):
    """A file of three matches."""
    path = tmp_path / "matches.jsonl"
    env = saucers_v0.raw_env(record=path)
    for seed in range(3):
        env.reset(seed=seed)
        while not all(env.terminations.values()):
            env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
    return path


def commands(group=program, path=()):
    for name, command in group.commands.items():
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


@pytest.mark.parametrize("path", list(commands()), ids=" ".join)
def test_every_command_explains_itself(path):
    result = run(*path, "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.output
    command = program
    for name in path:
        command = command.commands[name]
    for parameter in command.params:
        assert isinstance(parameter, click.Argument) or parameter.help, parameter.name


def test_version_and_info():
    assert run("--version").output.strip().endswith(__version__)
    told = run("info").output
    assert "boxes      5 to 10 players" in told
    assert "random, rules" in told
    assert re.search(r"numba \d", told)


# play


def test_a_match_played_by_the_numbers_of_the_list(tmp_path):
    path = tmp_path / "match.jsonl"
    result = run("play", "saucers", "--players", 3, "--seed", 5, "--record", path, typed="1\n" * 60)
    assert result.exit_code == 0, result.output
    assert "the match is over" in result.output
    (record,) = read_records(path)
    assert record.over
    assert record.players == ("player_0", "rules_1", "rules_2")
    assert run("check", path).exit_code == 0


def test_leaving_and_going_on(tmp_path):
    path = tmp_path / "match.jsonl"
    result = run("play", "boxes", "--seat", 2, "--seed", 5, "--record", path, typed="1\nquit\n")
    assert result.exit_code == 0
    assert f"`marriage-env play resume {path}`" in result.output
    (left,) = read_records(path)
    assert not left.over
    failed(run("play", "boxes", "--record", path), 1, "is there already")
    result = run("play", "resume", path, typed="1\n" * 60)
    assert result.exit_code == 0
    (record,) = read_records(path)
    assert record.over and record.about["seat 2"] == HUMAN
    assert record.deals[0].hands == left.deals[0].hands


def test_the_end_of_input_is_a_way_to_leave():
    assert run("play", "boxes", "--seed", 5).exit_code == 0


def test_what_can_be_asked_at_the_table():
    typed = "hint\nwhy AS\nrule 4.2\nrule 99\nhelp\ntable\nundo\nnonsense\n<script>\n"
    told = run("play", "boxes", "--seed", 4, typed=typed).output
    assert re.search(r"(trained|rules): play Q♦ 100%", told)
    assert "A♠ is not in the hand; allowed: play Q♦" in told
    assert " ".join(clauses("boxes")["4.2"].split())[:40] in " ".join(told.split())
    assert "clause='99': allowed is '1.1'" in told
    assert "Tab completes" in told
    assert "there is nothing to take back" in told
    assert "'nonsense' is not an action" in told
    assert "'<script>' is not an action" in told


def test_a_match_that_cannot_be_kept_for_a_while_goes_on_and_is_kept_in_the_end(tmp_path, monkeypatch):
    path = tmp_path / "match.jsonl"
    results = iter([None, *[RecordFileError("no space left")] * 3])

    def save(*arguments):
        if error := next(results, None):
            raise error
        save_records(*arguments)

    monkeypatch.setattr(terminal, "save_records", save)
    result = run("play", "boxes", "--seed", 3, "--record", path, typed="1\n" * 60)
    assert result.exit_code == 0
    assert result.output.count("no space left; the match goes on") == 1
    (record,) = read_records(path)
    assert record.over


def test_a_match_that_cannot_be_kept_at_all_is_played_and_ends_with_the_reason(tmp_path, monkeypatch):
    path = tmp_path / "match.jsonl"
    saved = []

    def save(*arguments):
        if saved:
            raise RecordFileError("no space left")
        saved.append(save_records(*arguments))

    monkeypatch.setattr(terminal, "save_records", save)
    result = run("play", "boxes", "--seed", 3, "--record", path, typed="1\n" * 60)
    failed(result, 1, "Error: no space left")
    assert "the match is over" in result.output
    assert len(list(read_records(path))) == 1


def test_two_people_at_one_keyboard_are_asked_in_turn_and_see_their_own_cards_alone():
    typed = "".join("\n1\n" for _ in range(40))
    told = run("play", "saucers", "--seed", 1, "--agents", "human", "--agents", "rules", typed=typed).output
    before, _, after = told.partition("player_0 is to act: Enter, when nobody else looks.")
    for part, seen in ((before, ()), (after.partition("player_1 is to act: Enter")[0], ("player_0",))):
        hands = dict(re.findall(r"^[> ] (player_\d).*?   (\S.*)$", part, re.MULTILINE))
        assert {name for name, hand in hands.items() if "unseen" not in hand} <= {"player", *seen}, part


def test_tab_completes_names_words_and_commands():
    choices = (Choice(43, "QS", "play Q♠"), Choice(60, "pass", "pass"))
    moves = terminal.Moves()
    moves.choices = choices

    def completed(begun):
        return [found.text for found in moves.get_completions(Document(begun), None)]

    assert completed("q") == ["QS", "quit"]
    assert completed("Play ") == ["play Q♠"]
    assert completed("pa") == ["pass"]
    assert completed("") == ["QS", "pass", *terminal.COMMANDS]


def test_undo_takes_an_action_back():
    told = run("play", "boxes", "--seed", 4, typed="1\nundo\n").output
    assert told.count("called out of turn by K♦") == 2


def test_agents_alone_can_be_watched():
    result = run("play", "saucers", "--watch", "--seed", 1, "--agents", "random", "--agents", "rules")
    assert result.exit_code == 0
    assert "the match is over" in result.output
    assert "random_0" in result.output and "rules_1" in result.output


def test_nobody_elses_cards_are_shown():
    told = run("play", "saucers", "--seed", 1, typed="1\n" * 60).output
    for line in re.findall(r"^[> ] rules_\d.*$", told, re.MULTILINE)[:2]:
        assert "unseen" in line


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["boxes", "--players", 11], 2, "5<=x<=10"),
        (["boxes", "--players", "x"], 2, "not a valid integer"),
        (["boxes", "--seat", 5], 2, "allowed is 0 to 4"),
        (["boxes", "--seat", 0, "--watch"], 2, "allowed is one of them"),
        (["boxes", "--rule", "conduct=evil"], 1, "allowed is 'strict' or 'fined'"),
        (["boxes", "--rule", "conduct"], 1, "allowed is NAME=VALUE"),
        (["boxes", "--rule", "=1"], 1, "allowed is NAME=VALUE"),
        (["boxes", "--rule", f"deals={'9' * 5000}"], 1, "999...: allowed is a whole number from 1 to 1000"),
        (["boxes", "--rule", "deals=2", "--rule", "deals=3"], 2, "allowed is each rule once"),
        (["boxes", "--record", "."], 1, "is no file: allowed is the name of a new one"),
        (["boxes", "--record", "/dev/full"], 1, "is no file: allowed is the name of a new one"),
        (["boxes", "--record", "x" * 300], 1, "cannot be written"),
        (["boxes", "--rule", "players=6"], 2, "allowed is --players"),
        (["boxes", "--rule", "nothing=1"], 1, "nothing is not a rule option: allowed are players"),
        (["boxes", "--agents", "nobody"], 1, "agent 'nobody' is not known"),
        (["boxes", "--seed", -1], 2, "0<=x"),
        (["chess"], 2, "No such command"),
        (["resume", "missing.jsonl"], 1, "cannot be opened"),
    ],
    ids=str,
)
def test_what_cannot_be_played(arguments, code, words):
    failed(run("play", *arguments), code, words)


def test_resume_wants_one_match(records):
    failed(run("play", "resume", records), 1, "allowed is a file with one match")


def test_a_match_that_is_over_is_shown_and_its_file_stays(records):
    line = records.read_bytes().splitlines(keepends=True)[0]
    records.write_bytes(line)
    result = run("play", "resume", records, "--seat", 1)
    assert result.exit_code == 0
    assert "the match is over" in result.output
    assert records.read_bytes() == line


def test_a_record_cannot_choose_a_program_to_run(tmp_path):
    path, proof = tmp_path / "evil.jsonl", tmp_path / "proof"
    match = Match("boxes", {"players": 5}, [HUMAN, *["rules"] * 4], seed=1)
    match.seats = (HUMAN, f"command:touch {proof}", *["rules"] * 3)
    append_record(path, match.record)
    failed(run("play", "resume", path), 1, "say who sits where")
    assert not proof.exists()
    assert run("play", "resume", path, "--agents", "rules").exit_code == 0


# replay, check, rules


def test_replay_shows_every_step(records):
    result = run("replay", records, "--match", 2)
    assert result.exit_code == 0
    record = list(read_records(records))[1]
    last = len(record.steps)
    assert [int(step) for step in re.findall(r"^step (\d+) of", result.output, re.MULTILINE)] == list(range(last + 1))
    failed(run("replay", records, "--match", 4), 1, "has no match 4")
    failed(run("replay", records, "--viewer", 3), 1, "a seat from 0 to 2")


def test_replay_shows_whose_cards_are_asked_for(records):
    assert "unseen" not in run("replay", records).output
    assert "unseen" in run("replay", records, "--viewer", 0).output


@pytest.mark.parametrize("option", ["--html", "--video"])
def test_records_are_not_written_over_by_what_is_made_of_them(records, option):
    for name in ("matches.html", "matches.gif"):
        path = records.rename(records.with_name(name))
        before = path.read_bytes()
        failed(run("replay", path, option, path), 1, "keeps the records themselves")
        assert path.read_bytes() == before
        records = path
    failed(run("replay", path, option, path.with_name("other.jsonl")), 1, "allowed is a name that ends in")


def test_a_page_for_one_viewer(records, tmp_path):
    page = tmp_path / "page.html"
    assert run("replay", records, "--viewer", 1, "--html", page).exit_code == 0
    assert scenes_in(page.read_text())[0]["players"][0]["hidden"] > 0


def program_run(*arguments, **options):
    """The program in a process of its own."""
    command = [sys.executable, "-c", "from marriage_env.app.cli import main; main()", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, **options)


def test_standard_input_may_be_closed(records):
    closed = {"preexec_fn": lambda: os.close(0)}
    for arguments in (["play", "saucers", "--seed", 3], ["replay", records]):
        told = program_run(*arguments, **closed)
        assert told.returncode == 0, told.stderr


def test_what_is_typed_in_another_encoding_is_no_action():
    told = program_run(
        "play", "boxes", "--seed", 3, input=b"\xff\n", env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"}
    )
    assert told.returncode == 0, told.stderr
    assert b"is not an action" in told.stdout


def test_names_of_any_length_and_alphabet_are_shown(records):
    record = dataclasses.replace(next(read_records(records)), players=("Ömer", "李", "W" * 200))
    save_records(records, [record])
    told = program_run("replay", records, env={**os.environ, "PYTHONIOENCODING": "ascii"})
    assert told.returncode == 0, told.stderr
    assert re.search(rb"^[> ] \?mer \(", told.stdout, re.MULTILINE)
    assert "李 (" in run("replay", records).output
    assert max(map(len, re.findall(r"^[> ] W.*", run("replay", records).output, re.MULTILINE))) <= 100


def test_check_says_which_line_and_step_is_wrong(records):
    assert run("check", records).output.strip().endswith("3 matches by the rules, 0 not")
    lines = records.read_text().splitlines()
    lines[1] = lines[1].replace('"seat":0', '"seat":1', 1)
    records.write_text("\n".join([*lines, '{"marriage_record":1', ""]))
    result = run("check", records)
    failed(result, 1, "line 2: RecordMismatchError: deal 1, step ")
    assert "line 4: RecordSyntaxError" in result.output
    assert "2 matches by the rules, 2 not" in result.output


@pytest.mark.parametrize("path", ["/dev/zero", "/", "missing"])
def test_files_that_are_none(path):
    for command in ("check", "replay"):
        failed(run(command, path), 1, "Error: ")


def test_rules_and_clauses():
    assert run("rules", "saucers").output.startswith("# Saucers")
    for game in ("boxes", "saucers"):
        for number, text in clauses(game).items():
            assert run("rules", game, number).output.strip() == f"**{number}** {text}"
    failed(run("rules", "boxes", "10.1"), 1, "allowed is '1.1'")
    failed(run("rules", "chess"), 2, "is not one of")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell):
    result = run("completion", shell)
    assert result.exit_code == 0
    assert "_MARRIAGE_ENV_COMPLETE" in result.output


def test_a_shell_completes_commands_options_and_agents():
    def completed(words):
        asked = {"COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1)}
        told = subprocess.run(
            [sys.executable, "-c", "from marriage_env.app.cli import main; main()"],
            env={**os.environ, **asked, "_MARRIAGE_ENV_COMPLETE": "bash_complete"},
            capture_output=True,
            text=True,
        ).stdout
        return {line.partition(",")[2] for line in told.splitlines()}

    assert completed("marriage-env re") == {"replay"}
    assert completed("marriage-env play ") >= {"boxes", "saucers", "resume"}
    assert completed("marriage-env play boxes --agents t") == {"trained"}
    assert "--players" in completed("marriage-env play boxes --p")


def test_without_the_extra_the_program_says_what_to_install():
    hide = "import sys; sys.modules['click'] = None; from marriage_env.app.cli import main; main()"
    run = subprocess.run([sys.executable, "-c", hide], capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr.strip() == (
        "marriage-env: click is missing: the program comes with pip install 'marriage-env[play]'"
    )


def test_a_reader_who_has_seen_enough_hears_no_complaint():
    program = f"{sys.executable} -c 'from marriage_env.app.cli import main; main()'"
    command = f"{program} play saucers --watch --seed 1 | head -1"
    run = subprocess.run(["bash", "-c", command], capture_output=True, text=True)
    assert "Error" not in run.stderr and "Traceback" not in run.stderr


def test_ctrl_c_leaves_a_match_that_can_go_on(tmp_path):
    path = tmp_path / "match.jsonl"
    code = "from marriage_env.app.cli import main; main()"
    command = [sys.executable, "-c", code, "play", "boxes", "--seed", "4", "--record", str(path)]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **pipes, preexec_fn=heed_ctrl_c) as process:
        while b"1 play" not in process.stdout.readline():
            pass
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr.read().decode().strip().endswith("stopped by Ctrl-C")
    (record,) = read_records(path)
    assert not record.over and record.steps


class Typist:
    """The program at a terminal of its own, and somebody who types there."""

    def __init__(self, *arguments):
        self.master, slave = pty.openpty()
        command = [sys.executable, "-c", "from marriage_env.app.cli import main; main()", *map(str, arguments)]
        environment = {**os.environ, "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True, preexec_fn=own_it
        )
        os.close(slave)
        self.seen = ""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.kill()
        self.process.wait()
        os.close(self.master)

    def wait_for(self, words):
        end = time.monotonic() + 60
        while words not in self.seen:
            assert time.monotonic() < end, self.seen
            if select.select([self.master], [], [], 0.2)[0]:
                self.seen += os.read(self.master, 65536).decode(errors="replace")
        self.seen = self.seen.partition(words)[2]

    def type(self, keys):
        os.write(self.master, keys)

    def code(self):
        return self.process.wait(20)


def own_it():
    """Make standard input the terminal that sends Ctrl-C."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    heed_ctrl_c()


def heed_ctrl_c():
    """End at SIGINT, though the tests may run in the background, where a shell has it ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_a_match_at_a_real_terminal(tmp_path):
    """With prompt_toolkit: completion by Tab, colours, and a way to leave."""
    path = tmp_path / "match.jsonl"
    with Typist("play", "boxes", "--seed", 4, "--record", path) as typist:
        typist.wait_for("player_0>")
        typist.type(b"QD\r")
        typist.wait_for("player_0 plays")
        typist.wait_for("player_0>")
        typist.type(b"quit\r")
        typist.wait_for("goes on with this match")
        assert typist.code() == 0
    (record,) = read_records(path)
    assert any(step.seat == 0 for step in record.steps)


@pytest.mark.parametrize(("key", "code"), [(b"\x03", 130), (b"\x04", 0)], ids=["Ctrl-C", "Ctrl-D"])
def test_leaving_by_a_key(tmp_path, records, key, code):
    with Typist("play", "boxes", "--seed", 4, "--record", tmp_path / "match.jsonl") as typist:
        typist.wait_for("player_0>")
        typist.type(key)
        typist.wait_for("goes on with this match")
        assert typist.code() == code
    with Typist("replay", records) as typist:
        typist.wait_for("step 0 of")
        typist.wait_for("> ")
        typist.type(key)
        assert typist.code() == code


def test_a_replay_is_stepped_through_at_a_terminal(records):
    with Typist("replay", records) as typist:
        steps = (b"\r", "step 1 of"), (b"9\r", "step 9 of"), (b"b\r", "step 8 of"), (b"x\r", "steps are 0 to")
        for keys, words in (*steps, (b"v 7\r", "a seat from 0 to 2"), (b"v 0\r", "unseen"), (b"v all\r", "step 8")):
            typist.wait_for("\n> ")
            typist.type(keys)
            typist.wait_for(words)
        typist.type(b"q\r")
        assert typist.code() == 0
