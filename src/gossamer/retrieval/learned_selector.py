"""A selector whose weights were learned: each greedy step asks whether a candidate is gold and not yet chosen.

    logit_c = intercept + Σ_k weight_k · feature_kc(C)        next: argmax_c σ(logit_c) / ℓ(c)^ρ

A logistic regression over cheap features of the candidate and the chosen so far C, trained by
benchmarks/train_selector.py on questions of six public sets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gossamer.retrieval.rescoring import anchored, log_flow
from gossamer.retrieval.selection import Basket, Pick
from gossamer.retrieval.terms import Coverage, Fixed, Nearest, Term

if TYPE_CHECKING:
    from gossamer.retrieval.scoring import Scored
    from gossamer.retrieval.selectors import Pool, SelectorOptions

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

FEATURES = (
    "score",
    "coverage",
    "redundancy",
    "link",
    "new_link",
    "named_by_chosen",
    "named_by_question",
    "relevance",
    "flow",
    "covers",
    "titled",
    "same_document",
    "gated_link",
    "settled_score",
)
"""Names of the features: the first seven are terms of the default utility, the others come from `extra_terms`."""

INTERCEPT = 0.0
WEIGHTS = np.array([1.0, 8.0, -0.3, 0.5, 0.5, 0.5, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])


class Settled:
    """Values that count the more, the more of the question is covered: values · Σ_u weight_u · covered by the chosen.

    >>> late = Settled("late", np.array([2.0, 1.0]), np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([0.6, 0.4]))
    >>> late.take(1); late.values().tolist()
    [0.8, 0.4]
    """

    def __init__(self, name: str, values: FloatArray, covered: FloatArray, weights: FloatArray) -> None:
        self.name, self.weight = name, 1.0
        self._values, self._weights = values, weights
        self._coverage = Coverage(covered, weights)

    def values(self) -> FloatArray:
        """The values times the covered share."""
        return np.asarray(self._values * float(self._coverage.reached @ self._weights), dtype=np.float64)

    def take(self, candidate: int) -> None:
        """Cover what the candidate has."""
        self._coverage.take(candidate)


def extra_terms(
    scored: Scored,
    pool: IntArray,
    documents: npt.NDArray[np.integer[Any]],
    covered: FloatArray,
    unit_weights: FloatArray,
    links: FloatArray,
    by_question: FloatArray,
    *,
    strongest: float,
) -> list[Term]:
    """The features that the default utility does not have, with weight 1.

    Args:
        scored: scores of the whole corpus.
        pool: (p,) chunks to choose from.
        documents: (p,) their documents.
        covered, unit_weights: (p, u) and (u,) of the question's units.
        links: (p, p) strength of the flow edges.
        by_question: (p,) share of the title words that the question has.
        strongest: flow weight where the gate is fully open; `gated_link` is link · flow weight / strongest.
    """
    flow = log_flow(scored.proximity, passages=len(scored.proximity))[pool]
    score = anchored(scored.score)[pool]
    same = (documents[:, None] == documents).astype(np.float64)
    np.fill_diagonal(same, 0.0)
    gate = scored.flow_weight / strongest if strongest > 0 else 0.0
    return [
        Fixed("relevance", anchored(scored.relevance)[pool]),
        Fixed("flow", flow / 10.0),
        Fixed("covers", covered @ unit_weights),
        Fixed("titled", (by_question >= 1.0).astype(np.float64)),
        Nearest("same_document", same),
        Nearest("gated_link", gate * links),
        Settled("settled_score", score, covered, unit_weights),
    ]


def features(terms: Sequence[Term], p: int) -> FloatArray:
    """(p, len(FEATURES)) values of the terms of those names, 0 where there is no such term."""
    by_name = {term.name: term for term in terms}
    return np.stack([by_name[name].values() if name in by_name else np.zeros(p) for name in FEATURES], axis=1)


def choose_learned(
    pool: Pool, options: SelectorOptions, *, weights: FloatArray = WEIGHTS, intercept: float = INTERCEPT
) -> list[Pick]:
    """The `core_size` best scored, then by the odds of being gold, then a backfill; never above the budget.

    The parts of a pick are weight · feature and the intercept: they add up to its utility, the logit.

    >>> from gossamer.retrieval.selectors import Pool, SelectorOptions
    >>> words = Coverage(np.array([[1.0, 0], [1, 0], [0, 1]]), np.array([0.5, 0.5]))
    >>> [pick.place for pick in choose_learned(Pool(np.array([3.0, 2, 1]), [words]), SelectorOptions())]
    [0, 2, 1]
    """
    p = len(pool.score)
    limit = p if pool.count is None else min(pool.count, p)
    basket = Basket(pool.terms, np.ones(p, dtype=bool), pool.cost, pool.budget)
    by_score = np.argsort(-pool.score, kind="stable").tolist()
    basket.take_in_order(iter(by_score), pool.score, "core", min(options.core_size, limit))
    floor = pool.score.min(initial=np.inf) + options.precision_floor * (np.ptp(pool.score) if p else 0.0)
    while len(basket.picks) < limit and (eligible := basket.open() & (pool.score >= floor)).any():
        parts = features(pool.terms, p) * weights
        logit = parts.sum(axis=1) + intercept
        gain = logit
        if options.length_power and pool.cost is not None:
            gain = -np.logaddexp(0.0, -logit) - options.length_power * np.log(np.maximum(pool.cost.marginal(), 1.0))
        place = int(np.argmax(np.where(eligible, gain, -np.inf)))
        basket.take(place, "gain", float(logit[place]), _named(parts[place], intercept))
    if options.backfill:
        basket.take_in_order(iter(by_score), pool.score, "backfill", limit)
    return basket.picks


def _named(parts: FloatArray, intercept: float) -> dict[str, float]:
    named: Mapping[str, float] = dict(zip(FEATURES, parts.tolist(), strict=True))
    return {"intercept": intercept, **named}
