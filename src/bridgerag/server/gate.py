"""What every request passes before a route sees it: who asks, by which name, with how much.

Without a token, a server that listens on this machine alone answers only to the names of this
machine. A web page that has had its own name resolved to 127.0.0.1 (DNS rebinding) could read the
answers otherwise.
"""

from __future__ import annotations

import asyncio
from hmac import compare_digest
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bridgerag.server.refusals import refusal

__all__ = ["Gate", "is_loopback"]

_MOST_BYTES = 2**20  # of a body
_LONGEST_S = 10.0  # for a body to come
_OPEN = "/healthz"  # for whoever only asks whether the server lives
_HEADERS = [(b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store")]


class Gate:
    """Lets requests through to ``routes``, and adds the headers that every answer has."""

    def __init__(self, routes: ASGIApp, token: str | None, own_names_only: bool) -> None:
        """Make the gate.

        Args:
            token: what a request must bear, or None.
            own_names_only: the request must name this machine as its host.
        """
        self._routes, self._own_names_only = routes, own_names_only
        self._token = None if token is None else token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, as ASGI wants it."""
        if scope["type"] != "http":
            await self._routes(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        try:
            self._check(scope["path"], Headers(scope=scope))
            body = await _whole_body(receive)
        except HTTPException as error:
            answer = refusal(error.status_code, error.detail, error.headers)
            await answer(scope, receive, with_headers)
        else:
            await self._routes(scope, _again(body, receive), with_headers)

    def _check(self, path: str, headers: Headers) -> None:
        if self._own_names_only and not is_loopback(_host_name(headers.get("host", ""))):
            raise HTTPException(
                403, "the request names another host; ask 127.0.0.1 or localhost, or set a token"
            )
        if self._token is not None and path != _OPEN and not self._bears_token(headers):
            raise HTTPException(
                401,
                "the request bears no token, or another one than the server's; send the header "
                "'Authorization: Bearer TOKEN'",
                {"WWW-Authenticate": "Bearer"},
            )
        if (
            int(headers.get("content-length", "0")) > _MOST_BYTES
        ):  # the server has read it as digits
            raise _too_long()

    def _bears_token(self, headers: Headers) -> bool:
        kind, _, given = headers.get("authorization", "").partition(" ")
        found = given.strip().encode("latin-1")  # the bytes as they came
        return kind.lower() == "bearer" and compare_digest(found, self._token or b"")


def is_loopback(host: str) -> bool:
    """Tell whether a name or address stands for this machine alone."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _host_name(host: str) -> str:
    """Return the header ``Host`` without its port; "" where it cannot be read."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


async def _whole_body(receive: Receive) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(_LONGEST_S):
            while True:
                message = await receive()
                body += message.get("body", b"")
                if len(body) > _MOST_BYTES:
                    raise _too_long()
                if not message.get("more_body", False):  # nor has it when the client has left
                    return bytes(body)
    except TimeoutError as error:
        raise HTTPException(
            408, f"the body did not come within {_LONGEST_S:.0f} seconds; send it faster"
        ) from error


def _too_long() -> HTTPException:
    return HTTPException(413, f"the body is too long; it must be at most {_MOST_BYTES:,} bytes")


def _again(body: bytes, receive: Receive) -> Receive:
    """Return what gives a body that is already read, and then goes on receiving."""
    read = False

    async def give() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return give
