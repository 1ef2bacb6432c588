"""Tables whose cells are drawn: the grid of their lines, and which text lies in which cell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from statistics import median

from gossamer.ingestion.loaders.runs import Box, Row, Run, join_words, text_rows

_THIN = 3.0
_SHORTEST = 8.0
_TOUCHING = 2.0
_SAME = 4.0
_MOST_LINES = 3000
_ALIGNED_SHARE = 0.6
_FEWEST_ALIGNED = 3


@dataclass(frozen=True, slots=True)
class Grid:
    """The x of its vertical and the y of its horizontal lines, ascending."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]

    def holds(self, run: Run) -> bool:
        """Whether the middle of a run lies inside."""
        x, y = (run.x0 + run.x1) / 2, (run.y0 + run.y1) / 2
        return self.xs[0] - 1 <= x <= self.xs[-1] + 1 and self.ys[0] - 1 <= y <= self.ys[-1] + 1

    def cells(self, runs: Sequence[Run]) -> list[list[str]]:
        """Texts by row and column without empty rows and columns; [] where they do not look like a table."""
        wide = len(self.xs) - 1
        grid: list[list[list[Run]]] = [[[] for _ in range(wide)] for _ in range(len(self.ys) - 1)]
        for run in runs:
            row = bisect_right(self.ys, (run.y0 + run.y1) / 2) - 1
            column = bisect_right(self.xs, run.x0 + 1) - 1
            grid[min(max(row, 0), len(grid) - 1)][min(max(column, 0), wide - 1)].append(run)
        rows = [texts for row in grid for texts in self._texts(row)]
        kept = [column for column in range(wide) if any(row[column] for row in rows)]
        cells = [[row[column] for column in kept] for row in rows if any(row)]
        return cells if len(kept) > 1 and sum(sum(map(bool, row)) > 1 for row in cells) > 1 else []

    def _texts(self, row: list[list[Run]]) -> list[list[str]]:
        """The texts of a row of cells: several rows where its lines stand side by side without lines between them."""
        lines = text_rows([run for cell in row for run in cell])
        columns = {id(run): column for column, cell in enumerate(row) for run in cell}
        aligned = [len({columns[id(run)] for run in line}) > 1 for line in lines]
        if len(lines) >= _FEWEST_ALIGNED and sum(aligned) >= _ALIGNED_SHARE * len(lines) and not self._is_filled(row):
            split = [[[run for run in line if columns[id(run)] == at] for at in range(len(row))] for line in lines]
            return [[_cell_text(cell) for cell in line] for line in split]
        return [[_cell_text(cell) for cell in row]]

    def _is_filled(self, row: list[list[Run]]) -> bool:
        """Whether the lines of some cell go from border to border, as wrapped text does."""
        for column, cell in enumerate(row):
            width = self.xs[column + 1] - self.xs[column]
            lengths = [max(run.x1 for run in line) - min(run.x0 for run in line) for line in text_rows(cell)]
            if len(lengths) > 1 and median(lengths) > 0.6 * width:
                return True
        return False


def ruled_tables(boxes: Sequence[Box]) -> tuple[list[Grid], list[Box]]:
    """Grids of two rows and columns or more among the boxes of drawn lines and rectangles, and all vertical lines."""
    lines = [line for box in boxes for line in _lines(box)][:_MOST_LINES]
    walls = [line for line in lines if line[2] - line[0] <= _THIN]
    grids: list[Grid] = []
    for group in _groups(lines):
        xs = _positions([line[0] for line in group if line[2] - line[0] <= _THIN])
        ys = _positions([line[1] for line in group if line[3] - line[1] <= _THIN])
        if len(xs) > 2 and len(ys) > 2:
            grids.append(Grid(xs, ys))
    return grids, walls


def _lines(box: Box) -> list[Box]:
    """A thin box as a line, a rectangle as its four sides."""
    x0, y0, x1, y1 = box
    wide, high = x1 - x0, y1 - y0
    if high <= _THIN:
        return [box] if wide >= _SHORTEST else []
    if wide <= _THIN:
        return [box] if high >= _SHORTEST else []
    if wide < _SHORTEST or high < _SHORTEST:
        return []
    return [(x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)]


def _groups(lines: Sequence[Box]) -> list[list[Box]]:
    """Lines that touch one another, directly or through others."""
    if len(lines) < 6:
        return []
    import numpy as np
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    box = np.array(lines, dtype=np.float32)
    near = (
        (box[:, None, 0] <= box[None, :, 2] + _TOUCHING)
        & (box[None, :, 0] <= box[:, None, 2] + _TOUCHING)
        & (box[:, None, 1] <= box[None, :, 3] + _TOUCHING)
        & (box[None, :, 1] <= box[:, None, 3] + _TOUCHING)
    )
    count, labels = connected_components(csr_matrix(near.astype(np.int8)), directed=False)
    groups: list[list[Box]] = [[] for _ in range(count)]
    for line, label in zip(lines, labels, strict=True):
        groups[label].append(line)
    return groups


def _positions(values: list[float]) -> tuple[float, ...]:
    """Different positions in order; those that belong to one thick or double line count once."""
    found: list[float] = []
    for value in sorted(values):
        if not found or value - found[-1] > _SAME:
            found.append(value)
    return tuple(found)


def _cell_text(runs: Row) -> str:
    lines = [" ".join(run.text for run in line) for line in text_rows(runs)]
    return reduce(join_words, lines) if lines else ""
