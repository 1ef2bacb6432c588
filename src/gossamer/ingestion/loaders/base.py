"""What every loader takes and returns."""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any
from xml.etree.ElementTree import ParseError

from gossamer.ingestion.decode import UnreadableFileError, decode_bytes
from gossamer.ingestion.sections import Heading, find_headings
from gossamer.text.clean import clean_text

# What third-party parsers raise on damaged files; none of them keeps to one error class.
PARSER_ERRORS = (
    ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError, EOFError, OSError,
    NotImplementedError, AssertionError, struct.error, zlib.error, ParseError,
)  # fmt: skip


_TITLE_WITHIN = 1000


@dataclass(frozen=True, slots=True)
class Parsed:
    """The content of a file as Markdown-like text.

    `pages` are the offsets at which the pages begin in `clean_text(text)`; `named` says whether the file's name may
    serve as title where the content gives none.
    """

    text: str
    title: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    pages: tuple[int, ...] = ()
    warnings: tuple[str, ...] = ()
    named: bool = True


Loader = Callable[[bytes, str], Parsed]


def decoded(data: bytes, *, declared: str | None = None) -> tuple[str, tuple[str, ...]]:
    """Cleaned text of the bytes, and a warning where its charset was guessed."""
    result = decode_bytes(data, declared=declared)
    warnings = (f"read as {result.guess}, which is a guess",) if result.guess else ()
    return clean_text(result.text), warnings


def heading_title(text: str) -> str:
    """The heading that names a document: the only one of the highest level, near its beginning.

    >>> heading_title("# Orion\\nText.\\n## Lens"), heading_title("## Lens\\nText.\\n## Budget")
    ('Orion', '')
    """
    first: Heading | None = None
    for heading in find_headings(text):
        if first is None:
            if heading.start > _TITLE_WITHIN:
                return ""
            first = heading
        elif heading.level <= first.level:
            return ""
    return first.title if first else ""


def fenced(code: str, language: str = "") -> str:
    """A code block that no line of the code can close.

    >>> fenced("x = 1", "python")
    '```python\\nx = 1\\n```'
    """
    longest = max((len(run) for run in re.findall("`{3,}", code)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{code.rstrip()}\n{fence}"


def table_row(cells: list[str]) -> str:
    """A Markdown table row; line ends and pipes inside cells are replaced.

    >>> table_row(["a|b", "c\\nd"])
    '| a\\\\|b | c d |'
    """
    return "| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in cells) + " |"


def extension(name: str) -> str:
    """Lower-case ending of a file name without the dot, "" for none.

    >>> extension("a/Notes.MD")
    'md'
    """
    return PurePosixPath(name).suffix[1:].lower()


__all__ = [
    "PARSER_ERRORS",
    "Loader",
    "Parsed",
    "UnreadableFileError",
    "decoded",
    "extension",
    "fenced",
    "heading_title",
    "table_row",
]
