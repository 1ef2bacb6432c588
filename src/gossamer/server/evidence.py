"""Which words of a passage speak to the question, and which names link it to the rest of the set."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from gossamer.text.words import WORD

if TYPE_CHECKING:
    from gossamer.index.lexical import LexicalIndex
    from gossamer.model import Passage

Piece = tuple[str, str]


def evidence(lexical: LexicalIndex, question: str, passages: Sequence[Passage]) -> dict[str, list[Piece]]:
    """Passage id -> its text in pieces (text, kind): "question" for words of the question, "link" for names on edges."""
    asked = {term for term in lexical.words.terms(question) if term not in lexical.words.stop_terms}
    names: dict[str, set[str]] = {passage.id: set() for passage in passages}
    for passage in passages:
        for edge in passage.why.edges:
            names[passage.id].update(edge.entities)
            names.setdefault(edge.source, set()).update(edge.entities)
    found = {}
    for passage in passages:
        marks = [(start, end, "link") for start, end in _named(passage.text, names[passage.id])]
        marks += [
            (match.start(), match.end(), "question")
            for match in WORD.finditer(passage.text)
            if not asked.isdisjoint(lexical.words.terms(match.group()))
        ]
        found[passage.id] = pieces(passage.text, marks)
    return found


def _named(text: str, names: Iterable[str]) -> list[tuple[int, int]]:
    """Where names stand in a text, whatever their case and spaces."""
    spans = []
    for name in sorted(names):
        words = [re.escape(word) for word in name.split()]
        if words:
            pattern = re.compile(r"(?<!\w)" + r"[\s_-]+".join(words) + r"(?!\w)", re.IGNORECASE)
            spans += [match.span() for match in pattern.finditer(text)]
    return spans


def pieces(text: str, marks: Iterable[tuple[int, int, str]]) -> list[Piece]:
    """A text cut at marks (start, end, kind); where marks overlap, the earlier and longer one stands.

    >>> pieces("Helix Labs is in Pune.", [(17, 21, "question"), (0, 10, "link"), (6, 10, "question")])
    [('Helix Labs', 'link'), (' is in ', ''), ('Pune', 'question'), ('.', '')]
    """
    found: list[Piece] = []
    at = 0
    for start, end, kind in sorted(marks, key=lambda mark: (mark[0], -mark[1])):
        if start < at:
            continue
        if start > at:
            found.append((text[at:start], ""))
        found.append((text[start:end], kind))
        at = end
    return [*found, (text[at:], "")] if at < len(text) else found
