"""Headings: where the sections of a text begin and how they nest.

Markdown headings (`# Title`, or a line underlined with `===` or `---`) are recognised in every document;
loaders turn the headings of other formats into these. Lines inside code fences, table rows and front matter are no
headings.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

LONGEST_HEADING = 200

_FRONT_MATTER = re.compile(r"\A---[^\S\n]*\n(?:(?!---[^\S\n]*\n)[^\n]*\n){0,500}---[^\S\n]*(?:\n|\Z)")
_MARKUP = re.compile(
    r"^(?:(?P<level>#{1,6})(?:[^\S\n]+(?P<title>[^\n]*))?$"
    r"|(?P<fence>[^\S\n]{0,3}(?:`{3,}|~{3,}))(?P<info>[^\n]*)$"
    r"|(?P<rule>={2,}|-{3,})[^\S\n]*$)",
    re.MULTILINE,
)
_EXPLICIT_ANCHOR = re.compile(r"[^\S\n]*\{#([^\s{}]+)[^{}\n]*\}[^\S\n]*$")
_CLOSING_MARKS = re.compile(r"(?:^|\s)#+\s*$")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_EMPHASIS = re.compile(r"(\*\*|__|`+|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w))")
_MARKUP_IN_TITLE = re.compile(r"[#\[*_`]")
_NOT_A_TITLE = re.compile(r"\s*(?:[-*+>|]|#{1,6}|\d+[.)])\s")
_NUMBER = re.compile(r"(?:section|chapter|part|§+)?\s*(\d{1,3}(?:\.\d{1,3}){0,5})\.?(?=[\s:)—–-]|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading line (or two, where it is underlined): text[start:end], its level from 1 and its plain title."""

    start: int
    end: int
    level: int
    title: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A stretch of text under one heading path; `body` is where the text after the heading begins."""

    start: int
    body: int
    end: int
    path: tuple[str, ...]


def find_headings(text: str) -> Iterator[Heading]:
    """Headings of a text in order.

    >>> [(heading.level, heading.title) for heading in find_headings("Office\\n===\\nPune.\\n## *Staff*\\nForty.")]
    [(1, 'Office'), (2, 'Staff')]
    """
    fence = ""
    front = _FRONT_MATTER.match(text)
    after = front.end() if front else 0
    for match in _MARKUP.finditer(text, after):
        mark = match["fence"]
        if mark is not None:
            fence = _next_fence(fence, mark.strip(), match["info"])
        elif fence:
            continue
        elif match["level"] is not None:
            heading = _heading(match.start(), match.end(), len(match["level"]), match["title"] or "")
        else:
            heading = _underlined(text, match, after)
        if mark is None and heading is not None:
            after = heading.end
            yield heading


def split_sections(text: str, *, most: int | None = None) -> list[Section]:
    """Consecutive sections that together are the whole text; text before the first heading has the path ().

    Where there are more than `most` headings, only those of the highest levels that are no more begin a section.

    >>> [section.path for section in split_sections("# Office\\nPune.\\n## Staff\\nForty.\\n# Budget\\nMay.")]
    [('Office',), ('Office', 'Staff'), ('Budget',)]
    """
    sections: list[Section] = []
    above: list[Heading] = []
    path: tuple[str, ...] = ()
    start, body = 0, 0
    for heading in _highest(list(find_headings(text)), most):
        if heading.start > start:
            sections.append(Section(start, body, heading.start, path))
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        path = tuple([each.title for each in above])
        start, body = heading.start, heading.end
    if len(text) > start:
        sections.append(Section(start, body, len(text), path))
    return sections


def _highest(headings: list[Heading], most: int | None) -> list[Heading]:
    """Headings down to the deepest level at which they are at most `most`."""
    if most is None or len(headings) <= most:
        return headings
    kept: list[Heading] = []
    for level in sorted({heading.level for heading in headings}):
        down_to = [heading for heading in headings if heading.level <= level]
        if len(down_to) > most:
            break
        kept = down_to
    return kept


def plain_heading(title: str) -> str:
    """A heading without its markup.

    >>> plain_heading("The `walk` of [Helix](helix.md) ##")
    'The walk of Helix'
    """
    if _MARKUP_IN_TITLE.search(title) is None:
        return " ".join(title.split())
    title = _LINK.sub(r"\1", _CLOSING_MARKS.sub("", title))
    return " ".join(_EMPHASIS.sub("", title).split()) or title.strip()


def heading_number(title: str) -> str | None:
    """The number that a heading begins with.

    >>> heading_number("2.1 Data"), heading_number("Section 4: Ethics"), heading_number("2019 in review")
    ('2.1', '4', None)
    """
    match = _NUMBER.match(title)
    return match[1] if match else None


def slug(title: str) -> str:
    """The anchor under which the usual renderers link to a heading.

    >>> slug("What's new in 2.1?")
    'whats-new-in-21'
    """
    kept = (
        character
        for character in unicodedata.normalize("NFC", title).lower()
        if character in " -_" or unicodedata.category(character)[0] in "LNM"
    )
    return "".join(kept).strip().replace(" ", "-")


def _next_fence(fence: str, mark: str, info: str) -> str:
    """The fence that is open after this line, "" for none."""
    if not fence:
        return "" if mark[0] == "`" and "`" in info else mark
    closes = mark[0] == fence[0] and len(mark) >= len(fence) and not info.strip()
    return "" if closes else fence


def _heading(start: int, end: int, level: int, title: str) -> Heading | None:
    if len(title) > LONGEST_HEADING:
        return None
    explicit = _EXPLICIT_ANCHOR.search(title) if "{#" in title else None
    anchor = explicit[1] if explicit else ""
    title = plain_heading(title[: explicit.start()] if explicit else title)
    return Heading(start, end, level, title, anchor) if title else None


def _underlined(text: str, match: re.Match[str], after: int) -> Heading | None:
    """The heading whose underline was matched: one line of text, alone or under an equal line above it.

    `after` is where the heading before it ends, whose underline is not the line above this one.
    """
    rule = match["rule"]
    start, title = _line_before(text, match.start())
    if _NOT_A_TITLE.match(title) or not any(map(str.isalnum, title)):
        return None
    level = 1 if rule[0] == "=" else 2
    above_start, above = _line_before(text, start)
    follows_heading = 0 < start <= after + 1
    if above.rstrip() == rule and not follows_heading:
        return _heading(above_start, match.end(), level, title)
    return _heading(start, match.end(), level, title) if follows_heading or not above.strip() else None


def _line_before(text: str, position: int) -> tuple[int, str]:
    """Start and content of the line that ends just before a line start; a too long one comes cut but not blank."""
    if position == 0:
        return 0, ""
    lowest = max(0, position - LONGEST_HEADING - 2)
    start = text.rfind("\n", lowest, position - 1) + 1 or lowest
    return start, text[start : position - 1]
