"""The two kinds of tables drawn in reStructuredText, grids and simple ones, as Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from gossamer.ingestion.loaders.base import table_row

_GRID_RULE = re.compile(r"\s*\+(?:[-=]+\+)+\s*$")
_SIMPLE_RULE = re.compile(r"\s*={2,}(?:[^\S\n]+={2,})+\s*$")
_SPAN_RULE = re.compile(r"\s*-{2,}(?:[^\S\n]+-{2,})*\s*$")
_BORDER = " |+"


def read_table(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """Markdown lines of the table that begins at lines[at], and the line after it; ([], at) where there is none.

    >>> read_table(["===== ====", "Lab   City", "===== ====", "Helix Pune", "===== ====", ""], 0)
    (['| Lab | City |', '| --- | --- |', '| Helix | Pune |'], 5)
    """
    if _GRID_RULE.match(lines[at]):
        return _grid(lines, at)
    return _simple(lines, at) if _SIMPLE_RULE.match(lines[at]) else ([], at)


def _grid(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    edges = [place for place, mark in enumerate(lines[at]) if mark == "+"]
    rows: list[list[str]] = []
    cells = [""] * (len(edges) - 1)
    header = 0
    end = at + 1
    while end < len(lines) and lines[end].strip()[:1] in {"|", "+"}:
        line = lines[end]
        if line.strip().startswith("+") and set(line.strip()) <= set("+-= |"):
            rows += [cells] if any(cells) else []
            cells = [""] * (len(edges) - 1)
            header = len(rows) if "=" in line else header
        else:
            for column, (left, right) in enumerate(pairwise(edges)):
                # The border to the left belongs to a cell that spans the one before it.
                spans = line[left : left + 1] not in {"|", "+", ""}
                text = line[left if spans else left + 1 : right].strip(_BORDER)
                cells[column] = f"{cells[column]} {text}".strip()
        end += 1
    return _written(rows, header), end


def _simple(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    starts = [match.start() for match in re.finditer("=+", lines[at])]
    rules = [at]
    end = at + 1
    while end < len(lines) and len(rules) < 3:
        if _SIMPLE_RULE.match(lines[end]):
            rules.append(end)
            if end + 1 >= len(lines) or not lines[end + 1].strip():
                break
        end += 1
    if len(rules) < 2:
        return [], at
    rows: list[list[str]] = []
    header = 0
    for number in range(at + 1, rules[-1]):
        line = lines[number]
        if number in rules:
            header = len(rows)
        elif line.strip() and not _SPAN_RULE.match(line):
            cells = [line[left:right].strip() for left, right in pairwise([*starts, None])]
            if not cells[0] and rows:
                rows[-1] = [f"{above} {cell}".strip() for above, cell in zip(rows[-1], cells, strict=True)]
            else:
                rows.append(cells)
    return _written(rows, header), rules[-1] + 1


def _written(rows: Sequence[list[str]], header: int) -> list[str]:
    out = [table_row(row) for row in rows]
    if header and rows:
        out.insert(header, "|" + " --- |" * len(rows[0]))
    return out
