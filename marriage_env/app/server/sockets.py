"""The WebSocket of a table: first comes a key, then whatever its holder does."""

from __future__ import annotations

import asyncio
import time
from collections import deque

import anyio
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from marriage_env.app.server.hosted import HostedTable, message
from marriage_env.app.server.messages import Message, message_of
from marriage_env.app.server.tables import Tables
from marriage_env.errors import MarriageError, MessageError

# Why a socket is closed; from 4000 on codes are an application's own.
NO_HELLO, WRONG_KEY, TOO_OFTEN, TOO_SLOW = 4400, 4401, 4429, 4408
HELLO_WITHIN = 10.0  # seconds
MOST_WAITING = 256  # messages for a browser that does not take them
MOST_WRONG_KEYS, WITHIN = 20, 60.0  # of one address, in seconds


class Doorkeeper:
    """Counts wrong keys: who has tried many has to wait."""

    def __init__(self) -> None:
        self._tries: dict[str, deque[float]] = {}

    def lets_try(self, address: str) -> bool:
        """Whether somebody may try a key."""
        now = time.monotonic()
        self._tries = {other: tries for other, tries in self._tries.items() if now - tries[-1] < WITHIN}
        tries = self._tries.get(address)
        return tries is None or len(tries) < MOST_WRONG_KEYS or now - tries[0] >= WITHIN

    def wrong_key(self, address: str) -> None:
        """Somebody has tried a key that opens nothing."""
        self._tries.setdefault(address, deque(maxlen=MOST_WRONG_KEYS)).append(time.monotonic())


class Connection:
    """A browser at a table.

    Args:
        socket: its own, accepted.
        tables: of the server.
        doorkeeper: of the server.
    """

    def __init__(self, socket: WebSocket, tables: Tables, doorkeeper: Doorkeeper) -> None:
        self._socket = socket
        self._tables = tables
        self._doorkeeper = doorkeeper
        self._waiting: asyncio.Queue[str] = asyncio.Queue(MOST_WAITING)
        self._writer: asyncio.Task[None] | None = None

    async def serve(self) -> None:
        """From the key to the end."""
        key = await self._hello()
        if key is None:
            return
        address = self._socket.client.host if self._socket.client else ""
        if not self._doorkeeper.lets_try(address):
            await self._socket.close(TOO_OFTEN, "too many wrong keys: try again in a minute")
            return
        try:
            table, viewer = await self._tables.join(key, self._send)
        except MarriageError as error:  # no such key; or the table is damaged, or its agents are gone
            self._doorkeeper.wrong_key(address)
            await self._socket.close(WRONG_KEY, reason(error))
            return
        self._writer = asyncio.create_task(self._write())
        try:
            while True:
                await self._answer(table, viewer)
        except WebSocketDisconnect:
            pass
        finally:
            self._writer.cancel()
            self._tables.leave(table, self._send)

    async def _hello(self) -> str | None:
        """The key, from the first message; None if it is no key: the socket is closed then."""
        try:
            with anyio.fail_after(HELLO_WITHIN):
                hello = message_of(await self._received())
            if hello.kind != "hello":
                raise MessageError("the first message is hello, with a key")
        except MessageError as error:
            await self._socket.close(NO_HELLO, reason(error))
        except TimeoutError:
            await self._socket.close(TOO_SLOW, "no key came")
        except WebSocketDisconnect:
            pass
        else:
            return hello.key
        return None

    async def _received(self) -> str | None:
        """The next message; None for one of bytes."""
        received = await self._socket.receive()
        if received["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(received.get("code", 1006))
        text: str | None = received.get("text")
        return text

    async def _answer(self, table: HostedTable, viewer: object) -> None:
        """Do what the next message says; say so if that cannot be."""
        text = await self._received()
        try:
            await self._do(table, viewer, message_of(text))
        except MarriageError as error:
            self._send(message("error", text=str(error)))

    async def _do(self, table: HostedTable, viewer: object, asked: Message) -> None:
        if asked.kind == "hello":
            raise MessageError("hello has been said")
        if not isinstance(viewer, int):
            raise MessageError("this key is for looking on")
        if asked.kind == "act":
            await table.act(viewer, asked.step, asked.action)
        elif asked.kind == "undo":
            await table.undo(viewer, asked.step)
        else:
            self._send(await table.hint(viewer, asked.step))

    def _send(self, text: str) -> None:
        """Put a message in line. A browser that takes none is let go: it comes back to how things stand then."""
        try:
            self._waiting.put_nowait(text)
        except asyncio.QueueFull:
            if self._writer:
                self._writer.cancel()

    async def _write(self) -> None:
        try:
            while True:
                await self._socket.send_text(await self._waiting.get())
        except asyncio.CancelledError:
            if self._socket.application_state == WebSocketState.CONNECTED and self._waiting.full():
                await self._socket.close(TOO_SLOW, "messages were not taken")
            raise
        except (WebSocketDisconnect, RuntimeError):
            return  # it has gone in the middle of a message; the reader is told, too


def reason(error: Exception) -> str:
    """What is said when a socket is closed: there is room for 123 bytes."""
    return str(error).encode("ascii", "replace")[:120].decode()
