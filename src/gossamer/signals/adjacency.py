"""Adjacency signal: chunks that follow each other in one document."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array

from gossamer.graph.sparse import symmetric_csr


def adjacency_signal(documents: ArrayLike, positions: ArrayLike) -> csr_array:
    """w_ij = 1 where j is the next chunk after i in the same document, by position.

    `documents` and `positions` (n,) are the document number and the position of each chunk. Source: SpectRAG
    section 3.2.

    >>> adjacency_signal([0, 0, 1], [0, 1, 0]).toarray().tolist()
    [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    document = np.asarray(documents)
    order = np.lexsort((np.asarray(positions), document))
    follows = document[order][1:] == document[order][:-1]
    before, after = order[:-1][follows], order[1:][follows]
    return symmetric_csr(before, after, np.ones(len(before)), len(document))
