"""From loaded documents to the content of a snapshot: every offline step in order, each timed."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from gossamer.index.lexical import LexicalIndex
from gossamer.index.snapshot import pack_matrix
from gossamer.index.store import SnapshotData
from gossamer.index.strings import StringTable
from gossamer.ingestion.annotate import Entities, Questions, TextsHook, annotate_entities, annotate_questions
from gossamer.ingestion.chunk import chunk_document
from gossamer.ingestion.clock import Clock
from gossamer.ingestion.extractors import make_extractor
from gossamer.ingestion.load import Loaded, LoadedDocument
from gossamer.ingestion.relate import Relations, relate
from gossamer.model import Chunk, Report, heading_path, to_plain
from gossamer.settings import Settings
from gossamer.text.tokens import make_counter
from gossamer.text.words import Words, detect_language

if TYPE_CHECKING:
    from gossamer.embedders.protocol import Embedder


Topics = Literal["long", "all", "off"]


@dataclass(frozen=True, slots=True)
class Hooks:
    """A user's callables; None means the built-in way."""

    entity_fn: TextsHook | None = None
    question_fn: TextsHook | None = None
    count_tokens: Callable[[str], int] | None = None


@dataclass(slots=True)
class Built:
    """The content of a snapshot and what the report says about it."""

    data: SnapshotData
    counts: dict[str, Any]
    loaded: Loaded
    warnings: list[str] = field(default_factory=list)

    def report(self, index: str, snapshot: str, size_bytes: int, seconds: dict[str, float]) -> Report:
        """The report of this build."""
        info = self.data.info
        return Report(
            index=index,
            snapshot=snapshot,
            seconds=dict(seconds),
            embedder=info["embedder"],
            language=info["language"],
            settings=info["settings_summary"],
            size_bytes=size_bytes,
            skipped=tuple(self.loaded.skipped),
            warnings=tuple(dict.fromkeys([*self.loaded.warnings, *self.warnings])),
            **self.counts,
        )


def build_snapshot(loaded: Loaded, settings: Settings, embedder: Embedder, hooks: Hooks, clock: Clock) -> Built:
    """Run the offline steps on loaded documents."""
    from gossamer.insight.twins import with_twins

    warnings: list[str] = []
    documents = loaded.documents
    with clock.step("chunk", len(documents)):
        count = hooks.count_tokens or make_counter(settings.chunking.counter)
        chunks, owners = _chunk(documents, settings, embedder, count, clock, warnings)
    texts = [chunk.text for chunk in chunks]
    titles = [documents[owner].document.title for owner in owners]
    names = [" ".join(heading_path(title, chunk.section)) for title, chunk in zip(titles, chunks, strict=True)]
    with clock.step("annotate"):
        entities = annotate_entities(texts, titles, make_extractor(settings.signals.entities, hooks.entity_fn))
        questions = annotate_questions(texts, hooks.question_fn)
    with clock.step("lexical"):
        language = detect_language(texts)
        lexical = LexicalIndex.build(texts, names, Words(language))
    with clock.step("embed", len(chunks)):
        vectors, question_vectors = _embed(embedder, chunks, names, questions, settings, clock, warnings)
    relations = relate(documents, chunks, owners, vectors, question_vectors, entities, questions, settings, clock)
    warnings += relations.warnings
    data = _snapshot_data(
        documents, chunks, owners, lexical, entities, questions, vectors, question_vectors, relations,
        info=_info(settings, embedder, hooks, language, relations, vectors.shape[1]),
    )  # fmt: skip
    with clock.step("duplicates"):
        data = with_twins(data)
    counts = {
        "documents": len(documents),
        "chunks": len(chunks),
        "tokens": sum(chunk.tokens for chunk in chunks),
        "entities": len(entities.names),
        **relations.counts,
    }
    return Built(data, counts, loaded, warnings)


def _chunk(
    documents: Sequence[LoadedDocument],
    settings: Settings,
    embedder: Embedder,
    count: Callable[[str], int],
    clock: Clock,
    warnings: list[str],
) -> tuple[list[Chunk], list[int]]:
    """Chunks of all documents in order, and the number of the document each belongs to."""
    options = settings.chunking
    chunks: list[Chunk] = []
    owners: list[int] = []
    for number, loaded in enumerate(documents):
        cut, notes = chunk_document(
            loaded.document,
            count=count,
            chunk_tokens=options.chunk_tokens,
            overlap_tokens=options.overlap_tokens,
            min_tokens=options.min_tokens,
            topics=cast("Topics", options.topics),
            embed=_sentence_embedding(embedder),
            pages=loaded.pages,
        )
        chunks += cut
        owners += [number] * len(cut)
        warnings += notes
        if number % 100 == 0:
            clock.tell("chunk", number, len(documents))
    return chunks, owners


def _sentence_embedding(embedder: Embedder) -> Callable[[list[str]], NDArray[np.float32]]:
    """Vectors of sentences for topic changes; where vectors are given by id, the hash embedder stands in."""
    from gossamer.embedders.protocol import is_by_id
    from gossamer.embedders.registry import make_embedder

    able = make_embedder("hash") if is_by_id(embedder) or embedder.dimension == 0 else embedder
    return lambda sentences: able.embed(sentences, kind="passage")


