"""Glyphs of a page to lines in reading order: text columns one after another, tables as Markdown rows."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from gossamer.ingestion.loaders.base import table_row
from gossamer.ingestion.loaders.tabular import reads_as_header

if TYPE_CHECKING:
    from gossamer.ingestion.loaders.ruled import Grid

# Distances in units of the height of a line.
_CELL_GAP = 1.2
_WORD_GAP = 0.13
_GUTTER = 0.7
_BLOCK_GAP = 2.5
_PARAGRAPH_GAP = 1.35
_MARKER_GAP = 5.0

_MOST_TEXT_COLUMNS = 3
_PROSE_LENGTH = 20
_PROSE_FILL = 0.6
_FEWEST_PROSE_LINES = 3

_MARKER = re.compile(
    r"[•▪◦●○■□–—*o§\u2010-\u2015\uf0b7\uf0a7\uf0d8-]|\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\.\d{1,2}|\d+(?:\.\d+)+\.?"
)
_NO_SPACE = re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]")


class Glyph(NamedTuple):
    """A character and its box in points; y grows downwards."""

    char: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool


@dataclass(slots=True)
class Line:
    """A line of a page; `size` is that of its font (0 unknown), `gap` says that a paragraph ends before it."""

    text: str
    size: float = 0.0
    bold: bool = False
    gap: bool = False


@dataclass(slots=True)
class Run:
    """Characters that stand together in one line."""

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool

    @property
    def height(self) -> float:
        """Height in points, never 0."""
        return max(self.y1 - self.y0, 1.0)


Row = list[Run]
Box = tuple[float, float, float, float]


def page_lines(glyphs: Sequence[Glyph], tables: Sequence[Grid] = (), walls: Sequence[Box] = ()) -> list[Line]:
    """Lines of one page from its glyphs in the order of the file, the grids and the vertical lines drawn on it.

    >>> letters = [Glyph(char, 6.0 * at, 0.0, 6.0 * at + 6, 12.0, 12.0, False) for at, char in enumerate("Pune")]
    >>> [line.text for line in page_lines(letters)]
    ['Pune']
    """
    runs = list(_runs(glyphs, walls))
    placed: list[tuple[float, list[Line]]] = []
    for table in tables:
        inside = [run for run in runs if table.holds(run)]
        cells = table.cells(inside)
        if cells:
            runs = [run for run in runs if not table.holds(run)]
            placed.append((table.ys[0], _table_lines(cells, inside[0].size)))
    rows = [_joined(row, walls) for row in text_rows(runs)]
    spacing = _line_spacing(rows)
    out: list[Line] = []
    start = 0
    for top, lines in sorted(placed, key=lambda each: each[0]):
        stop = start
        while stop < len(rows) and rows[stop][0].y0 < top:
            stop += 1
        out += [*_flow(rows[start:stop], spacing), *lines]
        start = stop
    return [*out, *_flow(rows[start:], spacing)]


def text_rows(runs: Sequence[Run]) -> list[Row]:
    """Runs that share a line, from top to bottom, each from left to right."""
    rows: list[Row] = []
    band: Run | None = None
    for run in sorted(runs, key=lambda run: (run.y0 + run.y1, run.x0)):
        if band is not None and _overlap(band, run) > 0.5 * min(band.height, run.height):
            rows[-1].append(run)
            band = band if band.height >= run.height else run
        else:
            rows.append([run])
            band = run
    return [sorted(row, key=lambda run: run.x0) for row in rows]


def join_words(first: str, second: str) -> str:
    """Two pieces of a line that is broken between them; a word cut at the break is made whole.

    >>> join_words("the obser-", "vatory"), join_words("Helix", "Labs")
    ('the observatory', 'Helix Labs')
    """
    if first.endswith("-") and first[-2:-1].islower() and second[:1].islower():
        return first[:-1] + second
    return first + ("" if _NO_SPACE.match(first[-1:]) and _NO_SPACE.match(second[:1]) else " ") + second


def _runs(glyphs: Sequence[Glyph], walls: Sequence[Box]) -> Iterator[Run]:
    run: Run | None = None
    last: Glyph | None = None
    spaced = False
    for glyph in glyphs:
        if glyph.char.isspace():
            spaced = True
            continue
        gap = _gap(last, glyph, walls) if last is not None else None
        if run is None or gap is None:
            if run is not None:
                yield run
            run = Run(glyph.char, *glyph[1:])
        else:
            run.text += " " * (spaced or gap > _WORD_GAP * run.height) + glyph.char
            run.x0, run.x1 = min(run.x0, glyph.x0), max(run.x1, glyph.x1)
            if glyph.size > run.size:
                run.y0, run.y1, run.size = glyph.y0, glyph.y1, glyph.size
            run.bold = run.bold and glyph.bold
        last, spaced = glyph, False
    if run is not None:
        yield run


def _gap(last: Glyph, glyph: Glyph, walls: Sequence[Box]) -> float | None:
    """Distance between two glyphs of one run; None where the second begins another."""
    height = max(last.y1 - last.y0, glyph.y1 - glyph.y0, 1.0)
    if min(last.y1, glyph.y1) - max(last.y0, glyph.y0) <= 0.5 * max(1.0, min(last.y1 - last.y0, glyph.y1 - glyph.y0)):
        return None
    gap = glyph.x0 - last.x1 if glyph.x0 >= last.x0 else last.x0 - glyph.x1
    if not -0.5 * height <= gap <= _CELL_GAP * height:
        return None
    return None if gap > 0.1 * height and _is_walled(last.x1, glyph.x0, glyph.y0, glyph.y1, walls) else gap


def _is_walled(left: float, right: float, top: float, bottom: float, walls: Sequence[Box]) -> bool:
    middle = (top + bottom) / 2
    return any(left - 1 <= wall[0] <= right + 1 and wall[1] <= middle <= wall[3] for wall in walls)


def _overlap(first: Run, second: Run) -> float:
    return min(first.y1, second.y1) - max(first.y0, second.y0)


def _joined(row: Row, walls: Sequence[Box]) -> Row:
    """Segments of a row: runs with no more than a word's distance between them, list markers with their item."""
    joined = [row[0]]
    for run in row[1:]:
        before = joined[-1]
        gap = run.x0 - before.x1
        height = max(before.height, run.height)
        is_item = len(joined) == 1 and _MARKER.fullmatch(before.text) and run.text[:1].isalpha()
        near = gap <= (_MARKER_GAP if is_item else _CELL_GAP) * height
        if near and not _is_walled(before.x1, run.x0, run.y0, run.y1, walls):
            before.text += " " * (gap > _WORD_GAP * height) + run.text
            before.x1, before.y0, before.y1 = max(before.x1, run.x1), min(before.y0, run.y0), max(before.y1, run.y1)
            before.size, before.bold = max(before.size, run.size), before.bold and run.bold
        else:
            joined.append(run)
    return joined


