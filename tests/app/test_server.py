"""The server of tables: what it takes, what it refuses, and that nothing is lost by either."""

import asyncio
import contextlib
import json
import threading
import time

import pytest

from tests.app.serving import SOCKET, new_table, order, seated, served

pytest.importorskip("starlette")

from starlette.websockets import WebSocketDisconnect

from marriage_env import GAMES
from marriage_env.agents import HOUSE_PLAYERS, RulesAgent
from marriage_env.app.server import sockets
from marriage_env.app.server.hosted import line_of
from marriage_env.app.server.orders import choices
from marriage_env.records import check, from_json


@pytest.fixture
def client(tmp_path):
    with served(tmp_path) as client:
        yield client


def mine(told):
    """Whether a message tells that its reader is to act."""
    return "scene" in told and told["scene"]["actor"] == told["scene"]["viewer"]


def my_turn(browser, told):
    """How things stand when the player is to act first."""
    return told if mine(told) else browser.hear_until(mine)


# A match


@pytest.mark.parametrize(("game", "players"), [("boxes", 5), ("boxes", 10), ("saucers", 3), ("saucers", 6)])
def test_a_match_is_played_to_its_end_and_kept(client, tmp_path, game, players):
    keys = new_table(client, game, ["human", *["rules"] * (players - 1)], deals=2)
    with seated(client, keys["0"]) as (browser, told):
        end = browser.play(told)
    assert end["scene"]["over"] and end["scene"]["deal"] == 2
    (path,) = tmp_path.glob("*.table.jsonl")
    record = from_json(path.read_text().splitlines()[1])
    check(record)
    assert record.over and len(record.steps) == end["step"]
    assert list(record.balances) == [player["balance"] for player in end["scene"]["players"]]


def test_each_step_is_told_once_in_order_and_told_again_to_who_comes_back(client):
    keys = new_table(client)
    with seated(client, keys["0"]) as (browser, told):
        browser.play(told)
    scenes = [json.loads(text) for text in browser.heard]
    assert [scene["step"] for scene in scenes] == list(range(len(scenes)))
    with seated(client, keys["0"]) as (_, back):
        assert back["scene"] == scenes[-1]["scene"]
        assert len(back["lines"]) == back["step"] + 1
        assert back["lines"][0].startswith("The cards are dealt; nobody has acted yet.")
        last = scenes[-1]["scene"]
        assert back["lines"][-1].startswith(f"{last['last']}.")


def test_people_at_one_table_each_play_their_seat(client):
    keys = new_table(client, "saucers", ["human", "human", "rules"])
    with seated(client, keys["0"]) as (one, told), seated(client, keys["1"]) as (other, told_other):
        player = threading.Thread(target=other.play, args=(told_other,))
        player.start()
        end = one.play(told)
        player.join()
    assert end["scene"]["over"] and json.loads(other.heard[-1])["scene"]["over"]


def test_hints_are_for_who_is_to_act(client):
    keys = new_table(client, seats=["human"] * 5)
    with seated(client, keys["0"]) as (browser, told):
        actor = told["scene"]["actor"]
        if actor != 0:
            browser.say(type="hint", step=0)
            assert "not your turn" in browser.hear()["text"]
    with seated(client, keys[str(actor)]) as (browser, told):
        browser.say(type="hint", step=0)
        hint = browser.hear()
        assert {choice["action"] for choice in hint["choices"]} <= {
            choice["action"] for choice in told["scene"]["choices"]
        }
        assert sum(choice["chance"] for choice in hint["choices"]) == pytest.approx(1)


def test_one_person_with_agents_can_take_a_step_back(client):
    keys = new_table(client)
    with seated(client, keys["0"]) as (browser, told):
        before = my_turn(browser, told)
        browser.say(type="act", step=before["step"], action=before["scene"]["choices"][0]["action"])
        after = browser.hear_until(mine)
        browser.say(type="undo", step=after["step"])
        back = browser.hear_until(lambda told: told["type"] == "table")
        assert back["step"] == before["step"]
        assert back["scene"]["players"] == before["scene"]["players"]
        assert len(back["lines"]) == back["step"] + 1
        browser.play(back)


def test_who_plays_with_others_cannot_take_a_step_back(client):
    keys = new_table(client, "saucers", ["human", "human", "rules"])
    with seated(client, keys["0"]) as (browser, told):
        browser.say(type="undo", step=told["step"])
        assert "where one person plays" in browser.hear_until(lambda told: told["type"] == "error")["text"]


def test_the_log_is_made_of_sentences_and_leaves_names_as_they_are():
    names = ["zoë", "Ada"]
    assert line_of(names, "zoë plays K♥", ["all pay 1 chip"]) == "zoë plays K♥. All pay 1 chip."


