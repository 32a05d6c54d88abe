"""The web application: pages, what they ask for, and the tables' WebSocket."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator, Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any

from anyio import to_thread
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from marriage_env.app.server.hosted import PATIENCE
from marriage_env.app.server.orders import choices, order_of
from marriage_env.app.server.security import OwnPagesOnly
from marriage_env.app.server.sockets import Connection, Doorkeeper
from marriage_env.app.server.table_files import TableFiles
from marriage_env.app.server.tables import MOST_TABLES, Tables
from marriage_env.errors import MarriageError, OptionError, TableError
from marriage_env.rulebook import clauses

STATIC = Path(str(files("marriage_env.app").joinpath("static")))
LARGEST_ORDER = 2**14  # bytes


def create_app(
    folder: Path, *, hosts: Iterable[str] = (), patience: float = PATIENCE, most_tables: int = MOST_TABLES
) -> Starlette:
    """The application, for any ASGI server.

    Args:
        folder: where tables are kept; it is made if there is none.
        hosts: names by which browsers may know the server, beside ``localhost`` and addresses.
        patience: seconds an agent has for an action, before ``rules`` plays for it.
        most_tables: that are kept in the folder.
    """
    table_files = TableFiles(folder)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await to_thread.run_sync(table_files.report_damaged)
        app.state.tables = Tables(table_files, patience, most_tables)
        app.state.doorkeeper = Doorkeeper()
        yield

    routes = [
        Route("/", page("index.html")),
        Route("/table", page("table.html")),
        Route("/api/choices", show_choices),
        Route("/api/clauses/{game}", show_clauses),
        Route("/api/tables", create_table, methods=["POST"]),
        WebSocketRoute("/ws", play),
        Mount("/static", StaticFiles(directory=STATIC)),
    ]
    handlers: Any = {MarriageError: refuse}
    guard = Middleware(OwnPagesOnly, hosts=tuple(hosts))
    return Starlette(routes=routes, middleware=[guard], exception_handlers=handlers, lifespan=lifespan)


def page(name: str) -> Any:
    """An endpoint that gives out a page."""

    async def endpoint(request: Request) -> Response:
        return FileResponse(STATIC / name)

    return endpoint


async def show_choices(request: Request) -> Response:
    """Games, rule options and agents."""
    return JSONResponse(await to_thread.run_sync(choices))


async def show_clauses(request: Request) -> Response:
    """The rules of a game, clause by clause."""
    return JSONResponse(clauses(request.path_params["game"]))


async def create_table(request: Request) -> Response:
    """Set up a table, and give out its keys."""
    order = order_of(await body_of(request))
    return JSONResponse({"keys": await request.app.state.tables.create(order)}, status_code=201)


async def body_of(request: Request) -> Any:
    """The JSON in a request; OptionError if it is none, or too much of it."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise OptionError("a request's body: allowed is application/json")
    body = bytearray()
    with contextlib.suppress(ClientDisconnect):
        async for chunk in request.stream():
            body += chunk
            if len(body) > LARGEST_ORDER:
                raise OptionError(f"a request's body: allowed are {LARGEST_ORDER} bytes")
    try:
        data = json.loads(body)
        json.dumps(data, ensure_ascii=False).encode()  # halves of characters could not be told back
    except (ValueError, RecursionError):
        raise OptionError("a request's body: allowed is JSON") from None
    return data


async def refuse(request: Request, error: MarriageError) -> Response:
    """What was wrong with a request, and what is allowed."""
    return JSONResponse({"error": str(error)}, status_code=503 if isinstance(error, TableError) else 400)


async def play(socket: WebSocket) -> None:
    """Sit at a table, or look on."""
    await socket.accept()
    await Connection(socket, socket.app.state.tables, socket.app.state.doorkeeper).serve()
