"""Citations in a model's text: numbers in square brackets that name a passage, checked whole or while they stream."""

from __future__ import annotations

import re

from gossamer.text.clean import clean_text

_CITED = re.compile(r"\s?\[(\d{1,6}(?:\s*[,;]\s*\d{1,6})*)\]")
_NUMBER = re.compile(r"\d+")
_LONGEST = 80


def check_citations(text: str, passages: int) -> tuple[str, list[int], list[int]]:
    """The text without numbers that name no passage, the numbers that do, and those that do not; each once, in order.

    >>> check_citations("Pune [2]. Forty people [1, 9] work there [7].", 2)
    ('Pune [2]. Forty people [1] work there.', [2, 1], [9, 7])
    """
    resolved: dict[int, None] = {}
    unresolved: dict[int, None] = {}

    def keep(match: re.Match[str]) -> str:
        numbers = [int(number) for number in _NUMBER.findall(match[1])]
        good = [number for number in numbers if 1 <= number <= passages]
        resolved.update(dict.fromkeys(good))
        unresolved.update(dict.fromkeys(number for number in numbers if number not in good))
        if not good:
            return ""
        lead = " " if match[0].startswith((" ", "\n")) else ""
        return f"{lead}[{', '.join(map(str, good))}]"

    return _CITED.sub(keep, text), list(resolved), list(unresolved)


class CitationFilter:
    """Passes text on in pieces with the citations that resolve; holds back what may still become one.

    >>> citations = CitationFilter(passages=2)
    >>> [citations.feed(piece) for piece in ("In Pune [", "2] and", " Oslo [9", "].")] + [citations.flush()]
    ['In Pune', ' [2] and', ' Oslo', '.', '']
    """

    def __init__(self, passages: int) -> None:
        self._passages = passages
        self._held = ""

    def feed(self, piece: str) -> str:
        """What can be shown now."""
        self._held += piece
        bracket = self._held.rfind("[")
        is_open = bracket >= 0 and "]" not in self._held[bracket:] and len(self._held) - bracket <= _LONGEST
        end = bracket if is_open else len(self._held)
        # A space before a citation goes with it.
        if end and self._held[end - 1].isspace():
            end -= 1
        ready, self._held = self._held[:end], self._held[end:]
        return self._checked(ready)

    def flush(self) -> str:
        """The rest."""
        ready, self._held = self._held, ""
        return self._checked(ready)

    def _checked(self, text: str) -> str:
        return check_citations(clean_text(text), self._passages)[0]
