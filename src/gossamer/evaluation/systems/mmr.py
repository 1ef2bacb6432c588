"""Maximal marginal relevance over the hybrid (Carbonell and Goldstein 1998)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.evaluation.systems.channels import ScoredSystem, Scores, best_first, channels_of, z_scores

if TYPE_CHECKING:
    from gossamer.evaluation.systems.base import Query
    from gossamer.evaluation.workbench import Workbench

LAMBDA = 0.7
POOL = 50


def mmr(workbench: Workbench) -> ScoredSystem:
    """lambda * relevance - (1 - lambda) * largest cosine to a chosen chunk.

    Relevance is hybrid-z, min-max scaled over the pool; what lies beyond the pool follows in the order of hybrid-z.
    """

    def score(retrieval: Any, query: Query) -> Scores:
        scores = z_scores(channels_of(retrieval, query))
        order = best_first(scores)
        pool = order[:POOL]
        vectors = np.asarray(retrieval.snapshot.vectors[pool], dtype=np.float64)
        similar = vectors @ vectors.T
        picked = pool[mmr_order(scores[pool], similar, weight=LAMBDA)]
        places = np.empty(len(scores))
        places[np.concatenate([picked, order[POOL:]])] = np.arange(len(order))
        return -places

    return ScoredSystem(workbench, score)


def mmr_order(relevance: Scores, similarity: NDArray[np.float64], *, weight: float) -> list[int]:
    """Greedy MMR order of n items.

    Args:
        relevance: shape (n,), any scale.
        similarity: cosines, shape (n, n).
        weight: lambda.

    >>> same = np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> mmr_order(np.array([3.0, 2.9, 1.0]), same, weight=0.5)
    [0, 2, 1]
    """
    spread = float(np.ptp(relevance)) if len(relevance) else 0.0
    scaled = (relevance - relevance.min()) / spread if spread > 0.0 else np.zeros_like(relevance)
    nearest = np.zeros(len(relevance))
    open_ = np.ones(len(relevance), dtype=bool)
    order: list[int] = []
    for _ in range(len(relevance)):
        value = np.where(open_, weight * scaled - (1.0 - weight) * nearest, -np.inf)
        best = int(value.argmax())
        order.append(best)
        open_[best] = False
        nearest = np.maximum(nearest, similarity[best])
    return order
