"""Utility signal: chunks that answer similar questions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from gossamer.errors import UsageError
from gossamer.graph.sparse import symmetric_csr


def utility_signal(owners: ArrayLike, neighbours: ArrayLike, similarities: ArrayLike, n: int) -> csr_array:
    """w_ij = highest cosine of a question of i and a question of j, where one is among the other's k nearest.

    `owners` (m,) is the chunk of each of the m utility questions; the other two are the (m, k) arrays of
    `nearest_neighbours` over their embeddings. Questions of one chunk make no edge, nor do cosines of 0 and below.
    Source: SpectRAG section 3.2.

    >>> utility_signal([0, 0, 2], [[1], [2], [1]], [[.9], [.5], [.5]], 3).toarray().tolist()
    [[0.0, 0.0, 0.5], [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]]
    """
    owner = np.asarray(owners, dtype=np.int64)
    near = np.asarray(neighbours)
    cosine = np.asarray(similarities)
    if len(near) != len(owner):
        raise UsageError(f"{len(owner)} owners for {len(near)} questions. Pass the chunk of every question.")
    question, column = np.nonzero(near >= 0)
    return symmetric_csr(owner[question], owner[near[question, column]], cosine[question, column], n)
