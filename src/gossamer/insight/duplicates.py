"""Near-duplicates as groups, and groups as votes: how many sources say a thing, each counted once.

Pairs come from the nearest neighbours that the semantic signal has found anyway, and from passages with the same words in
any order. No second pass over all pairs: near-duplicates can be missed only where each of two passages has k others
at least as near, and then both stand in groups of more than k.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from gossamer.errors import UsageError

IntArray = NDArray[np.integer[Any]]

DUPLICATE_COSINE = 0.95
_FEWEST_TERMS = 3
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def same_words(terms: IntArray, offsets: IntArray, *, skip: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Number of the lowest passage with the same terms in any order, shape (n,); its own number for a passage alone.

        key(c) = Σ over the terms t of c of mix(t), a sum of 64-bit hashes: the order of the terms has no part in it

    Args:
        terms: term numbers, passage after passage (`lexical_body`).
        offsets: (n + 1,) where each passage begins.
        skip: (vocabulary,) terms that do not count, such as stop words. Passages with fewer than 3 others stay alone.

    >>> same_words(np.array([4, 5, 6, 6, 4, 5, 7, 5, 6]), np.array([0, 3, 6, 9])).tolist()
    [0, 0, 2]
    """
    n = len(offsets) - 1
    alone = np.arange(n, dtype=np.int64)
    counted: IntArray = np.asarray(terms)
    ends = np.asarray(offsets, dtype=np.int64)
    if skip is not None and len(counted):
        kept = ~skip[counted]
        counted = np.asarray(counted[kept])
        ends = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(kept, dtype=np.int64)))[ends]
    if not len(counted):
        return alone
    hashes = _mixed(np.arange(int(counted.max()) + 1))
    total = np.zeros(len(counted) + 1, dtype=np.uint64)
    np.cumsum(hashes[counted], out=total[1:])
    lengths = np.diff(ends)
    keys = (total[ends[1:]] - total[ends[:-1]]) ^ _mixed(lengths)
    _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return np.where(lengths >= _FEWEST_TERMS, first[inverse.reshape(-1)], alone).astype(np.int64)


def duplicate_pairs(
    neighbours: ArrayLike, similarities: ArrayLike, same: IntArray | None = None, *, threshold: float = DUPLICATE_COSINE
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Pairs (i, j), i < j, sorted, shape (m, 2), and their cosines (m,).

    Takes the two (n, k) arrays of `nearest_neighbours` (−1: none) and what `same_words` returned; passages with the
    same words have cosine 1 here. Raises UsageError for a threshold outside 0 … 1.

    >>> pairs, cosines = duplicate_pairs([[1, 2], [0, 2], [0, 1]], [[.97, .2], [.97, .1], [.2, .1]], np.array([0, 1, 1]))
    >>> pairs.tolist(), cosines.round(2).tolist()
    ([[0, 1], [1, 2]], [0.9700000286102295, 1.0])
    """
    if not 0 < threshold <= 1:
        raise UsageError(f"threshold = {threshold!r} is not possible. Give a cosine above 0 and at most 1.")
    near, cosine = np.asarray(neighbours), np.asarray(similarities, dtype=np.float32)
    rows, columns = np.nonzero((near >= 0) & (cosine >= np.float32(threshold)))
    left, right = rows.astype(np.int64), near[rows, columns].astype(np.int64)
    values = cosine[rows, columns]
    if same is not None:
        copies = np.flatnonzero(same != np.arange(len(same)))
        left, right = np.concatenate((left, same[copies])), np.concatenate((right, copies))
        values = np.concatenate((values, np.ones(len(copies), dtype=np.float32)))
    low, high = np.minimum(left, right), np.maximum(left, right)
    order = np.lexsort((-values, high, low))
    low, high, values = low[order], high[order], values[order]
    new = np.ones(len(low), dtype=bool)
    new[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    return np.column_stack((low[new], high[new])).astype(np.int32), values[new]


def without_pairs(pairs: IntArray, apart: IntArray) -> NDArray[np.bool_]:
    """Which pairs (m, 2) are not among `apart` (p, 2), such as near-copies that contradict each other; shape (m,).

    >>> without_pairs(np.array([[0, 1], [1, 2]]), np.array([[2, 1]])).tolist()
    [True, False]
    """
    if not len(pairs) or not len(apart):
        return np.ones(len(pairs), dtype=bool)
    base = np.int64(max(int(np.max(pairs)), int(np.max(apart))) + 1)
    return ~np.isin(_pair_keys(pairs, base), _pair_keys(apart, base))


def duplicate_groups(pairs: IntArray, n: int, *, apart: IntArray | None = None) -> NDArray[np.int32]:
    """Label of every passage, shape (n,): the lowest number of its group; a passage without a duplicate is its own.

    Groups hang together by pairs. Pairs in `apart` do not count, so two near-copies that contradict each other are one
    group only if a third passage is a near-duplicate of both.

    >>> duplicate_groups(np.array([[0, 2], [2, 4]]), 5).tolist()
    [0, 1, 0, 3, 0]
    """
    kept = pairs if apart is None else pairs[without_pairs(pairs, apart)]
    return _lowest(kept, n)


def duplicate_matrix(pairs: IntArray, cosines: NDArray[np.floating], n: int) -> csr_array:
    """Symmetric (n, n) CSR matrix with the cosine of each pair, as the spreading engines read it.

    >>> duplicate_matrix(np.array([[0, 1]]), np.array([1.0]), 2).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    rows = np.concatenate((pairs[:, 0], pairs[:, 1]))
    columns = np.concatenate((pairs[:, 1], pairs[:, 0]))
    matrix = csr_array((np.concatenate((cosines, cosines)), (rows, columns)), shape=(n, n))
    matrix.sort_indices()
    return matrix


def votes(labels: IntArray, chunks: ArrayLike, documents: IntArray) -> NDArray[np.int32]:
    """Number of distinct documents that say what each of `chunks` says, shape (k,); a document votes once.

    Args:
        labels: (n,) as `duplicate_groups` gives them.
        chunks: (k,) chunk numbers.
        documents: (n,) number of the document of each chunk.

    >>> votes(np.array([0, 0, 0, 3]), [0, 2, 3], np.array([5, 5, 6, 6])).tolist()
    [2, 2, 1]
    """
    wanted = np.asarray(chunks, dtype=np.int64)
    if not len(wanted):
        return np.zeros(0, dtype=np.int32)
    members = np.flatnonzero(np.isin(labels, labels[wanted]))
    said = np.unique(np.column_stack((labels[members], documents[members])), axis=0)
    names, counts = np.unique(said[:, 0], return_counts=True)
    return counts[np.searchsorted(names, labels[wanted])].astype(np.int32)


def _lowest(pairs: IntArray, n: int) -> NDArray[np.int32]:
    from gossamer.graph.components import connected_components

    if not len(pairs):
        return np.arange(n, dtype=np.int32)
    links = csr_array((np.ones(len(pairs)), (pairs[:, 0], pairs[:, 1])), shape=(n, n))
    labels = connected_components(links)
    _, first = np.unique(labels, return_index=True)
    return first[labels].astype(np.int32)


def _pair_keys(pairs: IntArray, base: np.int64) -> NDArray[np.int64]:
    wide = pairs.astype(np.int64)
    return np.asarray(wide.min(axis=1) * base + wide.max(axis=1), dtype=np.int64)


def _mixed(numbers: IntArray) -> NDArray[np.uint64]:
    """A 64-bit hash of each number (the finaliser of SplitMix64, Steele et al. 2014)."""
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX[0]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX[1]
    return mixed ^ (mixed >> np.uint64(31))
