"""What a request that is refused gets: a status, and a JSON document that says why.

The form is that of the command line with ``--json``: ``{"error": {"type", "message"}}``. A message
names a store by the last part of its path only; what else went wrong inside is for the server's
own log.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from bridgerag.errors import (
    BridgeError,
    DocumentNotFound,
    InputError,
    MissingExtra,
    ModelError,
    StoreBusy,
    StoreError,
    StoreMissing,
)
from bridgerag.serialize import JsonObject, error_json
from bridgerag.server.forms import BODY, wrong_input

__all__ = ["HANDLERS", "json_response", "refusal"]

_STATUS: tuple[tuple[type[BridgeError], int], ...] = (
    (InputError, 400),
    (DocumentNotFound, 404),
    (MissingExtra, 501),
    (ModelError, 502),
    (StoreMissing, 503),
    (StoreBusy, 503),
    (BridgeError, 500),
)
_TYPES = {
    400: "BadRequest",
    401: "Unauthorized",
    403: "Forbidden",
    404: "NotFound",
    405: "MethodNotAllowed",
    408: "RequestTimeout",
    413: "BodyTooLong",
    500: "ServerError",
    503: "Busy",
}
_log = logging.getLogger("uvicorn.error")


def json_response(
    form: JsonObject, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return one of the forms of `bridgerag.serialize` as a response."""
    text = json.dumps(form, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode(), status, headers, "application/json")


def refusal(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """Return a refusal that is no error of the library; its type follows from the status."""
    return json_response(error_json(_TYPES[status], message), status, headers)


async def _ours(_: Request, error: BridgeError) -> Response:
    status = next(status for kind, status in _STATUS if isinstance(error, kind))
    message = str(error)
    if status >= 500:
        _log.error("%s: %s", type(error).__name__, message)
    if isinstance(error, StoreError):
        message = message.replace(str(error.path), error.path.name)
    return json_response(error_json(type(error).__name__, message), status)


async def _malformed(request: Request, error: RequestValidationError) -> Response:
    return await _ours(request, wrong_input(error.errors(), error.body))


async def _of_http(request: Request, error: HTTPException) -> Response:
    message = error.detail
    if error.status_code == 400:  # FastAPI could make nothing of the body
        message = f"the body cannot be read; it must be {BODY}"
    elif error.status_code in (404, 405):
        asked = f"{request.method} {request.url.path}"[:100]
        offered = (f"{way} {route.path}" for route in request.app.routes for way in route.methods)
        message = f"the request is {asked}; it must be one of {', '.join(offered)}"
    return refusal(error.status_code, message, error.headers)


async def _unforeseen(_: Request, error: Exception) -> Response:
    return refusal(500, "the server made a mistake; its own log says which")


HANDLERS = {
    BridgeError: _ours,
    RequestValidationError: _malformed,
    HTTPException: _of_http,
    Exception: _unforeseen,
}
"""For FastAPI's ``exception_handlers``."""