def _line_spacing(rows: Sequence[Row]) -> float:
    """The usual distance from one line to the next."""
    steps = [
        after[0].y0 - before[0].y0
        for before, after in pairwise(rows)
        if 0 < after[0].y0 - before[0].y0 < 3 * before[0].height
    ]
    return median(steps) if steps else 0.0


def _flow(rows: Sequence[Row], spacing: float) -> Iterator[Line]:
    """Lines of rows: blocks of columns and of cells where there are such, else one line a row."""
    at = 0
    bottom: Run | None = None
    while at < len(rows):
        block = _Block.grown(rows, at) if len(rows[at]) > 1 else None
        if block is not None and block.is_prose():
            for column in block.columns():
                yield from _flow([[run] for run in column], spacing)
        elif block is not None and block.is_table():
            cells = block.cells()
            yield from _table_lines(cells, rows[at][0].size)
        else:
            row = rows[at]
            gap = bottom is None or row[0].y0 - bottom.y0 > _PARAGRAPH_GAP * max(spacing, row[0].height)
            text = "  ".join(run.text for run in row)
            yield Line(text, max(run.size for run in row), all(run.bold for run in row), gap)
            bottom = row[0]
            at += 1
            continue
        at += len(block.rows)
        bottom = None


def _table_lines(cells: Sequence[Sequence[str]], size: float) -> list[Line]:
    lines = [Line(table_row(list(row)), size) for row in cells]
    lines[0].gap = True
    if reads_as_header(list(cells[0])):
        lines[0].text += "\n|" + " --- |" * len(cells[0])
    return lines


