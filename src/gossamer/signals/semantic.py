"""Semantic signal: chunks that are near each other in embedding space."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from gossamer.graph.sparse import symmetric_csr


def semantic_signal(neighbours: ArrayLike, similarities: ArrayLike) -> csr_array:
    """w_ij = cosine of i and j, where either is among the k nearest neighbours of the other.

    Takes the two (n, k) arrays of `nearest_neighbours`; −1 marks no neighbour, and cosines of 0 and below are no
    edges. Source: SpectRAG section 3.2.

    >>> semantic_signal([[1], [0], [1]], [[.5], [.5], [.25]]).toarray().tolist()
    [[0.0, 0.5, 0.0], [0.5, 0.0, 0.25], [0.0, 0.25, 0.0]]
    """
    near = np.asarray(neighbours)
    cosine = np.asarray(similarities)
    rows, column = np.nonzero(near >= 0)
    return symmetric_csr(rows, near[rows, column], cosine[rows, column], len(near))
