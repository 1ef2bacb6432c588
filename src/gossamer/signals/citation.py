"""Citation signal: chunks of which one refers to the other."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from gossamer.graph.sparse import symmetric_csr


def citation_signal(pairs: ArrayLike, n: int) -> csr_array:
    """w_ij = 1 where i refers to j or j to i, by section number, file, link or title.

    `pairs` (m, 2) holds chunk numbers, in any order, repeats allowed. Source: SpectRAG section 3.2.

    >>> citation_signal([(0, 1), (1, 0), (2, 2)], 3).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    ends = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
    return symmetric_csr(ends[:, 0], ends[:, 1], np.ones(len(ends)), n)
