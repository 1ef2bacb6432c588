"""The bar at the foot of the screen."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.text import Text

from gossamer.monitor.frames.cells import clean, fit
from gossamer.monitor.frames.look import MUTED, STRONG, WARN, plain


def status(
    index: str, facts: Sequence[str], job: str, width: int, *, following: bool = False, ascii_only: bool = False
) -> Text:
    """Index, how questions are asked, and the newest job; what does not fit is cut from the left part."""
    right = job or "? keys  /help"
    room = max(width - cell_len(right) - 4, 8)
    line = Text(" ", no_wrap=True)
    line.append(fit(clean(index) or "no index", min(room, 40), ascii_only=ascii_only), style=STRONG)
    said = "".join(f" · {clean(fact)}" for fact in [*facts, *(["following"] if following else [])])
    line.append(fit(plain(said, ascii_only=ascii_only), room - line.cell_len, ascii_only=ascii_only), style=MUTED)
    line.append(" " * max(width - line.cell_len - cell_len(right) - 1, 1))
    line.append(right, style=WARN if job else MUTED)
    line.truncate(width)
    return line
