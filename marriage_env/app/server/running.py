"""The application, served from this process until Ctrl-C."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from pathlib import Path

import uvicorn

from marriage_env.app.server.application import create_app

LARGEST_MESSAGE = 2**14  # bytes; a socket with a larger one is closed
STOP_WITHIN = 3  # seconds


class AnnouncedServer(uvicorn.Server):
    """Prints its address once it listens."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if sockets and not self.should_exit:
            print(f"Marriage is served at {address_of(sockets[0])} (Ctrl-C ends it)", flush=True)


def serve(
    host: str = "127.0.0.1",
    port: int = 8000,
    folder: Path = Path("marriage-tables"),
    names: Sequence[str] = (),
) -> None:
    """Serve tables to browsers until Ctrl-C, and print the address.

    Args:
        host: to listen at: loopback alone, unless others are to be let in.
        port: 0 for any that is free.
        folder: where tables are kept, from one run to the next.
        names: by which browsers may know the server, beside ``localhost``, this machine's name and addresses: that of
            a proxy before it, for one.

    Raises:
        OSError: the address is taken, or not this machine's; or the folder cannot be made.
    """
    app = create_app(folder, hosts=(host, socket.gethostname(), *names))
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, port), family=family) as listening:
        config = uvicorn.Config(
            app,
            log_level="warning",
            ws="websockets-sansio",
            ws_max_size=LARGEST_MESSAGE,
            timeout_graceful_shutdown=STOP_WITHIN,
            server_header=False,
        )
        AnnouncedServer(config).run(sockets=[listening])


def address_of(listening: socket.socket) -> str:
    """The address for a browser on this machine."""
    host, port, *_ = listening.getsockname()
    shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{shown}]:{port}/" if ":" in shown else f"http://{shown}:{port}/"
