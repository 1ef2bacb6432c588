"""The selectors by name: each takes a pool of candidates and returns picks that fit the budget.

`token_budget` is the paper's (and Gossamer's) greedy choice, the others are the usual alternatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gossamer.errors import UsageError
from gossamer.retrieval.learned_selector import choose_learned
from gossamer.retrieval.selection import Basket, Cost, Pick, select
from gossamer.retrieval.terms import Term

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pool:
    """What a selector chooses from: p candidates.

    `score` (p,); `terms` of the utility; `similarity` (p, p) cosines, None without vectors; `graph` (p, p) edge
    weights; `cost` and `budget` bound the context; `count` bounds the number of picks; `rerank` scores
    places of the pool.
    """

    score: FloatArray
    terms: Sequence[Term] = ()
    similarity: FloatArray | None = None
    graph: FloatArray | None = None
    cost: Cost | None = None
    budget: float = np.inf
    count: int | None = None
    rerank: Callable[[Sequence[int]], Sequence[float]] | None = None


@dataclass(frozen=True, slots=True)
class SelectorOptions:
    """Options of all selectors; each reads its own.

    `core_size` best scored are kept first (token_budget, protected_mmr, anchor_expand_ce, learned); `length_power`,
    `precision_floor`, `backfill`, `steps`: see `selection.select`; `relevance_share` is MMR's λ; `expand` the number of
    graph neighbours that are reranked.
    """

    core_size: int = 1
    length_power: float = 0.0
    precision_floor: float = 0.0
    backfill: bool = True
    steps: int | None = None
    relevance_share: float = 0.7
    expand: int = 20


Selector = Callable[[Pool, SelectorOptions], list[Pick]]


def token_budget(pool: Pool, options: SelectorOptions) -> list[Pick]:
    """Greedy utility per token, see `selection.select`."""
    return select(
        pool.terms,
        pool.score,
        cost=pool.cost,
        budget=pool.budget,
        count=pool.count,
        core_size=options.core_size,
        length_power=options.length_power,
        precision_floor=options.precision_floor,
        backfill=options.backfill,
        steps=options.steps,
    )


def topk(pool: Pool, options: SelectorOptions) -> list[Pick]:
    """The best scored that fit, in order.

    >>> [pick.place for pick in topk(Pool(np.array([1.0, 3.0, 2.0]), count=2), SelectorOptions())]
    [1, 2]
    """
    basket, limit = _basket(pool)
    basket.take_in_order(iter(_by_score(pool.score)), pool.score, "gain", limit)
    return basket.picks


def mmr(pool: Pool, options: SelectorOptions) -> list[Pick]:
    """Maximal marginal relevance: λ · score − (1 − λ) · largest cosine to the chosen, score scaled to 0…1."""
    basket, limit = _basket(pool)
    _take_mmr(pool, basket, limit, options.relevance_share)
    return basket.picks


def protected_mmr(pool: Pool, options: SelectorOptions) -> list[Pick]:
    """The `core_size` best scored first, then MMR."""
    basket, limit = _basket(pool)
    basket.take_in_order(iter(_by_score(pool.score)), pool.score, "core", min(options.core_size, limit))
    _take_mmr(pool, basket, limit, options.relevance_share)
    return basket.picks


def anchor_expand_ce(pool: Pool, options: SelectorOptions) -> list[Pick]:
    """A protected core, then its strongest graph neighbours in the order of a cross-encoder, then the rest by score."""
    if pool.rerank is None or pool.graph is None:
        raise UsageError(
            "The selector 'anchor_expand_ce' needs a cross-encoder. Pass rerank_fn=..., or choose another."
        )
    basket, limit = _basket(pool)
    by_score = _by_score(pool.score)
    basket.take_in_order(iter(by_score), pool.score, "core", min(options.core_size, limit))
    core = [pick.place for pick in basket.picks]
    strength = pool.graph[:, core].max(axis=1, initial=0.0)
    near = [
        place for place in np.argsort(-strength, kind="stable").tolist() if strength[place] > 0 and basket.left[place]
    ]
    near = near[: options.expand]
    judged = np.asarray(pool.rerank(near), dtype=np.float64) if near else np.zeros(0)
    scores = pool.score.copy()
    scores[near] = judged
    basket.take_in_order((near[i] for i in np.argsort(-judged, kind="stable")), scores, "gain", limit)
    basket.take_in_order(iter(by_score), pool.score, "backfill", limit)
    return basket.picks


SELECTORS: dict[str, Selector] = {
    "token_budget": token_budget,
    "mmr": mmr,
    "protected_mmr": protected_mmr,
    "anchor_expand_ce": anchor_expand_ce,
    "topk": topk,
    "learned": choose_learned,
}
"""Selectors by name."""


def _basket(pool: Pool) -> tuple[Basket, int]:
    p = len(pool.score)
    return Basket((), np.ones(p, dtype=bool), pool.cost, pool.budget), p if pool.count is None else min(pool.count, p)


def _by_score(score: FloatArray) -> list[int]:
    order: list[int] = np.argsort(-score, kind="stable").tolist()
    return order


def _take_mmr(pool: Pool, basket: Basket, limit: int, share: float) -> None:
    spread = float(np.ptp(pool.score)) if len(pool.score) else 0.0
    scaled = (pool.score - pool.score.min()) / spread if spread > 0 else np.zeros(len(pool.score))
    nearest = np.zeros(len(pool.score))
    if pool.similarity is not None:
        for pick in basket.picks:
            nearest = np.maximum(nearest, pool.similarity[:, pick.place])
    while len(basket.picks) < limit and (eligible := basket.open()).any():
        utility = share * scaled - (1 - share) * nearest
        place = int(np.argmax(np.where(eligible, utility, -np.inf)))
        basket.take(place, "gain", float(utility[place]), {"score": share * scaled[place]})
        if pool.similarity is not None:
            nearest = np.maximum(nearest, pool.similarity[:, place])
