"""The chat protocol of OpenAI-compatible servers, without any network: requests in, replies and verdicts out."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gossamer.errors import LLMError, LLMOutputError, LLMRefusedError, LLMServerError
from gossamer.llm.reply import Reply
from gossamer.text.clean import join_surrogates
from gossamer.web import shorten

PATH = "/chat/completions"
LARGEST_REPLY = 8_000_000
# A try again may help with a reply that makes no sense; a server that always answers so is not asked for long.
_SENSELESS_TRIES = 3
_OPTIONAL = ("max_tokens", "temperature", "seed", "response_format", "stream_options")
_NAMED = re.compile(rf"\b({'|'.join(_OPTIONAL)})\b")
_THOUGHT = re.compile(r"\s*<think>.*?(?:</think>\s*|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Raw:
    """What a server sent: status, headers with small names, body."""

    status: int
    headers: Mapping[str, str]
    body: str


@dataclass(slots=True)
class Dialect:
    """The optional parameters that a server turned out not to take, learned from its refusals."""

    left_out: set[str] = field(default_factory=set)
    renamed: bool = False

    def body(self, request: Mapping[str, Any], *, stream: bool) -> dict[str, Any]:
        """The request as this server takes it."""
        body = {key: value for key, value in request.items() if key not in self.left_out}
        if self.renamed and "max_tokens" in body:
            body["max_completion_tokens"] = body.pop("max_tokens")
        if stream:
            body["stream"] = True
            if "stream_options" not in self.left_out:
                body["stream_options"] = {"include_usage": True}
        return body

    def learn(self, raw: Raw, sent: Mapping[str, Any]) -> bool:
        """Whether a refusal names an optional parameter that can be left out or renamed: then ask again."""
        if raw.status not in (400, 422):
            return False
        error = error_of(raw.body)
        named = error[1] or next(iter(_NAMED.findall(error[0])), "")
        if named == "max_tokens" and "max_completion_tokens" in error[0] and "max_tokens" in sent:
            self.renamed = True
            return True
        if named not in _OPTIONAL or named not in sent or named in self.left_out:
            return False
        # "max_tokens is too large" is about the value: leaving it out would hide the mistake.
        if named == "max_tokens":
            return False
        self.left_out.add(named)
        return True


def error_of(body: str) -> tuple[str, str]:
    """A server's message and the parameter it names, from any of the shapes that servers use.

    >>> error_of('{"error": {"message": "bad", "param": "seed"}}'), error_of('{"detail": "x"}'), error_of("<html>")
    (('bad', 'seed'), ('x', ''), ('<html>', ''))
    """
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return body, ""
    error = data.get("error", data) if isinstance(data, dict) else data
    if not isinstance(error, dict):
        return str(error), ""
    message = next((str(error[key]) for key in ("message", "detail", "error") if error.get(key)), body)
    return message, str(error.get("param") or "")


def is_passing(raw: Raw) -> bool:
    """Whether what went wrong may be gone on the next try; a used-up quota, which some report as 429, is not."""
    if raw.status == 429:
        return "insufficient_quota" not in raw.body
    return raw.status in (408, 425) or (raw.status >= 500 and raw.status != 501)


def refusal(raw: Raw, url: str, key_env: str | None, shown: str) -> LLMRefusedError:
    """The error of a status that another try does not change."""
    advice = "Check the model name, the address and the parameters."
    if raw.status in (401, 403):
        advice = f"Check the key in the environment variable {key_env or 'that key_env names'}."
    elif raw.status == 404:
        advice = "Check the model name and the address: for most servers it ends in /v1."
    elif raw.status in (402, 429):
        advice = "The account has no credit left: add some, then run again."
    elif 300 <= raw.status < 400:
        advice = "Give the address that it leads to."
    elif raw.status == 413 or re.search(r"context|too long|exceed", shown):
        advice = "The prompt may be longer than the model's context: use a smaller budget or smaller chunks."
    return LLMRefusedError(f"{url} refused the request with status {raw.status}: {shown}. {advice}", raw.status)


def read_reply(raw: Raw, url: str, fallback: Callable[[str], tuple[int, int]]) -> Reply:
    """The reply in a chat completion; LLMOutputError where the body is none.

    `fallback(text)` gives prompt and completion tokens where the server's counts are missing or impossible.
    """
    try:
        data = json.loads(raw.body)
        choice = data["choices"][0]
        text, finish = choice["message"].get("content"), choice.get("finish_reason")
    except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError) as problem:
        message = error_of(raw.body)[0]
        raise LLMOutputError(
            f"{url} answered with something that is no chat completion: {shorten(message)}. "
            "Check that the address belongs to an OpenAI-compatible server."
        ) from problem
    said = without_thoughts(content_text(text))
    usage = data.get("usage")
    return finished(said, usage if isinstance(usage, dict) else {}, finish, fallback)


def finished(text: str, usage: Mapping[str, Any], finish: object, fallback: Callable[[str], tuple[int, int]]) -> Reply:
    """A reply with the server's token counts, or with estimates where they cannot be right."""
    sent, received = usage.get("prompt_tokens"), usage.get("completion_tokens")
    counted = _is_count(sent, least=1) and _is_count(received, least=1 if text else 0)
    if not counted:
        sent, received = fallback(text)
    return Reply(text, int(sent or 0), int(received or 0), finish=str(finish or "stop"), counted=counted)


