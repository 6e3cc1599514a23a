"""The routes: each reads a request, calls the library once, and answers with its JSON form."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.responses import Response
from starlette.types import ASGIApp

from bridgerag.engine import Bridge
from bridgerag.errors import InputError
from bridgerag.retrieval import METHODS, IndexedMethod, method
from bridgerag.serialize import JsonObject, answer_json, context_json, status_json
from bridgerag.server.forms import Options, Search, SearchMany
from bridgerag.server.gate import Gate
from bridgerag.server.pool import Pool
from bridgerag.server.refusals import HANDLERS, json_response
from bridgerag.types import Context

__all__ = ["create_app"]

_WAITING = 16  # requests a thread


def create_app(
    bridge: Bridge,
    *,
    threads: int = 2,
    token: str | None = None,
    own_names_only: bool = True,
    methods: Collection[str] = (),
    model: str | None = None,
) -> ASGIApp:
    """Return the ASGI application over ``bridge``, which the caller closes.

    Args:
        threads: how many searches run at once, and as many answers beside them; 16 requests a
            thread wait, further ones get 503.
        token: what requests must bear, or None for no such check.
        own_names_only: without a token, answer only where a request names this machine as its
            host. Turn it off behind a proxy that hands on the name it was called by.
        methods: names of methods that may be asked for; without any, those that need no index of
            their own, which would be built while a client waits.
        model: of a language model, for answers; None for that of ``BRIDGERAG_MODEL``, if any.
    """
    known = tuple(methods) or _ready_methods()
    searches, answers = Pool(threads, _WAITING * threads), Pool(threads, _WAITING * threads)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        searches.close()
        answers.close()

    routes = FastAPI(
        openapi_url=None,  # and with it the pages that load scripts from elsewhere
        redirect_slashes=False,
        exception_handlers=HANDLERS,  # type: ignore[arg-type]  # each takes the error it is for
        lifespan=lifespan,
    )
    _route_searches(routes, bridge, searches, known)
    _route_answers(routes, bridge, answers, known, model)
    return Gate(routes, token, own_names_only and token is None)


def _route_searches(routes: FastAPI, bridge: Bridge, pool: Pool, known: Collection[str]) -> None:
    @routes.get("/healthz")
    async def health() -> Response:
        return json_response({"status": "ok"})

    @routes.get("/v1/status")
    async def status() -> Response:
        return await _reply(pool, lambda: _without_path(status_json(bridge.status())))

    @routes.post("/v1/search")
    async def search(asked: Search) -> Response:
        options = _options(asked, known)
        return await _reply(pool, lambda: context_json(bridge.search(**options)))

    @routes.post("/v1/search_many")
    async def search_many(asked: SearchMany) -> Response:
        options = _options(asked, known)
        return await _reply(pool, lambda: _contexts(bridge.search_many(**options, workers=1)))


def _route_answers(
    routes: FastAPI, bridge: Bridge, pool: Pool, known: Collection[str], model: str | None
) -> None:
    @routes.post("/v1/ask")
    async def ask(asked: Search) -> Response:
        options = _options(asked, known)
        return await _reply(pool, lambda: answer_json(bridge.ask(**options, model=model)))


async def _reply(pool: Pool, form: Callable[[], JsonObject]) -> Response:
    return await pool.run(lambda: json_response(form()))


def _ready_methods() -> tuple[str, ...]:
    return tuple(name for name in METHODS if not isinstance(method(name), IndexedMethod))


def _options(asked: Options, known: Collection[str]) -> JsonObject:
    if asked.method not in known:
        raise InputError("method", asked.method[:60], "one of " + ", ".join(known))
    return asked.model_dump()


def _contexts(found: Iterable[Context]) -> JsonObject:
    return {"contexts": [context_json(context) for context in found]}


def _without_path(form: JsonObject) -> JsonObject:
    """Leave out where the store lies, which is the server's own business."""
    return {name: value for name, value in form.items() if name != "store"}
