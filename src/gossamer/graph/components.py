"""Connected components, numbered in a stable order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array


def connected_components(weights: csr_array) -> NDArray[np.int32]:
    """Component label of every node, shape (n,); components are numbered by their lowest node.

    Stored zeros are no edges. An isolated node is a component of its own.

    >>> connected_components(csr_array([[0, 0, 1.0], [0, 0, 0], [1.0, 0, 0]])).tolist()
    [0, 1, 0]
    """
    from scipy.sparse.csgraph import connected_components as label

    matrix = csr_array(weights, copy=True)
    matrix.eliminate_zeros()
    return number_by_first(label(matrix, directed=False)[1])


def number_by_first(labels: NDArray[np.integer]) -> NDArray[np.int32]:
    """The same partition with labels 0, 1, … in the order in which they first occur.

    >>> number_by_first(np.array([7, 3, 7, 0])).tolist()
    [0, 1, 0, 2]
    """
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int32)
    rank[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    return np.asarray(rank[inverse.reshape(-1)])