def _is_count(value: object, *, least: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**40


def content_text(content: object) -> str:
    """Text of a message's content: a string, a list of parts, or nothing.

    >>> content_text([{"type": "text", "text": "Pune"}]), content_text(None)
    ('Pune', '')
    """
    if isinstance(content, list):
        content = "".join(part.get("text") or "" for part in content if isinstance(part, dict))
    return join_surrogates(content) if isinstance(content, str) else ""


def without_thoughts(text: str) -> str:
    """A reply without the reasoning that some models print before it.

    >>> without_thoughts("<think>Where is it?</think>\\n\\nIn Pune.")
    'In Pune.'
    """
    return _THOUGHT.sub("", text, count=1) if text.lstrip().startswith("<think>") else text


class StreamReader:
    """Pieces of text out of the lines of an event stream; remembers usage and how it ended."""

    def __init__(self) -> None:
        self.text = ""
        self.usage: dict[str, Any] = {}
        self.finish: str | None = None
        self.done = False
        self._held: str | None = ""

    def feed(self, line: str) -> str:
        """The text that a line brings, "" for none. LLMServerError where the server reports trouble."""
        if not line.startswith("data:") or self.done:
            return ""
        payload = line[5:].strip()
        if payload == "[DONE]":
            self.done = True
            return self.flush()
        try:
            event = json.loads(payload)
        except (ValueError, RecursionError):
            raise LLMServerError(
                f"The stream holds something that is not JSON: {shorten(payload)}. Ask again, or ask without streaming."
            ) from None
        if not isinstance(event, dict):
            return ""
        if event.get("error"):
            raise LLMServerError(f"The server broke off: {shorten(error_of(payload)[0])}. Ask again.")
        if isinstance(event.get("usage"), dict):
            self.usage = event["usage"]
        return self._add(_delta(event, self))

    def flush(self) -> str:
        """What was held back in case it was reasoning."""
        held, self._held = self._held, None
        said = without_thoughts(held) if held else ""
        self.text += said
        return said

    def _add(self, piece: str) -> str:
        if self._held is None:
            self.text += piece
            return piece
        self._held += piece
        start = self._held.lstrip()
        thinking = start.startswith("<think>") and not without_thoughts(start)
        undecided = len(start) < len("<think>") and "<think>".startswith(start)
        return "" if thinking or undecided else self.flush()


def _delta(event: Mapping[str, Any], reader: StreamReader) -> str:
    choices = event.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        return ""
    if choice.get("finish_reason"):
        reader.finish = str(choice["finish_reason"])
    delta = choice.get("delta")
    return content_text(delta.get("content")) if isinstance(delta, dict) else ""


def last_try(attempt: int, retries: int, failure: LLMError | None) -> bool:
    """Whether try `attempt` (from 0) was the last; a reply without sense gets fewer."""
    allowed = min(retries, _SENSELESS_TRIES - 1) if isinstance(failure, LLMOutputError) else retries
    return attempt >= allowed


def response_format(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The request's wish for JSON of a schema."""
    return {"type": "json_schema", "json_schema": {"name": "reply", "strict": True, "schema": dict(schema)}}
