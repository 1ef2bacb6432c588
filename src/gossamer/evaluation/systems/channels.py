"""Baselines that order chunks by a number computed from the dense and the BM25 channel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.evaluation.systems.base import Context, Query
from gossamer.text.clean import clean_text

if TYPE_CHECKING:
    from gossamer.evaluation.workbench import Workbench

Scores = NDArray[np.float64]

RRF_K = 60
RRF_DEPTH = 100
LEXICAL_WEIGHT = 0.5
CONTEXT_DEPTH = 256
"""How many chunks of a ranking are offered to a context."""


class ScoredSystem:
    """A system whose ranking is a score per chunk; -inf leaves a chunk out, equal scores go by chunk number.

    With `sure` the best score stands for confidence; a score that only says ranks, as RRF does, cannot.
    """

    returns_chunks = True

    def __init__(self, workbench: Workbench, score: Callable[[Any, Query], Scores], *, sure: bool = False) -> None:
        self.indexed = workbench.index()
        self._score = score
        self._sure = sure
        self._last: tuple[str, list[int], float | None] | None = None

    def rank(self, query: Query, k: int) -> Sequence[str]:
        """The k best chunk ids."""
        numbers, _ = self._ordered(query)
        ids = self.indexed.retrieval.snapshot.chunk_ids
        return [ids[number] for number in numbers[:k]]

    def context(self, query: Query, budget: int) -> Context:
        """The budget filled in the order of the ranking."""
        numbers, best = self._kept(query)
        retrieval = self.indexed.retrieval
        text, tokens, kept = retrieval.context_for(numbers[:CONTEXT_DEPTH], budget)
        ids = retrieval.snapshot.chunk_ids
        return Context(text, tokens, tuple(ids[number] for number in kept), best)

    def _ordered(self, query: Query) -> tuple[list[int], float | None]:
        scores = self._score(self.indexed.retrieval, query)
        order = best_first(scores).tolist()
        best = (float(scores[order[0]]) if order else 0.0) if self._sure else None
        self._last = (query.id, order, best)
        return order, best

    def _kept(self, query: Query) -> tuple[list[int], float | None]:
        """The last ranking again where it was for this query, so that contexts need not rank anew."""
        if self._last is not None and self._last[0] == query.id:
            return self._last[1], self._last[2]
        return self._ordered(query)


def bm25(workbench: Workbench) -> ScoredSystem:
    """Plain BM25; chunks that share no term with the question are not ranked, and nothing is embedded."""
    return ScoredSystem(
        workbench,
        lambda retrieval, query: matching(retrieval.snapshot.lexical.scores(clean_text(query.text))),
        sure=True,
    )


def dense(workbench: Workbench) -> ScoredSystem:
    """Cosine of question and chunk vectors."""
    return ScoredSystem(
        workbench, lambda retrieval, query: np.asarray(channels_of(retrieval, query).dense, dtype=float), sure=True
    )


def hybrid_rrf(workbench: Workbench) -> ScoredSystem:
    """Reciprocal rank fusion of dense and BM25 (Cormack et al. 2009)."""

    def score(retrieval: Any, query: Query) -> Scores:
        channels = channels_of(retrieval, query)
        lists = [np.asarray(channels.dense, dtype=float)] if channels.has_dense else []
        return rrf_scores([*lists, matching(channels.bm25)])

    return ScoredSystem(workbench, score)


def hybrid_z(workbench: Workbench) -> ScoredSystem:
    """Weighted sum of standardised channels."""
    return ScoredSystem(workbench, lambda retrieval, query: z_scores(channels_of(retrieval, query)), sure=True)


def channels_of(retrieval: Any, query: Query) -> Any:
    """The raw channel scores of one query over all chunks."""
    return retrieval.channels(query.text, query_vector=query.vector)


def matching(bm25: NDArray[np.float32]) -> Scores:
    """BM25 with -inf where nothing matched.

    >>> matching(np.array([0.0, 2.0], dtype=np.float32)).tolist()
    [-inf, 2.0]
    """
    scores = np.asarray(bm25, dtype=float)
    return np.where(scores > 0.0, scores, -np.inf)


def z_scores(channels: Any) -> Scores:
    """z(dense) + .5 z(BM25), z over all chunks; BM25 alone without a dense channel."""
    lexical = standardised(np.asarray(channels.bm25, dtype=float))
    if not channels.has_dense:
        return lexical
    return standardised(np.asarray(channels.dense, dtype=float)) + LEXICAL_WEIGHT * lexical


def standardised(values: Scores) -> Scores:
    """(x - mean) / standard deviation, 0 where all are equal.

    >>> standardised(np.array([1.0, 3.0])).tolist(), standardised(np.array([2.0, 2.0])).tolist()
    ([-1.0, 1.0], [0.0, 0.0])
    """
    spread = float(values.std()) if len(values) else 0.0
    return (values - values.mean()) / spread if spread > 1e-12 else np.zeros_like(values)


def best_first(scores: Scores, depth: int | None = None) -> NDArray[np.intp]:
    """Numbers of the finite scores, best first, ties by number.

    >>> best_first(np.array([0.1, 0.9, -np.inf, 0.9])).tolist()
    [1, 3, 0]
    """
    order = np.argsort(-scores, kind="stable")
    return order[np.isfinite(scores[order])][:depth]


def rrf_scores(lists: Sequence[Scores]) -> Scores:
    """Sum of 1 / (60 + rank) over the 100 best of each list; -inf for a chunk in none.

    >>> rrf_scores([np.array([3.0, 1.0, -np.inf]), np.array([-np.inf, 5.0, -np.inf])]).round(5).tolist()
    [0.01639, 0.03252, -inf]
    """
    total = np.zeros(len(lists[0]))
    for scores in lists:
        order = best_first(scores, RRF_DEPTH)
        total[order] += 1.0 / (RRF_K + 1 + np.arange(len(order)))
    return np.where(total > 0.0, total, -np.inf)
