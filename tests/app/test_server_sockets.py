"""The socket of a browser that does not take what it is told."""

import asyncio

import pytest

pytest.importorskip("starlette")

from starlette.websockets import WebSocketState

from marriage_env.app.server.sockets import MOST_WAITING, TOO_SLOW, Connection, Doorkeeper, reason


class StuckSocket:
    """Takes no message."""

    application_state = WebSocketState.CONNECTED

    def __init__(self):
        self.closed = None

    async def send_text(self, text):
        await asyncio.Event().wait()

    async def close(self, code, why):
        self.closed = code


def test_a_browser_that_takes_nothing_is_let_go():
    async def told(messages):
        socket = StuckSocket()
        connection = Connection(socket, None, Doorkeeper())
        connection._writer = asyncio.create_task(connection._write())
        await asyncio.sleep(0)
        for _ in range(messages):
            connection._send("{}")
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        connection._writer.cancel()
        return socket.closed

    assert asyncio.run(told(MOST_WAITING)) is None
    assert asyncio.run(told(MOST_WAITING + 2)) == TOO_SLOW


def test_a_reason_fits_into_a_close_frame():
    assert len(reason(ValueError("ü" * 500)).encode()) <= 123


def test_wrong_keys_of_one_address_do_not_shut_out_another():
    keeper = Doorkeeper()
    for _ in range(100):
        keeper.wrong_key("192.0.2.1")
    assert not keeper.lets_try("192.0.2.1")
    assert keeper.lets_try("192.0.2.2")
