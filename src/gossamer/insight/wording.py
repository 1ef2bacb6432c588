"""What the wording of an English question leaves out: "without X", "not X", "except X", "excluding X", "other than X"."""

from __future__ import annotations

import re
from typing import NamedTuple

_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|„[^“”]*[“”]|«[^»]*»|(?<!\w)\'[^\']+\'(?!\w)|‘[^’]+’(?!\w)')
# Small letters only: "Life Without Principle" and "People Not As Bad" are titles.
_CUE = re.compile(
    r"\b(?P<cue>without|excluding|except(?:ing)?(?:\s+for)?|other\s+than|(?<=but\s)not|(?<=,\s)not|(?<=and\s)not)\s+"
    r"(?:(?:any\s+)?(?:mention\s+of|mentioning|naming)\s+)?(?:(?:the|an|a|any)\s+)?"
    r"|^(?P<first>Without|Excluding|Except(?:\s+for)?|Other\s+than)\s+(?:the\s+)?(?=[^,?]*,)"
)
_WORD = r"[^\W\d_a-z][\w.&'’-]*"
_NAME = re.compile(rf"{_WORD}(?:\s+(?:(?:of|the|and|for|de|van|von)\s+)*{_WORD})*")
_AND = re.compile(r"\s*(?:,?\s*(?:and|or|nor)\s+|,\s*)(?:the\s+)?")
_PLAIN = re.compile(r"[^\s,;.?!:]+(?:\s+[^\s,;.?!:]+){0,2}(?=\s*[,;.?!:]|\s*$)")
# "other than that", "without which", "not only": the words that follow name nothing.
_NO_NAMES = frozenset(
    ("i", "it", "that", "this", "these", "those", "which", "what", "whom", "who", "whose", "being", "having", "only")
)
_MONTH = re.compile(r"(January|February|March|April|May|June|July|August|September|October|November|December)(\s+\d|$)")


class Wording(NamedTuple):
    """One thing that a question seems to leave out, and the words that say so."""

    name: str
    words: str


def left_out_by(question: str, *, plain: bool = False) -> tuple[Wording, ...]:
    """The things after such words, each once: names (capitalised or quoted); with `plain` also up to three other words.

    Nothing inside quotation marks counts, nor a name that also stands in a quoted title.

    >>> left_out_by("Who makes steel without Krupp or Thyssen?")
    (Wording(name='Krupp', words='without Krupp'), Wording(name='Thyssen', words='without Thyssen'))
    >>> left_out_by('Who sings "Without You"?'), left_out_by("How do I wait without blocking?")
    ((), ())
    """
    quoted = [match.span() for match in _QUOTED.finditer(question)]
    found: dict[str, Wording] = {}
    for match in _CUE.finditer(question):
        if any(start <= match.start() < end for start, end in quoted):
            continue
        cue = (match["cue"] or match["first"]).lower()
        for name in _names(question, match.end(), plain=plain):
            elsewhere = [question[a:b].strip("\"'“”„«»‘’") for a, b in quoted]
            if not any(name in title and name != title for title in elsewhere):
                found.setdefault(name.casefold(), Wording(name, f"{' '.join(cue.split())} {name}"))
    return tuple(found.values())


def _names(question: str, place: int, *, plain: bool) -> list[str]:
    """Names from `place` on, joined by "and", "or" or commas; else a few plain words that end their clause."""
    names: list[str] = []
    while True:
        quoted, name = _QUOTED.match(question, place), _NAME.match(question, place)
        if quoted is not None:
            found, place = quoted.group()[1:-1].strip(), quoted.end()
        elif name is not None:
            found, place = re.sub(r"['’]s?$", "", name.group().rstrip(".")), name.end()
        else:
            break
        if not found or found.casefold() in _NO_NAMES or (name is not None and _MONTH.match(found)):
            break
        names.append(found)
        joined = _AND.match(question, place)
        if joined is None:
            break
        place = joined.end()
    if not names and plain and (words := _PLAIN.match(question, place)):
        first = words.group().split()[0].casefold()
        names = [] if first in _NO_NAMES else re.split(r"\s+(?:and|or|nor)\s+", words.group())
    return names
