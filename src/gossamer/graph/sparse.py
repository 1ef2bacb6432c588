"""Small tools on sparse matrices that graph and signals share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from gossamer.errors import UsageError


def row_blocks(cost: ArrayLike, limit: float) -> Iterator[tuple[int, int]]:
    """Consecutive row ranges whose summed cost stays within `limit`, or single rows above it.

    >>> list(row_blocks([3, 3, 9, 1, 1], limit=6))
    [(0, 2), (2, 3), (3, 5)]
    """
    total = np.cumsum(np.asarray(cost, dtype=np.float64))
    start, spent = 0, 0.0
    while start < len(total):
        stop = max(start + 1, int(np.searchsorted(total, spent + limit, side="right")))
        yield start, stop
        start, spent = stop, float(total[stop - 1])


def rows_of(matrix: csr_array) -> NDArray[np.int64]:
    """Row number of every stored entry, in storage order."""
    return np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))


def rank_in_row(rows: NDArray[np.int64], values: NDArray[np.floating]) -> NDArray[np.int64]:
    """Rank 0, 1, … of each entry among those of its row: largest value first, earlier entry first on ties.

    `rows` ascends.

    >>> rank_in_row(np.array([0, 0, 0, 4]), np.array([.2, .9, .9, .1])).tolist()
    [2, 0, 1, 0]
    """
    order = np.lexsort((-values, rows))
    starts = np.searchsorted(rows, rows, side="left")
    rank = np.empty(len(rows), dtype=np.int64)
    rank[order] = np.arange(len(rows)) - starts
    return rank


def strongest(matrix: csr_array, k: int) -> csr_array:
    """The `k` largest entries of each row, lower column first on ties; stored zeros are dropped."""
    matrix = csr_array(matrix, copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    rows = rows_of(matrix)
    keep = np.ones(len(rows), dtype=bool)
    crowded = np.flatnonzero(np.diff(matrix.indptr)[rows] > k)
    keep[crowded] = rank_in_row(rows[crowded], matrix.data[crowded]) < k
    return csr_array((matrix.data[keep], (rows[keep], matrix.indices[keep])), shape=matrix.shape)


def symmetric_csr(rows: ArrayLike, columns: ArrayLike, values: ArrayLike, n: int) -> csr_array:
    """Symmetric n × n float32 matrix from undirected pairs, in [0, 1] with a zero diagonal.

    A pair given several times, in either direction, keeps its largest value; values above 1 become 1, pairs
    without a positive value and pairs of a number with itself are left out. Raises UsageError for a number outside
    0 … n − 1 and for values that are not finite.

    >>> symmetric_csr([0, 1, 2], [1, 0, 2], [.5, .25, 1.0], 3).toarray().tolist()
    [[0.0, 0.5, 0.0], [0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    first = np.asarray(rows, dtype=np.int64)
    second = np.asarray(columns, dtype=np.int64)
    weight = np.asarray(values, dtype=np.float32)
    if len(first) and not 0 <= min(first.min(), second.min()) <= max(first.max(), second.max()) < n:
        raise UsageError(f"A pair names a chunk outside 0 … {n - 1}. Pass chunk numbers below the number of chunks.")
    if not np.isfinite(weight).all():
        raise UsageError("A weight is NaN or infinite. Pass finite weights.")
    keep = (first != second) & (weight > 0)
    low, high = np.minimum(first, second)[keep], np.maximum(first, second)[keep]
    weight = np.minimum(weight[keep], np.float32(1))
    key = low * n + high
    order = np.lexsort((weight, key))
    key = key[order]
    last = np.append(key[1:] != key[:-1], True) if len(key) else np.zeros(0, dtype=bool)
    low, high, weight = low[order][last], high[order][last], weight[order][last]
    pairs = (np.concatenate([low, high]), np.concatenate([high, low]))
    matrix = csr_array((np.concatenate([weight, weight]), pairs), shape=(n, n))
    matrix.sort_indices()
    return matrix
