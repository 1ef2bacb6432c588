"""One opened snapshot as typed columns: what the online steps read, whatever store it came from."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index.store import SnapshotData

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from gossamer.index.lexical import LexicalIndex

_NOBODY: NDArray[np.int32] = np.zeros(0, dtype=np.int32)


class Snapshot:
    """Chunks, documents, vectors, lexical index, entities, signals, graphs and coordinates of one index.

    Chunks are numbered 0 … n − 1 in the order of (document id, position). Sizes: n chunks, m documents, d dimensions.
    """

    def __init__(self, data: SnapshotData) -> None:
        self._data = data
        self.info: Mapping[str, Any] = data.info
        self.document_ids: Sequence[str] = data.strings["document_ids"]
        self.document_titles: Sequence[str] = data.strings["document_titles"]
        self.chunk_texts: Sequence[str] = data.strings["chunk_texts"]
        self.entity_names: Sequence[str] = data.strings["entity_names"]
        self.question_texts: Sequence[str] = data.strings["question_texts"]
        self.chunk_document: NDArray[np.int32] = data.arrays["chunk_document"]
        self.chunk_position: NDArray[np.int32] = data.arrays["chunk_position"]
        self.chunk_tokens: NDArray[np.int32] = data.arrays["chunk_tokens"]
        self.chunk_span: NDArray[np.int64] = data.arrays["chunk_span"]
        self.chunk_page: NDArray[np.int32] = data.arrays["chunk_page"]
        self.vectors: NDArray[np.float32] = data.arrays["vectors"]
        self.question_owner: NDArray[np.int32] = data.arrays["question_owner"]
        self.question_vectors: NDArray[np.float32] = data.arrays["question_vectors"]
        # The layer of facts is there only where an index was built with it.
        self.proposition_texts: Sequence[str] = data.strings.get("proposition_texts", ())
        self.proposition_owner: NDArray[np.int32] = data.arrays.get("proposition_owner", _NOBODY)
        self.proposition_vectors: NDArray[np.float32] = data.arrays.get("proposition_vectors", self.vectors[:0])
        self.coordinates: NDArray[np.float32] = data.arrays["coordinates"]
        self.components: NDArray[np.int32] = data.arrays["components"]
        self.clusters: NDArray[np.int32] = data.arrays["clusters"]

    def __len__(self) -> int:
        return len(self.chunk_document)

    def chunk_id(self, chunk: int) -> str:
        """`document#position` of a chunk number."""
        return f"{self.document_ids[int(self.chunk_document[chunk])]}#{int(self.chunk_position[chunk])}"

    @cached_property
    def chunk_ids(self) -> list[str]:
        """All chunk ids, in order."""
        documents = list(self.document_ids)
        pairs = zip(self.chunk_document.tolist(), self.chunk_position.tolist(), strict=True)
        return [f"{documents[document]}#{position}" for document, position in pairs]

    def text(self, chunk: int) -> str:
        """The passage itself."""
        return self.chunk_texts[chunk]

    def text_starts_with_heading(self, chunk: int) -> bool:
        """Whether the text of a chunk opens with a Markdown heading."""
        return self.chunk_texts[chunk].startswith("#")

    def section(self, chunk: int) -> tuple[str, ...]:
        """Headings above a chunk, outermost first."""
        return tuple(json.loads(self._data.strings["chunk_sections"][chunk]))

    def path(self, document: int) -> str | None:
        """The label given as the document's path."""
        return json.loads(self._data.strings["document_paths"][document])  # type: ignore[no-any-return]

    def metadata(self, document: int) -> dict[str, Any]:
        """The document's metadata, as given."""
        return json.loads(self._data.strings["document_metadata"][document])  # type: ignore[no-any-return]

    @property
    def tables(self) -> Mapping[str, Sequence[str]]:
        """All tables of strings by stored name; those that only writers read are missing in an older format."""
        return self._data.strings

    @property
    def arrays(self) -> Mapping[str, NDArray[Any]]:
        """All arrays by stored name."""
        return self._data.arrays

    @property
    def chunk_split(self) -> NDArray[np.bool_]:
        """Which chunks hold parts of a sentence or row that was longer than the limit."""
        found = self._data.arrays.get("chunk_split")
        return np.zeros(len(self), dtype=bool) if found is None else found

    def matrix(self, name: str) -> csr_array:
        """A stored sparse matrix: `graph` (W), `flow` (F), `entities`, or `signal_<name>`."""
        return self._matrices[name]

    @property
    def signals(self) -> dict[str, csr_array]:
        """Signal name -> symmetric matrix, in the fixed order of the signals."""
        names = self.info["signals"]
        return {name: self._matrices[f"signal_{name}"] for name in names}

    @cached_property
    def duplicate_groups(self) -> NDArray[np.int32]:
        """Lowest number of the near-duplicates of each chunk; its own for a chunk alone, and where none are stored."""
        found = self._data.arrays.get("duplicate_groups")
        return np.arange(len(self), dtype=np.int32) if found is None else found

    @cached_property
    def entity_frequency(self) -> NDArray[np.int64]:
        """Number of chunks that hold each entity."""
        entities = self.matrix("entities")
        return np.bincount(entities.indices, minlength=entities.shape[1])

    @cached_property
    def lexical(self) -> LexicalIndex:
        """The lexical index: words, word sequences and BM25."""
        from gossamer.index.lexical import LexicalIndex
        from gossamer.text.words import Words

        prefix = "lexical_"
        arrays = {name.removeprefix(prefix): a for name, a in self._data.arrays.items() if name.startswith(prefix)}
        return LexicalIndex.from_arrays(self._data.strings["lexical_vocabulary"], arrays, Words(self.info["language"]))

    @cached_property
    def _matrices(self) -> dict[str, csr_array]:
        from scipy.sparse import csr_array

        found = {}
        for name, indptr in self._data.arrays.items():
            if name.endswith("__indptr"):
                base = name.removesuffix("__indptr")
                parts = (self._data.arrays[f"{base}__data"], self._data.arrays[f"{base}__indices"], indptr)
                shape = (len(indptr) - 1, int(self.info["columns"][base]))
                found[base] = csr_array(parts, shape=shape, copy=False)
        return found


def empty_snapshot() -> Snapshot:
    """The snapshot of nothing, with no settings and no embedder.

    >>> len(empty_snapshot())
    0
    """
    whole = (
        "chunk_document",
        "chunk_position",
        "chunk_tokens",
        "chunk_page",
        "question_owner",
        "components",
        "clusters",
    )
    arrays: dict[str, NDArray[Any]] = {name: np.zeros(0, dtype=np.int32) for name in whole}
    arrays |= {name: np.zeros((0, 0), np.float32) for name in ("vectors", "question_vectors", "coordinates")}
    arrays["chunk_span"] = np.zeros((0, 2), dtype=np.int64)
    names = ("document_ids", "document_titles", "chunk_texts", "entity_names", "question_texts")
    return Snapshot(SnapshotData(arrays, dict.fromkeys(names, ())))


def pack_matrix(name: str, matrix: csr_array) -> dict[str, NDArray[Any]]:
    """The three arrays of a CSR matrix under stored names, indices sorted, 32-bit where they fit."""
    matrix.sort_indices()
    wide = max(matrix.nnz, *matrix.shape) >= 2**31
    kind = np.int64 if wide else np.int32
    return {
        f"{name}__data": np.asarray(matrix.data, dtype=np.float32),
        f"{name}__indices": matrix.indices.astype(kind),
        f"{name}__indptr": matrix.indptr.astype(kind),
    }
