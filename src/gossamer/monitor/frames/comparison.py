"""Three ways to fill one budget, next to each other."""

from __future__ import annotations

from rich.text import Text

from gossamer.monitor.compare import Column, Comparison
from gossamer.monitor.frames.cells import Lines, beside, clean, fit, lead, wrap
from gossamer.monitor.frames.look import GOOD, MUTED, STRONG, glyphs

_NARROW = 72
_LISTED = 12


def comparison(found: Comparison, width: int, *, ascii_only: bool = False) -> Lines:
    """Columns side by side, below each other on a narrow screen; a mark stands before what only that way found."""
    lines = wrap(found.question, width, indent=2, style=STRONG)
    columns = len(found.columns)
    size = (width - 2) // columns - 2 if width >= _NARROW else width - 2
    blocks = [_column(column, found, size, ascii_only=ascii_only) for column in found.columns]
    if width < _NARROW:
        return [*lines, *(line for block in blocks for line in (*block, Text()))]
    joined = blocks[0]
    for number, block in enumerate(blocks[1:], start=1):
        joined = beside(joined, block, width=size * number + 2 * (number - 1))
    mark = glyphs(ascii_only).tick
    note = f"  {mark} only this way found it. Each may fill {found.budget} tokens, by the same rule."
    indented = [Text("  ", no_wrap=True) + line for line in joined]
    return [*lines, Text(), *indented, Text(), Text(fit(note, width, ascii_only=ascii_only), style=MUTED, no_wrap=True)]


def _column(column: Column, found: Comparison, width: int, *, ascii_only: bool) -> Lines:
    others = {name for other in found.columns if other is not column for name, _ in other.passages}
    head = f"{len(column.passages)} passages, {column.tokens} tokens"
    lines = [
        Text(fit(column.name, width, ascii_only=ascii_only), style=STRONG, no_wrap=True),
        Text(fit(head, width, ascii_only=ascii_only), style=MUTED, no_wrap=True),
    ]
    for number, (name, title) in enumerate(column.passages[:_LISTED], start=1):
        alone = name not in others
        line = lead(f"{number:>2} ", MUTED)
        mark = glyphs(ascii_only).tick
        line.append((mark if alone else " " * len(mark)) + " ", style=GOOD)
        line.append(
            fit(clean(title or name), width - line.cell_len, ascii_only=ascii_only), style=GOOD if alone else ""
        )
        lines.append(line)
    if len(column.passages) > _LISTED:
        lines.append(Text(f"   and {len(column.passages) - _LISTED} more", style=MUTED, no_wrap=True))
    return lines
