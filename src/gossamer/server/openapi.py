"""The OpenAPI 3.1 description of the API, made from the same declarations that check requests."""

from __future__ import annotations

import dataclasses
import types
import typing
from collections.abc import Mapping
from typing import Any

from gossamer.cli.output import JSON_VERSION
from gossamer.insight.lint_report import LintReport
from gossamer.model import Ranking, Result
from gossamer.server.endpoints import ENDPOINTS, Endpoint

_SHAPES: dict[str, type] = {"query": Result, "rank": Ranking, "lint": LintReport}
_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}


def openapi(*, version: str, allow_ingest: bool, needs_token: bool) -> dict[str, Any]:
    """The whole description as plain JSON values."""
    shapes: dict[str, Any] = {"error": _error()}
    paths: dict[str, Any] = {}
    for endpoint in ENDPOINTS:
        paths.setdefault(endpoint.path, {})[endpoint.method.lower()] = _operation(endpoint, shapes)
    if allow_ingest:
        paths["/api/documents"] = {"post": _upload()}
    found: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {
            "title": "Gossamer",
            "version": version,
            "description": "Shapes are those of `gossamer … --json`; see docs/json.md and docs/server.md.",
        },
        "paths": paths,
        "components": {"schemas": dict(sorted(shapes.items()))},
    }
    if needs_token:
        found["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        found["security"] = [{"token": []}]
    return found


def _operation(endpoint: Endpoint, shapes: dict[str, Any]) -> dict[str, Any]:
    kinds = [_document(kind, shapes) for kind in endpoint.kinds]
    schema = kinds[0] if len(kinds) == 1 else {"oneOf": kinds}
    operation: dict[str, Any] = {
        "summary": endpoint.about,
        "operationId": endpoint.path.removeprefix("/api/").replace("/", "_"),
        "responses": {"200": _json("The answer.", schema), **_failures()},
    }
    properties = {field.name: field.schema() for field in endpoint.fields}
    required = [field.name for field in endpoint.fields if field.required]
    if endpoint.method == "POST":
        body = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    elif properties:
        operation["parameters"] = [
            {"name": name, "in": "query", "required": name in required, "schema": each}
            for name, each in properties.items()
        ]
    return operation


def _document(kind: str, shapes: dict[str, Any]) -> dict[str, Any]:
    """A document of a kind: `gossamer`, `version`, and the fields of its dataclass where it has one."""
    head = {
        "type": "object",
        "required": ["gossamer", "version"],
        "properties": {"gossamer": {"const": kind}, "version": {"const": JSON_VERSION}},
    }
    if kind in _SHAPES:
        shapes[kind] = {"allOf": [head, _schema(_SHAPES[kind], shapes)]}
    else:
        shapes[kind] = head
    return {"$ref": f"#/components/schemas/{kind}"}


def _schema(kind: Any, shapes: dict[str, Any]) -> dict[str, Any]:
    """JSON schema of a type that `to_plain` turns into JSON.

    >>> _schema(tuple[str, ...], {})
    {'type': 'array', 'items': {'type': 'string'}}
    """
    origin, parts = typing.get_origin(kind), typing.get_args(kind)
    if kind in _PLAIN:
        return {"type": _PLAIN[kind]}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_schema(part, shapes) for part in parts]}
    if origin is typing.Literal:
        return {"enum": list(parts)}
    if origin in (tuple, list):
        return {"type": "array", "items": _schema(parts[0], shapes)}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(parts[1], shapes)}
    if dataclasses.is_dataclass(kind) and isinstance(kind, type):
        if kind.__name__ not in shapes:
            hints = typing.get_type_hints(kind)
            names = [field.name for field in dataclasses.fields(kind)]
            shapes[kind.__name__] = {}
            properties = {name: _schema(hints[name], shapes) for name in names}
            shapes[kind.__name__] = {"type": "object", "properties": properties, "required": names}
        return {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {}


def _upload() -> dict[str, Any]:
    files = {"type": "array", "items": {"type": "string", "format": "binary"}}
    body = {"type": "object", "properties": {"files": files}, "required": ["files"]}
    return {
        "summary": "Add documents to the index; names are labels and never paths.",
        "operationId": "documents",
        "requestBody": {"required": True, "content": {"multipart/form-data": {"schema": body}}},
        "responses": {"200": _json("What was indexed.", {"type": "object"}), **_failures()},
    }


def _error() -> dict[str, Any]:
    text = {"type": "string"}
    return {
        "type": "object",
        "required": ["gossamer", "version", "kind", "message"],
        "properties": {"gossamer": {"const": "error"}, "version": {"type": "integer"}, "kind": text, "message": text},
    }


def _failures() -> dict[str, Any]:
    return {"default": _json("What went wrong and what to do.", {"$ref": "#/components/schemas/error"})}


def _json(about: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": about, "content": {"application/json": {"schema": schema}}}
