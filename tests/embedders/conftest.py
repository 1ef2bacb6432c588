"""A local server that speaks Ollama's /api/embed and OpenAI's /embeddings, and misbehaves on request."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from gossamer.embedders import http

DIMENSION = 4
MODELS = ("nomic-embed-text", "plain-model", "text-embedding-3-small")

Misbehaviour = Callable[["EmbeddingServer", BaseHTTPRequestHandler, dict[str, Any]], None]


def vector_of(text: str) -> list[float]:
    """What this server's model says of a text."""
    return [float(len(text)), 1.0, float(text.count("a")), 0.5]


class EmbeddingServer:
    """Answers properly, unless `script` holds misbehaviours, which it uses up one a request."""

    def __init__(self) -> None:
        self.script: deque[Misbehaviour] = deque()
        self.requests: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.closing = threading.Event()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                headers = {key.lower(): value for key, value in self.headers.items()}
                outer.requests.append((self.path, body, headers))
                if outer.script:
                    outer.script.popleft()(outer, self, body)
                else:
                    outer.behave(self, body)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: object) -> None:
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def inputs(self) -> list[list[str]]:
        """The texts of each embedding request."""
        return [body["input"] for _, body, _ in self.requests if "input" in body]

    def behave(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        answers = {
            "/api/embed": self._ollama_embed,
            "/api/show": self._ollama_show,
            "/v1/embeddings": self._openai_embed,
        }
        answer = answers.get(handler.path)
        status, data = answer(body) if answer else (404, {"error": "no such call"})
        reply(handler, status, data)

    def _ollama_embed(self, body: dict[str, Any]) -> tuple[int, Any]:
        if body["model"] not in MODELS:
            return 404, {"error": f'model "{body["model"]}" not found, try pulling it first'}
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        return 200, {
            "model": body["model"],
            "embeddings": [vector_of(text) for text in texts],
            "total_duration": 14143917,
            "load_duration": 1019500,
            "prompt_eval_count": 8,
        }

    def _ollama_show(self, body: dict[str, Any]) -> tuple[int, Any]:
        if body["model"] != "nomic-embed-text":
            return 404, {"error": "not found"}
        info = {"general.architecture": "nomic-bert", "nomic-bert.context_length": 2048}
        return 200, {"details": {"family": "nomic-bert"}, "model_info": info}

    def _openai_embed(self, body: dict[str, Any]) -> tuple[int, Any]:
        if body["model"] not in MODELS:
            return 404, {"error": {"message": "The model does not exist", "type": "invalid_request_error"}}
        if "" in body["input"] or len(body["input"]) > 2048:
            return 400, {"error": {"message": "'$.input' is invalid.", "type": "invalid_request_error"}}
        data = [
            {"object": "embedding", "index": i, "embedding": vector_of(text)} for i, text in enumerate(body["input"])
        ]
        usage = {"prompt_tokens": 8, "total_tokens": 8}
        return 200, {"object": "list", "data": data[::-1], "model": body["model"], "usage": usage}

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def reply(
    handler: BaseHTTPRequestHandler,
    status: int,
    data: Any,
    headers: dict[str, str] | None = None,
    *,
    claimed: int | None = None,
) -> None:
    """Send `data` (bytes as they are, else as JSON); `claimed` is a Content-Length that is not kept."""
    payload = data if isinstance(data, bytes) else json.dumps(data).encode()
    handler.send_response(status)
    for key, value in (headers or {}).items():
        handler.send_header(key, value)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(claimed or len(payload)))
    handler.end_headers()
    handler.wfile.write(payload)


def status(code: int, data: Any = "busy", **headers: str) -> Misbehaviour:
    """Answer with a status; header names are written with underscores."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    return lambda server, handler, body: reply(handler, code, data, named)


def answer(data: Any) -> Misbehaviour:
    """Answer with 200 and this content."""
    return status(200, data)


def cut(server: EmbeddingServer, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Close the connection in the middle of the answer."""
    reply(handler, 200, b'{"embeddings": [[1.0,', claimed=5000)
    handler.close_connection = True


def hang(server: EmbeddingServer, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Give no answer until the test is over."""
    server.closing.wait(5)
    handler.close_connection = True


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[EmbeddingServer]:
    """A running server; pauses between tries are short."""
    monkeypatch.setattr(http, "FIRST_PAUSE", 0.001)
    running = EmbeddingServer()
    yield running
    running.close()
