"""Tables outlive their server: they are saved step by step, and damaged files are left alone."""

import json
import logging
import os
import sys

import pytest

from tests.app.serving import new_table, order, seated, served

pytest.importorskip("starlette")

from starlette.websockets import WebSocketDisconnect

from marriage_env.app.server import hosted, sockets
from marriage_env.app.server.table_files import TableFiles
from marriage_env.errors import TableError


def file_of(folder, key):
    return folder / f"{key.split('.')[0]}.table.jsonl"


def full_disk(self, table):
    raise OSError(28, "No space left on device")


def turn(told):
    """Whether a message tells that its reader is to act, or that the match is over."""
    scene = told.get("scene", {})
    return bool(scene) and (scene["over"] or scene["actor"] == scene["viewer"])


@pytest.mark.parametrize(("game", "players"), [("boxes", 5), ("saucers", 3)])
def test_a_restarted_server_goes_on_where_it_was(tmp_path, game, players):
    before, told = None, {"scene": {"over": False}}
    with served(tmp_path) as client:
        keys = new_table(client, game, ["human", *["rules"] * (players - 1)])
    while not told["scene"]["over"]:
        with served(tmp_path) as client, seated(client, keys["0"]) as (browser, told):
            if before:
                assert told["step"] >= before["step"] and told["lines"][: len(before["lines"])] == before["lines"]
            told = told if turn(told) else browser.hear_until(turn)
            if not told["scene"]["over"]:
                browser.say(type="act", step=told["step"], action=told["scene"]["choices"][0]["action"])
                browser.hear_until(lambda heard: heard["type"] == "scene")
        with served(tmp_path) as client, seated(client, keys["watch"]) as (_, before):
            assert before["step"] > told["step"] or told["scene"]["over"]
    assert len(before["lines"]) == before["step"] + 1


DAMAGES = {
    "empty": lambda text: "",
    "cut short": lambda text: text[: len(text) // 2],
    "no end": lambda text: text[:-1],
    "a line too many": lambda text: text + "\n",
    "no JSON": lambda text: "{" + text,
    "deep": lambda text: "[" * 100_000 + text,
    "not ASCII": lambda text: text.replace("human", "hümän"),
    "another version": lambda text: text.replace('"marriage_table": 1', '"marriage_table": 2'),
    "no keys": lambda text: json.dumps({"marriage_table": 1, "keys": {}}) + "\n" + text.splitlines()[1] + "\n",
    "a key that is none": lambda text: text.replace('"watch": "', '"watch": 1, "x": "'),
    "other cards": lambda text: text.replace('"turn_up":"', '"turn_up":"X'),
    "an agent that runs programs": lambda text: text.replace('"seat 1":"rules"', '"seat 1":"command:true"'),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_file_is_reported_and_left_alone(tmp_path, caplog, damage):
    with served(tmp_path) as client:
        broken, sound = new_table(client), new_table(client)
    path = file_of(tmp_path, broken["0"])
    path.write_text(damage(path.read_text()), encoding="utf-8")
    left = path.read_bytes()
    caplog.clear()
    with caplog.at_level(logging.WARNING, "marriage_env.server"), served(tmp_path) as client:
        assert [record.getMessage() for record in caplog.records if path.name in record.getMessage()]
        with pytest.raises(WebSocketDisconnect) as closed, seated(client, broken["0"]):
            pass
        assert closed.value.code == sockets.WRONG_KEY
        with seated(client, sound["0"]):
            pass
    assert path.read_bytes() == left


def test_a_record_of_cards_that_were_not_dealt_is_damage(tmp_path, caplog):
    with served(tmp_path) as client:
        keys = new_table(client)
    path = file_of(tmp_path, keys["0"])
    text = path.read_text()
    seed = json.loads(text.splitlines()[1])["chance"]["seed"]
    path.write_text(text.replace(f'"seed":"{seed}"', f'"seed":"{int(seed) ^ 1}"'))
    with served(tmp_path):
        assert path.name in caplog.text


def test_an_oversized_file_is_not_read(tmp_path):
    files = TableFiles(tmp_path)
    with (tmp_path / f"{'0' * 16}.table.jsonl").open("wb") as file:
        file.truncate(2**30)
    with pytest.raises(TableError, match="more than"):
        files.load("0" * 16)


def test_other_files_in_the_folder_are_none_of_the_server_s(tmp_path):
    (tmp_path / "notes.table.jsonl").write_text("mine")
    (tmp_path / f"{'0' * 16}.table.new").write_text("half")
    with served(tmp_path) as client:
        new_table(client)
        assert len(TableFiles(tmp_path).ids()) == 1
    assert (tmp_path / "notes.table.jsonl").read_text() == "mine"


def test_a_step_that_cannot_be_saved_is_taken_back(tmp_path, monkeypatch):
    with served(tmp_path) as client:
        keys = new_table(client, seats=["human"] * 5)
        with seated(client, keys["watch"]) as (_, told):
            actor = str(told["scene"]["actor"])
        with seated(client, keys[actor]) as (browser, told):
            save = TableFiles.save
            monkeypatch.setattr(TableFiles, "save", full_disk)
            action = told["scene"]["choices"][0]["action"]
            browser.say(type="act", step=0, action=action)
            assert "cannot save" in browser.hear()["text"]
            monkeypatch.setattr(TableFiles, "save", save)
            browser.say(type="act", step=0, action=action)
            assert browser.hear()["step"] == 1


def test_agents_go_on_once_there_is_room_again(tmp_path, monkeypatch):
    monkeypatch.setattr(hosted, "SAVE_AGAIN", 0.05)
    with served(tmp_path) as client:
        keys = new_table(client, seats=["rules"] * 5)
        save = TableFiles.save
        monkeypatch.setattr(TableFiles, "save", full_disk)
        with seated(client, keys["watch"]) as (browser, told):
            assert "cannot save" in browser.hear()["text"]
            monkeypatch.setattr(TableFiles, "save", save)
            assert browser.hear_until(lambda heard: "scene" in heard)["step"] == told["step"] + 1


def test_a_table_for_which_there_is_no_room_is_refused_by_name(tmp_path, monkeypatch):
    with served(tmp_path) as client:
        monkeypatch.setattr(TableFiles, "save", full_disk)
        response = client.post("/api/tables", json=order())
    assert response.status_code == 503
    assert "cannot save" in response.json()["error"]


def test_half_a_table_is_not_left_behind(tmp_path, monkeypatch):
    with served(tmp_path) as client:
        monkeypatch.setattr(os, "replace", lambda new, path: full_disk(None, None))
        assert client.post("/api/tables", json=order()).status_code == 503
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes")
def test_nobody_else_on_the_machine_reads_the_hands(tmp_path):
    folder = TableFiles(tmp_path / "tables").folder
    assert folder.stat().st_mode & 0o077 == 0
