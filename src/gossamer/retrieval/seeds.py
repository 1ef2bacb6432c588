"""From channel scores to relevance and seeds: three ways to fuse channels, and the choice of seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

RRF_K = 60


def zscore(values: npt.NDArray[np.floating[Any]]) -> FloatArray:
    """(values − mean) / standard deviation over the corpus; all zeros where every value is the same.

    >>> zscore(np.array([1.0, 3.0])).tolist(), zscore(np.array([2.0, 2.0])).tolist()
    ([-1.0, 1.0], [0.0, 0.0])
    """
    wide = np.asarray(values, dtype=np.float64)
    if not len(wide):
        return wide
    wide = wide - wide.mean()
    spread = float(np.sqrt(np.mean(wide * wide)))
    return wide / spread if spread > 1e-12 else np.zeros_like(wide)


def minmax(values: npt.NDArray[np.floating[Any]]) -> FloatArray:
    """Values scaled to 0…1; all zeros where every value is the same.

    >>> minmax(np.array([2.0, 4.0, 3.0])).tolist()
    [0.0, 1.0, 0.5]
    """
    wide = np.asarray(values, dtype=np.float64)
    if not len(wide):
        return wide
    low, high = float(wide.min()), float(wide.max())
    return (wide - low) / (high - low) if high > low else np.zeros_like(wide)


def rrf(rankings: Sequence[IntArray], *, passages: int, k: int = RRF_K) -> FloatArray:
    """Reciprocal rank fusion: Σ over rankings of 1 / (k + rank), rank from 1; 0 for passages that no ranking holds.

    >>> rrf([np.array([2, 0]), np.array([2])], passages=3).round(4).tolist()
    [0.0161, 0.0, 0.0328]
    """
    fused = np.zeros(passages)
    for ranking in rankings:
        fused[ranking] += 1 / (k + np.arange(1, len(ranking) + 1))
    return fused


def blended_relevance(
    dense: npt.NDArray[np.floating[Any]] | None, lexical: npt.NDArray[np.floating[Any]], *, bm25_weight: float = 0.5
) -> FloatArray:
    """The paper's relevance: (1 − w) · dense + w · BM25, both scaled to 0…1; BM25 alone without vectors.

    >>> blended_relevance(np.array([0.2, 0.6]), np.array([3.0, 0.0]), bm25_weight=0.25).tolist()
    [0.25, 0.75]
    """
    if dense is None:
        return minmax(lexical)
    return (1 - bm25_weight) * minmax(dense) + bm25_weight * minmax(lexical)


def fused_relevance(
    dense: npt.NDArray[np.floating[Any]] | None,
    lexical: npt.NDArray[np.floating[Any]],
    *,
    bm25_weight: float = 0.5,
    layers: Sequence[tuple[npt.NDArray[np.floating[Any]], float]] = (),
) -> FloatArray:
    """H = z(dense) + w · z(BM25) + Σ v · z(layer), z over the corpus; z(BM25) in place of the first two without vectors.

    `layers` are scores of utility questions or propositions, folded to passages, with their weights v.

    >>> fused_relevance(None, np.array([0.0, 2.0])).tolist()
    [-1.0, 1.0]
    """
    base = zscore(lexical) if dense is None else zscore(dense) + bm25_weight * zscore(lexical)
    for scores, weight in layers:
        base = base + weight * zscore(scores)
    return base


def best(scores: npt.NDArray[np.floating[Any]], k: int) -> IntArray:
    """The k highest scored passages, best first, ties by number.

    >>> best(np.array([1.0, 3.0, 3.0, 2.0]), 3).tolist()
    [1, 2, 3]
    """
    k = min(max(k, 0), len(scores))
    if k == 0:
        return np.zeros(0, dtype=np.int64)
    places = np.arange(len(scores))
    if k < len(scores):
        bar = np.partition(scores, len(scores) - k)[len(scores) - k]
        places = np.flatnonzero(scores >= bar)
    order = np.argsort(-scores[places], kind="stable")[:k]
    return places[order].astype(np.int64)


def choose_seeds(relevance: FloatArray, *, count: int = 10, temperature: float = 0.5) -> tuple[IntArray, FloatArray]:
    """The `count` most relevant passages and their weights, softmax(relevance / temperature), which sum to 1.

    >>> seeds, weights = choose_seeds(np.array([0.0, 5.0, 5.0]), count=2)
    >>> seeds.tolist(), weights.tolist()
    ([1, 2], [0.5, 0.5])
    """
    seeds = best(relevance, count)
    if not len(seeds):
        return seeds, np.zeros(0)
    heat = np.exp((relevance[seeds] - relevance[seeds[0]]) / temperature)
    return seeds, heat / heat.sum()
