"""Files of ready-made documents: one JSON object a line, with id, title and text."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from gossamer.ingestion.decode import UnreadableFileError
from gossamer.model import Document
from gossamer.reports import Skipped

_ENDINGS = (".jsonl", ".jsonl.gz", ".ndjson", ".ndjson.gz")
_LONGEST_LINE = 64 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


def is_rows_file(name: str) -> bool:
    """Whether a file's name says that it holds JSON lines."""
    return name.lower().endswith(_ENDINGS)


def has_documents(path: Path) -> bool:
    """Whether the first row of a file of JSON lines is an object with a text, and an id or title."""
    try:
        for line in _lines(path):
            if line.strip():
                row = json.loads(line)
                return isinstance(row, dict) and isinstance(row.get("text"), str) and ("id" in row or "title" in row)
    except (ValueError, RecursionError, UnreadableFileError):
        return False
    return False


def read_rows(path: Path, name: str, *, prefix: str = "") -> Iterator[Document | Skipped]:
    """A Document for each row, a Skipped with the line number for a row that gives none.

    Fields other than id, title and text become metadata. A row without id is named by its line number. `prefix` comes
    before the ids. Raises UnreadableFileError where the file breaks off.
    """
    for number, line in enumerate(_lines(path), start=1):
        where = f"{name} line {number}"
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            yield Skipped(where, "not JSON")
            continue
        if not isinstance(row, dict):
            yield Skipped(where, "not a JSON object")
        elif not isinstance(row.get("text"), str):
            yield Skipped(where, "no field 'text' with a string")
        else:
            yield _document(row, name, number, prefix)


def _document(row: dict[str, Any], name: str, number: int, prefix: str) -> Document:
    title, identity = row.get("title"), row.get("id")
    plain = str(identity) if isinstance(identity, str | int) and str(identity) else f"line-{number}"
    metadata = {key: value for key, value in row.items() if key not in {"id", "title", "text"}}
    return Document(prefix + plain, row["text"], title if isinstance(title, str) else "", metadata, path=name)


def _opened(path: Path) -> IO[bytes]:
    return cast("IO[bytes]", gzip.open(path)) if path.name.lower().endswith(".gz") else path.open("rb")


def _lines(path: Path) -> Iterator[bytes]:
    try:
        with _opened(path) as file:
            first = True
            while line := file.readline(_LONGEST_LINE):
                if len(line) == _LONGEST_LINE:
                    raise UnreadableFileError(f"a line is longer than {_LONGEST_LINE:,} bytes")
                yield line.removeprefix(_BOM) if first else line
                first = False
    except (OSError, EOFError, zlib.error) as error:
        raise UnreadableFileError(f"damaged or cut file ({type(error).__name__})") from error
