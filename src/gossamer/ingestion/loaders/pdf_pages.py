"""What a PDF reader gives: lines of pages, bookmarks and a title; and the reader of the base install, pypdf."""

from __future__ import annotations

import io
import logging
import math
import warnings as python_warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from gossamer.ingestion.loaders.base import PARSER_ERRORS, UnreadableFileError
from gossamer.ingestion.loaders.layout import Line
from gossamer.text.clean import one_line

if TYPE_CHECKING:
    from pypdf import PageObject, PdfReader

MOST_BOOKMARKS = 5000


class Bookmark(NamedTuple):
    """An entry of the outline: page index, level from 1, title."""

    page: int
    level: int
    title: str


@dataclass(slots=True)
class PdfContent:
    """Lines of every page, [] for those that have no text or cannot be read, and the number of the latter."""

    title: str = ""
    bookmarks: list[Bookmark] = field(default_factory=list)
    pages: list[list[Line]] = field(default_factory=list)
    failed: int = 0


def read_with_pypdf(data: bytes) -> PdfContent:
    """The pages of a PDF in the order of its file; raises UnreadableFileError for protected and damaged files."""
    with _quiet():
        reader, count = _opened(data)
        content = PdfContent(_title(reader), _bookmarks(reader))
        for number in range(count):
            try:
                content.pages.append(_page(reader.pages[number]))
            except _pdf_errors():
                content.pages.append([])
                content.failed += 1
    return content


def _page(page: PageObject) -> list[Line]:
    """Lines with the size of most of their characters."""
    pieces: list[tuple[str, float, bool]] = []

    def visit(text: str, current: list[float], matrix: list[float], font: Any, size: float | None) -> None:
        scale = math.hypot(matrix[2], matrix[3]) * math.hypot(current[2], current[3])
        name = str(font.get("/BaseFont", "")) if font else ""
        pieces.append((text, round(2 * (size or 0.0) * scale) / 2, "bold" in name.lower()))

    whole = page.extract_text(visitor_text=visit)
    if "".join(text for text, _, _ in pieces) != whole:
        return [Line(text) for text in whole.split("\n")]
    lines = [Line("")]
    weights: dict[tuple[float, bool], int] = {}
    for text, size, bold in [*pieces, ("\n", 0.0, False)]:
        for number, part in enumerate(text.split("\n")):
            if number:
                if weights:
                    lines[-1].size, lines[-1].bold = max(weights, key=lambda key: (weights[key], key))
                lines.append(Line(""))
                weights = {}
            lines[-1].text += part
            if part.strip():
                weights[size, bold] = weights.get((size, bold), 0) + len(part)
    return lines


def _opened(data: bytes) -> tuple[PdfReader, int]:
    """The reader of a file and its number of pages."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        count = 0 if locked else len(reader.pages)
    except DependencyError as error:
        raise UnreadableFileError("encrypted PDF; pip install 'gossamer[pdf]' to read it") from error
    except _pdf_errors() as error:
        why = one_line(str(error)) or "unreadable"
        raise UnreadableFileError(f"damaged PDF or no PDF at all ({why})") from error
    if locked:
        raise UnreadableFileError("encrypted PDF; remove its password")
    return reader, count


def _pdf_errors() -> tuple[type[Exception], ...]:
    from pypdf.errors import DependencyError, PyPdfError

    return (PyPdfError, DependencyError, *PARSER_ERRORS)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep pypdf's remarks about damaged files out of the user's log and warnings."""
    logger = logging.getLogger("pypdf")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        with python_warnings.catch_warnings():
            python_warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(before)


def _bookmarks(reader: PdfReader) -> list[Bookmark]:
    found: list[Bookmark] = []
    try:
        stack: list[tuple[Any, int]] = [(entry, 1) for entry in reversed(reader.outline)]
        while stack and len(found) < MOST_BOOKMARKS:
            entry, level = stack.pop()
            if isinstance(entry, list):
                stack += [(inner, level + 1) for inner in reversed(entry)]
                continue
            page = reader.get_destination_page_number(entry)
            title = one_line(str(entry.title))
            if page is not None and title:
                found.append(Bookmark(page, level, title))
    except _pdf_errors():
        return []
    return found


def _title(reader: PdfReader) -> str:
    try:
        return one_line(str((reader.metadata and reader.metadata.title) or ""))
    except _pdf_errors():
        return ""
