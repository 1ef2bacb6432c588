"""Order on arrays: ties by 12 significant digits, then by id; and choices that depend on that order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.spread_options import significant

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]

_NEAR = 2e-11  # numbers further apart than this, relatively, differ within 12 significant digits


def tie_keys(values: FloatArray) -> FloatArray:
    """`values` (k, not negative) where those equal to 12 significant digits become equal; others keep their order.

    Only values that have a near one are rounded, so the cost is one sort.

    >>> keys = tie_keys(np.array([0.3, 0.1 + 0.2, 0.5]))
    >>> bool(keys[0] == keys[1]), float(keys[2])
    (True, 0.5)
    """
    distinct, inverse = np.unique(values, return_inverse=True)
    close = np.diff(distinct) <= _NEAR * distinct[1:]
    near = np.zeros(distinct.size, dtype=bool)
    near[1:] |= close
    near[:-1] |= close
    distinct[near] = [significant(value) for value in distinct[near].tolist()]
    return distinct[inverse]


def ranking(values: FloatArray, ids: IntArray) -> IntArray:
    """Positions by value descending (12 significant digits), then id ascending.

    >>> ranking(np.array([0.3, 0.5, 0.1 + 0.2]), np.array([7, 9, 4])).tolist()
    [1, 2, 0]
    """
    return np.lexsort((ids, -tie_keys(values))).astype(np.int64)


def strongest(values: FloatArray, ids: IntArray, room: int) -> IntArray:
    """Ascending positions of the `room` first in the order of `ranking`, without sorting them all.

    >>> strongest(np.array([1.0, 3.0, 1.0, 2.0]), np.array([5, 6, 7, 8]), 3).tolist()
    [0, 1, 3]
    """
    if room >= ids.size:
        return np.arange(ids.size)
    if room <= 0:
        return np.zeros(0, dtype=np.int64)
    last = np.partition(values, ids.size - room)[ids.size - room]
    sure = values > last * (1.0 + _NEAR)
    border = np.flatnonzero(~sure & (values >= last * (1.0 - _NEAR)))
    chosen = border[ranking(values[border], ids[border])[: room - int(sure.sum())]]
    return np.sort(np.concatenate((np.flatnonzero(sure), chosen)))


def keep_distinct(rank: IntArray, first: IntArray, second: IntArray) -> BoolArray:
    """Greedy choice of candidates 0…k−1 in the order of `rank` (k), where a kept one bars its partners in the pairs.

    `first`, `second` (p) are the pairs. Rounds over all pairs: whoever has no undecided better partner is kept.

    >>> keep_distinct(np.array([0, 1, 2]), np.array([0, 1]), np.array([1, 2])).tolist()
    [True, False, True]
    """
    kept = np.ones(rank.size, dtype=bool)
    ahead = rank[first] < rank[second]
    better, worse = np.where(ahead, first, second), np.where(ahead, second, first)
    while better.size:
        waits = np.zeros(rank.size, dtype=bool)
        waits[worse] = True
        kept[worse[~waits[better]]] = False
        settled = ~waits[better] | ~kept[worse] | ~kept[better]
        better, worse = better[~settled], worse[~settled]
    return kept


def next_round(first: IntArray, second: IntArray) -> BoolArray:
    """Which pairs (p) stand before every other pair that shares a node with them: these can be handled at once.

    Handling the pairs round by round gives what handling them one by one in their order would.

    >>> next_round(np.array([0, 0, 2]), np.array([1, 3, 4])).tolist()
    [True, False, True]
    """
    ends = np.column_stack((first, second)).ravel()
    _, earliest = np.unique(ends, return_index=True)
    ready: BoolArray = np.bincount(earliest // 2, minlength=first.size) == 2
    return ready
