"""What a line can become, above the prompt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.text import Text

from gossamer.monitor.frames.cells import Lines, fit, lead
from gossamer.monitor.frames.look import FAINT, MUTED, STRONG

_LISTED = 5


def hints(
    found: Sequence[str], usages: Mapping[str, tuple[str, str]], width: int, *, ascii_only: bool = False
) -> Lines:
    """The first lines; a command's name with (usage, what it does)."""
    lines: Lines = []
    for line in found[:_LISTED]:
        usage, does = usages.get(line.strip(), (line, ""))
        shown = lead(fit(f"{usage:<24} ", width, ascii_only=ascii_only), STRONG)
        lines.append(shown.append(fit(does, width - shown.cell_len, ascii_only=ascii_only), style=MUTED))
    if len(found) > _LISTED:
        more = f"and {len(found) - _LISTED} more; Tab takes the next"
        lines.append(Text(fit(more, width, ascii_only=ascii_only), style=FAINT, no_wrap=True))
    return lines
