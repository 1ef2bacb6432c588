"""Cut a document into chunks: by headings, then by topics, never inside a sentence, row or code line that fits."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import UsageError
from gossamer.ingestion.blocks import Unit, find_units
from gossamer.ingestion.sections import Section, split_sections
from gossamer.ingestion.topics import topic_breaks
from gossamer.model import Chunk, Document
from gossamer.text.clean import clean_text, is_blank
from gossamer.text.sentences import tight

Counter = Callable[[str], int]
Embed = Callable[[list[str]], NDArray[np.floating]]

_CHARS_PER_TOKEN = 16
_LARGEST_HEADER_SHARE = 4
# Beyond these a text is no longer written for readers: its pieces would be so many that indexing takes hours.
_MOST_SECTIONS = 10_000
_MOST_CHUNKS_BY_TOPIC = 1000


@dataclass(frozen=True, slots=True)
class _Piece:
    """A chunk in the making: what it says and where it stands in the text."""

    start: int
    end: int
    text: str
    tokens: int
    split: bool = False


def chunk_document(
    document: Document,
    *,
    count: Counter,
    chunk_tokens: int = 1200,
    overlap_tokens: int = 100,
    min_tokens: int = 32,
    topics: str = "long",
    embed: Embed | None = None,
    pages: Sequence[int] | None = None,
) -> tuple[list[Chunk], list[str]]:
    """Chunks of one document, in order, and warnings about it.

    Every visible character of `clean_text(document.text)` is in a chunk, and no chunk has more than `chunk_tokens` by
    `count`. A chunk is cut at headings (its heading lines are part of its text), else between sentences, table rows, or
    code lines; only one of these that is itself over the limit is cut, on words, then on characters, and flagged
    `split`. Of more than 10,000 headings only the higher levels count. Consecutive chunks of one section share whole
    sentences of up to `overlap_tokens`. A table that goes on in another chunk has its header repeated there, so that
    `text` is then the header followed by text[start:end]. A chunk under `min_tokens` joins the one before it in its
    section where the limit allows.

    With `embed`, a text is also cut where its topic changes (`topic_breaks`): with topics="long" in sections longer
    than a chunk, with "all" in every document without headings, with "off" nowhere; a section of more than 1,000 chunks
    is cut by size alone. `pages` holds the offsets at which the pages of the document begin.

    Source: SpectRAG, offline step 2. Raises UsageError for impossible sizes or topics.

    >>> words = lambda text: len(text.split())
    >>> document = Document("a.md", "# Office\\nPune.\\n## Staff\\nForty people. They work here.")
    >>> chunks, warnings = chunk_document(document, count=words, chunk_tokens=5, overlap_tokens=0, min_tokens=0)
    >>> [(chunk.section, chunk.text) for chunk in chunks]
    [(('Office',), '# Office\\nPune.'), (('Office', 'Staff'), '## Staff\\nForty people.'),
     (('Office', 'Staff'), 'They work here.')]
    """
    _check(chunk_tokens, overlap_tokens, min_tokens, topics)
    text = clean_text(document.text)
    sections = split_sections(text, most=_MOST_SECTIONS)
    cutter = _Cutter(text, count, chunk_tokens, overlap_tokens, min_tokens)
    chunks: list[Chunk] = []
    for section in _joined_headings(text, sections):
        by_topic = None
        if embed is not None and (topics == "long" or (topics == "all" and not _has_headings(sections))):
            by_topic = embed
        for piece in cutter.cut(section, by_topic, always=topics == "all"):
            page = bisect_right(pages, piece.start) or 1 if pages else None
            chunks.append(
                Chunk(
                    document.id, len(chunks), piece.text, section.path, piece.tokens, piece.start, piece.end,
                    page, piece.split,
                )
            )  # fmt: skip
    return chunks, chunk_warnings(document.id, chunks, chunk_tokens)


def _check(chunk_tokens: int, overlap_tokens: int, min_tokens: int, topics: str) -> None:
    if topics not in {"long", "all", "off"}:
        raise UsageError(f"topics = {topics!r} is not known. Give 'long', 'all' or 'off'.")
    if chunk_tokens < 1:
        raise UsageError(f"chunk_tokens = {chunk_tokens} leaves no room for text. Give 1 or more.")
    if not 0 <= overlap_tokens < chunk_tokens:
        raise UsageError(
            f"overlap_tokens = {overlap_tokens} is not between 0 and chunk_tokens = {chunk_tokens}. "
            "Give an overlap smaller than the chunk."
        )
    if min_tokens < 0:
        raise UsageError(f"min_tokens = {min_tokens} is negative. Give 0 or more.")


def chunk_warnings(name: str, chunks: Sequence[Chunk], limit: int) -> list[str]:
    """What should be known about the chunks of the document `name`."""
    cut = sum(chunk.split for chunk in chunks)
    over = sum(chunk.tokens > limit for chunk in chunks)
    found = []
    if cut:
        found.append(f"{name}: {cut} chunks hold parts of a sentence or row longer than {limit} tokens.")
    if over:
        found.append(f"{name}: {over} chunks of a single character have more than {limit} tokens. Raise chunk_tokens.")
    return found


def _has_headings(sections: Sequence[Section]) -> bool:
    return any(section.path for section in sections)


def _joined_headings(text: str, sections: Sequence[Section]) -> Iterator[Section]:
    """Sections with text of their own; a heading without any goes with the section after it."""
    start: int | None = None
    for number, section in enumerate(sections):
        start = section.start if start is None else start
        if number + 1 < len(sections) and section.path and is_blank(text[section.body : section.end]):
            continue
        yield replace(section, start=start) if start != section.start else section
        start = None


class _Cutter:
    """Cuts the sections of one text; holds what all of them need."""

    def __init__(self, text: str, count: Counter, limit: int, overlap: int, smallest: int) -> None:
        self._text, self._count = text, count
        self._limit, self._overlap, self._smallest = limit, overlap, smallest

    def cut(self, section: Section, embed: Embed | None, *, always: bool) -> Iterator[_Piece]:
        """Pieces of one section; by topic where `embed` is given and the section is too long or `always` set."""
        start, end = tight(self._text, section.start, section.end)
        if is_blank(self._text[start:end]):
            return
        if not (embed and always) and end - start <= _CHARS_PER_TOKEN * self._limit:
            tokens = self._count(self._text[start:end])
            if tokens <= self._limit:
                yield _Piece(start, end, self._text[start:end], tokens)
                return
        units = list(find_units(self._text, start, end, self._count, self._limit))
        size = sum(unit.tokens for unit in units) / self._limit
        by_topic = (always or size > 1) and size <= _MOST_CHUNKS_BY_TOPIC
        runs = self._topics(units, embed) if embed and by_topic else [units]
        before: _Piece | None = None
        for run in runs:
            for piece in self._pack(run):
                joined = self._join(before, piece)
                if before is not None and joined is None:
                    yield before
                before = joined or piece
        if before is not None:
            yield before

    def _topics(self, units: list[Unit], embed: Embed) -> list[list[Unit]]:
        """Runs of units about one topic; where one of two neighbours is under the smallest size they are one run."""
        numbers = [number for number, unit in enumerate(units) if unit.kind == "text"]
        breaks = topic_breaks([self._text[units[number].start : units[number].end] for number in numbers], embed)
        edges = [0, *(numbers[each] for each in breaks), len(units)]
        runs: list[list[Unit]] = []
        size = 0
        for first, last in pairwise(edges):
            tokens = sum(unit.tokens for unit in units[first:last])
            if runs and min(tokens, size) < self._smallest:
                runs[-1] += units[first:last]
                size += tokens
            else:
                runs.append(units[first:last])
                size = tokens
        return runs

    def _join(self, before: _Piece | None, piece: _Piece) -> _Piece | None:
        """Both as one piece where the second is under the smallest size and the limit allows it."""
        if before is None or piece.tokens >= self._smallest:
            return None
        text = before.text + self._text[before.end : piece.end]
        tokens = self._count(text)
        if tokens > self._limit:
            return None
        return _Piece(before.start, piece.end, text, tokens, before.split or piece.split)

    def _pack(self, units: list[Unit]) -> Iterator[_Piece]:
        """Fill pieces with whole units, each beginning with the last units of the one before it."""
        first, floor = 0, 0
        while first < len(units):
            begin, room = first, self._overlap
            while begin - 1 > floor and units[begin - 1].kind != "piece" and units[begin - 1].tokens <= room:
                begin -= 1
                room -= units[begin].tokens
            floor, first, piece = self._fill(units, begin, first)
            yield piece

    def _fill(self, units: list[Unit], begin: int, first: int) -> tuple[int, int, _Piece]:
        """The longest piece from `begin` that holds unit `first`; without overlap or header if it must.

        Returns the first unit of the piece, the unit after it and the piece.
        """
        used = sum(unit.tokens for unit in units[begin : first + 1])
        while begin < first and used + self._header_tokens(units[begin]) > self._limit:
            used -= units[begin].tokens
            begin += 1
        header = self._header(units[begin])
        end, tokens = first + 1, used + self._header_tokens(units[begin])
        growing = True
        while True:
            if growing:
                end = self._extend(units, end, self._limit - tokens)
            text = header + self._text[units[begin].start : units[end - 1].end]
            tokens = self._count(text)
            if tokens <= self._limit:
                if not growing or end == len(units) or tokens + units[end].tokens > self._limit:
                    break
                continue
            growing = False
            if end - first > 1:
                end = min(end - 1, first + max(1, (end - first) * self._limit // tokens))
            elif begin < first:
                begin, header = first, self._header(units[first])
            elif header:
                header = ""
            else:
                break
        split = any(unit.kind == "piece" for unit in units[begin:end])
        return begin, end, _Piece(units[begin].start, units[end - 1].end, text, tokens, split)

    @staticmethod
    def _extend(units: list[Unit], end: int, room: int) -> int:
        """The unit after the last one that still fits by the sum of tokens."""
        while end < len(units) and units[end].tokens <= room:
            room -= units[end].tokens
            end += 1
        return end

    def _header(self, unit: Unit) -> str:
        """What to repeat before a piece that begins with this unit: the header of its table, unless it is large."""
        if unit.header is None:
            return ""
        header = self._text[slice(*unit.header)] + "\n"
        return header if self._count(header) * _LARGEST_HEADER_SHARE <= self._limit else ""

    def _header_tokens(self, unit: Unit) -> int:
        header = self._header(unit)
        return self._count(header) if header else 0
