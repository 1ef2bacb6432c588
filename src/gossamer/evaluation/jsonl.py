"""Reading JSON lines, plain or gzipped, with errors that name the line."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from gossamer.errors import UsageError


def find_file(folder: Path, name: str) -> Path:
    """The file `name` of `folder`, plain or with `.gz`; else `name` as a path of its own.

    Raises:
        UsageError: neither exists.

    >>> find_file(Path("."), "no-such-file.jsonl")
    Traceback (most recent call last):
    gossamer.errors.UsageError: There is no no-such-file.jsonl (or .gz) in . or as a path. Check the name.
    """
    for candidate in (folder / name, folder / f"{name}.gz", Path(name), Path(f"{name}.gz")):
        if candidate.is_file():
            return candidate
    raise UsageError(f"There is no {name} (or .gz) in {folder} or as a path. Check the name.")


def read_jsonl(path: Path, error: type[Exception] = UsageError) -> Iterator[tuple[int, dict[str, Any]]]:
    """Pairs of line number and object; blank lines are skipped.

    Raises:
        error: a line is not a JSON object, or the file is not gzip or UTF-8 as its name says.
    """
    line = 0
    try:
        with _open(path) as handle:
            for line, text in enumerate(handle, start=1):
                if text.strip():
                    yield line, _object(text, path, line, error)
    except (gzip.BadGzipFile, EOFError) as problem:
        raise error(f"{path} is not a whole gzip file ({problem}). Copy it again, or drop the .gz ending.") from problem
    except UnicodeDecodeError as problem:
        raise error(f"{path} is not UTF-8 after line {line} ({problem.reason}). Save it as UTF-8.") from problem


def _open(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return gzip.open(path, "rt", encoding="utf-8-sig")
    return path.open(encoding="utf-8-sig")


def _object(text: str, path: Path, line: int, error: type[Exception]) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError as problem:
        raise error(f"{path}, line {line} is not JSON ({problem.msg}). Write one object a line.") from problem
    if not isinstance(value, dict):
        raise error(f"{path}, line {line} holds a {type(value).__name__}, not an object. Write one object a line.")
    return value
