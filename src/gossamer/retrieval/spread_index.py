"""What spreading reads of an opened index, computed when first needed and then shared by all questions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gossamer.graph.spread_arrays import Matrix
from gossamer.insight.twins import twins_of

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot
    from gossamer.retrieval.spread_learned import LearnedLayer


class SpreadIndex:
    """Graphs, near-duplicates, sources and negative knowledge of one snapshot."""

    def __init__(self, snapshot: Snapshot, learned: LearnedLayer) -> None:
        self.snapshot = snapshot
        self.learned = learned

    def graph(self, name: str, *, learned: bool) -> Matrix:
        """The flow matrix F ("flow") or W ("fused") as float64, with the learned layer on top where asked for."""
        matrix = self._flow if name == "flow" else self._fused
        return self.learned.applied(name, matrix) if learned else matrix

    @cached_property
    def _flow(self) -> Matrix:
        return _wide(self.snapshot.matrix("flow"))

    @cached_property
    def _fused(self) -> Matrix:
        return _wide(self.snapshot.matrix("graph"))

    @cached_property
    def twins(self) -> Matrix:
        """Cosines of near-duplicates."""
        return twins_of(self.snapshot)

    def twins_among(self, kept: NDArray[np.bool_]) -> Matrix:
        """Near-duplicates between kept chunks; what is left out speaks for nobody."""
        if kept.all():
            return self.twins
        rows = np.repeat(np.arange(len(kept)), np.diff(self.twins.indptr))
        pairs = kept[rows] & kept[self.twins.indices]
        found = csr_array((self.twins.data[pairs], (rows[pairs], self.twins.indices[pairs])), shape=self.twins.shape)
        return csr_array(found)

    @cached_property
    def sources(self) -> NDArray[np.int64]:
        """Number of the document of each chunk: what votes."""
        return self.snapshot.chunk_document.astype(np.int64)

    @cached_property
    def polarity(self) -> NDArray[np.int64] | None:
        """-1 for chunks of documents with `polarity: -1` in their metadata, else 1; None where no document has it."""
        documents = range(len(self.snapshot.document_ids))
        denies = np.array(
            [self.snapshot.metadata(document).get("polarity") == -1 for document in documents], dtype=bool
        )
        if not denies.any():
            return None
        return np.where(denies[self.sources], -1, 1).astype(np.int64)

    @cached_property
    def has_vectors(self) -> bool:
        """Whether chunks have vectors."""
        return bool(self.snapshot.vectors.shape[1])


def _wide(matrix: csr_array) -> Matrix:
    """The stored matrix as float64, once, so that no run has to convert it."""
    return csr_array((matrix.data.astype(np.float64), matrix.indices, matrix.indptr), shape=matrix.shape)
