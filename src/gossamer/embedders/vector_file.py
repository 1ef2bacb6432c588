"""The `vectors:` embedder: vectors computed elsewhere, looked up by id in .npz files."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from gossamer.embedders.identity import file_hash
from gossamer.embedders.options import EmbedderOptions
from gossamer.embedders.protocol import Kind, Vectors, check_vectors
from gossamer.errors import EmbeddingError

_EXPORT = "Export the chunk ids and texts with `gossamer export chunks INDEX`, embed them and add their vectors."


class VectorFileEmbedder:
    """Vectors by id from .npz files with `ids` and `vectors`, and if wanted `question_ids` and `question_vectors`.

    Ids are chunk ids or document ids (a document's vector then serves all its chunks), each in one file only; question
    ids may be ids or the questions themselves. Files are read without pickle. Raises EmbeddingError when a file cannot
    be used.
    """

    by_id = True
    max_tokens: int | None = None
    reproducible = True
    semantic = True

    def __init__(self, paths: Sequence[Path]) -> None:
        self.name = "vectors:" + ",".join(map(str, paths))
        tables = [_read_file(path) for path in paths]
        self._passages = _merged([table.passages for table in tables])
        self._questions = _merged([table.questions for table in tables if table.questions])
        self.dimension: int | None = self._passages.vectors.shape[1]
        if self._questions.rows and self._questions.vectors.shape[1] != self.dimension:
            raise EmbeddingError(
                f"{self.name}: question vectors have {self._questions.vectors.shape[1]} columns, passage vectors "
                f"{self.dimension}. Compute both with one model."
            )
        self._hashes = sorted(file_hash([path]) for path in paths)

    @property
    def identity(self) -> dict[str, Any]:
        """Kind, dimension and the hash of the files, as JSON values without their places."""
        return {"kind": "vectors", "dimension": self.dimension, "hash": "+".join(self._hashes)}

    def embed_ids(self, chunk_ids: Sequence[str], document_ids: Sequence[str]) -> Vectors:
        """Vector of each chunk id or, where there is none, of its document id; shape (n, dimension).

        Raises EmbeddingError naming ids without a vector.
        """
        rows = [
            self._passages.rows.get(chunk, self._passages.rows.get(document, -1))
            for chunk, document in zip(chunk_ids, document_ids, strict=True)
        ]
        missing = [chunk for chunk, row in zip(chunk_ids, rows, strict=True) if row < 0]
        if missing:
            raise EmbeddingError(
                f"{self.name} has no vector for {len(missing)} of {len(rows)} chunks, such as "
                f"{', '.join(map(repr, missing[:3]))}. {_EXPORT}"
            )
        return self._passages.vectors[rows]

    def embed_query(self, question: str) -> Vectors | None:
        """Vector of a question given by its id or text, shape (dimension,), or None where there is none."""
        row = self._questions.rows.get(question)
        return None if row is None else self._questions.vectors[row]

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        """Vectors of questions by id or text; raises EmbeddingError for an unknown one, and for passages."""
        if kind == "passage":
            raise EmbeddingError(f"{self.name} cannot embed texts. Use embed_ids. {_EXPORT}")
        unknown = [text for text in texts if text not in self._questions.rows]
        if unknown:
            raise EmbeddingError(
                f"{self.name} has no vector for question {unknown[0]!r}. Pass query_vector, or add question_ids and "
                "question_vectors to the file."
            )
        return self._questions.vectors[[self._questions.rows[text] for text in texts]]

    def __repr__(self) -> str:
        return f"VectorFileEmbedder({len(self._passages.rows)} passages, {len(self._questions.rows)} questions)"


class _Table(NamedTuple):
    """Unit vectors and the row of each id."""

    rows: dict[str, int]
    vectors: Vectors
    source: str


class _File(NamedTuple):
    passages: _Table
    questions: _Table | None


def build(rest: str, options: EmbedderOptions) -> VectorFileEmbedder:
    """The embedder of `vectors:FILE.npz` or `vectors:FILE.npz,FILE.npz`."""
    options.refuse_prefixes(f"vectors:{rest}")
    return VectorFileEmbedder([Path(part.strip()) for part in rest.split(",") if part.strip()])


def _read_file(path: Path) -> _File:
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in _KEYS if key in archive}
    except (OSError, ValueError, EOFError, TypeError, zipfile.BadZipFile) as problem:
        raise EmbeddingError(
            f"Cannot read vectors from {str(path)!r}: {problem}. Write the file with numpy.savez(path, ids=ids, "
            "vectors=vectors) where ids is an array of strings."
        ) from problem
    missing = [key for key in _KEYS[:2] if key not in arrays]
    if missing:
        raise EmbeddingError(f"{str(path)!r} has no array {missing[0]!r}. Write ids and vectors with numpy.savez.")
    questions = (
        _table(arrays, "question_ids", "question_vectors", path)
        if {"question_ids", "question_vectors"} <= arrays.keys()
        else None
    )
    return _File(_table(arrays, "ids", "vectors", path), questions)


_KEYS = ("ids", "vectors", "question_ids", "question_vectors")


def _table(arrays: dict[str, Any], ids_key: str, vectors_key: str, path: Path) -> _Table:
    ids = arrays[ids_key]
    if ids.ndim != 1 or ids.dtype.kind not in "Uiu":
        raise EmbeddingError(
            f"{ids_key} in {str(path)!r} is of type {ids.dtype} and shape {ids.shape}. Give one string a vector."
        )
    where = f"{vectors_key} in {str(path)!r}"
    vectors = check_vectors(arrays[vectors_key], expected_rows=len(ids), dimension=None, where=where)
    return _Table({str(name): row for row, name in enumerate(ids)}, vectors, f"{ids_key} in {str(path)!r}")


def _merged(tables: Sequence[_Table]) -> _Table:
    """All tables as one; raises EmbeddingError when an id occurs twice or the dimensions differ."""
    rows: dict[str, int] = {}
    total = 0
    for table in tables:
        if len(table.rows) < len(table.vectors) or not rows.keys().isdisjoint(table.rows):
            raise EmbeddingError(f"{table.source}: an id occurs twice. Give each id one vector in one file.")
        if table.vectors.shape[1] != tables[0].vectors.shape[1]:
            raise EmbeddingError(
                f"{table.source}: {table.vectors.shape[1]} columns, other files have {tables[0].vectors.shape[1]}. "
                "Compute all vectors with one model."
            )
        rows.update({name: row + total for name, row in table.rows.items()})
        total += len(table.vectors)
    if not tables:
        return _Table({}, np.zeros((0, 0), dtype=np.float32), "")
    if len(tables) == 1:
        return tables[0]
    return _Table(rows, np.concatenate([table.vectors for table in tables]), tables[0].source)