def _embed(
    embedder: Embedder,
    chunks: Sequence[Chunk],
    names: Sequence[str],
    questions: Questions,
    settings: Settings,
    clock: Clock,
    warnings: list[str],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Vectors of chunks (title and headings before the text) and of utility questions."""
    from gossamer.embedders.protocol import cut_warning, embed_in_batches, is_by_id, probe_reproducibility

    if is_by_id(embedder):
        vectors = embedder.embed_ids([chunk.id for chunk in chunks], [chunk.document for chunk in chunks])
        return vectors, np.zeros((0, vectors.shape[1]), dtype=np.float32)
    passages = [f"{name}\n{chunk.text}" if name else chunk.text for name, chunk in zip(names, chunks, strict=True)]
    notes = (
        probe_reproducibility(embedder, passages[:64]),
        cut_warning(embedder, np.asarray([chunk.tokens for chunk in chunks])),
    )
    warnings += [note for note in notes if note]
    batch = settings.embedding.batch_size
    tell = clock.tell
    vectors = embed_in_batches(
        embedder, passages, kind="passage", batch_size=batch, progress=lambda done, total: tell("embed", done, total)
    )
    asked = embed_in_batches(embedder, questions.texts, kind="passage", batch_size=batch)
    return vectors, asked


def _info(
    settings: Settings, embedder: Embedder, hooks: Hooks, language: str | None, relations: Relations, dimension: int
) -> dict[str, Any]:
    """What the manifest says about the index; no path, key or time."""
    # Vectors computed elsewhere are known by their hash; their path means nothing to the next reader.
    kind = embedder.identity["kind"]
    stored = settings.replace(embedder=kind) if kind in ("vectors", "callable") else settings
    differences = ", ".join(f"{key}={value!r}" for key, value in stored.differences().items())
    return {
        "settings": stored.to_dict(),
        "settings_summary": f"{stored.preset} ({differences})" if differences else stored.preset,
        "embedder": {**embedder.identity, "dimension": dimension},
        "semantic": bool(embedder.semantic),
        "max_tokens": embedder.max_tokens,
        "counter": "count_tokens hook" if hooks.count_tokens else settings.chunking.counter.partition(":")[0],
        "language": language,
        "signals": list(relations.signals),
        "weights": to_plain(relations.weights),
    }


def _snapshot_data(
    documents: Sequence[LoadedDocument],
    chunks: Sequence[Chunk],
    owners: Sequence[int],
    lexical: LexicalIndex,
    entities: Entities,
    questions: Questions,
    vectors: NDArray[np.float32],
    question_vectors: NDArray[np.float32],
    relations: Relations,
    *,
    info: dict[str, Any],
) -> SnapshotData:
    plain = [loaded.document for loaded in documents]
    matrices = {"entities": entities.matrix, "graph": relations.graph, "flow": relations.flow}
    matrices |= {f"signal_{name}": matrix for name, matrix in relations.signals.items()}
    arrays: dict[str, NDArray[Any]] = {
        "chunk_document": np.asarray(owners, dtype=np.int32),
        "chunk_position": np.asarray([chunk.position for chunk in chunks], dtype=np.int32),
        "chunk_tokens": np.asarray([chunk.tokens for chunk in chunks], dtype=np.int32),
        "chunk_span": np.asarray([(chunk.start, chunk.end) for chunk in chunks], dtype=np.int64).reshape(-1, 2),
        "chunk_page": np.asarray([chunk.page or 0 for chunk in chunks], dtype=np.int32),
        "vectors": vectors,
        "question_owner": questions.owner,
        "question_vectors": question_vectors,
        "coordinates": relations.coordinates,
        "components": relations.components,
        "clusters": relations.clusters,
        **{f"lexical_{name}": array for name, array in lexical.to_arrays().items()},
    }
    for name, matrix in matrices.items():
        arrays |= pack_matrix(name, matrix)
    strings = {
        "document_ids": [document.id for document in plain],
        "document_titles": [document.title for document in plain],
        "document_paths": [json.dumps(document.path, ensure_ascii=False) for document in plain],
        "document_metadata": [_json(document.metadata) for document in plain],
        "chunk_texts": [chunk.text for chunk in chunks],
        "chunk_sections": [json.dumps(chunk.section, ensure_ascii=False) for chunk in chunks],
        "entity_names": entities.names,
        "question_texts": questions.texts,
        "lexical_vocabulary": lexical.vocabulary,
    }
    columns = {name: int(matrix.shape[1]) for name, matrix in matrices.items()}
    tables = {name: StringTable.from_strings(values) for name, values in strings.items()}
    return SnapshotData(arrays=arrays, strings=tables, info={**info, "columns": columns})


def _json(metadata: Any) -> str:
    return json.dumps(to_plain(metadata), ensure_ascii=False, sort_keys=True)
