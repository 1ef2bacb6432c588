"""Text in terminal cells: wide characters take two, marks none, and nothing in a document can steer the terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence

from rich.cells import cell_len, chop_cells, set_cell_size
from rich.text import Text

Lines = list[Text]

ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")
_JOINERS = "\u200c\u200d"


def clean(text: str) -> str:
    """One line without escape sequences, control and direction marks; every run of white space is one blank.

    >>> clean("a\\tb\\x1b[31m\\u202ec\\n d")
    'a bc d'
    """
    text = ESCAPES.sub("", text) if "\x1b" in text else text
    kept = (
        char
        for char in text
        if char in _JOINERS or char.isspace() or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Cn"}
    )
    return " ".join("".join(kept).split())


def fit(text: str, width: int, *, ascii_only: bool = False) -> str:
    """Cut to a width in cells, with a mark where something is missing.

    >>> fit("harbour", 5), fit("港口港口", 5), fit("港口", 5), fit("abc", 0)
    ('harb…', '港口…', '港口', '')
    """
    if width <= 0:
        return ""
    if cell_len(text) <= width:
        return text
    mark = "~" if ascii_only else "…"
    return set_cell_size(text, width - 1).rstrip() + mark


def pad(text: str, width: int, *, ascii_only: bool = False) -> str:
    """Exactly `width` cells: cut or filled with blanks.

    >>> pad("港口", 6), pad("港口港口", 4)
    ('港口  ', '港… ')
    """
    return set_cell_size(fit(text, width, ascii_only=ascii_only), max(width, 0))


def wrap(text: str, width: int, *, indent: int = 0, style: str = "") -> Lines:
    """Lines of at most `width` cells, broken at blanks where there are some; line breaks of the text stay.

    >>> [line.plain for line in wrap("the lock of the sill", 9, indent=1)]
    [' the lock', ' of the', ' sill']
    """
    room = max(width - indent, 1)
    found: Lines = []
    for paragraph in text.splitlines() or [""]:
        line = ""
        for word in _words(clean(paragraph), room):
            joined = f"{line} {word}" if line else word
            if cell_len(joined) > room and line:
                found.append(Text(" " * indent + line, style=style, no_wrap=True))
                line = word
            else:
                line = joined
        found.append(Text(" " * indent + line, style=style, no_wrap=True))
    return found


def _words(text: str, room: int) -> Iterable[str]:
    for word in text.split(" "):
        yield from chop_cells(word, room) if cell_len(word) > room else [word]


def lead(text: str, style: str) -> Text:
    """The coloured start of a line; what is added to it keeps its own style."""
    return Text(no_wrap=True).append(text, style=style)


def beside(left: Sequence[Text], right: Sequence[Text], *, width: int, gap: int = 2) -> Lines:
    """Two blocks next to each other; `width` is that of the left one."""
    lines = []
    for row in range(max(len(left), len(right))):
        line = left[row].copy() if row < len(left) else Text(no_wrap=True)
        if row < len(right):
            line.append(" " * max(width + gap - line.cell_len, 0))
            line.append_text(right[row])
        lines.append(line)
    return lines


def number(value: float) -> str:
    """An energy in at most six cells.

    >>> number(5.625), number(0.0004), number(0.0)
    ('5.625', '0.0004', '0.000')
    """
    return f"{value:.3f}" if value >= 0.0005 or value <= 0 else f"{value:.4f}"
