"""What each way of searching says about every chunk, before anything is fused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import UsageError
from gossamer.index.snapshot import Snapshot

if TYPE_CHECKING:
    from gossamer.settings import Settings

_BLOCK = 16_384
# Hashed spelling of unrelated texts reaches cosines up to here: below it a question or proposition is no hit.
_SPELLING_NOISE = 0.3


@dataclass(frozen=True, slots=True)
class Channels:
    """Raw scores of all n chunks: cosine, BM25, and the best cosine of a chunk's utility questions and propositions.

    `dense` is zeros where there is no question vector (`has_dense` False); `utility` and `propositions` are None where the
    index has no such layer, or no vector can be compared with it. With `allowed` (n), the others are 0 in every channel.
    """

    dense: NDArray[np.float32]
    bm25: NDArray[np.float32]
    utility: NDArray[np.float32] | None
    has_dense: bool
    allowed: NDArray[np.bool_] | None = None
    propositions: NDArray[np.float32] | None = None

    def among(self, allowed: NDArray[np.bool_] | None) -> Channels:
        """The channels where only `allowed` chunks are hits."""
        if allowed is None:
            return self
        kept = allowed.astype(np.float32)
        utility = None if self.utility is None else self.utility * kept
        propositions = None if self.propositions is None else self.propositions * kept
        return Channels(self.dense * kept, self.bm25 * kept, utility, self.has_dense, allowed, propositions)

    def lists(self, *, dense: bool) -> dict[str, NDArray[np.float32]]:
        """The channels that seeds are drawn from, by name; `dense` says whether cosines of passages are among them."""
        named = {
            "dense": self.dense if dense else None,
            "bm25": self.bm25,
            "utility": self.utility,
            "propositions": self.propositions,
        }
        return {name: scores for name, scores in named.items() if scores is not None}

    def layers(self, settings: Settings) -> list[tuple[NDArray[np.float32], float]]:
        """Scores and weights of the layers that speak for their passages: questions and propositions."""
        weight = settings.retrieval.layer_weight
        return [(scores, weight) for scores in (self.utility, self.propositions) if scores is not None and weight > 0]


def search_channels(snapshot: Snapshot, question: str, query_vector: NDArray[np.float32] | None) -> Channels:
    """Scores of all channels for one question; `query_vector` is unit length or None."""
    bm25 = snapshot.lexical.scores(question)
    if query_vector is None:
        return Channels(np.zeros(len(snapshot), dtype=np.float32), bm25, None, has_dense=False)
    dense = cosines(snapshot.vectors, query_vector)
    n, least = len(snapshot), 0.0 if snapshot.info.get("semantic", True) else _SPELLING_NOISE
    utility = folded(snapshot.question_owner, snapshot.question_vectors, query_vector, n, least=least)
    propositions = folded(snapshot.proposition_owner, snapshot.proposition_vectors, query_vector, n, least=least)
    return Channels(dense, bm25, utility, has_dense=True, propositions=propositions)


def folded(
    owner: NDArray[np.int32],
    vectors: NDArray[np.float32],
    query: NDArray[np.float32],
    n: int,
    *,
    least: float = 0.0,
) -> NDArray[np.float32] | None:
    """Best cosine of what each of n chunks owns, 0 below `least`: a layer of nodes folded to chunks. None for no layer.

    `owner` (m,) chunk of each node; `vectors` (m, d) unit rows.

    >>> folded(np.array([1, 1]), np.eye(2, dtype=np.float32), np.array([0, 1], dtype=np.float32), 3).tolist()
    [0.0, 1.0, 0.0]
    """
    if not len(owner) or len(vectors) != len(owner):
        return None
    scores = np.zeros(n, dtype=np.float32)
    np.maximum.at(scores, owner, cosines(vectors, query))
    return np.where(scores < least, np.float32(0), scores)


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
