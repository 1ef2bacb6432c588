"""One passage in full, and why it is there."""

from __future__ import annotations

from rich.text import Text

from gossamer.monitor.frames.cells import Lines, clean, fit, lead, wrap
from gossamer.monitor.frames.look import ACCENT, MUTED, STRONG, plain
from gossamer.monitor.record import Record, Shown

_COLUMN = 10
_MEASURE = 110


def passage(shown: Shown, width: int, *, ascii_only: bool = False) -> Lines:
    """The whole text of a passage."""
    lines = [_title(shown, width, ascii_only=ascii_only), *_pair("id", shown.id, width)]
    if shown.tokens:
        lines += _pair("tokens", str(shown.tokens), width)
    if shown.sources:
        lines += _pair("sources", ", ".join(shown.sources), width)
    if not shown.text:
        return [*lines, Text("  The trace holds no text: open the index to read it.", style=MUTED, no_wrap=True)]
    return [*lines, Text(), *wrap(shown.text, min(width, _MEASURE), indent=2)]


def why(record: Record, shown: Shown, width: int, *, ascii_only: bool = False) -> Lines:
    """How energy came to a passage, hop by hop, and the selector's reasons."""
    lines = [_title(shown, width, ascii_only=ascii_only)]
    places = {node.id: place for place, node in enumerate(record.nodes)}
    node = record.nodes[places[shown.id]]
    steps = [f"{energy:.3f}" for energy in node.energies]
    lines += _pair(
        "energy", plain(f"{' → '.join(steps)}   (after hop 0 to {record.hops})", ascii_only=ascii_only), width
    )
    lines += _pair("hop", "0, the question touches it" if node.hop == 0 else str(node.hop), width)
    if shown.path:
        lines += _pair("path", plain(shown.path, ascii_only=ascii_only), width)
    if shown.votes > 1:
        lines += _pair("votes", f"{shown.votes} sources say this: {', '.join(shown.sources)}", width)
    for reason in shown.why:
        name, _, text = reason.partition(" ")
        lines += _pair(name, text.strip(), width)
    return lines


def _title(shown: Shown, width: int, *, ascii_only: bool) -> Text:
    line = lead(f"{shown.number:>3}  ", ACCENT)
    line.append(fit(clean(shown.label), width - 5, ascii_only=ascii_only), style=STRONG)
    return line


def _pair(name: str, text: str, width: int) -> Lines:
    lines = wrap(text, min(width, _MEASURE), indent=_COLUMN + 2)
    lines[0] = lead(f"  {name:<{_COLUMN}}", MUTED) + lines[0][_COLUMN + 2 :]
    return lines
