"""Runs of a page to lines in reading order: text columns one after another, tables as Markdown rows."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from gossamer.ingestion.loaders.base import table_row
from gossamer.ingestion.loaders.runs import Box, Glyph, Row, Run, glyph_runs, join_words, joined_runs, text_rows
from gossamer.ingestion.loaders.tabular import reads_as_header

if TYPE_CHECKING:
    from gossamer.ingestion.loaders.ruled import Grid

# Distances in units of the height of a line.
_GUTTER = 0.7
_BLOCK_GAP = 2.5
_PARAGRAPH_GAP = 1.35

_MOST_TEXT_COLUMNS = 3
_PROSE_LENGTH = 20
_PROSE_FILL = 0.6
_FEWEST_PROSE_LINES = 3


@dataclass(slots=True)
class Line:
    """A line of a page; `size` is that of its font (0 unknown), `gap` says that a paragraph ends before it."""

    text: str
    size: float = 0.0
    bold: bool = False
    gap: bool = False


def page_lines(glyphs: Sequence[Glyph], tables: Sequence[Grid] = (), walls: Sequence[Box] = ()) -> list[Line]:
    """Lines of one page from its glyphs in the order of the file, the grids and the vertical lines drawn on it.

    >>> from gossamer.ingestion.loaders.runs import Glyph
    >>> letters = [Glyph(char, 6.0 * at, 0.0, 6.0 * at + 6, 12.0, 12.0, False) for at, char in enumerate("Pune")]
    >>> [line.text for line in page_lines(letters)]
    ['Pune']
    """
    runs = list(glyph_runs(glyphs, walls))
    placed: list[tuple[float, list[Line]]] = []
    for table in tables:
        inside = [run for run in runs if table.holds(run)]
        cells = table.cells(inside)
        if cells:
            runs = [run for run in runs if not table.holds(run)]
            placed.append((table.ys[0], _table_lines(cells, inside[0].size)))
    rows = [joined_runs(row, walls) for row in text_rows(runs)]
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
