"""Exact nearest neighbours and near-duplicates by cosine, in blocks of bounded memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import UsageError
from gossamer.graph.sparse import rank_in_row, row_blocks

_BLOCK_VALUES = 16_000_000
_CANDIDATES = 2_000_000
_GROUP = 32
# Matrix products of equal rows differ in the last bits with the place in the block; six decimals make them equal.
_DECIMALS = 6
_ROUNDING = 1e-6


def unit_rows(vectors: ArrayLike) -> NDArray[np.float32]:
    """Rows scaled to length 1 as float32, zero rows left zero; rows that are unit already are not copied.

    Raises UsageError for anything but a finite n × d array.

    >>> unit_rows([[3.0, 4.0], [0.0, 0.0]]).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    given = np.asarray(vectors)
    if given.ndim != 2:
        raise UsageError(f"Vectors have {given.ndim} dimensions. Pass one row per item, shape (n, d).")
    lengths = np.empty(len(given), dtype=np.float64)
    for start in range(0, len(given), 4096):
        lengths[start : start + 4096] = np.linalg.norm(given[start : start + 4096].astype(np.float64), axis=1)
    if not np.isfinite(lengths).all():
        bad = int(np.flatnonzero(~np.isfinite(lengths))[0])
        raise UsageError(f"Vector {bad} holds NaN, infinite or too large values. Pass finite vectors.")
    if given.dtype == np.float32 and bool(np.all((lengths == 0) | (np.abs(lengths - 1) <= 1e-6))):
        return np.ascontiguousarray(given)
    scaled = np.empty(given.shape, dtype=np.float32)
    safe = np.where(lengths > 0, lengths, 1.0)[:, None]
    for start in range(0, len(given), 4096):
        scaled[start : start + 4096] = given[start : start + 4096] / safe[start : start + 4096]
    return scaled


def nearest_neighbours(
    vectors: ArrayLike, k: int, *, block: int | None = None
) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """The k most similar other rows of every row by cosine, exact.

    Returns indices (n, k) and cosines (n, k), most similar first, lower number first on ties; cosines are rounded
    to six decimals before they are compared. Where a row has fewer neighbours the rest is −1 with cosine 0. A zero
    row matches nothing and is matched by nothing. `block` rows are compared at once (default: as many as fit 64 MB).
    Raises UsageError for k below 0, block below 1 and vectors that are not finite.

    >>> indices, similarities = nearest_neighbours([[1, 0], [1, 0], [0, 1], [0, 0]], 2)
    >>> indices.tolist(), similarities[0].tolist()
    ([[1, 2], [0, 2], [0, 1], [-1, -1]], [1.0, 0.0])
    """
    _check_count("k", k, 0)
    unit = unit_rows(vectors)
    n = len(unit)
    indices = np.full((n, k), -1, dtype=np.int32)
    similarities = np.zeros((n, k), dtype=np.float32)
    if k == 0 or n < 2:
        return indices, similarities
    silent = np.asarray(~unit.any(axis=1))
    for start, stop in _ranges(n, n, block):
        cosine: NDArray[np.float32] = unit[start:stop] @ unit.T
        cosine[:, silent] = -np.inf
        cosine[silent[start:stop]] = -np.inf
        cosine[np.arange(stop - start), np.arange(start, stop)] = -np.inf
        hits = np.flatnonzero(cosine >= _floor(cosine, min(k, n - 1))[:, None])
        ends = np.searchsorted(hits, np.arange(stop - start + 1) * n)
        for low, high in row_blocks(np.diff(ends), _CANDIDATES):
            rows, columns = np.divmod(hits[ends[low] : ends[high]], n)
            value = np.round(cosine[rows, columns], _DECIMALS)
            rank = rank_in_row(rows, value)
            kept = rank < k
            place = (rows[kept] + start, rank[kept])
            indices[place] = columns[kept]
            similarities[place] = np.clip(value[kept], -1, 1)
    return indices, similarities


def near_duplicates(
    vectors: ArrayLike, threshold: float, *, partners: int = 64, block: int | None = None
) -> NDArray[np.int32]:
    """Pairs (i, j), i < j, with a cosine of at least `threshold`, sorted, shape (m, 2).

    Cosines are rounded to six decimals. Each j is paired with at most its `partners` lowest i, so n equal rows give
    n · partners pairs instead of n² / 2 and still hang together. Raises UsageError for a threshold outside 0 … 1.

    >>> near_duplicates([[1, 0], [0, 1], [2, 0]], .95).tolist()
    [[0, 2]]
    """
    if not 0 < threshold <= 1:
        raise UsageError(f"threshold = {threshold!r} is not possible. Give a cosine above 0 and at most 1.")
    _check_count("partners", partners, 1)
    unit = unit_rows(vectors)
    n = len(unit)
    found = [np.zeros((0, 2), dtype=np.int32)]
    width = 4096
    for start, stop in _ranges(n, 4 * width, block):
        taken = np.zeros(stop - start, dtype=np.int64)
        for left in range(0, stop, width):
            cosine = unit[start:stop] @ unit[left : min(left + width, stop)].T
            rows, columns = np.divmod(np.flatnonzero(cosine >= threshold - _ROUNDING), cosine.shape[1])
            hit = np.round(cosine[rows, columns], _DECIMALS) >= np.float32(round(threshold, _DECIMALS))
            hit &= columns + left < rows + start
            rows, columns = rows[hit], columns[hit]
            rank = np.arange(len(rows)) - np.searchsorted(rows, rows, side="left")
            kept = taken[rows] + rank < partners
            taken += np.bincount(rows, minlength=stop - start)
            found.append(np.column_stack([columns[kept] + left, rows[kept] + start]).astype(np.int32))
    pairs = np.concatenate(found)
    return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]


def _floor(cosine: NDArray[np.float32], k: int) -> NDArray[np.float32]:
    """For each row a value that at least k entries reach, close to the k-th largest; never −inf.

    The k-th largest of group maxima is such a value, and costs one pass over the block instead of a partition.
    """
    n = cosine.shape[1]
    groups = n // _GROUP
    peaks = cosine
    if groups >= 2 * k:
        tail = cosine[:, groups * _GROUP :]
        peaks = np.hstack([cosine[:, : groups * _GROUP].reshape(len(cosine), _GROUP, groups).max(axis=1), tail])
    kth = np.partition(peaks, peaks.shape[1] - k, axis=1)[:, peaks.shape[1] - k]
    return np.asarray(np.maximum(kth - np.float32(_ROUNDING), np.float32(-2)))


def _ranges(n: int, width: int, block: int | None) -> Iterator[tuple[int, int]]:
    if block is None:
        block = min(max(_BLOCK_VALUES // max(width, 1), 16), 4096)
    _check_count("block", block, 1)
    for start in range(0, n, block):
        yield start, min(start + block, n)


def _check_count(name: str, value: int, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < low:
        raise UsageError(f"{name} = {value!r} is not possible. Give a whole number of at least {low}.")