def test_the_log_tells_contributions_once(client):
    keys = new_table(client, deals=2)
    with seated(client, keys["0"]) as (browser, told):
        browser.play(told)
    told = [json.loads(text) for text in browser.heard]
    lines = [*told[0]["lines"], *(scene["line"] for scene in told if scene["type"] == "scene")]
    assert [number for number, line in enumerate(lines) if "contribution" in line][::2] == [0]
    assert sum("contribution" in line for line in lines) == 2
    with seated(client, keys["0"]) as (_, back):
        assert back["lines"] == lines


def test_a_second_click_takes_no_second_step_back(client, monkeypatch):
    keys = new_table(client, "saucers", ["human", "rules", "rules"])
    with seated(client, keys["0"]) as (browser, told), seated(client, keys["0"]) as (other, _):
        for _ in range(3):
            told = my_turn(browser, told)
            browser.say(type="act", step=told["step"], action=told["scene"]["choices"][0]["action"])
            told = browser.hear_until(lambda heard, step=told["step"]: heard.get("step", -1) > step)
        step = my_turn(browser, told)["step"]
        table = client.app.state.tables.open[keys["0"].split(".")[0]]
        client.portal.call(table._lock.acquire)  # as if a hint were being thought of
        for tab in (browser, other):
            tab.say(type="undo", step=step)
        client.portal.call(asyncio.sleep, 0.1)
        client.portal.call(table._lock.release)
        refused = lambda told: told["type"] == "error" or (told["type"] == "table" and told["step"] < step)  # noqa: E731
        kinds = [browser.hear_until(refused)["type"], other.hear_until(refused)["type"], other.hear()["type"]]
        assert kinds.count("error") == 1


# What is refused


@pytest.mark.parametrize(
    "key",
    [
        "",
        "x",
        "0" * 16,
        "0" * 16 + "." + "A" * 32,
        "../../etc/passwd." + "A" * 32,
        "0" * 16 + "." + "é" * 32,
        "A" * 900,
    ],
)
def test_a_wrong_key_opens_nothing(client, key):
    with pytest.raises(WebSocketDisconnect) as closed, seated(client, key):
        pass
    assert closed.value.code == sockets.WRONG_KEY


def test_a_key_opens_its_own_table_and_seat_alone(client):
    first, second = (new_table(client, "saucers", ["human", "human", "rules"]) for _ in range(2))
    stolen = first["0"].split(".")[0] + "." + second["0"].split(".")[1]
    with pytest.raises(WebSocketDisconnect), seated(client, stolen):
        pass
    with seated(client, first["1"]) as (_, told):
        assert told["scene"]["viewer"] == 1
    with seated(client, first["watch"]) as (browser, told):
        assert told["scene"]["viewer"] == "public"
        browser.say(type="act", step=told["step"], action=60)
        assert "looking on" in browser.hear_until(lambda told: told["type"] == "error")["text"]


def test_no_secret_is_kept(client, tmp_path):
    keys = new_table(client)
    text = "".join(path.read_text() for path in tmp_path.iterdir())
    for key in keys.values():
        assert key.split(".")[1] not in text


def test_who_tries_many_keys_has_to_wait(client):
    keys = new_table(client)
    codes = []
    for _ in range(sockets.MOST_WRONG_KEYS + 1):
        with pytest.raises(WebSocketDisconnect) as closed, seated(client, "0" * 16 + "." + "A" * 32):
            pass
        codes.append(closed.value.code)
    assert codes == [sockets.WRONG_KEY] * sockets.MOST_WRONG_KEYS + [sockets.TOO_OFTEN]
    with pytest.raises(WebSocketDisconnect), seated(client, keys["0"]):
        pass


HOSTILE = [
    "",
    "no JSON",
    "[" * 900,
    '{"type":' * 100,
    "null",
    "[]",
    "{}",
    '{"type": "act"}',
    '{"type": ["act"]}',
    '{"type": "fly"}',
    '{"type": "act", "step": 0, "action": "QH"}',
    '{"type": "act", "step": true, "action": 0}',
    '{"type": "act", "step": 0, "action": 1e400}',
    '{"type": "act", "step": 0, "action": -1}',
    '{"type": "act", "step": 0, "action": 0.5}',
    '{"type": "act", "step": 0, "action": ' + "9" * 500 + "}",
    '{"type": "act", "step": 0, "action": 0, "seat": 1}',
    '{"type": "act", "step": NaN, "action": 0}',
    '{"type": "hello", "key": "x"}',
    "x" * 100_000,
    b"\x00\xff",
    b'{"type": "hint", "step": 0}',
]


@pytest.mark.parametrize("message", HOSTILE, ids=lambda message: repr(message[:30]))
def test_a_message_that_is_none_changes_nothing(client, message):
    keys = new_table(client, seats=["human"] * 5)
    with seated(client, keys["0"]) as (browser, told):
        send = browser.socket.send_bytes if isinstance(message, bytes) else browser.socket.send_text
        send(message)
        assert browser.hear()["type"] == "error"
        with seated(client, keys["0"]) as (_, again):
            assert again == told


