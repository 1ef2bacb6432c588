"""The offline pipeline: load, chunk, annotate, embed, link, fuse, spectral coordinates, clusters, save."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from gossamer.embedders.choose import embedder_for
from gossamer.embedders.protocol import Embedder
from gossamer.errors import ArgumentTypeError, DocumentError, EmbedderMismatchError, IndexVersionError
from gossamer.index.embeddings import EmbeddingCache
from gossamer.index.local import LocalStore
from gossamer.index.snapshot import Snapshot
from gossamer.ingestion.annotate import TextsHook
from gossamer.ingestion.build import Hooks, build_snapshot, cut_passages
from gossamer.ingestion.clock import Clock, Progress
from gossamer.ingestion.compatible import require_same_work
from gossamer.ingestion.embed import Embedding
from gossamer.ingestion.load import Loaded, LoadedDocument, load_sources
from gossamer.ingestion.model_steps import REPLIES, Announce, ModelSteps
from gossamer.ingestion.previous import Previous
from gossamer.llm.function import LLMLike
from gossamer.llm.reply import Estimate
from gossamer.model import Document
from gossamer.reports import Report
from gossamer.settings import Settings
from gossamer.text.clean import join_surrogates

Sources = str | os.PathLike[str] | Sequence[str | os.PathLike[str]] | Iterable[Document]
Loading = Callable[[Previous], Loaded]


class SpectRAGIngestion:
    """Builds the index of a set of documents in a folder, and keeps it up to date.

    After any sequence of `sync`, `add`, `update` and `remove` the index is the one that `ingest` would build from the
    same documents; only chunks whose title, headings or text changed are annotated and embedded. `settings` None means
    the defaults for `ingest`, else those of the index. One process writes at a time, any number may search meanwhile.

    Hooks: `entity_fn(text) -> names`, `question_fn(text) -> utility questions`, `embed_fn(texts) -> array (n, d)`,
    `count_tokens(text) -> int`, `progress(stage, done, total)`. `cache` is a folder of vectors that indexes share.

    `llm` (a `gossamer.llm.client.Client` or a function `prompt -> text`) serves the optional steps: `questions` that each
    passage answers, `concepts` as entities, `propositions` (also a function `text -> sentences`) as facts that speak for
    their passage. A client's replies are kept in the index folder unless it has a cache of its own.
    `announce(step, estimate)` hears what each step will cost before it begins.

    >>> import tempfile
    >>> docs = [Document("a", "Orion is built by Helix Labs."), Document("b", "Helix Labs is in Pune.")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ingestion = SpectRAGIngestion(folder)
    ...     first = ingestion.ingest(docs)
    ...     second = ingestion.update([Document("b", "Helix Labs moved to Oslo.")])
    >>> first.documents, second.changes["documents"]["changed"], second.changes["chunks"]["embedded"]
    (2, 1, 1)
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
        cache: str | os.PathLike[str] | None = None,
        llm: LLMLike | None = None,
        questions: bool = False,
        concepts: bool = False,
        propositions: bool | TextsHook = False,
        announce: Announce | None = None,
    ) -> None:
        if settings is not None and not isinstance(settings, Settings):
            raise ArgumentTypeError(f"settings is a {type(settings).__name__}. Pass a gossamer.Settings, or None.")
        self.folder = Path(folder)
        self.settings = settings
        steps = ModelSteps.of(llm, questions=questions, concepts=concepts, propositions=propositions, announce=announce)
        self._hooks = Hooks(entity_fn, question_fn, count_tokens, steps.keeping(self.folder / REPLIES))
        self._embed_fn = embed_fn
        self._progress = progress
        self._cache = cache
        self._store = LocalStore(self.folder)

    def ingest(self, sources: Sources, *, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Report:
        """Index a path, several paths, or an iterable of Document from scratch; the index holds exactly these.

        Raises NoDocumentsError where a path does not exist, IndexLockedError while another process writes.
        """
        return self._write(lambda _: load_sources(sources, include=include, exclude=exclude), {})

    def sync(self, sources: Sources, *, include: Sequence[str] = (), exclude: Sequence[str] = ()) -> Report:
        """Bring the index to hold exactly these sources, doing only the work that is new; builds where there is none.

        Raises as `ingest`; also EmbedderMismatchError for another embedder or dimension, SettingsError for another
        chunking, UsageError for other hooks than the index was built with, IndexDamagedError for a damaged index.
        """
        return self._write(lambda _: load_sources(sources, include=include, exclude=exclude), self._info())

    def add(self, documents: Document | Iterable[Document]) -> Report:
        """Add documents; raises DocumentError where an id is in the index already, and as `sync`."""

        def load(previous: Previous) -> Loaded:
            given = _documents(documents)
            known = sorted(_ids(given) & previous.documents.keys())
            if known:
                raise DocumentError(f"{_named(known)} in the index already. Use update to replace them.")
            return load_sources(given, kept=previous.documents.values())

        return self._write(load, self._info(), rest=True)

    def update(self, documents: Document | Iterable[Document]) -> Report:
        """Replace the documents of the same ids and add the others; raises as `sync`."""

        def load(previous: Previous) -> Loaded:
            given = _documents(documents)
            return load_sources(given, kept=_without(previous, _ids(given)))

        return self._write(load, self._info(), rest=True)

    def remove(self, ids: str | Iterable[str]) -> Report:
        """Remove documents by id.

        Raises IndexNotFoundError where there is no index, DocumentError for an id that is not in it, and as `sync`.
        """

        def load(previous: Previous) -> Loaded:
            wanted = {ids} if isinstance(ids, str) else set(ids)
            unknown = sorted(wanted - previous.documents.keys())
            if unknown:
                raise DocumentError(f"{_named(unknown)} not in the index. Give ids as `Passage.document` has them.")
            return load_sources([], kept=_without(previous, wanted))

        return self._write(load, self._store.manifest().info, rest=True)

    def estimate(
        self, sources: Sources, *, include: Sequence[str] = (), exclude: Sequence[str] = ()
    ) -> dict[str, Estimate]:
        """What each step that asks the language model would cost at most if all were new; nothing is sent or written."""
        settings = self.settings or Settings()
        loaded = load_sources(sources, include=include, exclude=exclude)
        keys = cut_passages(loaded, settings, self._embedder(settings), self._hooks, Clock(self._progress))
        return self._hooks.steps.estimates(keys)

    def _info(self) -> Mapping[str, Any]:
        """What the manifest of the index says, nothing where there is no index."""
        return self._store.manifest().info if self._store.exists() else {}

    def _write(self, load: Loading, info: Mapping[str, Any], *, rest: bool = False) -> Report:
        """One new snapshot, against the one that `info` describes; with `rest` its documents are needed too."""
        clock = Clock(self._progress)
        settings = self.settings or (Settings.from_dict(info["settings"]) if info else Settings())
        embedder = self._embedder(settings)
        with self._store.writing():
            previous = Previous()
            if info:
                with clock.step("open"):
                    previous = Previous(Snapshot(self._store.load(verify=True)))
                require_same_work(previous.snapshot.info, settings, embedder, self._hooks.names)
                if rest and "document_texts" not in previous.snapshot.tables:
                    raise IndexVersionError(
                        f"{self.folder} was written by an older Gossamer that kept no texts. Bring it up to date once "
                        f"with all documents: `gossamer index DOCS {self.folder}`, or sync."
                    )
            with clock.step("load"):
                loaded = load(previous)
            embedding = Embedding(
                embedder, self._vectors_cache(embedder), settings.embedding.batch_size, self._store.reserve
            )
            built = build_snapshot(loaded, settings, embedding, self._hooks, clock, previous)
            with clock.step("save"):
                name = self._store.save(built.data)
                size = self._store.size_bytes()
        return built.report(str(self.folder), name, size, clock.seconds)

    def _embedder(self, settings: Settings) -> Embedder:
        if settings.embedder == "callable" and self._embed_fn is None:
            raise EmbedderMismatchError(
                "The index was built with embed_fn. Update it from Python with the same embed_fn, or build it again with "
                "another embedder: `gossamer index DOCS INDEX --force`."
            )
        return embedder_for(settings, self._embed_fn)

    def _vectors_cache(self, embedder: Embedder) -> EmbeddingCache:
        if self._cache is not None:
            return EmbeddingCache(self._cache, embedder.identity, keep=True)
        return EmbeddingCache(self._store.journal, embedder.identity, keep=False)


def build_index(
    docs: Sources,
    folder: str | os.PathLike[str],
    settings: Settings | None = None,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    **hooks: Any,
) -> Report:
    """`SpectRAGIngestion(folder, settings, **hooks).ingest(docs)`: build the index from scratch.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     build_index([Document("a", "Helix Labs is in Pune.")], folder).chunks
    1
    """
    return SpectRAGIngestion(folder, settings, **hooks).ingest(docs, include=include, exclude=exclude)


def sync_index(
    docs: Sources,
    folder: str | os.PathLike[str],
    settings: Settings | None = None,
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    **hooks: Any,
) -> Report:
    """`SpectRAGIngestion(folder, settings, **hooks).sync(docs)`: bring the index up to date with its documents.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sync_index([Document("a", "Helix Labs is in Pune."), Document("b", "It began in 2019.")], folder)
    ...     sync_index([Document("a", "Helix Labs is in Pune.")], folder).changes["documents"]["removed"]
    1
    """
    return SpectRAGIngestion(folder, settings, **hooks).sync(docs, include=include, exclude=exclude)


def _documents(documents: Document | Iterable[Document]) -> list[Document]:
    given = [documents] if isinstance(documents, Document) else list(documents)
    for each in given:
        if not isinstance(each, Document):
            raise ArgumentTypeError(f"A document is a {type(each).__name__}. Pass a gossamer.Document, or use sync.")
    return given


def _ids(documents: Sequence[Document]) -> set[str]:
    """Ids as loading writes them."""
    return {join_surrogates(document.id) for document in documents}


def _without(previous: Previous, ids: set[str]) -> list[LoadedDocument]:
    return [loaded for name, loaded in previous.documents.items() if name not in ids]


def _named(ids: list[str]) -> str:
    shown = ", ".join(map(repr, ids[:3])) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
    return f"{shown} {'is' if len(ids) == 1 else 'are'}"