@dataclass(slots=True)
class _Block:
    """Consecutive rows with white space between columns that none of them crosses."""

    rows: list[Row]
    gutters: list[tuple[float, float]]

    @classmethod
    def grown(cls, rows: Sequence[Row], start: int) -> _Block:
        """The longest block that begins with a row of several segments."""
        gutters = [(left.x1, right.x0) for left, right in pairwise(rows[start])]
        fewest = (len(gutters) + 1) // 2
        stop = start + 1
        while stop < len(rows):
            above, row = rows[stop - 1], rows[stop]
            if row[0].y0 - max(run.y1 for run in above) > _BLOCK_GAP * row[0].height:
                break
            left = [free for gutter in gutters for free in _free(gutter, row)]
            if len(left) < max(1, fewest):
                break
            gutters = left
            stop += 1
        return cls(list(rows[start:stop]), gutters)

    def columns(self) -> list[list[Run]]:
        """The segments of every column from top to bottom."""
        columns: list[list[Run]] = [[] for _ in range(len(self.gutters) + 1)]
        for row in self.rows:
            for run in row:
                columns[self._column(run)].append(run)
        return columns

    def is_prose(self) -> bool:
        """Whether every column is filled with lines of running text."""
        columns = self.columns()
        return len(columns) <= _MOST_TEXT_COLUMNS and all(
            len(column) >= _FEWEST_PROSE_LINES
            and median(len(run.text) for run in column) >= _PROSE_LENGTH
            and median(run.x1 - run.x0 for run in column) >= _PROSE_FILL * max(run.x1 - run.x0 for run in column)
            for column in columns
        )

    def is_table(self) -> bool:
        """Whether two rows or more have several cells; rows after the last of these are left out of the block."""
        while len(self.rows) > 1 and len(self.rows[-1]) == 1 and self._column(self.rows[-1][0]) == 0:
            self.rows.pop()
        return sum(len({self._column(run) for run in row}) > 1 for row in self.rows) >= 2

    def cells(self) -> list[list[str]]:
        """The texts of the rows; a line that only goes on with a cell above it is joined to it."""
        cells: list[list[str]] = []
        for number, row in enumerate(self.rows):
            texts = [""] * (len(self.gutters) + 1)
            for run in row:
                column = self._column(run)
                texts[column] = f"{texts[column]} {run.text}".strip()
            filled = [column for column, text in enumerate(texts) if text]
            if cells and len(filled) == 1 and filled[0] > 0 and self._follows(number):
                cells[-1][filled[0]] = join_words(cells[-1][filled[0]] or " ", texts[filled[0]]).strip()
            else:
                cells.append(texts)
        return cells

    def _follows(self, number: int) -> bool:
        above, row = self.rows[number - 1], self.rows[number]
        return row[0].y0 - max(run.y1 for run in above) <= 0.5 * row[0].height

    def _column(self, run: Run) -> int:
        edges = [(left + right) / 2 for left, right in self.gutters]
        return bisect_right(edges, (run.x0 + run.x1) / 2)


def _free(gutter: tuple[float, float], row: Row) -> Iterator[tuple[float, float]]:
    """The part of a gutter that a row leaves free, where it is wide enough."""
    left, right = gutter
    for run in row:
        if run.x0 < right and run.x1 > left:
            if run.x0 - left >= right - run.x1:
                right = run.x0
            else:
                left = run.x1
    if right - left >= _GUTTER * row[0].height:
        yield left, right
