"""What must hold inside a snapshot, whatever made it: one sentence for each thing that does not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.snapshot import Snapshot
from gossamer.index.strings import StringTable

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_SYMMETRIC = ("graph", "flow")
_ROWS = 4096
_UNIT = 1e-3


def snapshot_faults(snapshot: Snapshot) -> Iterator[str]:
    """Faults of ids, strings, chunks, vectors, lexical index, matrices and counts.

    >>> from gossamer.index.snapshot import empty_snapshot
    >>> list(snapshot_faults(empty_snapshot()))
    []
    """
    strings = list(_string_faults(snapshot))
    yield from strings
    if strings:
        return
    yield from _document_faults(snapshot)
    yield from _chunk_faults(snapshot)
    yield from _vector_faults(snapshot)
    if "signals" in snapshot.info:
        yield from _lexical_faults(snapshot)
        yield from _matrix_faults(snapshot)
    yield from _count_faults(snapshot)


def _string_faults(snapshot: Snapshot) -> Iterator[str]:
    for name, table in snapshot.tables.items():
        if not isinstance(table, StringTable):
            continue
        offsets = table.offsets
        if not len(offsets) or offsets[0] != 0 or offsets[-1] != len(table.data) or bool((np.diff(offsets) < 0).any()):
            yield f"the offsets of {name} do not fit its bytes"
            continue
        try:
            for text in table:
                if name in _JSON:
                    json.loads(text)
        except ValueError as problem:
            yield f"{name} holds a string that cannot be read ({problem})"


_JSON = frozenset({
    "chunk_notes", "chunk_sections", "document_metadata", "document_pages", "document_paths",
})  # fmt: skip


def _document_faults(snapshot: Snapshot) -> Iterator[str]:
    ids = list(snapshot.document_ids)
    if any(first >= second for first, second in pairwise(ids)):
        yield "document ids are not unique and sorted"
    for name, table in snapshot.tables.items():
        if name.startswith("document_") and len(table) != len(ids):
            yield f"{name} has {len(table)} entries for {len(ids)} documents"


def _chunk_faults(snapshot: Snapshot) -> Iterator[str]:
    n, m = len(snapshot), len(snapshot.document_ids)
    for name, table in snapshot.tables.items():
        if name.startswith("chunk_") and len(table) != n:
            yield f"{name} has {len(table)} entries for {n} chunks"
    columns = ("chunk_position", "chunk_tokens", "chunk_span", "chunk_page", "chunk_split", "components", "clusters")
    for name in columns:
        if len(getattr(snapshot, name)) != n:
            yield f"{name} has {len(getattr(snapshot, name))} rows for {n} chunks"
    owner, position, span = snapshot.chunk_document, snapshot.chunk_position, snapshot.chunk_span
    if not n or len(position) != n or len(span) != n:
        return
    if owner.min() < 0 or owner.max() >= m or bool((np.diff(owner) < 0).any()):
        yield "chunk_document does not name the documents in order"
        return
    first = np.flatnonzero(np.diff(owner, prepend=-1))
    expected = np.arange(n) - np.repeat(first, np.diff(np.append(first, n)))
    if not np.array_equal(position, expected):
        yield "chunk ids are not unique: positions do not count up within their documents"
    lengths = [len(text) for text in snapshot.tables.get("document_texts", ())]
    ends = np.asarray(lengths, dtype=np.int64)[owner] if len(lengths) == m else span[:, 1]
    if bool(((span[:, 0] < 0) | (span[:, 0] > span[:, 1]) | (span[:, 1] > ends)).any()):
        yield "chunk_span leaves the text of a document"


def _vector_faults(snapshot: Snapshot) -> Iterator[str]:
    questions, facts = len(snapshot.question_texts), len(snapshot.proposition_texts)
    for name, array, rows in (
        ("vectors", snapshot.vectors, len(snapshot)),
        ("question_vectors", snapshot.question_vectors, questions),
        # Where vectors are given by id, facts have none.
        ("proposition_vectors", snapshot.proposition_vectors, facts if len(snapshot.proposition_vectors) else 0),
    ):
        if array.ndim != 2 or len(array) != rows:
            yield f"{name} has the shape {array.shape} for {rows} rows"
            continue
        for start in range(0, rows, _ROWS):
            lengths = np.linalg.norm(array[start : start + _ROWS].astype(np.float64), axis=1)
            bad = np.flatnonzero(~((lengths == 0) | (np.abs(lengths - 1) < _UNIT)))
            if len(bad):
                yield f"{name}: row {start + int(bad[0])} is neither zero nor of length 1"
                break
    dimension = snapshot.info.get("embedder", {}).get("dimension", snapshot.vectors.shape[1])
    if dimension != snapshot.vectors.shape[1]:
        yield f"vectors have {snapshot.vectors.shape[1]} columns, the manifest says {dimension}"
    for name, owner, count in (
        ("question_owner", snapshot.question_owner, questions),
        ("proposition_owner", snapshot.proposition_owner, facts),
    ):
        if len(owner) != count or (count and (owner.min() < 0 or owner.max() >= len(snapshot))):
            yield f"{name} does not name the chunks"
    if len(snapshot.coordinates) != len(snapshot) or not np.isfinite(snapshot.coordinates).all():
        yield "coordinates are missing or not finite"
    for name in ("components", "clusters"):
        labels = getattr(snapshot, name)
        if len(labels) and (labels.min() != 0 or len(np.unique(labels)) != labels.max() + 1):
            yield f"{name} are not numbered 0, 1, … without a gap"


def _lexical_faults(snapshot: Snapshot) -> Iterator[str]:
    table = snapshot.tables["lexical_vocabulary"]
    arrays = {name: array for name, array in snapshot.arrays.items() if name.startswith("lexical_")}
    terms, n = len(table), len(snapshot)
    if any(first >= second for first, second in pairwise(table)):
        yield "the vocabulary is not unique and sorted"
    for name in ("lexical_body", "lexical_title"):
        if not _offsets_fit(arrays[f"{name}_offsets"], n, len(arrays[name])) or not _within(arrays[name], terms):
            yield f"{name} does not name the terms of {n} chunks"
    indptr, indices, data = (arrays[f"lexical_{part}"] for part in ("indptr", "indices", "data"))
    if not _offsets_fit(indptr, terms, len(indices)) or len(data) != len(indices) or not _within(indices, n):
        yield "the BM25 columns do not fit the vocabulary and the chunks"
    if not np.isfinite(data).all():
        yield "BM25 scores are not finite"


def _matrix_faults(snapshot: Snapshot) -> Iterator[str]:
    n = len(snapshot)
    expected = ["entities", *_SYMMETRIC, *(f"signal_{signal}" for signal in snapshot.info["signals"])]
    for name in dict.fromkeys([*expected, *snapshot.info["columns"]]):
        parts = [snapshot.arrays.get(f"{name}__{part}") for part in ("data", "indices", "indptr")]
        columns = len(snapshot.entity_names) if name == "entities" else n
        fault = _csr_fault(parts, n, columns)
        if fault is None and name != "entities" and not _is_symmetric(snapshot.matrix(name)):
            fault = "is not symmetric"
        if fault is None and snapshot.info["columns"].get(name) != columns:
            fault = f"has {columns} columns, the manifest says {snapshot.info['columns'].get(name)}"
        if fault:
            yield f"matrix {name} {fault}"


def _csr_fault(parts: list[NDArray[Any] | None], rows: int, columns: int) -> str | None:
    data, indices, indptr = parts
    if data is None or indices is None or indptr is None:
        return "lacks an array"
    if not _offsets_fit(indptr, rows, len(indices)) or len(data) != len(indices) or not _within(indices, columns):
        return "is no valid CSR matrix"
    owner = np.repeat(np.arange(rows, dtype=np.int64), np.diff(indptr))
    if bool((np.diff(owner * max(columns, 1) + indices) <= 0).any()):
        return "has unsorted or repeated columns in a row"
    if not np.isfinite(data).all() or bool((data < 0).any()):
        return "holds values that are negative or not finite"
    return None


def _is_symmetric(matrix: csr_array) -> bool:
    difference = abs(matrix - matrix.T)
    return difference.nnz == 0 or float(difference.max()) == 0.0


def _count_faults(snapshot: Snapshot) -> Iterator[str]:
    found = {
        "documents": len(snapshot.document_ids),
        "chunks": len(snapshot),
        "tokens": int(snapshot.chunk_tokens.sum()),
        "entities": len(snapshot.entity_names),
    }
    for name, count in snapshot.info.get("counts", found).items():
        if found.get(name, count) != count:
            yield f"the manifest counts {count} {name}, the index holds {found[name]}"


def _offsets_fit(offsets: NDArray[Any], rows: int, total: int) -> bool:
    return (
        len(offsets) == rows + 1 and offsets[0] == 0 and offsets[-1] == total and not bool((np.diff(offsets) < 0).any())
    )


def _within(values: NDArray[Any], limit: int) -> bool:
    return not len(values) or (int(values.min()) >= 0 and int(values.max()) < limit)
