"""The ranking as bars that grow with the hops."""

from __future__ import annotations

from rich.cells import cell_len
from rich.text import Text

from gossamer.monitor.frames.cells import Lines, clean, fit, number
from gossamer.monitor.frames.look import FAINT, MUTED, STRONG, Glyphs, glyphs, hop_colour
from gossamer.monitor.record import Node, Record

_LABEL = 0.62


def bars(record: Record, hop: int, width: int, height: int, *, ascii_only: bool = False) -> Lines:
    """At most `height` lines: the passages with most energy after `hop` hops, strongest first.

    A bar is as long as its energy; the longest of the whole record fills its column, so bars grow and never jump back.
    """
    signs = glyphs(ascii_only)
    place = min(max(hop, 0), record.hops)
    held = sorted(
        (node for node in record.nodes if node.energies[place] > 0.0), key=lambda node: (-node.energies[place], node.id)
    )
    if not held:
        return [Text("No passage holds energy.", style=MUTED, no_wrap=True)][:height]
    rows = held if len(held) <= height else held[: height - 1]
    longest = max(max(node.energies) for node in record.nodes)
    room = max(width - 12, 4)
    titles = max((cell_len(clean(node.title)) for node in rows), default=0)
    label = max(min(int(room * _LABEL), titles + 2), min(12, room // 2))
    lines = [_row(node, place, longest, room - label, label, signs, ascii_only) for node in rows]
    if len(held) > len(rows):
        more = f"{'':3} and {len(held) - len(rows)} more"
        lines.append(Text(fit(more, width, ascii_only=ascii_only), style=FAINT, no_wrap=True))
    return lines[:height]


def _row(node: Node, place: int, longest: float, room: int, label: int, signs: Glyphs, ascii_only: bool) -> Text:
    line = Text(no_wrap=True)
    line.append(f"{node.number or '':>3} ", style=STRONG)
    line.append(_bar(node.energies[place] / longest, room, signs), style=hop_colour(node.hop))
    line.append(f" {number(node.energies[place]):>6} ", style=MUTED)
    line.append(fit(clean(node.title), label, ascii_only=ascii_only))
    return line


def _bar(share: float, room: int, signs: Glyphs) -> str:
    """`room` cells, in eighths where the glyphs have them; what holds energy shows at least a sliver."""
    steps = len(signs.parts) + 1
    eighths = max(round(share * room * steps), 1)
    whole, rest = divmod(eighths, steps)
    body = signs.full * whole + (signs.parts[rest - 1] if rest else "")
    return body[:room].ljust(room, signs.empty)
