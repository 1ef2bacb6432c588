"""The line of a background job: stage, count, share, time left."""

from __future__ import annotations

from rich.text import Text

from gossamer.monitor.frames.cells import clean, fit
from gossamer.monitor.frames.look import BAD, GOOD, MUTED, STRONG, glyphs


def progress(
    title: str,
    state: str,
    stage: str,
    done: int,
    total: int,
    seconds: float,
    left: float | None,
    width: int,
    *,
    ascii_only: bool = False,
) -> Text:
    """One line of `width` cells; `left` is None where it is not known, `total` 0 where there is no count."""
    signs = glyphs(ascii_only)
    line = Text("  ", no_wrap=True)
    room = max(width // 3, 12)
    line.append(fit(clean(title), room, ascii_only=ascii_only), style=STRONG)
    line.append("  ")
    if state != "running":
        line.append(state, style=GOOD if state == "done" else BAD)
        line.append(f"  {duration(seconds)}", style=MUTED)
        return line
    line.append(f"{stage:<9}")
    if total:
        size = min(20, max(width - line.cell_len - 34, 0))
        filled = done * size // total
        line.append(f" {signs.full * filled}{signs.ring * (size - filled)}" if size > 4 else "", style=GOOD)
        line.append(f" {done}/{total} {100 * done // total}%", style=MUTED)
    line.append(f"  {duration(seconds)}" if left is None else f"  {duration(left)} left", style=MUTED)
    line.truncate(width)
    return line


def duration(seconds: float) -> str:
    """Seconds for people.

    >>> duration(4.2), duration(75), duration(7300)
    ('4 s', '1 min 15 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
