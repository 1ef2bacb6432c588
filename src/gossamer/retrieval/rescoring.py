"""Blends of what the question says about a passage and what the graph says about it."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

_FLOOR = 1e-6


def blended_score(relevance: FloatArray, proximity: FloatArray, *, graph_weight: float = 0.3) -> FloatArray:
    """The paper's score: (1 − α) · relevance + α · proximity.

    >>> blended_score(np.array([1.0]), np.array([0.0]), graph_weight=0.3).tolist()
    [0.7]
    """
    return (1 - graph_weight) * relevance + graph_weight * proximity


def anchored(scores: FloatArray, *, rank: int = 50) -> FloatArray:
    """Scores so that the best is 1 and the one at `rank` 0, those below negative; all zeros where there is no difference.

    Unlike scaling by the lowest, this does not change when a pool grows beyond `rank`.

    >>> anchored(np.array([5.0, 3.0, 4.0, 1.0]), rank=3).tolist()
    [1.0, 0.0, 0.5, -1.0]
    """
    if not len(scores):
        return scores
    place = max(len(scores) - rank, 0)
    best, bar = scores.max(), np.partition(scores, place)[place]
    return (scores - bar) / (best - bar) if best > bar else np.zeros_like(scores)


def log_flow(mass: FloatArray, *, passages: int, floor: float = _FLOOR) -> FloatArray:
    """z of log(mass + floor) over a corpus of `passages`, those outside the candidates counting as mass 0.

    >>> log_flow(np.array([1.0, 0.0]), passages=2, floor=1e-6).round(3).tolist()
    [1.0, -1.0]
    """
    logs = np.log(np.asarray(mass, dtype=np.float64) + floor) - np.log(floor)
    count = max(passages, len(logs))
    mean = float(logs.sum()) / max(count, 1)
    spread = float(np.sqrt(max((logs * logs).sum() / max(count, 1) - mean * mean, 0.0)))
    return (logs - mean) / spread if spread > 1e-12 else np.zeros_like(logs)


def guided_score(
    relevance: FloatArray, mass: FloatArray, *, passages: int, mean: float, spread: float, flow_weight: float
) -> FloatArray:
    """z(H) + φ · z(log(x + 1e-6)) of the candidates, both z over the whole corpus.

    Args:
        relevance: H of the candidates.
        mass: x of the candidates.
        passages: size of the corpus.
        mean: mean of H over the corpus.
        spread: standard deviation of H over the corpus.
        flow_weight: φ.

    >>> guided_score(np.array([2.0]), np.array([0.0]), passages=1, mean=1.0, spread=0.5, flow_weight=0.5).tolist()
    [2.0]
    """
    likes = (relevance - mean) / spread if spread > 1e-12 else np.zeros_like(relevance)
    return likes + flow_weight * log_flow(mass, passages=passages)


def flow_gate(shared: float, *, strongest: float = 1.0, slope: float = 2.0) -> float:
    """Flow weight φ = clip(strongest · (1 − slope · c), 0, strongest).

    c is the share of the seeds' neighbours that two or more seeds reach: where all seeds sit in one dense topic,
    flow tells nothing.

    >>> flow_gate(0.0), flow_gate(1.0)
    (1.0, 0.0)
    """
    return float(np.clip(strongest * (1 - slope * shared), 0.0, strongest))


def shared_neighbours(flow: Any, seeds: npt.NDArray[np.int64]) -> float:
    """Share of the seeds' neighbours that two or more seeds reach, 0 without neighbours."""
    reached = np.concatenate([flow.indices[flow.indptr[s] : flow.indptr[s + 1]] for s in seeds.tolist()] or [[]])
    if not len(reached):
        return 0.0
    counts = np.unique(reached, return_counts=True)[1]
    return float((counts >= 2).mean())
