"""JSON and notebooks."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from gossamer.ingestion.loaders.base import Parsed, UnreadableFileError, decoded, fenced, heading_title

_DEEPEST = 100


def load_json(data: bytes, name: str) -> Parsed:
    """JSON as indented `key: value` lines and list items; its own text where it cannot be parsed."""
    text, warnings = decoded(data)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return Parsed(text, warnings=(*warnings, "not valid JSON, read as plain text"))
    title = value.get("title") if isinstance(value, dict) else None
    return Parsed("\n".join(outline(value)), title if isinstance(title, str) else "", warnings=warnings)


def load_json_lines(data: bytes, name: str) -> Parsed:
    """One block of `key: value` lines for every row."""
    text, warnings = decoded(data)
    blocks: list[str] = []
    for line in text.split("\n"):
        try:
            blocks.append("\n".join(outline(json.loads(line))))
        except (ValueError, RecursionError):
            blocks.append(line)
    return Parsed("\n\n".join(block for block in blocks if block.strip()), warnings=warnings)


def outline(value: Any, indent: int = 0) -> Iterator[str]:
    """Lines that show a JSON value to a reader.

    >>> list(outline({"lab": "Helix", "staff": [{"name": "Rao"}, "Iyer"]}))
    ['lab: Helix', 'staff:', '  - name: Rao', '  - Iyer']
    """
    pad = "  " * indent
    if indent > _DEEPEST:
        yield pad + json.dumps(value, ensure_ascii=False)
    elif isinstance(value, Mapping):
        for key, inner in value.items():
            if isinstance(inner, Mapping | list) and inner:
                yield f"{pad}{key}:"
                yield from outline(inner, indent + 1)
            else:
                yield f"{pad}{key}: {_scalar(inner)}"
    elif isinstance(value, list):
        for inner in value:
            lines = list(outline(inner, indent + 1))
            if lines:
                yield f"{pad}- {lines[0].lstrip()}"
                yield from lines[1:]
    else:
        yield pad + _scalar(value)


def load_notebook(data: bytes, name: str) -> Parsed:
    """A notebook's Markdown and raw cells as text, code cells and their text output as code blocks."""
    text, warnings = decoded(data)
    try:
        book = json.loads(text)
        cells = book["cells"] if "cells" in book else [cell for sheet in book["worksheets"] for cell in sheet["cells"]]
        language = book.get("metadata", {}).get("kernelspec", {}).get("language", "python")
        blocks = [block for cell in cells for block in _cell(cell, language)]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise UnreadableFileError("damaged notebook") from error
    body = "\n\n".join(block for block in blocks if block.strip())
    return Parsed(body, heading_title(body), warnings=warnings)


def _cell(cell: Mapping[str, Any], language: str) -> Iterator[str]:
    source = _joined(cell.get("source", cell.get("input", "")))
    kind = cell.get("cell_type")
    if kind == "heading":
        yield "#" * int(cell.get("level", 1)) + " " + source
    elif kind != "code":
        yield source
    elif source.strip():
        yield fenced(source, language)
    for output in cell.get("outputs", []):
        shown = _joined(output.get("text") or output.get("data", {}).get("text/plain", ""))
        if output.get("output_type") in {"error", "pyerr"}:
            shown = f"{output.get('ename', '')}: {output.get('evalue', '')}"
        if shown.strip():
            yield fenced(shown, "text")


def _joined(source: Any) -> str:
    return "".join(source) if isinstance(source, list) else str(source)


def _scalar(value: Any) -> str:
    if isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
