"""Rows in columns that fit the width: narrow columns keep their size, the last one takes what is left."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from gossamer.monitor.frames.cells import Lines, clean, fit, lead, pad, wrap
from gossamer.monitor.frames.look import BAD, GOOD, MUTED, PLAIN, STRONG, WARN

STYLES = {"": PLAIN, "ok": GOOD, "warning": WARN, "error": BAD, "muted": MUTED}
_MOST = 34


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    width: int,
    *,
    tones: Sequence[str] = (),
    ascii_only: bool = False,
) -> Lines:
    """Lines of a table; `tones` colours the first cell of each row (ok, warning, error, muted)."""
    cells = [[clean(cell) for cell in row] for row in rows]
    limit = max(min(_MOST, (width - 4) // max(len(head), 1)), 6)
    sizes = [min(max(cell_len(row[at]) for row in [list(head), *cells]), limit) for at in range(len(head) - 1)]
    lines = [_line(list(head), sizes, width, MUTED, MUTED, ascii_only)[0]]
    for number, row in enumerate(cells):
        tone = STYLES[tones[number]] if number < len(tones) else STRONG
        lines += _line(row, sizes, width, tone, PLAIN, ascii_only)
    return lines


def _line(row: list[str], sizes: list[int], width: int, first: str, rest: str, ascii_only: bool) -> Lines:
    line = Text("  ", no_wrap=True)
    for at, size in enumerate(sizes):
        line.append(pad(row[at], size, ascii_only=ascii_only), style=rest if at else first)
        line.append("  ")
    room = max(width - line.cell_len, 8)
    tail = wrap(row[-1], room, style=rest if sizes else first)
    filled = [line + tail[0]]
    filled += [Text(" " * line.cell_len, no_wrap=True) + more for more in tail[1:]]
    return filled


def message(text: str, width: int, *, tone: str = "", name: str = "") -> Lines:
    """A sentence or two, wrapped; `name` stands before it in the colour of the tone."""
    start = f"  {name}  " if name else "  "
    lines = wrap(text, width, indent=cell_len(start), style="" if name else STYLES[tone])
    lines[0] = lead(start, STYLES[tone]) + lines[0][cell_len(start) :]
    return lines


def title(text: str, width: int, *, ascii_only: bool = False) -> Text:
    """The head of a block."""
    return Text(fit(f"  {clean(text)}", width, ascii_only=ascii_only), style=STRONG, no_wrap=True)
