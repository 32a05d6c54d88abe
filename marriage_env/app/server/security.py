"""Who may talk to the server, and what its pages may do: other sites' pages cannot drive a server on this machine."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocketClose

#: Scripts, styles and connections of the server's own alone; nothing inline, nowhere else, in nobody's frame.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",  # the pages of one version do not go with the scripts of another
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
FORBIDDEN = 4403  # why a socket is closed


class OwnPagesOnly:
    """Refuses requests that were meant for another host, or that another site's page has made.

    A page elsewhere can have its own name lead to this machine; so names must be known ones. Addresses are no names.

    Args:
        app: what is guarded.
        hosts: names of this server, beside ``localhost``.
    """

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = ()) -> None:
        self._app = app
        self._hosts = {"localhost", *(host.lower() for host in hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or let through with the headers that every answer has."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
        elif why := self.why_not(scope):
            closing = WebSocketClose(FORBIDDEN, why)
            answer: ASGIApp = PlainTextResponse(why, 403, HEADERS) if scope["type"] == "http" else closing
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, with_headers(send))

    def why_not(self, scope: Scope) -> str:
        """Why a request is refused; empty if it is not."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self.is_known(host_name(host)):
            return "this host is not known here: use the address that the server has printed"
        origin = headers.get("origin")
        if origin is not None and scope.get("method") not in ("GET", "HEAD") and not is_page_of(host, origin):
            return "this comes from another site's page"
        return ""

    def is_known(self, name: str) -> bool:
        """Whether a host's name is this server's, or an address."""
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return name in self._hosts
        return True


def host_name(host: str) -> str:
    """The name or address in a Host header, without its port; empty if there is none."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def is_page_of(host: str, origin: str) -> bool:
    """Whether an Origin header tells of a page of the host that is asked."""
    try:
        return urlsplit(origin).netloc == host
    except ValueError:
        return False


def with_headers(send: Send) -> Send:
    """Add to each answer the headers that all have."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sending
