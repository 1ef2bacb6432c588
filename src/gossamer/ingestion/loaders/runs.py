"""Glyphs of a page to runs of characters that stand together, and runs to the rows they share."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

# Distances in units of the height of a line.
_CELL_GAP = 1.2
_WORD_GAP = 0.13
_MARKER_GAP = 5.0

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


def glyph_runs(glyphs: Sequence[Glyph], walls: Sequence[Box]) -> Iterator[Run]:
    """Runs in the order of the glyphs; a wall between two glyphs ends a run."""
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


def joined_runs(row: Row, walls: Sequence[Box]) -> Row:
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
