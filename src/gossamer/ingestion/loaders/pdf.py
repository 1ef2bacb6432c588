"""PDF text by pypdf: running headers go, words cut at line ends are joined, bookmarks become headings."""

from __future__ import annotations

import io
import logging
import re
import warnings as python_warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from gossamer.ingestion.loaders.base import PARSER_ERRORS, Parsed, UnreadableFileError
from gossamer.ingestion.sections import LONGEST_HEADING
from gossamer.text.clean import clean_text, is_blank, one_line

if TYPE_CHECKING:
    from pypdf import PdfReader

_MARGIN_LINES = 5
_MOST_NUMBERS = 6
_FEWEST_REPEATS = 3
_REPEAT_SHARE = 0.4
_MOST_BOOKMARKS = 5000

_CUT_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]+)[-\u2010][^\S\n]*\n[^\S\n]*([^\W\d_]+)")
_HYPHENATED = re.compile(r"(?<![^\W\d_])[^\W\d_]+-[^\W\d_]+")
_LEADERS = re.compile(r"(?:[.·][^\S\n]?){5,}")
_DIGITS = re.compile(r"\d{1,9}")
_USELESS_TITLE = re.compile(r"(?:untitled|\(?anonymous\)?|title|microsoft \w+ - .*|.*\.\w{2,5}|[^a-z]*)", re.IGNORECASE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？", "”", '"')


def load_pdf(data: bytes, name: str) -> Parsed:
    """The text layer of a PDF; damaged, protected and scanned files are refused with the reason."""
    with _quiet():
        reader, count = _opened(data)
        pages, failed = _page_texts(reader, count)
        if all(is_blank(page) for page in pages):
            what = "damaged pages" if failed else "blank or scanned pages; run text recognition (OCR) first"
            raise UnreadableFileError(f"no text in {count} PDF page{'s' * (count != 1)}: {what}")
        bookmarks = _bookmarks(reader)
        title = _title(reader, name)
    lines = _without_running_lines([page.split("\n") for page in pages])
    _mark_headings(lines, bookmarks)
    text, offsets = _joined(_whole_words(["\n".join(page).strip() for page in lines]))
    empty = sum(is_blank(page) for page in pages)
    warnings = (f"{empty} of {count} pages have no text (scanned or blank)",) if empty else ()
    return Parsed(text, title, pages=offsets, warnings=warnings)


def _opened(data: bytes) -> tuple[PdfReader, int]:
    """The reader of a file and its number of pages."""
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    try:
        reader = PdfReader(io.BytesIO(data))
        locked = reader.is_encrypted and not reader.decrypt("")
        count = 0 if locked else len(reader.pages)
    except DependencyError as error:
        raise UnreadableFileError("encrypted PDF; install the package 'cryptography' to read it") from error
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


def _page_texts(reader: PdfReader, count: int) -> tuple[list[str], int]:
    """Cleaned text of every page, "" for those that cannot be read, and the number of these."""
    pages: list[str] = []
    failed = 0
    for number in range(count):
        try:
            text = reader.pages[number].extract_text()
        except _pdf_errors():
            text = ""
            failed += 1
        pages.append("\n".join(_LEADERS.sub(" … ", line).rstrip() for line in clean_text(text).split("\n")))
    return pages, failed


def _bookmarks(reader: PdfReader) -> list[tuple[int, int, str]]:
    """(page index, level from 1, title) of the outline."""
    found: list[tuple[int, int, str]] = []
    try:
        stack: list[tuple[Any, int]] = [(entry, 1) for entry in reversed(reader.outline)]
        while stack and len(found) < _MOST_BOOKMARKS:
            entry, level = stack.pop()
            if isinstance(entry, list):
                stack += [(inner, level + 1) for inner in reversed(entry)]
                continue
            page = reader.get_destination_page_number(entry)
            title = one_line(str(entry.title))
            if page is not None and title:
                found.append((page, level, title))
    except _pdf_errors():
        return []
    return found


def _title(reader: PdfReader, name: str) -> str:
    try:
        title = one_line(str((reader.metadata and reader.metadata.title) or ""))
    except _pdf_errors():
        return ""
    useless = _USELESS_TITLE.fullmatch(title) or title.casefold() == PurePosixPath(name).stem.casefold()
    return "" if useless and not _CJK.search(title) else title


def _without_running_lines(pages: list[list[str]]) -> list[list[str]]:
    """Drop first and last lines that many pages have in the same place, page numbers aside: headers and footers."""
    filled = [[line for line in page if line.strip()] for page in pages]
    keys = [[_line_keys(page, at, number) for at in range(len(page))] for number, page in enumerate(filled)]
    seen = Counter(key for page in keys for line in page for key in line)
    enough = max(_FEWEST_REPEATS, _REPEAT_SHARE * sum(map(bool, filled)))
    running = {key for key, times in seen.items() if times >= enough}
    trimmed = [
        [line for line, own in zip(page, page_keys, strict=True) if running.isdisjoint(own)]
        for page, page_keys in zip(filled, keys, strict=True)
    ]
    return trimmed if any(trimmed) else filled


def _line_keys(page: list[str], at: int, number: int) -> set[tuple[str, int, str]]:
    """What a running line has in common on all pages: its place, and itself or a number that counts with the pages."""
    places = [("top", at)] * (at < _MARGIN_LINES) + [("bottom", len(page) - at)] * (len(page) - at <= _MARGIN_LINES)
    if not places:
        return set()
    words = " ".join(page[at].split())
    forms = [] if any(map(str.isdigit, words)) and not any(map(str.isalpha, words)) else [words]
    forms += [
        f"{words[: match.start()]}\x00{int(match[0]) - number}\x00{words[match.end() :]}"
        for match in islice(_DIGITS.finditer(words), _MOST_NUMBERS)
    ]
    return {(*place, form) for place in places for form in forms}


def _mark_headings(pages: list[list[str]], bookmarks: Sequence[tuple[int, int, str]]) -> None:
    """Turn the lines that repeat a bookmark of their page into Markdown headings."""
    for number, level, title in bookmarks:
        if number >= len(pages) or len(title) > LONGEST_HEADING:
            continue
        page, wanted = pages[number], _squeezed(title)
        for at in range(len(page)):
            taken = _lines_of_title(page, at, wanted)
            if taken:
                heading = " ".join(" ".join(page[at : at + taken]).split())
                page[at : at + taken] = [f"\n{'#' * min(level, 6)} {heading}\n"]
                break


def _lines_of_title(page: list[str], at: int, wanted: str) -> int:
    """How many lines from `at` on spell a title; 0 where they do not."""
    joined = ""
    for taken, line in enumerate(page[at : at + 3], start=1):
        if line.startswith("\n"):
            return 0
        joined += _squeezed(line)
        if joined and joined == wanted:
            return taken
        if not wanted.startswith(joined):
            return 0
    return 0


def _squeezed(line: str) -> str:
    return "".join(filter(str.isalnum, line)).casefold()


def _whole_words(pages: list[str]) -> list[str]:
    """Join words cut at line ends; a hyphen stays where the document writes that word with it elsewhere."""
    hyphenated = {word.casefold() for page in pages for word in _HYPHENATED.findall(page)}

    def join(match: re.Match[str]) -> str:
        first, second = match[1], match[2]
        kept = f"{first}-{second}".casefold() in hyphenated or not (first[-1].islower() and second[0].islower())
        return f"{first}-{second}" if kept else first + second

    return [_CUT_WORD.sub(join, page) for page in pages]


def _joined(pages: list[str]) -> tuple[str, tuple[int, ...]]:
    """One text, and where each page begins in it; a sentence that runs over a page end stays in one paragraph."""
    parts: list[str] = []
    offsets: list[int] = []
    size = 0
    before = ""
    for page in pages:
        runs_on = before and page and not before.endswith(_ENDS) and not page[0].isupper() and page[0] != "#"
        if before and page:
            gap = "\n" if runs_on else "\n\n"
            parts.append(gap)
            size += len(gap)
        offsets.append(size)
        parts.append(page)
        size += len(page)
        before = page or before
    return "".join(parts), tuple(offsets)
