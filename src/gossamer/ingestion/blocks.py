"""The smallest pieces that chunking keeps whole: sentences, table rows, code; and cuts of what is still too long."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

from gossamer.ingestion.sections import LONGEST_HEADING
from gossamer.text.sentences import split_sentences, tight

Span = tuple[int, int]

_STRUCTURE = re.compile(
    r"^(?:(?P<fence>[^\S\n]{0,3}(?:`{3,}|~{3,}))[^\n`]*$"
    r"|(?P<row>[^\S\n]{0,3}\|[^\n]*)$"
    r"|(?P<rule>[^\S\n]{0,3}:?-+:?[^\S\n]*\|[-:|\s]*?)$)",
    re.MULTILINE,
)
_RULE_ROW = re.compile(r"[^\S\n]*\|?(?=[-: ]*-)[-:|\s]+\Z")
_HEADING_LINE = re.compile(rf"^#{{1,6}}[^\S\n][^\n]{{0,{LONGEST_HEADING}}}$", re.MULTILINE)
_BLANK_LINES = re.compile(r"\n(?:[^\S\n]*\n)+")
_LINE_END = re.compile(r"\n")


@dataclass(frozen=True, slots=True)
class Unit:
    """text[start:end], its tokens and what it is: "text", "row", "code", or "piece" of something over the limit.

    `header` is the span of the header of the table that a row continues.
    """

    start: int
    end: int
    tokens: int
    kind: str = "text"
    header: Span | None = None


def find_units(text: str, start: int, end: int, count: Callable[[str], int], limit: int) -> Iterator[Unit]:
    """Units of text[start:end] in order, none over `limit` tokens; only white space lies between them."""
    for first, last, kind, header in _spans(text, start, end):
        if first == last:
            continue
        tokens = count(text[first:last])
        if tokens <= limit:
            yield Unit(first, last, tokens, kind, header)
        elif kind == "text":
            yield from _pieces(text, first, last, tokens, count, limit)
        else:
            yield from _parts(text, first, last, kind, count, limit)


def _spans(text: str, start: int, end: int) -> Iterator[tuple[int, int, str, Span | None]]:
    """(start, end, kind, table header) of everything between two offsets; a code block is one span."""
    position = start
    while position < end:
        mark = _STRUCTURE.search(text, position, end)
        if mark is None:
            break
        block = mark.start()
        if mark["rule"] is not None:
            block = text.rfind("\n", position, max(position, block - 1)) + 1 or position
            if not _is_table_head(text, block, mark.start()):
                block = mark.end()
        yield from _prose(text, position, block)
        if mark["fence"] is not None:
            position = _fence_end(text, mark, end)
            first, last = block, block + len(text[block:position].rstrip())
            yield first, last, "code", None
        elif block < mark.end():
            position = yield from _table(text, block, end)
        else:
            position = block
    yield from _prose(text, position, end)


def _prose(text: str, start: int, end: int) -> Iterator[tuple[int, int, str, None]]:
    if start < end:
        position = start
        for heading in _HEADING_LINE.finditer(text, start, end):
            yield from _sentences(text, position, heading.start())
            yield heading.start(), heading.start() + len(heading[0].rstrip()), "text", None
            position = heading.end()
        yield from _sentences(text, position, end)


def _sentences(text: str, start: int, end: int) -> Iterator[tuple[int, int, str, None]]:
    for first, last in split_sentences(text[start:end]):
        yield start + first, start + last, "text", None


def _fence_end(text: str, opening: re.Match[str], end: int) -> int:
    mark = opening["fence"].strip()
    closing = re.compile(rf"^[^\S\n]{{0,3}}{re.escape(mark[0])}{{{len(mark)},}}[^\S\n]*$", re.MULTILINE)
    match = closing.search(text, opening.end(), end)
    return match.end() if match else end


def _is_table_head(text: str, start: int, rule: int) -> bool:
    return "|" in text[start:rule] and not text[start:rule].lstrip().startswith(("#", "|"))


def _table(text: str, start: int, end: int) -> Generator[tuple[int, int, str, Span | None], None, int]:
    """Rows from `start` on; the header rows are one span with the first row. Returns where the table ends."""
    rows: list[Span] = []
    header: Span | None = None
    piped = text[start : start + 4].lstrip().startswith("|")
    position = start
    while position < end:
        stop = text.find("\n", position, end)
        stop = end if stop < 0 else stop
        line = text[position:stop]
        if not (line.lstrip().startswith("|") if piped else "|" in line):
            break
        row = (position, position + len(line.rstrip()))
        position = stop + 1
        if header is None and len(rows) == 1 and _RULE_ROW.match(line):
            header = (rows[0][0], row[1])
        rows.append(row)
        if header is None and len(rows) == 2:
            yield *rows[0], "row", None
            yield *rows[1], "row", None
        elif header is not None and len(rows) == 3:
            yield header[0], row[1], "row", None
        elif len(rows) > 2:
            yield *row, "row", header
    if len(rows) == 1 or (header is not None and len(rows) == 2):
        yield rows[0][0], rows[-1][1], "row", None
    return min(position, end)


def _parts(text: str, start: int, end: int, kind: str, count: Callable[[str], int], limit: int) -> Iterator[Unit]:
    """Parts of a code block at its blank lines, lines where a part is still too long, pieces where a line is."""
    for first, last in _split_at(text, start, end, _BLANK_LINES):
        tokens = count(text[first:last])
        if tokens <= limit:
            yield Unit(first, last, tokens, kind)
            continue
        for line, stop in _split_at(text, first, last, _LINE_END):
            tokens = count(text[line:stop])
            if tokens <= limit:
                yield Unit(line, stop, tokens, kind)
            else:
                yield from _pieces(text, line, stop, tokens, count, limit)


def _split_at(text: str, start: int, end: int, gap: re.Pattern[str]) -> Iterator[Span]:
    position = start
    for match in gap.finditer(text, start, end):
        if match.start() > position:
            yield position, match.start()
        position = match.end()
    if position < end:
        yield position, end


def _pieces(text: str, start: int, end: int, tokens: int, count: Callable[[str], int], limit: int) -> Iterator[Unit]:
    """Cut at word ends, inside a word only where it alone is over the limit: the longest cuts that fit."""
    guess = max(1, (end - start) * limit // max(tokens, 1))
    while start < end:
        stop = _longest_fit(text, start, end, guess, count, limit)
        guess = stop - start
        if stop < end and not text[stop].isspace():
            space = max(text.rfind(gap, start, stop) for gap in " \n\t\u3000")
            stop = space if space > start else stop
        first, last = tight(text, start, stop)
        tokens = count(text[first:last])
        while tokens > limit and last - first > 1:
            last = stop = first + (last - first) * 7 // 8
            tokens = count(text[first:last])
        if first < last:
            yield Unit(first, last, tokens, "piece")
        start = stop


def _longest_fit(text: str, start: int, end: int, guess: int, count: Callable[[str], int], limit: int) -> int:
    """Largest stop (to about a 16th) with count(text[start:stop]) <= limit; at least one character."""
    low, high = start + 1, min(end, start + guess)
    while high < end and count(text[start:high]) <= limit:
        low, high = high, min(end, start + 2 * (high - start))
    if high == end and count(text[start:end]) <= limit:
        return end
    while high - low > max(1, (low - start) // 16):
        middle = (low + high) // 2
        if count(text[start:middle]) <= limit:
            low = middle
        else:
            high = middle
    return low
