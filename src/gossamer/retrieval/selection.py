"""Greedy choice of a set of passages, with or without a token budget.

    repeatedly: argmax_c U(c | C) / ℓ(c)^ρ        U = Σ weighted terms (see `terms`), ℓ = tokens that c would add

First the `core_size` best scored are kept, then the greedy steps among candidates at or above the precision floor,
then a backfill by score with what still fits. Without a budget and with ρ = 0 the same steps give a ranking.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from gossamer.retrieval.terms import Term

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pick:
    """One chosen candidate.

    `place` is its place in the pool; `reason` is "core", "gain", "backfill" or "rest"; `utility` the sum of
    `parts`, the weighted terms at the moment it was chosen (by score alone: the score and no parts).
    """

    place: int
    reason: str
    utility: float
    parts: dict[str, float] = field(default_factory=dict)


class Cost(Protocol):
    """What the context costs in tokens, separators included."""

    total: float

    def marginal(self) -> FloatArray:
        """Tokens that each candidate would add to the context now, (p,)."""
        ...

    def take(self, candidate: int) -> None:
        """Candidate joins the context."""
        ...


class ContextCost:
    """Tokens of a context: the passages', an overhead for each of them and one for each new document.

    >>> cost = ContextCost(np.array([10, 20]), np.array([5, 5]), per_passage=2, per_document=7)
    >>> cost.take(0); cost.total, cost.marginal().tolist()
    (19.0, [12.0, 22.0])
    """

    def __init__(
        self,
        tokens: npt.NDArray[np.integer[Any]],
        documents: npt.NDArray[np.integer[Any]],
        *,
        per_passage: float = 0,
        per_document: float = 0,
        base: float = 0,
    ) -> None:
        self.total = float(base)
        self._own = np.asarray(tokens, dtype=np.float64) + per_passage
        self._documents = documents
        self._opening = np.full(len(tokens), float(per_document))

    def marginal(self) -> FloatArray:
        """Tokens and overheads of each candidate."""
        return np.asarray(self._own + self._opening, dtype=np.float64)

    def take(self, candidate: int) -> None:
        """Pay for the candidate; its document needs no opening any more."""
        self.total += float(self._own[candidate] + self._opening[candidate])
        self._opening[self._documents == self._documents[candidate]] = 0.0


@dataclass(slots=True)
class Basket:
    """The chosen so far: enforces the budget, and keeps the terms and the cost in step."""

    terms: Sequence[Term]
    left: npt.NDArray[np.bool_]
    cost: Cost | None = None
    budget: float = np.inf
    picks: list[Pick] = field(default_factory=list)

    def open(self) -> npt.NDArray[np.bool_]:
        """Candidates that are not chosen and still fit."""
        if self.cost is None:
            return self.left
        return self.left & (self.cost.total + self.cost.marginal() <= self.budget)

    def take(self, place: int, reason: str, utility: float, parts: dict[str, float] | None = None) -> None:
        """Choose a candidate."""
        self.left[place] = False
        for term in self.terms:
            term.take(place)
        if self.cost is not None:
            self.cost.take(place)
        self.picks.append(Pick(place, reason, utility, parts or {}))

    def take_in_order(self, order: Iterator[int], score: FloatArray, reason: str, limit: int) -> None:
        """Choose what fits in a given order until `limit` candidates are chosen."""
        for place in order:
            if len(self.picks) >= limit:
                return
            if self.open()[place]:
                self.take(place, reason, float(score[place]))


def select(
    terms: Sequence[Term],
    score: FloatArray,
    *,
    cost: Cost | None = None,
    budget: float = np.inf,
    count: int | None = None,
    core_size: int = 1,
    length_power: float = 0.0,
    precision_floor: float = 0.0,
    backfill: bool = True,
    steps: int | None = None,
) -> list[Pick]:
    """Choose candidates greedily; the tokens of the chosen never exceed the budget.

    Args:
        terms: the parts of the utility; fresh ones, they change while choosing.
        score: (p,) score of each candidate; orders the core and the backfill.
        cost, budget: what the context costs and may cost; no cost, no budget.
        count: at most so many candidates.
        core_size: so many best scored candidates that fit are kept first.
        length_power: ρ; 0 looks at utility alone, 1 at utility per token.
        precision_floor: share of the way from the lowest to the highest score below which only backfill takes.
        steps: greedy until so many are chosen, then by score: deep in a list the utility knows less than the score.
        backfill: after the greedy steps, add by score what is left below the floor and fits.

    >>> from gossamer.retrieval.terms import Coverage
    >>> words = Coverage(np.array([[1.0, 0], [1, 0], [0, 1]]), np.array([0.5, 0.5]))
    >>> [pick.place for pick in select([words], np.array([3.0, 2, 1]))]
    [0, 2, 1]
    """
    p = len(score)
    limit = p if count is None else min(count, p)
    basket = Basket(terms, np.ones(p, dtype=bool), cost, budget)
    by_score = np.argsort(-score, kind="stable").tolist()
    basket.take_in_order(iter(by_score), score, "core", min(core_size, limit))
    above = score >= score.min(initial=0.0) + precision_floor * np.ptp(score) if p else np.zeros(0, dtype=bool)
    while len(basket.picks) < (limit if steps is None else min(limit, steps)):
        eligible = basket.open() & above
        if not eligible.any():
            break
        parts = np.array([term.weight * term.values() for term in terms]).reshape(len(terms), p)
        utility = parts.sum(axis=0)
        gain = utility
        if length_power and cost is not None:
            gain = np.where(utility > 0, utility / np.maximum(cost.marginal(), 1.0) ** length_power, utility)
        place = int(np.argmax(np.where(eligible, gain, -np.inf)))
        named = {term.name: float(part) for term, part in zip(terms, parts[:, place], strict=True)}
        basket.take(place, "gain", float(utility[place]), named)
    basket.take_in_order((place for place in by_score if above[place]), score, "backfill", limit)
    if backfill:
        basket.take_in_order(iter(by_score), score, "backfill", limit)
    return basket.picks


def rank(terms: Sequence[Term], score: FloatArray, *, count: int | None = None, core_size: int = 1) -> list[Pick]:
    """All candidates in the order of a choice without budget: `count` by the greedy steps, the rest by score.

    >>> [pick.reason for pick in rank([], np.array([3.0, 2, 1]), count=2)]
    ['core', 'gain', 'rest']
    """
    picks = select(terms, score, count=count, core_size=core_size)
    chosen = {pick.place for pick in picks}
    rest = [place for place in np.argsort(-score, kind="stable").tolist() if place not in chosen]
    return picks + [Pick(place, "rest", float(score[place])) for place in rest]
