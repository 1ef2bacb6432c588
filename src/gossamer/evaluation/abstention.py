"""How well a confidence tells the questions that can be answered from those that cannot.

Two tasks over the same confidences. *Null detection*: does confidence rank answerable questions above null ones
(no gold, or an unanswerable type)? *Selective answering*: if only the most confident share of questions is answered,
how often does the context then lack some of the gold, where a null question always counts as a failure?
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Abstention:
    """`null_auroc` and `failure_auroc` are None when one of the two classes is empty.

    `risk` holds the failure rate at each coverage of `COVERAGES`; `aurc` is the area under the risk-coverage curve
    (lower is better; an ordering by chance gives about the risk at full coverage).
    """

    questions: int
    null_questions: int
    null_auroc: float | None
    failure_auroc: float | None
    aurc: float
    risk: dict[str, float]


COVERAGES = (0.2, 0.4, 0.6, 0.8, 1.0)


def abstention(confidence: Sequence[float], null: Sequence[bool], complete: Sequence[bool]) -> Abstention:
    """Measure one system's confidences.

    Args:
        confidence: one finite number per question, higher means surer.
        null: whether the question should be refused.
        complete: whether the context held all gold.

    >>> measured = abstention([0.9, 0.8, 0.2], [False, False, True], [True, False, False])
    >>> measured.null_auroc, measured.failure_auroc, round(measured.risk["1.0"], 3)
    (1.0, 1.0, 0.667)
    """
    success = np.asarray(complete, dtype=bool) & ~np.asarray(null, dtype=bool)
    curve = risk_coverage(confidence, ~success)
    return Abstention(
        questions=len(null),
        null_questions=int(np.sum(null)),
        null_auroc=auroc(confidence, ~np.asarray(null, dtype=bool)),
        failure_auroc=auroc(confidence, success),
        aurc=float(curve.mean()),
        risk={f"{share:.1f}": float(curve[max(1, round(share * len(curve))) - 1]) for share in COVERAGES},
    )


def auroc(score: ArrayLike, positive: ArrayLike) -> float | None:
    """P(score of a positive > score of a negative) + 1/2 P(equal), by ranks (Mann-Whitney); None with one class only.

    >>> auroc([0.9, 0.5, 0.5, 0.1], [True, True, False, False])
    0.875
    """
    scores, labels = np.asarray(score, dtype=float), np.asarray(positive, dtype=bool)
    positives = int(labels.sum())
    negatives = len(labels) - positives
    if not positives or not negatives:
        return None
    _, inverse, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2.0)[inverse]
    return float((ranks[labels].sum() - positives * (positives + 1) / 2.0) / (positives * negatives))


def risk_coverage(score: ArrayLike, failure: ArrayLike) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Failure rate among the i most confident questions, for i = 1 ... n.

    Questions of equal confidence share their mean failure rate, so the order of the data does not matter.

    >>> risk_coverage([0.9, 0.5, 0.5], [False, True, False]).round(3).tolist()
    [0.0, 0.25, 0.333]
    """
    scores, failures = np.asarray(score, dtype=float), np.asarray(failure, dtype=float)
    _, inverse, counts = np.unique(-scores, return_inverse=True, return_counts=True)
    shared = (np.bincount(inverse, weights=failures) / counts)[np.sort(inverse)]
    return np.asarray(np.cumsum(shared) / np.arange(1, len(shared) + 1), dtype=np.float64)