@pytest.mark.parametrize("message", HOSTILE, ids=lambda message: repr(message[:30]))
def test_what_is_no_hello_closes_the_socket(client, message):
    with pytest.raises(WebSocketDisconnect) as closed, client.websocket_connect(SOCKET) as socket:
        (socket.send_bytes if isinstance(message, bytes) else socket.send_text)(message)
        socket.receive_text()
    assert closed.value.code in (sockets.NO_HELLO, sockets.WRONG_KEY)


def test_a_late_or_double_click_is_refused_and_changes_nothing(client):
    keys = new_table(client, seats=["human"] * 5)
    with contextlib.ExitStack() as stack:
        players = [stack.enter_context(seated(client, keys[str(seat)])) for seat in range(5)]
        actor = players[0][1]["scene"]["actor"]
        browser, told = players[actor]
        action = told["scene"]["choices"][0]["action"]
        for _ in range(2):
            browser.say(type="act", step=0, action=action)
        first, second = browser.hear(), browser.hear()
        assert first["step"] == 1
        assert second["type"] == "error" and "earlier step" in second["text"]
        with seated(client, keys["watch"]) as (_, now):
            assert now["step"] == 1


def test_an_illegal_card_is_refused_with_its_clause(client):
    keys = new_table(client, seats=["human"] * 5, declaring="auto")
    with seated(client, keys["0"]) as (_, told):
        actor = told["scene"]["actor"]
    with seated(client, keys[str(actor)]) as (browser, told):
        names = GAMES["boxes"].action_names
        missing = next(action for action in range(52) if names[action] not in told["scene"]["players"][actor]["hand"])
        browser.say(type="act", step=0, action=missing)
        assert "is not in the hand" in browser.hear()["text"]
        browser.say(type="act", step=0, action=60)
        assert "a card is due" in browser.hear()["text"]


def named(*names):
    """What a table of people is asked for with."""
    return {**order(), "seats": [{"player": "human", "name": name} for name in names]}


BAD_ORDERS = [
    ({}, "an object of game, rules, seats"),
    ([], "an object of"),
    ({**order(), "game": "whist"}, "'boxes' or 'saucers'"),
    ({**order(), "rules": []}, "an object"),
    ({**order(), "rules": {"players": 4}}, "from 5 to 10"),
    ({**order(), "rules": {"players": 5, "deals": 10**9}}, "from 1 to 1000"),
    (order(deals=101), "from 1 to 100 "),
    (order(jokers=1), "not a rule option"),
    (order(conduct="<b>"), "'strict' or 'fined'"),
    ({**order(), "seats": []}, "a list of 5"),
    ({**order(), "seats": ["human"] * 5}, "an object of player and name"),
    (order(seats=["human", "rules", "rules", "rules", "command:rm -rf /"]), "allowed are 'human'"),
    (order(seats=["human", "rules", "rules", "rules", "import:os"]), "allowed are 'human'"),
    (order(seats=["human", "rules", "rules", "rules", "search:999999999"]), "search:1 to search:20000"),
    (order(seats=["human", "rules", "rules", "rules", "trained:nobody"]), "there is no such model"),
    (named("a", "b", "c", "d", "a"), "one name for each"),
    (named("a", "b", "c", "d", "\uff21"), "one name for each"),
    (named("a b", "b", "c", "d", "A  b"), "one name for each"),
    (named("a", "b", "c", "d", "e" * 41), "40 printable"),
    (named("a", "b", "c", "d", "\u202e"), "40 printable"),
]


@pytest.mark.parametrize(("data", "said"), BAD_ORDERS, ids=lambda value: str(value)[-40:])
def test_a_table_that_cannot_be_is_refused_and_says_why(client, tmp_path, data, said):
    response = client.post("/api/tables", json=data)
    assert response.status_code == 400
    assert said in response.json()["error"]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("body", [b"", b"{", b"[" * 10_000, b"\xff", b"{}" + b" " * 20_000, b'{"\\ud800": 1}'])
def test_a_body_that_is_no_order_is_refused(client, body):
    response = client.post("/api/tables", content=body, headers={"Content-Type": "application/json"})
    assert response.status_code == 400
    assert "allowed" in response.json()["error"]


def test_a_form_of_another_site_cannot_post(client):
    assert client.post("/api/tables", content=json.dumps(order())).status_code == 400
    for origin in ("http://evil.example", "null", "http://localhost:81", "http://[", ""):
        assert client.post("/api/tables", json=order(), headers={"Origin": origin}).status_code == 403
    assert client.post("/api/tables", json=order(), headers={"Origin": "http://localhost"}).status_code == 201


