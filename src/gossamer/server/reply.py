"""Answers as JSON documents in the shapes of `--json`, and errors with the status that fits them."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response

from gossamer.cli.output import JSON_VERSION
from gossamer.errors import (
    ArgumentTypeError,
    DocumentError,
    EmbeddingError,
    GossamerError,
    IndexLockedError,
    MissingExtraError,
    SettingsError,
    UsageError,
)


class UnknownPassageError(UsageError):
    """No passage of the index has that id."""

    def __init__(self, passage: str) -> None:
        super().__init__(f"There is no passage {passage[:200]!r} in this index. Search for it, or reload the page.")


_STATUS: tuple[tuple[type[GossamerError], int], ...] = (
    (UnknownPassageError, 404),
    (UsageError, 400),
    (SettingsError, 400),
    (ArgumentTypeError, 400),
    (DocumentError, 400),
    (IndexLockedError, 409),
    (MissingExtraError, 501),
    (EmbeddingError, 502),
)


def json_response(kind: str, data: dict[str, Any], status: int = 200) -> Response:
    """`{"gossamer": kind, "version": 1, …}` as a response."""
    document = {"gossamer": kind, "version": JSON_VERSION, **data}
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")


def problem_response(status: int, kind: str, message: str) -> Response:
    """An error: `{"gossamer": "error", "kind": …, "message": …}`."""
    return json_response("error", {"kind": kind, "message": message}, status)


def error_response(problem: GossamerError) -> Response:
    """The response to an error of Gossamer."""
    status = next((code for kind, code in _STATUS if isinstance(problem, kind)), 500)
    return problem_response(status, type(problem).__name__, str(problem))
