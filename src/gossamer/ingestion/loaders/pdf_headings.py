"""Headings of a PDF: the lines that repeat a bookmark, else short lines in larger or bolder type than the text."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from gossamer.ingestion.loaders.layout import Line
from gossamer.ingestion.loaders.pdf_pages import Bookmark
from gossamer.ingestion.sections import LONGEST_HEADING

_LARGER = 1.1
_LONGEST_LINE = 120
_LONGEST_BOLD = 80
_MOST_LINES = 3
_MOST_LEVELS = 4
_LARGEST_SHARE = 0.2
_FEWEST_MARKED = 0.5
_NO_HEADING_END = (".", ",", ";", "。", "，", "；", "、")
_LETTERS = re.compile(r"[^\W\d_]{2,}|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")

Place = tuple[int, int]


def mark_headings(pages: Sequence[Sequence[Line]], bookmarks: Sequence[Bookmark]) -> list[str]:
    """The text of every page with Markdown headings.

    Bookmarks tell the headings where at least half of them are found on their pages, else the type does.

    >>> mark_headings([[Line("Orion", 18.0), *[Line("It goes to Mars in the year 2031.", 11.0)] * 4]], [])[0][:16]
    '# Orion\\n\\nIt goes'
    """
    found = _bookmarked(pages, bookmarks)
    if not found or len(found) < _FEWEST_MARKED * len(bookmarks):
        found = {**_by_type(pages), **found}
    return [_written(page, number, found) for number, page in enumerate(pages)]


def _written(page: Sequence[Line], number: int, headings: dict[Place, tuple[int, int]]) -> str:
    parts: list[str] = []
    at = 0
    while at < len(page):
        level, taken = headings.get((number, at), (0, 1))
        text = "\n".join(line.text for line in page[at : at + taken])
        if level:
            parts += ["", f"{'#' * min(level, 6)} {' '.join(text.split())}", ""]
        else:
            parts += [""] * (page[at].gap and bool(parts)) + [text]
        at += taken
    return re.sub(r"\n{3,}", "\n\n", "\n".join(parts)).strip()


def _bookmarked(pages: Sequence[Sequence[Line]], bookmarks: Sequence[Bookmark]) -> dict[Place, tuple[int, int]]:
    """(level, number of lines) of the lines that repeat a bookmark of their page."""
    found: dict[Place, tuple[int, int]] = {}
    for number, level, title in bookmarks:
        if number >= len(pages) or len(title) > LONGEST_HEADING:
            continue
        page, wanted = pages[number], _squeezed(title)
        for at in range(len(page)):
            taken = 0 if (number, at) in found else _lines_of_title(page, at, wanted)
            if taken:
                found[number, at] = (level, taken)
                break
    return found


def _lines_of_title(page: Sequence[Line], at: int, wanted: str) -> int:
    """How many lines from `at` on spell a title; 0 where they do not."""
    joined = ""
    for taken, line in enumerate(page[at : at + _MOST_LINES], start=1):
        joined += _squeezed(line.text)
        if joined and joined == wanted:
            return taken
        if not wanted.startswith(joined):
            return 0
    return 0


def _squeezed(line: str) -> str:
    return "".join(filter(str.isalnum, line)).casefold()


def _by_type(pages: Sequence[Sequence[Line]]) -> dict[Place, tuple[int, int]]:
    """(level, number of lines) of headings by their type: the larger, the higher; bold ones of the text's size last."""
    sizes: Counter[tuple[float, bool]] = Counter()
    for page in pages:
        for line in page:
            sizes[line.size, line.bold] += len(line.text)
    if not sizes:
        return {}
    (body, body_bold), _ = max(sizes.items(), key=lambda each: (each[1], each[0]))
    if body <= 0:
        return {}
    groups: dict[tuple[float, bool], list[tuple[int, int, int]]] = {}
    for number, page in enumerate(pages):
        at = 0
        while at < len(page):
            style = _style(page[at], body, body_bold)
            taken = 1
            if style is not None:
                while at + taken < len(page) and taken < _MOST_LINES and _goes_on(page[at + taken], page[at]):
                    taken += 1
                if _is_heading(page[at : at + taken], style[1]):
                    groups.setdefault(style, []).append((number, at, taken))
            at += taken
    total = sum(sizes.values())
    kept = [
        style
        for style in sorted(groups, reverse=True)
        if sum(len(pages[number][at].text) for number, at, _ in groups[style]) <= _LARGEST_SHARE * total
    ]
    return {
        (number, at): (min(level, _MOST_LEVELS), taken)
        for level, style in enumerate(kept, start=1)
        for number, at, taken in groups[style]
    }


def _style(line: Line, body: float, body_bold: bool) -> tuple[float, bool] | None:
    """(size, whether only its weight tells it from the text) of a line that may be a heading."""
    # A leader stands in a table of contents.
    if line.text.startswith(("|", "#")) or " … " in line.text:
        return None
    if line.size >= _LARGER * body:
        return line.size, False
    return (body, True) if line.bold and not body_bold and line.gap and line.size >= 0.95 * body else None


def _goes_on(line: Line, first: Line) -> bool:
    return line.size == first.size and line.bold == first.bold and not line.gap


def _is_heading(lines: Sequence[Line], only_bold: bool) -> bool:
    text = " ".join(line.text for line in lines)
    longest = _LONGEST_BOLD if only_bold else _LONGEST_LINE
    if only_bold and len(lines) > 1:
        return False
    return len(text) <= longest and not text.endswith(_NO_HEADING_END) and _LETTERS.search(text) is not None
