"""What a text refers to: numbered sections, files, links and wiki pages, and the chunks these stand for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from posixpath import dirname, normpath
from typing import TypeVar
from urllib.parse import unquote

from gossamer.ingestion.loaders import LOADERS
from gossamer.ingestion.sections import find_headings, heading_number, slug
from gossamer.model import Chunk, Document
from gossamer.text.clean import clean_text

T = TypeVar("T")

_NUMBERS = r"\d{1,3}(?:\.\d{1,3}){0,5}"
_SECTION_WORD = (
    r"(?:\b(?:sections?|secs?\.|chapters?|chaps?\.|abschnitte?|kapitel|secci[oó]n|cap[ií]tulo|chapitre|раздел\w{0,3})\s+"
    r"|§{1,2}\s*|第\s*)"
)
_SECTION = re.compile(
    rf"{_SECTION_WORD}({_NUMBERS}(?:(?:\s*,\s*|\s*(?:and|und|et|y|и|&)\s+){_NUMBERS})*)", re.IGNORECASE
)
_SECTION_HINTS = (
    "section",
    "sec.",
    "secs.",
    "chap",
    "abschnitt",
    "kapitel",
    "secci",
    "capítulo",
    "capitulo",
    "раздел",
    "§",
    "第",
)
_NUMBER = re.compile(_NUMBERS)
_MARKDOWN = re.compile(r"\]\(\s*<?([^\s()<>]+(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:\s+[\"'(][^\n]*?)?\)")
_LABEL = re.compile(r"\[([^\[\]\n]{1,200})\]\[([^\[\]\n]{0,200})\]")
_DEFINITION = re.compile(r"^[^\S\n]*\[([^\[\]\n]{1,200})\]:[^\S\n]+<?([^\s<>]+)", re.MULTILINE)
_RST = re.compile(r"`[^`<>]{0,200}<([^`<>\s]{1,500})>`_")
_HREF = re.compile(r"\bhref\s*=\s*[\"']([^\"'\s]{1,500})[\"']", re.IGNORECASE)
_WIKI = re.compile(r"\[\[([^\[\]|\n]{1,200})(?:\|[^\[\]\n]{0,200})?\]\]")
_ENDINGS = "|".join(sorted(LOADERS))
_FILE_ENDING = re.compile(rf"\.(?:{_ENDINGS})\b", re.IGNORECASE)
_NAME = rf"(?<![\w./@#:-])(?P<file>(?:[\w.-]{{1,100}}/){{0,20}}[\w-][\w.-]{{0,100}}\.(?:{_ENDINGS}))(?![\w/(.]\w)\b"
_FILE = re.compile(_NAME, re.IGNORECASE)
_OF = r"\s+(?:of|in|from|von|aus|de|du|del|из)\s+(?:the\s+)?(?:file\s+)?[`\"'*]{0,2}"
_SECTION_OF_FILE = re.compile(rf"{_SECTION_WORD}(?P<number>{_NUMBERS}){_OF}{_NAME}", re.IGNORECASE)
_FILE_SECTION = re.compile(rf"{_NAME}[`\"'*]{{0,2}}[,:]?\s+\(?{_SECTION_WORD}(?P<number>{_NUMBERS})", re.IGNORECASE)
_ENDING = re.compile(r"\.\w{1,8}\Z")
_INDEX_NAMES = frozenset({"index", "_index", "readme"})


def find_references(text: str) -> list[tuple[str, str]]:
    """(kind, target) of every reference, in order of kind and place, each once.

    Kinds: "section" (a number), "part" (the numbered section of a named file), "link" (Markdown, reStructuredText or
    HTML, with anchor), "label" (a Markdown link whose target is defined elsewhere in the document), "wiki" (a page
    name) and "file" (a name with a known ending).

    >>> find_references("See Section 2.1 and §4, notes.md and [the lens](../lens.md#glass).")
    [('section', '2.1'), ('section', '4'), ('link', '../lens.md#glass'), ('file', 'notes.md')]
    """
    return list(dict.fromkeys(_references(text)))


def _references(text: str) -> Iterator[tuple[str, str]]:
    lowered = text.lower()
    if any(hint in lowered for hint in _SECTION_HINTS):
        if _FILE_ENDING.search(text):
            for pattern in (_SECTION_OF_FILE, _FILE_SECTION):
                yield from (("part", f"{match['file']}#{match['number']}") for match in pattern.finditer(text))
                # A section of another file is none of this one.
                text = pattern.sub(" ", text)
        for match in _SECTION.finditer(text):
            for number in _NUMBER.findall(match[1]):
                yield "section", number
    for hint, pattern in (("](", _MARKDOWN), (">`_", _RST), ("href", _HREF)):
        if hint in text:
            yield from (("link", match[1]) for match in pattern.finditer(text))
            # What a link points at is not a file name of the text too.
            text = pattern.sub(" ", text)
    if "][" in text:
        yield from (("label", _label(match[2] or match[1])) for match in _LABEL.finditer(text))
    if "[[" in text:
        yield from (("wiki", match[1].strip()) for match in _WIKI.finditer(text))
    if _FILE_ENDING.search(text):
        yield from (("file", match[1]) for match in _FILE.finditer(text))


def resolve_references(
    chunks: Sequence[Chunk],
    documents: Sequence[Document],
    found: Sequence[Sequence[tuple[str, str]]] | None = None,
) -> list[tuple[int, int]]:
    """Sorted pairs (i, j): chunk i refers to chunk j, as indices into `chunks`.

    `found` holds what `find_references` gives for each chunk, where that is known already.

    A section number means the chunk with that heading, in the file it is said to be of or else the same document; a
    file, link or wiki page the first chunk of that document; a link with an anchor the chunk with that heading. Names
    that fit two documents, and what is not among the documents, give nothing.

    >>> documents = [Document("a.md", "See [it](b.md#lens)."), Document("b.md", "Old.\\n## Lens\\nNew.")]
    >>> chunks = [Chunk("a.md", 0, "See [it](b.md#lens).", (), 9, 0, 20), Chunk("b.md", 0, "Old.", (), 2, 0, 4),
    ...     Chunk("b.md", 1, "## Lens\\nNew.", ("Lens",), 4, 5, 17)]
    >>> resolve_references(chunks, documents)
    [(0, 2)]
    """
    resolver = _Resolver(chunks, documents)
    pairs: set[tuple[int, int]] = set()
    for number, chunk in enumerate(chunks):
        for kind, target in find_references(chunk.text) if found is None else found[number]:
            place = resolver.resolve(chunk.document, kind, target)
            if place is not None and place != number:
                pairs.add((number, place))
    return sorted(pairs)


def _label(label: str) -> str:
    return " ".join(label.split()).casefold()


@dataclass(slots=True)
class _Outline:
    """Where the headings of a document stand: by number, by slug and by explicit anchor; and its link definitions."""

    numbers: dict[str, int] = field(default_factory=dict)
    slugs: dict[str, int] = field(default_factory=dict)
    anchors: dict[str, int] = field(default_factory=dict)
    definitions: dict[str, str] = field(default_factory=dict)


def _outline(text: str) -> _Outline:
    outline = _Outline()
    seen: dict[str, int] = defaultdict(int)
    for heading in find_headings(text):
        number = heading_number(heading.title)
        if number is not None:
            outline.numbers.setdefault(number, heading.start)
        if heading.anchor:
            outline.anchors.setdefault(_anchor(heading.anchor), heading.start)
        name = slug(heading.title)
        # The second heading of a name is linked to as name-1.
        outline.slugs.setdefault(f"{name}-{seen[name]}" if seen[name] else name, heading.start)
        seen[name] += 1
    if "]:" in text:
        outline.definitions = {_label(match[1]): match[2] for match in _DEFINITION.finditer(text)}
    return outline


def _anchor(anchor: str) -> str:
    return unquote(anchor).casefold().replace("_", "-")


class _Resolver:
    """Looks names up among the documents; outlines are made when first needed."""

    def __init__(self, chunks: Sequence[Chunk], documents: Sequence[Document]) -> None:
        self._documents = {document.id: document for document in documents}
        self._chunks: dict[str, list[int]] = defaultdict(list)
        for number, chunk in enumerate(chunks):
            self._chunks[chunk.document].append(number)
        self._ends = {name: [chunks[number].end for number in numbers] for name, numbers in self._chunks.items()}
        self._outlines: dict[str, _Outline] = {}
        self._by_path = _unique((key, name) for name in self._documents for key in _path_keys(name))
        self._by_name = _unique((key, name) for name in self._documents for key in _base_keys(name))
        self._by_title = _unique((_label(each.title), each.id) for each in documents if each.title)
        self._labels: dict[str, tuple[str, int]] | None = None

    def resolve(self, source: str, kind: str, target: str) -> int | None:
        """The chunk that a reference in document `source` stands for."""
        if source not in self._documents:
            return None
        if kind == "section":
            return self._chunk_at(source, self._outline(source).numbers.get(target))
        if kind == "part":
            return self._part(source, *target.rsplit("#", 1))
        if kind == "label":
            defined = self._outline(source).definitions.get(target)
            return self._link(source, defined) if defined else None
        if kind == "wiki":
            page, _, anchor = target.partition("#")
            found = self._by_title.get(_label(page)) or self._by_name.get(page.casefold()) if page else source
            return self._place(source, found or self._document(source, page), slug(anchor))
        if kind == "file":
            return self._place(source, self._file(source, target), "")
        return self._link(source, target)

    def _link(self, source: str, target: str) -> int | None:
        if target in self._documents:
            return self._place(source, target, "")
        path, _, anchor = target.partition("#")
        path = unquote(path.partition("?")[0])
        if path:
            return self._place(source, self._document(source, path), _anchor(anchor))
        return self._place(source, source, _anchor(anchor)) if anchor else None

    def _part(self, source: str, name: str, number: str) -> int | None:
        """The numbered section of a file; the file's first chunk where it has no such section."""
        document = self._file(source, name)
        offset = self._outline(document).numbers.get(number) if document is not None else None
        return (
            self._place(source, document, "")
            if document is None or offset is None
            else self._chunk_at(document, offset)
        )

    def _file(self, source: str, name: str) -> str | None:
        return self._document(source, name) or self._by_name.get(name.rsplit("/", 1)[-1].casefold())

    def _document(self, source: str, path: str) -> str | None:
        """The document at a path: beside the source, else from the root."""
        beside = normpath(f"{dirname(source)}/{path}") if not path.startswith("/") else path
        for candidate in (beside, path):
            for key in _path_keys(candidate):
                found = self._by_path.get(key)
                if found is not None:
                    return found
        return None

    def _place(self, source: str, document: str | None, anchor: str) -> int | None:
        """The chunk of a document under an anchor; its first one where the anchor is unknown or missing."""
        if document is None or not self._chunks.get(document):
            return None
        if anchor:
            outline = self._outline(document)
            offset = outline.anchors.get(anchor, outline.slugs.get(anchor))
            if offset is not None:
                return self._chunk_at(document, offset)
            if document == source:
                elsewhere = self._label_anywhere(anchor)
                return self._chunk_at(*elsewhere) if elsewhere else None
        return self._chunks[document][0] if document != source else None

    def _chunk_at(self, document: str, offset: int | None) -> int | None:
        numbers = self._chunks.get(document)
        if offset is None or not numbers:
            return None
        return numbers[min(bisect_right(self._ends[document], offset), len(numbers) - 1)]

    def _outline(self, document: str) -> _Outline:
        outline = self._outlines.get(document)
        if outline is None:
            outline = self._outlines[document] = _outline(clean_text(self._documents[document].text))
        return outline

    def _label_anywhere(self, anchor: str) -> tuple[str, int] | None:
        """An explicit anchor of one other document: how reStructuredText refers across files."""
        if self._labels is None:
            self._labels = _unique(
                (name, (document, offset))
                for document, each in self._documents.items()
                if "{#" in each.text
                for name, offset in self._outline(document).anchors.items()
            )
        return self._labels.get(anchor)


def _unique(pairs: Iterable[tuple[str, T]]) -> dict[str, T]:
    """Keys that stand for one value only."""
    found: dict[str, T] = {}
    ambiguous: set[str] = set()
    for key, value in pairs:
        if found.setdefault(key, value) != value:
            ambiguous.add(key)
    for key in ambiguous:
        del found[key]
    return found


def _path_keys(name: str) -> Iterator[str]:
    """Ways to write the path of a document: itself, without its ending, and as the folder it is the index of."""
    plain = normpath(name).strip("/")
    yield plain
    short = _ENDING.sub("", plain)
    if short != plain:
        yield short
    folder, _, last = short.rpartition("/")
    if folder and last.casefold() in _INDEX_NAMES:
        yield folder


def _base_keys(name: str) -> Iterator[str]:
    base = name.rstrip("/").rsplit("/", 1)[-1].casefold()
    yield base
    if _ENDING.search(base):
        yield _ENDING.sub("", base)
