"""The search as an HTTP service that answers JSON. It reads a store and never changes one.

`serve` runs until it is told to stop; `create_app` makes the ASGI application alone, for a server
of your own. Needs the extra ``server``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bridgerag.errors import MissingExtra

if TYPE_CHECKING:
    from bridgerag.server.app import create_app
    from bridgerag.server.run import serve

__all__ = ["create_app", "serve"]


def __getattr__(name: str) -> object:
    """Load what needs the extra on first use, and say how to install it where it is missing."""
    if name not in __all__:
        raise AttributeError(f"module 'bridgerag.server' has no attribute {name!r}")
    try:
        import fastapi  # noqa: F401, PLC0415 - an extra
        import uvicorn  # noqa: F401, PLC0415
    except ImportError as error:
        raise MissingExtra("serving over HTTP", "server") from error
    from bridgerag.server import app, run  # noqa: PLC0415

    return {"create_app": app.create_app, "serve": run.serve}[name]
