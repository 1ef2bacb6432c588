"""What the systems of one benchmark share: the documents, and one index per settings in a temporary folder."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from gossamer.model import Document

if TYPE_CHECKING:
    from gossamer.evaluation.vectors import GivenVectors
    from gossamer.retrieval.pipeline import SpectRAGRetrieval
    from gossamer.settings import Settings


@dataclass(frozen=True, slots=True)
class IndexedCorpus:
    """An open index and what it cost: wall-clock seconds of the build, bytes on disk."""

    retrieval: SpectRAGRetrieval
    seconds: float
    size_bytes: int
    warnings: tuple[str, ...]


class Workbench:
    """Documents of one corpus and the indexes built from them; close it to close the indexes.

    Args:
        documents: the corpus, in the order in which to index it.
        folder: an existing empty folder for the indexes.
        settings: settings of the shared index.
        vectors: given passage vectors; they replace the embedder of every settings used here.
    """

    def __init__(
        self,
        documents: Sequence[Document],
        folder: Path,
        settings: Settings,
        vectors: GivenVectors | None = None,
    ) -> None:
        self.documents: Mapping[str, Document] = {document.id: document for document in documents}
        self.settings = settings
        self._folder = folder
        self._indexes: dict[Settings, IndexedCorpus] = {}
        if vectors is not None:
            path = folder / "vectors.npz"
            vectors.save(path)
            self.settings = settings.replace(embedder=f"vectors:{path}")

    def __enter__(self) -> Workbench:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close every index."""
        for indexed in self._indexes.values():
            indexed.retrieval.close()
        self._indexes.clear()

    def index(self, settings: Settings | None = None) -> IndexedCorpus:
        """The index for these settings, built when first asked for; without settings the shared one.

        The embedder is always that of the workbench, so that systems differ in method only.
        """
        from gossamer import build_index, open_index

        chosen = self._index_part(settings or self.settings)
        if chosen not in self._indexes:
            folder = self._folder / f"index-{len(self._indexes)}"
            started = time.perf_counter()
            report = build_index(self.documents.values(), folder, chosen)
            seconds = time.perf_counter() - started
            opened = open_index(folder)
            self._indexes[chosen] = IndexedCorpus(opened, seconds, report.size_bytes, report.warnings)
        return self._indexes[chosen]

    def _index_part(self, settings: Settings) -> Settings:
        """What of the settings shapes an index; the rest is taken from the workbench, so that searches share it."""
        mine = self.settings
        return dataclasses.replace(
            settings,
            embedder=mine.embedder,
            embedding=mine.embedding,
            retrieval=mine.retrieval,
            proximity=mine.proximity,
            selection=mine.selection,
            utility=mine.utility,
        )

    @cached_property
    def chunk_numbers(self) -> dict[str, int]:
        """Chunk id -> number in the shared index."""
        return {one: number for number, one in enumerate(self.index().retrieval.snapshot.chunk_ids)}

    @cached_property
    def document_chunks(self) -> dict[str, list[int]]:
        """Document id -> chunk numbers in the shared index, in reading order."""
        snapshot = self.index().retrieval.snapshot
        found: dict[str, list[int]] = {}
        for number, document in enumerate(snapshot.chunk_document.tolist()):
            found.setdefault(snapshot.document_ids[document], []).append(number)
        return found
