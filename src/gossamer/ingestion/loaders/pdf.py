"""PDF to Markdown-like text: running headers go, words cut at line ends are joined, headings are marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import islice
from pathlib import PurePosixPath

from gossamer.ingestion.loaders.base import Parsed, UnreadableFileError, heading_title
from gossamer.ingestion.loaders.layout import Line
from gossamer.ingestion.loaders.pdf_headings import mark_headings
from gossamer.ingestion.loaders.pdf_pages import PdfContent, read_with_pypdf
from gossamer.text.clean import clean_text, is_blank

_MARGIN_LINES = 5
_MOST_NUMBERS = 6
_FEWEST_REPEATS = 3
_REPEAT_SHARE = 0.4

_CUT_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]+)[-\u2010][^\S\n]*\n[^\S\n]*([^\W\d_]+)")
_HYPHENATED = re.compile(r"(?<![^\W\d_])[^\W\d_]+-[^\W\d_]+")
_LEADERS = re.compile(r"(?:[.·_][^\S\n]?){5,}")
_DIGITS = re.compile(r"\d{1,9}")
_USELESS_TITLE = re.compile(r"(?:untitled|\(?anonymous\)?|title|microsoft \w+ - .*|.*\.\w{2,5}|[^a-z]*)", re.IGNORECASE)
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_ENDS = (".", "!", "?", ":", ";", "。", "！", "？", "”", '"', "|")


def load_pdf(data: bytes, name: str) -> Parsed:
    """The text layer of a PDF; damaged, protected and scanned files are refused with the reason.

    With the extra `pdf` the text is put in reading order, column by column, and tables become Markdown tables.
    """
    content = _read(data)
    count = len(content.pages)
    pages = [list(_cleaned(page)) for page in content.pages]
    if not any(pages):
        what = "damaged pages" if content.failed else "blank or scanned pages; run text recognition (OCR) first"
        raise UnreadableFileError(f"no text in {count} PDF page{'s' * (count != 1)}: {what}")
    empty = sum(not page for page in pages)
    pages = _without_running_lines(pages)
    texts = mark_headings(pages, content.bookmarks)
    text, offsets = _joined(_whole_words(texts))
    warnings = (f"{empty} of {count} pages have no text (scanned or blank)",) if empty else ()
    return Parsed(text, _title(content.title, name) or heading_title(text), pages=offsets, warnings=warnings)


def _read(data: bytes) -> PdfContent:
    if find_spec("pypdfium2") is None:
        return read_with_pypdf(data)
    from gossamer.ingestion.loaders.pdf_pdfium import read_with_pdfium

    return read_with_pdfium(data)


def _cleaned(page: Sequence[Line]) -> Iterator[Line]:
    """Lines with cleaned text, without the blank ones."""
    gap = False
    for line in page:
        text = _LEADERS.sub(" … ", clean_text(line.text)).rstrip()
        gap = gap or line.gap
        if not is_blank(text):
            yield Line(text, line.size, line.bold, gap)
            gap = False


def _title(title: str, name: str) -> str:
    useless = _USELESS_TITLE.fullmatch(title) or title.casefold() == PurePosixPath(name).stem.casefold()
    return "" if useless and not _CJK.search(title) else title


def _without_running_lines(pages: list[list[Line]]) -> list[list[Line]]:
    """Drop first and last lines that many pages have in the same place, page numbers aside: headers and footers."""
    keys = [[_line_keys(page, at, number) for at in range(len(page))] for number, page in enumerate(pages)]
    seen = Counter(key for page in keys for line in page for key in line)
    enough = max(_FEWEST_REPEATS, _REPEAT_SHARE * sum(map(bool, pages)))
    running = {key for key, times in seen.items() if times >= enough}
    trimmed = [
        [line for line, own in zip(page, page_keys, strict=True) if running.isdisjoint(own)]
        for page, page_keys in zip(pages, keys, strict=True)
    ]
    return trimmed if any(trimmed) else pages


def _line_keys(page: Sequence[Line], at: int, number: int) -> set[tuple[str, int, str]]:
    """What a running line has in common on all pages: its place, and itself or a number that counts with the pages."""
    places = [("top", at)] * (at < _MARGIN_LINES) + [("bottom", len(page) - at)] * (len(page) - at <= _MARGIN_LINES)
    if not places:
        return set()
    words = " ".join(page[at].text.split())
    forms = [] if any(map(str.isdigit, words)) and not any(map(str.isalpha, words)) else [words]
    forms += [
        f"{words[: match.start()]}\x00{int(match[0]) - number}\x00{words[match.end() :]}"
        for match in islice(_DIGITS.finditer(words), _MOST_NUMBERS)
    ]
    return {(*place, form) for place in places for form in forms}


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
        runs_on = before and page and not before.endswith(_ENDS) and not page[0].isupper() and page[0] not in "#|"
        if before and page:
            gap = "\n" if runs_on else "\n\n"
            parts.append(gap)
            size += len(gap)
        offsets.append(size)
        parts.append(page)
        size += len(page)
        before = page or before
    return "".join(parts), tuple(offsets)
