"""Near-duplicates as groups, and groups as votes: how many sources say a thing, each counted once.

Which passages are near-duplicates is decided in `twins`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

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


def duplicate_groups(pairs: csr_array) -> NDArray[np.int32]:
    """Label of every passage, shape (n,): the lowest number of its group; a passage without a duplicate is its own.

    Args:
        pairs: (n, n) CSR matrix, stored where two passages are near-duplicates. Groups hang together by pairs.

    >>> duplicate_groups(csr_array(([1.0, 1.0], ([0, 2], [2, 4])), shape=(5, 5))).tolist()
    [0, 1, 0, 3, 0]
    """
    from gossamer.graph.components import connected_components

    if not pairs.nnz:
        return np.arange(pairs.shape[0], dtype=np.int32)
    labels = connected_components(pairs)
    _, first = np.unique(labels, return_index=True)
    return first[labels].astype(np.int32)


def weaker_copies(labels: IntArray, scores: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """(n,) passages of which a near-duplicate scores better; of equal ones the lowest number stays.

    Args:
        labels: (n,) as `duplicate_groups` gives them.
        scores: (n,) scores; -inf is no hit.

    >>> weaker_copies(np.array([0, 0, 2, 2]), np.array([1.0, 2.0, 3.0, 3.0])).tolist()
    [True, False, False, True]
    """
    weaker = np.zeros(len(labels), dtype=bool)
    alone = np.bincount(labels, minlength=len(labels))[labels] == 1 if len(labels) else weaker
    members = np.flatnonzero(~alone)
    order = members[np.lexsort((members, -scores[members], labels[members]))]
    weaker[order[1:][labels[order[1:]] == labels[order[:-1]]]] = True
    return weaker


def stating_documents(labels: IntArray, documents: IntArray, chunks: Sequence[int]) -> list[list[int]]:
    """For each of `chunks` the documents that state the same, its own first, then ascending; a document votes once.

    Args:
        labels: (n,) as `duplicate_groups` gives them.
        documents: (n,) number of the document of each passage.

    >>> stating_documents(np.array([0, 0, 0, 3]), np.array([5, 5, 6, 6]), [2, 3])
    [[6, 5], [6]]
    """
    wanted = np.asarray(chunks, dtype=np.int64)
    members = np.flatnonzero(np.isin(labels, labels[wanted]))
    group, document = labels[members], documents[members]
    found = []
    for chunk in wanted.tolist():
        others = np.unique(document[group == labels[chunk]]).tolist()
        own = int(documents[chunk])
        found.append([own, *(other for other in others if other != own)])
    return found


def _mixed(numbers: IntArray) -> NDArray[np.uint64]:
    """A 64-bit hash of each number (the finaliser of SplitMix64, Steele et al. 2014)."""
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * _GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * _MIX[0]
    mixed = (mixed ^ (mixed >> np.uint64(27))) * _MIX[1]
    return mixed ^ (mixed >> np.uint64(31))
