"""The offline pipeline: load, chunk, annotate, embed, link, fuse, spectral coordinates, clusters, save."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from gossamer.embedders.choose import embedder_for
from gossamer.errors import ArgumentTypeError
from gossamer.index.local import LocalStore
from gossamer.ingestion.annotate import TextsHook
from gossamer.ingestion.build import Hooks, build_snapshot
from gossamer.ingestion.clock import Clock, Progress
from gossamer.ingestion.load import load_sources
from gossamer.model import Document, Report
from gossamer.settings import Settings

Sources = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Iterable[Document]


class SpectRAGIngestion:
    """Builds the index of a set of documents in a folder.

    Hooks: `entity_fn(text) -> names`, `question_fn(text) -> utility questions`, `embed_fn(texts) -> array (n, d)`,
    `count_tokens(text) -> int`, `progress(stage, done, total)`.

    >>> import tempfile
    >>> docs = [Document("a", "Orion is built by Helix Labs."), Document("b", "Helix Labs is in Pune.")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     report = SpectRAGIngestion(folder).ingest(docs)
    >>> report.documents, report.chunks
    (2, 2)
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        settings: Settings | None = None,
        *,
        entity_fn: TextsHook | None = None,
        question_fn: TextsHook | None = None,
        embed_fn: Callable[[list[str]], NDArray[Any]] | None = None,
        count_tokens: Callable[[str], int] | None = None,
        progress: Progress | None = None,
    ) -> None:
        if settings is not None and not isinstance(settings, Settings):
            raise ArgumentTypeError(f"settings is a {type(settings).__name__}. Pass a gossamer.Settings, or None.")
        self.folder = Path(folder)
        self.settings = settings if settings is not None else Settings()
        self._hooks = Hooks(entity_fn, question_fn, count_tokens)
        self._embed_fn = embed_fn
        self._progress = progress

    def ingest(self, sources: Sources, *, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Report:
        """Index a path, several paths, or an iterable of Document; the new snapshot holds exactly these.

        Raises NoDocumentsError where a path does not exist, IndexLockedError while another process writes.
        """
        store = LocalStore(self.folder)
        clock = Clock(self._progress)
        embedder = embedder_for(self.settings, self._embed_fn)
        with store.writing():
            with clock.step("load"):
                loaded = load_sources(sources, include=include, exclude=exclude)
            built = build_snapshot(loaded, self.settings, embedder, self._hooks, clock)
            with clock.step("save"):
                name = store.save(built.data)
        return built.report(str(self.folder), name, store.size_bytes(), clock.seconds)


def build_index(
    docs: Sources, folder: str | os.PathLike[str], settings: Settings | None = None, **hooks: Any
) -> Report:
    """`SpectRAGIngestion(folder, settings, **hooks).ingest(docs)`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     build_index([Document("a", "Helix Labs is in Pune.")], folder).chunks
    1
    """
    return SpectRAGIngestion(folder, settings, **hooks).ingest(docs)
