"""Sentence boundaries in many languages, in time linear in the text whatever it holds.

nupunkt finds the ends in scripts that end sentences with `.`, `!` or `?`; other scripts have unambiguous marks. Blank
lines and list items always end a sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

_BLOCK = 4_000
_LONG = 400

_BREAK = re.compile(r"\n[^\S\n]*\n\s*|\n(?=[^\S\n]{0,40}(?:[-*+•‣◦▪·–—]|\(?\d{1,3}[.)])[^\S\n])")
_CLOSERS = "\"'”’»)\\]}」』）】》〉”’"
_LATIN_END = re.compile(rf"[.!?…][{_CLOSERS}]*\s")
# Marks that end a sentence wherever they stand: CJK, Arabic and Urdu, Devanagari, Burmese, Khmer, Ethiopic, Armenian.
_MARK = re.compile(rf"[。！？｡؟۔।॥။។៕።፧։]+[{_CLOSERS}]*\s*")
_THAI_SPACE = re.compile(r"(?<=[\u0e01-\u0e5b])[^\S\n]+(?=[\u0e01-\u0e4f])")
_WORD_END = re.compile(rf"[.!?](?<=[^\W\d_]{{4}}[.!?])[.!?]*[{_CLOSERS}]*\s+(?=[\"'“‘«(\[]?([^\W\d_]))")
_LAST_WORD = re.compile(r"[^\W\d_]+\Z")
_NEWLINE = re.compile(r"\n[^\S\n]*(?=([^\s]))")
# Four letters or more before a full stop that does not end a sentence; shorter ones are left to nupunkt.
_ABBREVIATION_LIST = (
    "approx appt asst assn assoc atty attn bldg blvd brig bros capt cent chap comm conf cont corp cmdr dept dist elec "
    "encl engr exec figs gent geol govt hist hons illus incl inst intl jour lieut math messrs mngr mgmt natl nord "
    "orig pref pres princ prof prov publ pvte rear regt repr retd robt secs sect sens sept sergt spec stat supp supt "
    "tech temp thos transl treas univ visct vols chem biol phil theol econ educ admin secy beispielsw bspw bzgl "
    "einschl evtl gegr inkl insb insg jhdt sogen vgl zzgl mind allg verh mlle mmes pags ljubl dott sigg dirs avda "
    "pról resp"
)
_ABBREVIATIONS = frozenset(_ABBREVIATION_LIST.split())


def split_sentences(text: str) -> list[tuple[int, int]]:
    """Spans (start, end) of the sentences of a text, in order; only white space lies between them.

    >>> text = "Dr. Rao leads Helix. 它在浦那。成立于2019年。"
    >>> [text[start:end] for start, end in split_sentences(text)]
    ['Dr. Rao leads Helix.', '它在浦那。', '成立于2019年。']
    """
    spans: list[tuple[int, int]] = []
    for start, end in _paragraphs(text):
        cut = start
        for boundary in [*_boundaries(text, start, end), end]:
            first, last = tight(text, cut, boundary)
            if first < last:
                spans.append((first, last))
            cut = boundary
    return spans


def tight(text: str, start: int, end: int) -> tuple[int, int]:
    """The span without the white space at both ends."""
    piece = text[start:end]
    inner = piece.lstrip()
    start += len(piece) - len(inner)
    return start, start + len(inner.rstrip())


def _paragraphs(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for gap in _BREAK.finditer(text):
        yield start, gap.start()
        start = gap.end()
    yield start, len(text)


def _boundaries(text: str, start: int, end: int) -> list[int]:
    """Sorted offsets inside one paragraph at which a new sentence begins."""
    found: set[int] = set()
    if _LATIN_END.search(text, start, end):
        found.update(_punkt(text, start, end))
        found.update(_missed(text, start, end))
    if not text.isascii():
        found.update(match.end() for match in _MARK.finditer(text, start, end))
        found.update(match.end() for match in _THAI_SPACE.finditer(text, start, end))
    if end - start > _LONG:
        found.update(_line_ends(text, start, end, sorted(found)))
    found.discard(end)
    return sorted(found)


def _punkt(text: str, start: int, end: int) -> Iterator[int]:
    """Boundaries by nupunkt, in blocks; an unfinished last sentence is read again with the next block."""
    span_tokenize = _tokenizer().span_tokenize
    while start < end:
        stop = _block_end(text, start, end)
        spans = list(span_tokenize(text[start:stop]))
        for begin, _ in spans[1:]:
            yield start + begin
        if stop < end and len(spans) > 1 and spans[-1][0] > 0:
            stop = start + spans[-1][0]
        start = stop


def _block_end(text: str, start: int, end: int) -> int:
    if end - start <= _BLOCK:
        return end
    space = text.rfind(" ", start + _BLOCK // 2, start + _BLOCK)
    return space + 1 if space >= 0 else start + _BLOCK


def _missed(text: str, start: int, end: int) -> Iterator[int]:
    """Ends after words of four letters or more that nupunkt's model takes for abbreviations, such as "bank."."""
    for match in _WORD_END.finditer(text, start, end):
        word = _LAST_WORD.search(text, max(start, match.start() - 40), match.start())
        if match[1].isupper() and word and word[0].lower() not in _ABBREVIATIONS:
            yield match.end()


def _line_ends(text: str, start: int, end: int, known: list[int]) -> Iterator[int]:
    """Line ends inside stretches without any sentence end (logs, lists, verse), where the lines look unwrapped."""
    edges = [start, *known, end]
    for first, last in pairwise(edges):
        if last - first <= _LONG:
            continue
        line = first
        for match in _NEWLINE.finditer(text, first, last):
            if not match[1].islower() and not 55 <= match.start() - line <= 100:
                yield match.end()
            line = match.end()


@cache
def _tokenizer() -> Any:
    import nupunkt

    return nupunkt.load_default_model()
