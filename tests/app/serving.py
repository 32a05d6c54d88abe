"""Tables served within a test: the application, a table's keys, and a socket that speaks to it."""

import contextlib
import json

import pytest

pytest.importorskip("starlette")

try:
    from starlette.testclient import TestClient
except RuntimeError:
    pytest.skip("Starlette's test client wants an HTTP client", allow_module_level=True)

from marriage_env.app.server import create_app

SOCKET = "ws://localhost/ws"

NAMES = ("Ada", "Anton", "Boris", "Clara", "Dmitri", "Elena", "Felix", "Greta", "Henri", "Irina")


@contextlib.contextmanager
def served(folder, **settings):
    """A client of an application that keeps its tables in a folder."""
    with TestClient(create_app(folder, **settings), base_url="http://localhost") as client:
        yield client


def order(game="boxes", seats=("human", "rules", "rules", "rules", "rules"), **rules):
    """What a table is asked for with."""
    sitting = [{"player": player, "name": name} for player, name in zip(seats, NAMES, strict=False)]
    return {"game": game, "rules": {"players": len(seats), **rules}, "seats": sitting}


def new_table(client, game="boxes", seats=("human", "rules", "rules", "rules", "rules"), **rules):
    """The keys of a new table."""
    response = client.post("/api/tables", json=order(game, seats, **rules))
    assert response.status_code == 201, response.text
    return response.json()["keys"]


class Browser:
    """What a browser says and hears at a table."""

    def __init__(self, socket):
        self.socket = socket
        self.heard = []

    def say(self, **message):
        self.socket.send_text(json.dumps(message))

    def hear(self):
        """The next message."""
        text = self.socket.receive_text()
        self.heard.append(text)
        return json.loads(text)

    def hear_until(self, found):
        """The next message for which `found` holds; the others are passed over."""
        while not found(message := self.hear()):
            pass
        return message

    def play(self, message, choose=lambda scene: scene["choices"][0]["action"]):
        """Play the seat to the end of the match, from the message that told how things stand."""
        while not message["scene"]["over"]:
            scene = message["scene"]
            if scene["actor"] == scene["viewer"]:
                self.say(type="act", step=message["step"], action=choose(scene))
            message = self.hear_until(lambda told: "scene" in told)
        return message


@contextlib.contextmanager
def seated(client, key):
    """A browser at the table that a key opens, and how things stand there."""
    with client.websocket_connect(SOCKET) as socket:
        browser = Browser(socket)
        browser.say(type="hello", key=key)
        yield browser, browser.hear()
