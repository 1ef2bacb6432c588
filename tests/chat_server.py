"""A local server that speaks the chat completions protocol, and misbehaves on request."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODEL = "test-model"
Misbehaviour = Callable[["ChatServer", BaseHTTPRequestHandler, dict[str, Any]], None]
Answer = Callable[[str], str]


class ChatServer:
    """Answers `answer(last message)` properly, unless `script` holds misbehaviours, used up one a request.

    `always` misbehaves on every request. `key` makes the server ask for that key. `refused` are parameters that it does
    not take. `peak` is the largest number of requests that ran at once; `gone` is set when a client left during a stream.
    """

    def __init__(self) -> None:
        self.answer: Answer = lambda prompt: f"You said: {prompt}"
        self.script: deque[Misbehaviour] = deque()
        self.always: Misbehaviour | None = None
        self.key: str | None = None
        self.refused: set[str] = set()
        self.requests: list[tuple[str, dict[str, Any], dict[str, str]]] = []
        self.peak = 0
        self.gone = threading.Event()
        self.closing = threading.Event()
        self._running = 0
        self._lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                outer._serve(self)

            def log_message(self, *_: object) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_: object) -> None:
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    @property
    def prompts(self) -> list[str]:
        """The last message of each request."""
        return [body["messages"][-1]["content"] for _, body, _ in self.requests]

    def close(self) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def behave(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        """The proper answer."""
        if trouble := self._refusal(handler, body):
            send(handler, trouble[0], {"error": trouble[1]})
            return
        text = self.answer(body["messages"][-1]["content"])
        limit = body.get("max_tokens", body.get("max_completion_tokens"))
        words = text.split(" ")
        cut = limit is not None and len(words) > limit
        said = " ".join(words[:limit]) if cut else text
        if body.get("stream"):
            stream(self, handler, body, said, finish="length" if cut else "stop")
        else:
            send(handler, 200, completion(body, said, finish="length" if cut else "stop"))

    def _serve(self, handler: BaseHTTPRequestHandler) -> None:
        body = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        headers = {key.lower(): value for key, value in handler.headers.items()}
        with self._lock:
            self.requests.append((handler.path, body, headers))
            self._running += 1
            self.peak = max(self.peak, self._running)
            act = self.script.popleft() if self.script else self.always
        try:
            if act is not None:
                act(self, handler, body)
            else:
                self.behave(handler, body)
        finally:
            with self._lock:
                self._running -= 1

    def _refusal(self, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> tuple[int, dict[str, Any]] | None:
        if handler.path != "/v1/chat/completions":
            return 404, {"message": "no such call", "type": "invalid_request_error"}
        given = handler.headers.get("Authorization")
        if self.key is not None and given != f"Bearer {self.key}":
            return 401, {"message": f"Incorrect API key provided: {given}.", "code": "invalid_api_key"}
        if body["model"] != MODEL:
            return 404, {"message": f"The model {body['model']!r} does not exist", "code": "model_not_found"}
        for name in sorted(self.refused & set(body)):
            other = " Use 'max_completion_tokens' instead." if name == "max_tokens" else ""
            message = f"Unsupported parameter: '{name}' is not supported with this model.{other}"
            return 400, {"message": message, "type": "invalid_request_error", "param": name}
        return None


def completion(body: dict[str, Any], text: str | None, *, finish: str = "stop") -> dict[str, Any]:
    """A chat completion with honest counts."""
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": body["model"],
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}],
        "usage": usage(body, text or ""),
    }


def usage(body: dict[str, Any], text: str) -> dict[str, int]:
    sent = sum(len(message["content"].split()) for message in body["messages"]) or 1
    received = len(text.split(" ")) if text else 0
    return {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}


def send(
    handler: BaseHTTPRequestHandler,
    code: int,
    data: Any,
    headers: dict[str, str] | None = None,
    *,
    claimed: int | None = None,
) -> None:
    """Send `data` (bytes as they are, else as JSON); `claimed` is a Content-Length that is not kept."""
    payload = data if isinstance(data, bytes) else json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass")
    handler.send_response(code)
    for key, value in (headers or {}).items():
        handler.send_header(key, value)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", str(claimed or len(payload)))
    handler.end_headers()
    handler.wfile.write(payload)


def pieces(body: dict[str, Any], text: str, finish: str | None) -> Iterator[Any]:
    """The events of a streamed answer: role, a word or so each, finish, usage."""

    def event(delta: dict[str, Any], end: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": end}
        return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": body["model"], "choices": [choice]}

    yield event({"role": "assistant", "content": ""})
    for number, word in enumerate(text.split(" ")):
        yield event({"content": word if number == 0 else f" {word}"})
    if finish is not None:
        yield event({}, finish)
        if body.get("stream_options", {}).get("include_usage"):
            yield {"object": "chat.completion.chunk", "choices": [], "usage": usage(body, text)}


def stream(
    server: ChatServer,
    handler: BaseHTTPRequestHandler,
    body: dict[str, Any],
    text: str,
    *,
    finish: str | None = "stop",
    pause: float = 0.0,
    last: Any = "[DONE]",
) -> None:
    """Send an event stream; `finish` and `last` of None leave it cut."""
    handler.send_response(200)
    handler.send_header("Content-Type", "text/event-stream")
    handler.send_header("Connection", "close")
    handler.end_headers()
    handler.close_connection = True
    events = [json.dumps(event, ensure_ascii=False) for event in pieces(body, text, finish)]
    if last is not None:
        events.append(last if isinstance(last, str) else json.dumps(last))
    try:
        handler.wfile.write(b": a comment that keeps the connection open\r\n\r\n")
        for event in events:
            handler.wfile.write(f"data: {event}\n\n".encode("utf-8", "surrogatepass"))
            handler.wfile.flush()
            if pause and server.closing.wait(pause):
                return
    except OSError:
        server.gone.set()


def status(code: int, message: Any = "busy", **headers: str) -> Misbehaviour:
    """Answer with a status; header names are written with underscores."""
    named = {key.replace("_", "-"): value for key, value in headers.items()}
    data = message if isinstance(message, bytes) else {"error": {"message": message}}
    return lambda server, handler, body: send(handler, code, data, named)


def says(text: str | None, **changes: Any) -> Misbehaviour:
    """A completion of this text, whatever was asked; `changes` replace fields of it."""

    def act(server: ChatServer, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        if body.get("stream"):
            stream(server, handler, body, text or "")
        else:
            send(handler, 200, {**completion(body, text), **changes})

    return act


def answers(data: Any) -> Misbehaviour:
    """Answer with 200 and exactly this content."""
    return lambda server, handler, body: send(handler, 200, data)


def slow(seconds: float) -> Misbehaviour:
    """Answer properly, late."""

    def act(server: ChatServer, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
        server.closing.wait(seconds)
        server.behave(handler, body)

    return act


def cut(server: ChatServer, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Close the connection in the middle of the answer."""
    if body.get("stream"):
        stream(server, handler, body, "One two three", finish=None, last=None)
        return
    send(handler, 200, b'{"choices": [{"message": {"content": "One t', claimed=5000)
    handler.close_connection = True


def hang(server: ChatServer, handler: BaseHTTPRequestHandler, body: dict[str, Any]) -> None:
    """Give no answer until the test is over."""
    server.closing.wait(5)
    handler.close_connection = True
