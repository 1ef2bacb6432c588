"""What is wrong with a graph before any question: isolated nodes, islands, hubs. Linear in nodes and edges."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

_HUB_SHARE = 0.05
_HUB_TIMES = 10
_HUB_LEAST = 50


def degrees(weights: csr_array) -> NDArray[np.int64]:
    """Number of neighbours of every node, stored zeros and loops not counted, shape (n,).

    >>> degrees(csr_array([[1.0, 1.0, 0], [1.0, 0, 0], [0, 0, 0]])).tolist()
    [1, 1, 0]
    """
    n = weights.shape[0]
    rows = np.repeat(np.arange(n), np.diff(weights.indptr))
    real = (weights.data != 0) & (rows != weights.indices)
    return np.bincount(rows[real], minlength=n).astype(np.int64)


def islands(labels: NDArray[np.integer[Any]]) -> list[NDArray[np.int64]]:
    """Nodes of every component of two or more nodes except the largest, the larger first, then by lowest node.

    `labels` (n,) as `connected_components` gives them. Of equally large ones the first is no island.

    >>> [nodes.tolist() for nodes in islands(np.array([0, 0, 1, 2, 2, 0, 3, 3]))]
    [[3, 4], [6, 7]]
    """
    if not len(labels):
        return []
    sizes = np.bincount(labels)
    order = np.argsort(labels, kind="stable")
    ends = np.cumsum(sizes)
    # Components are numbered by their lowest node, so a stable sort by size keeps that order.
    ranked = [int(label) for label in np.argsort(-sizes, kind="stable") if sizes[label] > 1]
    return [order[ends[label] - sizes[label] : ends[label]].astype(np.int64) for label in ranked[1:]]


def hubs(degree: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Nodes linked to so many others that they are near everything, the largest degree first.

    A hub has at least 50 neighbours, ten times the median of the linked nodes, and 5 % of all nodes.

    >>> hubs(np.array([3] * 900 + [200])).tolist()
    [900]
    """
    linked = degree[degree > 0]
    if not len(linked):
        return np.zeros(0, dtype=np.int64)
    bar = max(_HUB_LEAST, _HUB_TIMES * float(np.median(linked)), _HUB_SHARE * len(degree))
    found = np.flatnonzero(degree >= bar)
    return found[np.argsort(-degree[found], kind="stable")].astype(np.int64)
