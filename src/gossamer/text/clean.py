"""Text hygiene at the door: what is removed or replaced before a text is cut, counted, indexed or written as JSON."""

from __future__ import annotations

import re
import unicodedata

_MARKS_IN_A_ROW = 30

_LINE_ENDS = re.compile("\r\n?|[\x0b\x0c\x85\u2028\u2029]")
_UNWANTED = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u00ad\ufeff]")
_SURROGATES = re.compile("[\ud800-\udfff]+")
_SUSPECT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u2028\u2029\ud800-\udfff\ufeff]")
_LONG_MARK_RUN = re.compile(rf"[^\w\s\x00-\x7f]{{{_MARKS_IN_A_ROW + 1},}}")
_VISIBLE = re.compile(
    "[^\\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0]"
)


def clean_text(text: str) -> str:
    r"""The normalised form of a text, to which all offsets of chunks refer.

    Line ends become "\n"; control characters, byte order marks and soft hyphens go; surrogate pairs are joined and lone
    surrogates become U+FFFD; the rest is composed (NFC). Applying it twice changes nothing.

    >>> clean_text("\ufeffa\r\nb\x00 \ud83d c")
    'a\nb � c'
    """
    if _SUSPECT.search(text):
        text = join_surrogates(text)
        text = _UNWANTED.sub("", _LINE_ENDS.sub("\n", text))
    if text.isascii() or unicodedata.is_normalized("NFC", text):
        return text
    return unicodedata.normalize("NFC", _LONG_MARK_RUN.sub(_break_mark_run, text))


def join_surrogates(text: str) -> str:
    r"""Join surrogate pairs to their character and replace lone surrogates by U+FFFD: what UTF-8 can hold.

    >>> join_surrogates("tail \ud83d end")
    'tail � end'
    """
    return _SURROGATES.sub(lambda run: run[0].encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace"), text)


def is_blank(text: str) -> bool:
    r"""Whether a text shows nothing: only spaces, control and zero-width characters.

    >>> is_blank(" \n\t\u00a0\u200b"), is_blank("a")
    (True, False)
    """
    return _VISIBLE.search(text) is None


def one_line(text: str) -> str:
    r"""A cleaned text with every run of white space as one space: for titles and headings.

    >>> one_line(" Helix\n Labs ")
    'Helix Labs'
    """
    return " ".join(clean_text(text).split())


def _break_mark_run(run: re.Match[str]) -> str:
    """Put a joiner after every 30 combining marks: composing a longer run takes time quadratic in its length."""
    pieces: list[str] = []
    marks = 0
    for character in run[0]:
        marks = marks + 1 if unicodedata.combining(character) else 0
        if marks > _MARKS_IN_A_ROW:
            pieces.append("\u034f")
            marks = 1
        pieces.append(character)
    return "".join(pieces)
