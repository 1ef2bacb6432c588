"""The Starlette application: the page, its assets, and the API behind the guard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib import metadata
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from gossamer.errors import GossamerError
from gossamer.server.config import ServeConfig
from gossamer.server.endpoints import ENDPOINTS, Endpoint
from gossamer.server.fields import parse_body, parse_query
from gossamer.server.guard import UPLOAD, Guard
from gossamer.server.ingest import upload
from gossamer.server.openapi import openapi
from gossamer.server.reply import error_response, json_response, problem_response
from gossamer.server.served import Served
from gossamer.server.walk import Walk

STATIC = Path(__file__).parent / "static"
# The assets by the name under which they are asked for: no path is ever made from a request.
ASSETS = {"/": "index.html", "/app.js": "app.js", "/app.css": "app.css", "/icon.svg": "icon.svg"}
_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


def create_app(config: ServeConfig) -> Starlette:
    """The application for one index. Raises what opening the index raises."""
    served = Served(config.folder, allow_ingest=config.allow_ingest)
    walk = Walk()

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        yield
        walk.close()

    routes = [Route(path, _asset(name)) for path, name in ASSETS.items()]
    routes += [Route(each.path, _handler(each, served, walk), methods=[each.method]) for each in ENDPOINTS]
    routes.append(Route("/api/openapi.json", _description(config)))
    if config.allow_ingest:
        routes.append(Route(UPLOAD, upload(served), methods=["POST"]))
    handlers: dict[Any, Any] = {HTTPException: _refused, Exception: _failed}
    return Starlette(
        routes=routes, middleware=[Middleware(Guard, config=config)], exception_handlers=handlers, lifespan=lifespan
    )


def _asset(name: str) -> Callable[[Request], Awaitable[Response]]:
    kind = _TYPES[name.rpartition(".")[2]]

    async def serve(_request: Request) -> Response:
        return FileResponse(STATIC / name, media_type=kind)

    return serve


def _handler(endpoint: Endpoint, served: Served, walk: Walk) -> Callable[[Request], Awaitable[Response]]:
    """Parse, check, answer in a thread, and turn errors of Gossamer into answers."""

    async def handle(request: Request) -> Response:
        try:
            if endpoint.method == "GET":
                values = parse_query(endpoint.fields, dict(request.query_params))
            else:
                if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
                    return problem_response(415, "UsageError", "The request is no JSON. Send application/json.")
                values = parse_body(endpoint.fields, await request.body())
            kind, data = await run_in_threadpool(endpoint.answer, served, walk, values)
        except GossamerError as problem:
            return error_response(problem)
        return json_response(kind, data)

    return handle


def _description(config: ServeConfig) -> Callable[[Request], Awaitable[Response]]:
    async def describe(_request: Request) -> Response:
        import json

        found = openapi(
            version=metadata.version("gossamer"),
            allow_ingest=config.allow_ingest,
            needs_token=config.token is not None,
        )
        return Response(json.dumps(found, ensure_ascii=False), media_type="application/json")

    return describe


async def _refused(_request: Request, problem: Any) -> Response:
    """An unknown address or method, in the shape of every other error."""
    message = {404: "There is nothing at this address. See /api/openapi.json for what there is."}
    text = message.get(problem.status_code, f"{problem.detail}. See /api/openapi.json for what is possible.")
    return problem_response(problem.status_code, "UsageError", text)


async def _failed(_request: Request, _problem: Exception) -> Response:
    """A fault of ours: said so without telling what is inside."""
    return problem_response(500, "InternalError", "The server failed on this request; its log says where. Try again.")
