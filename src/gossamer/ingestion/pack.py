"""From the results of the offline steps to the arrays, strings and information of a snapshot."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.lexical import LexicalIndex
from gossamer.index.snapshot import pack_matrix
from gossamer.index.store import SnapshotData
from gossamer.index.strings import StringTable
from gossamer.ingestion.annotate import Entities, Note, Questions
from gossamer.ingestion.changes import metadata_json
from gossamer.ingestion.load import LoadedDocument
from gossamer.ingestion.relate import Relations
from gossamer.model import Chunk, to_plain
from gossamer.settings import Settings

if TYPE_CHECKING:
    from gossamer.embedders.protocol import Embedder


def snapshot_info(
    settings: Settings,
    embedder: Embedder,
    hooks: list[str],
    language: str | None,
    relations: Relations,
    dimension: int,
    counts: dict[str, int],
    steps: dict[str, Any],
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
        "counter": "count_tokens hook" if "count_tokens" in hooks else settings.chunking.counter.partition(":")[0],
        "hooks": hooks,
        "counts": counts,
        "language": language,
        "signals": list(relations.signals),
        "weights": to_plain(relations.weights),
        **steps,
    }


def snapshot_data(
    documents: Sequence[LoadedDocument],
    chunks: Sequence[Chunk],
    owners: Sequence[int],
    notes: Sequence[Note],
    lexical: LexicalIndex,
    entities: Entities,
    questions: Questions,
    vectors: NDArray[np.float32],
    question_vectors: NDArray[np.float32],
    propositions: Questions,
    proposition_vectors: NDArray[np.float32],
    relations: Relations,
    *,
    info: dict[str, Any],
) -> SnapshotData:
    """Everything searches read, and the texts, pages and notes that the next sync reuses."""
    plain = [loaded.document for loaded in documents]
    matrices = {"entities": entities.matrix, "graph": relations.graph, "flow": relations.flow}
    matrices |= {f"signal_{name}": matrix for name, matrix in relations.signals.items()}
    arrays: dict[str, NDArray[Any]] = {
        "chunk_document": np.asarray(owners, dtype=np.int32),
        "chunk_position": np.asarray([chunk.position for chunk in chunks], dtype=np.int32),
        "chunk_tokens": np.asarray([chunk.tokens for chunk in chunks], dtype=np.int32),
        "chunk_span": np.asarray([(chunk.start, chunk.end) for chunk in chunks], dtype=np.int64).reshape(-1, 2),
        "chunk_page": np.asarray([chunk.page or 0 for chunk in chunks], dtype=np.int32),
        "chunk_split": np.asarray([chunk.split for chunk in chunks], dtype=bool),
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
        "document_metadata": [metadata_json(document.metadata) for document in plain],
        "document_texts": [document.text for document in plain],
        "document_pages": [json.dumps(loaded.pages) for loaded in documents],
        "chunk_texts": [chunk.text for chunk in chunks],
        "chunk_sections": [json.dumps(chunk.section, ensure_ascii=False) for chunk in chunks],
        "chunk_notes": [_note_json(note) for note in notes],
        "entity_names": entities.names,
        "question_texts": questions.texts,
        "lexical_vocabulary": lexical.vocabulary,
    }
    if propositions.texts:  # an index without this layer has no file of it
        arrays |= {"proposition_owner": propositions.owner, "proposition_vectors": proposition_vectors}
        strings["proposition_texts"] = propositions.texts
    columns = {name: int(matrix.shape[1]) for name, matrix in matrices.items()}
    tables = {name: StringTable.from_strings(values) for name, values in strings.items()}
    return SnapshotData(arrays=arrays, strings=tables, info={**info, "columns": columns})


def _note_json(note: Note) -> str:
    concepts = [note.concepts] if note.concepts else []
    return json.dumps([note.entities, note.references, *concepts], ensure_ascii=False)
