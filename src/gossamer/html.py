"""HTML for notebooks: small blocks that escape what they are given. No script, no style sheet, no outside address."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_BOX = "font-family:system-ui,sans-serif;line-height:1.45;max-width:60rem"
_MUTED = "opacity:.7;font-size:.9em"
_CELL = "text-align:left;vertical-align:top;padding:.15rem .8rem .15rem 0"
_LONGEST = 1500


def box(title: str, *blocks: str) -> str:
    """A titled block of blocks; the blocks are HTML, the title is text.

    >>> box("a < b", "<p>c</p>").startswith('<div style="')
    True
    """
    return f'<div style="{_BOX}"><p style="margin:.3rem 0"><b>{escape(title)}</b></p>{"".join(blocks)}</div>'


def line(text: str) -> str:
    """A line in small print."""
    return f'<p style="margin:.2rem 0;{_MUTED}">{escape(text)}</p>'


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of texts; numbers with a fraction have three digits.

    >>> "<td" in table((), [("a", 1)]), "&lt;b&gt;" in table(("x",), [("<b>",)])
    (True, True)
    """
    top = [_row("th", head)] if head else []
    return f"<table>{''.join([*top, *(_row('td', row) for row in rows)])}</table>"


def _row(tag: str, cells: Sequence[object]) -> str:
    return "<tr>" + "".join(f'<{tag} style="{_CELL}">{escape(_text(cell))}</{tag}>' for cell in cells) + "</tr>"


def passage(number: int, label: str, note: str, text: str) -> str:
    """A numbered passage that opens on a click; the first one is open."""
    shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rstrip()} …"
    state = " open" if number == 1 else ""
    return (
        f'<details{state} style="margin:.3rem 0"><summary>[{number}] <b dir="auto">{escape(label)}</b> '
        f'<span style="{_MUTED}">{escape(note)}</span></summary>'
        f'<div dir="auto" style="white-space:pre-wrap;margin:.3rem 0 .3rem 1.5rem">{escape(shown)}</div></details>'
    )


def _text(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else str(value)