def test_a_page_of_another_site_cannot_open_a_socket(client):
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(SOCKET, headers={"Origin": "http://evil.example"}),
    ):
        pass
    with client.websocket_connect(SOCKET, headers={"Origin": "http://localhost"}):
        pass


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "127.0.0.1.evil.example"])
def test_a_name_that_leads_here_is_not_enough(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "127.0.0.1:80", "[::1]:8000", "192.168.0.7"])
def test_addresses_and_own_names_are_let_in(client, host):
    assert client.get("/", headers={"Host": host}).status_code == 200


def test_a_name_that_is_given_is_let_in(tmp_path):
    with served(tmp_path, hosts=["Cards.example"]) as client:
        headers = {"Host": "cards.example", "Origin": "https://cards.example"}
        assert client.post("/api/tables", json=order(), headers=headers).status_code == 201
        assert client.get("/", headers={"Host": "www.cards.example"}).status_code == 403


@pytest.mark.parametrize("path", ["/", "/table", "/static/table.js", "/api/choices", "/api/clauses/boxes", "/nothing"])
def test_every_answer_has_a_policy_without_inline_scripts(client, path):
    headers = client.get(path).headers
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "Access-Control-Allow-Origin" not in headers


def test_there_is_room_for_so_many_tables(tmp_path):
    with served(tmp_path, most_tables=2) as client:
        for status in (201, 201, 503):
            response = client.post("/api/tables", json=order())
            assert response.status_code == status
    assert "as many as are allowed" in response.json()["error"]


# What can be chosen


def test_every_rule_option_is_offered_with_what_it_allows():
    for game, told in zip(GAMES.values(), choices()["games"], strict=True):
        options = {option["name"]: option for option in told["options"]}
        assert set(options) == set(game.rules.__dataclass_fields__)
        assert options["players"]["least"] == game.min_players and options["players"]["most"] == game.max_players
        assert all(option["help"].endswith(").") for option in options.values())
        for option in options.values():
            values = option.get("allowed", [option.get("least"), option.get("most")])
            for value in values:
                game.rules(**{"players": game.min_players, option["name"]: value})


def test_clauses_are_given_out(client):
    assert "the suit that was led" in client.get("/api/clauses/boxes").json()["4.2"]
    assert client.get("/api/clauses/whist").status_code == 400


# Agents that fail


class Failing(RulesAgent):
    """Fails at its second action: by an error, or by thinking for long."""

    def __init__(self, how):
        super().__init__()
        self.acts, self.how = 0, how

    def act(self, observation, action_mask=None):
        self.acts += 1
        if self.acts > 1:
            self.how()
        return super().act(observation, action_mask)


def crash():
    raise ZeroDivisionError


@pytest.mark.parametrize("how", [crash, lambda: time.sleep(2)], ids=["crash", "timeout"])
def test_the_table_goes_on_without_an_agent_that_fails(tmp_path, monkeypatch, how):
    monkeypatch.setitem(HOUSE_PLAYERS, "random", lambda _, seed: Failing(how))
    with served(tmp_path, patience=0.3) as client:
        keys = new_table(client, seats=["human", "random", "rules", "rules", "rules"])
        with seated(client, keys["0"]) as (browser, told):
            browser.play(told)
        notices = [json.loads(text) for text in browser.heard if '"notice"' in text]
        assert [notice["text"] for notice in notices] == ["random has failed, and rules plays for Anton from now on"]
        assert notices[0]["seats"] == ["human", *["rules"] * 4]


# Connections


def test_who_is_cut_off_comes_back_to_the_table_as_it_is(client):
    keys = new_table(client, "saucers", ["human", "rules", "rules"], deals=2)
    step = -1
    for _ in range(200):
        with seated(client, keys["0"]) as (browser, told):
            assert told["step"] >= step
            told = told if told["scene"]["over"] else my_turn_or_end(browser, told)
            if told["scene"]["over"]:
                break
            browser.say(type="act", step=told["step"], action=told["scene"]["choices"][0]["action"])
            step = browser.hear_until(lambda heard: heard["type"] == "scene")["step"]
    assert told["scene"]["over"]


def my_turn_or_end(browser, told):
    """How things stand when the player is to act, or the match is over."""
    done = lambda heard: mine(heard) or heard.get("scene", {}).get("over", False)  # noqa: E731
    return told if done(told) else browser.hear_until(done)


def test_a_table_where_nobody_is_is_forgotten_and_comes_back(client):
    keys = new_table(client)
    with seated(client, keys["0"]) as (browser, told):
        step = my_turn(browser, told)["step"]
    tables = client.app.state.tables
    with seated(client, new_table(client)["watch"]):
        assert keys["0"].split(".")[0] not in tables.open
    with seated(client, keys["0"]) as (_, back):
        assert back["step"] >= step
