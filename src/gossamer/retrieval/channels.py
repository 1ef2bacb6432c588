"""What each way of searching says about every chunk, before anything is fused."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import UsageError
from gossamer.index.snapshot import Snapshot

_BLOCK = 16_384


@dataclass(frozen=True, slots=True)
class Channels:
    """Raw scores of all n chunks: cosine, BM25, and the best cosine of a chunk's utility questions.

    `dense` and `utility` are zeros where there is no question vector (`has_dense` False). With `allowed` (n), the others
    are 0 in every channel.
    """

    dense: NDArray[np.float32]
    bm25: NDArray[np.float32]
    utility: NDArray[np.float32] | None
    has_dense: bool
    allowed: NDArray[np.bool_] | None = None

    def among(self, allowed: NDArray[np.bool_] | None) -> Channels:
        """The channels where only `allowed` chunks are hits."""
        if allowed is None:
            return self
        kept = allowed.astype(np.float32)
        utility = None if self.utility is None else self.utility * kept
        return Channels(self.dense * kept, self.bm25 * kept, utility, self.has_dense, allowed)


def search_channels(snapshot: Snapshot, question: str, query_vector: NDArray[np.float32] | None) -> Channels:
    """Scores of all channels for one question; `query_vector` is unit length or None."""
    bm25 = snapshot.lexical.scores(question)
    if query_vector is None:
        return Channels(np.zeros(len(snapshot), dtype=np.float32), bm25, None, has_dense=False)
    dense = cosines(snapshot.vectors, query_vector)
    utility = None
    if len(snapshot.question_owner):
        utility = np.zeros(len(snapshot), dtype=np.float32)
        np.maximum.at(utility, snapshot.question_owner, cosines(snapshot.question_vectors, query_vector))
    return Channels(dense, bm25, utility, has_dense=True)


def cosines(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Dot products of unit rows with a unit query, block by block so that a memory map is read once.

    >>> cosines(np.eye(2, dtype=np.float32), np.array([1, 0], dtype=np.float32)).tolist()
    [1.0, 0.0]
    """
    out = np.empty(len(vectors), dtype=np.float32)
    for start in range(0, len(vectors), _BLOCK):
        out[start : start + _BLOCK] = vectors[start : start + _BLOCK] @ query
    return out


def unit_query(vector: object, dimension: int) -> NDArray[np.float32]:
    """A question vector as float32 of unit length; UsageError where shape or values cannot be used.

    >>> unit_query([3.0, 4.0], 2).tolist()
    [0.6000000238418579, 0.800000011920929]
    """
    try:
        array = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise UsageError(f"query_vector is not an array of numbers ({problem}). Pass one of shape (d,).") from problem
    if array.ndim == 2 and array.shape[0] == 1:
        array = array[0]
    if array.shape != (dimension,):
        raise UsageError(
            f"query_vector has shape {array.shape}; the index holds vectors of dimension {dimension}. "
            "Embed the question with the embedder of the index."
        )
    if not np.isfinite(array).all():
        raise UsageError("query_vector holds NaN or infinite values. Check the embedder.")
    length = float(np.linalg.norm(array))
    return (array / length if length > 0 else array).astype(np.float32)
