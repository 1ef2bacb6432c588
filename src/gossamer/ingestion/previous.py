"""What an earlier snapshot knows, found by content: a build takes from here what it need not do again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from gossamer.index.snapshot import Snapshot, empty_snapshot
from gossamer.ingestion.annotate import Note
from gossamer.ingestion.load import LoadedDocument
from gossamer.model import Chunk, Document, heading_path
from gossamer.settings import Settings

Key = tuple[str, str, str]
"""All that the work on one chunk depends on: title of the document, title and headings as one line, text."""


def chunk_keys(chunks: Sequence[Chunk], titles: Sequence[str]) -> list[Key]:
    """The key of each chunk, given the title of its document.

    >>> chunk_keys([Chunk("a", 0, "Forty people.", ("Staff",), 3, 0, 13)], ["Orion"])
    [('Orion', 'Orion Staff', 'Forty people.')]
    """
    return [
        (title, " ".join(heading_path(title, chunk.section)), chunk.text)
        for chunk, title in zip(chunks, titles, strict=True)
    ]


class Previous:
    """An earlier snapshot seen by content; without one it knows nothing.

    >>> Previous().rows([("", "", "Pune.")]).tolist()
    [-1]
    """

    def __init__(self, snapshot: Snapshot | None = None) -> None:
        self.snapshot = snapshot if snapshot is not None else empty_snapshot()
        self.vectors = self.snapshot.vectors
        self.question_vectors = self.snapshot.question_vectors
        self.language: str | None = self.snapshot.info.get("language")
        self._notes = self.snapshot.tables.get("chunk_notes") or ()

    @property
    def settings(self) -> Settings | None:
        """The settings it was built with."""
        stored = self.snapshot.info.get("settings")
        return None if stored is None else Settings.from_dict(stored)

    @cached_property
    def documents(self) -> dict[str, LoadedDocument]:
        """Documents by id, empty where the format did not keep their texts."""
        snapshot = self.snapshot
        texts, pages = snapshot.tables.get("document_texts"), snapshot.tables.get("document_pages")
        if texts is None or pages is None:
            return {}
        found = {}
        for number, (name, title, text, starts) in enumerate(
            zip(snapshot.document_ids, snapshot.document_titles, texts, map(json.loads, pages), strict=True)
        ):
            document = Document(name, text, title, snapshot.metadata(number), snapshot.path(number))
            found[name] = LoadedDocument(document, None if starts is None else tuple(starts))
        return found

    def chunks(self, loaded: LoadedDocument) -> list[Chunk] | None:
        """Chunks of a document whose text was there under any id; None where it was not."""
        number = self._by_text.get((loaded.document.text, loaded.pages))
        return None if number is None else [self._chunk(row, loaded.document.id) for row in self._rows_of(number)]

    def rows(self, keys: Sequence[Key]) -> NDArray[np.int64]:
        """Number of the earlier chunk with the same key, −1 where there is none; shape (n,)."""
        return np.asarray([self._by_key.get(key, -1) for key in keys], dtype=np.int64)

    @cached_property
    def keys(self) -> list[Key]:
        """The keys of all its chunks."""
        titles = list(self.snapshot.document_titles)
        chunks = [self._chunk(row, "") for row in range(len(self.snapshot))]
        return chunk_keys(chunks, [titles[owner] for owner in self.snapshot.chunk_document.tolist()])

    def has_notes(self, settings: Settings) -> bool:
        """Whether its notes are what these settings would give."""
        kept = self.settings
        return bool(self._notes) and kept is not None and kept.signals.entities == settings.signals.entities

    def note(self, row: int) -> Note:
        """The note of a chunk."""
        entities, references, *concepts = json.loads(self._notes[row])
        questions = _owned(self.snapshot.question_texts, self.snapshot.question_owner, row)
        propositions = _owned(self.snapshot.proposition_texts, self.snapshot.proposition_owner, row)
        pairs = [(kind, target) for kind, target in references]
        return Note(entities, pairs, questions, concepts[0] if concepts else [], propositions)

    def terms(self, row: int) -> tuple[list[str], list[str]]:
        """Terms of the text of a chunk, and of its title and headings."""
        lexical, words = self.snapshot.lexical, self._vocabulary
        body = lexical.body[lexical.body_offsets[row] : lexical.body_offsets[row + 1]]
        title = lexical.title[lexical.title_offsets[row] : lexical.title_offsets[row + 1]]
        return [words[term] for term in body.tolist()], [words[term] for term in title.tolist()]

    def question_rows(self, questions: Sequence[str]) -> NDArray[np.int64]:
        """Number of the same utility question, −1 where there is none."""
        return _places(questions, self.snapshot.question_texts)

    def proposition_rows(self, propositions: Sequence[str]) -> NDArray[np.int64]:
        """Number of the same proposition, −1 where there is none or where it has no vector."""
        held = len(self.snapshot.proposition_vectors)
        return _places(propositions, self.snapshot.proposition_texts if held else ())

    @cached_property
    def _vocabulary(self) -> list[str]:
        return list(self.snapshot.lexical.vocabulary)

    @cached_property
    def _by_key(self) -> dict[Key, int]:
        found: dict[Key, int] = {}
        for row, key in enumerate(self.keys):
            found.setdefault(key, row)
        return found

    @cached_property
    def _by_text(self) -> dict[tuple[str, tuple[int, ...] | None], int]:
        return {(each.document.text, each.pages): number for number, each in enumerate(self.documents.values())}

    def _rows_of(self, document: int) -> range:
        first, last = np.searchsorted(self.snapshot.chunk_document, [document, document + 1]).tolist()
        return range(first, last)

    def _chunk(self, row: int, document: str) -> Chunk:
        columns = self._columns
        return Chunk(
            document,
            columns.position[row],
            columns.texts[row],
            tuple(json.loads(columns.sections[row])),
            columns.tokens[row],
            *columns.spans[row],
            columns.pages[row] or None,
            columns.split[row],
        )

    @cached_property
    def _columns(self) -> _Columns:
        return _Columns(self.snapshot)


def _owned(texts: Sequence[str], owner: NDArray[np.int32], row: int) -> list[str]:
    """The texts that a chunk owns, where owners stand in order."""
    first, last = np.searchsorted(owner, [row, row + 1]).tolist()
    return [texts[place] for place in range(first, last)]


def _places(wanted: Sequence[str], texts: Sequence[str]) -> NDArray[np.int64]:
    """The first place of each wanted text, −1 where it does not occur."""
    known: dict[str, int] = {}
    for number, text in enumerate(texts):
        known.setdefault(text, number)
    return np.asarray([known.get(text, -1) for text in wanted], dtype=np.int64)


class _Columns:
    """The columns of all chunks as plain lists: a chunk is put together from them many times faster than from maps."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.texts = list(snapshot.chunk_texts)
        self.sections = list(snapshot.tables.get("chunk_sections") or ())
        self.position: list[int] = snapshot.chunk_position.tolist()
        self.tokens: list[int] = snapshot.chunk_tokens.tolist()
        self.spans: list[tuple[int, int]] = snapshot.chunk_span.tolist()
        self.pages: list[int] = snapshot.chunk_page.tolist()
        self.split: list[bool] = snapshot.chunk_split.tolist()
