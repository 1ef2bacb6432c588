"""A second look at a greedy set: swap a member for a candidate that fits its companions better.

    gain(i → j) = U(j | C − i) − U(i | C − i)

Greedy choice takes the best passage first and its near-copy last, and never asks whether another first pick would have
linked to the rest. The best swap that fits the budget is made while it gains, at most `rounds` times, in sets of at most 12.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from gossamer.retrieval.selection import Pick
from gossamer.retrieval.terms import Term

FloatArray = npt.NDArray[np.float64]

_LEAST_GAIN = 1e-9
# Swaps cost members² terms and were measured to gain nothing in sets larger than this.
_MOST_MEMBERS = 12


def exchange(
    terms: Sequence[Term], picks: Sequence[Pick], costs: FloatArray, *, budget: float, rounds: int = 3
) -> list[Pick]:
    """Picks after the best swaps; the sum of `costs` (p,) stays within `budget` where it was.

    Args:
        terms: the parts of the utility, fresh: nothing chosen yet.
        picks: the chosen, as places of the pool.

    >>> from gossamer.retrieval.terms import Fixed, Nearest
    >>> link = Nearest("link", np.array([[0.0, 0, 0], [0, 0, 0.5], [0, 0.5, 0]]))
    >>> terms = [Fixed("score", np.array([1.0, 0.9, 0.8])), link]
    >>> swapped = exchange(terms, [Pick(0, "core", 1.0), Pick(2, "gain", 0.8)], np.ones(3), budget=2)
    >>> [(pick.place, pick.reason) for pick in swapped]
    [(1, 'exchange'), (2, 'gain')]
    """
    chosen = list(picks)
    if len(chosen) > _MOST_MEMBERS:
        return chosen
    spent = float(costs[[pick.place for pick in chosen]].sum())
    for _ in range(rounds):
        swap = _best_swap(terms, chosen, costs, budget - spent)
        if swap is None:
            break
        slot, pick = swap
        spent += float(costs[pick.place] - costs[chosen[slot].place])
        chosen[slot] = pick
    return chosen


def _best_swap(
    terms: Sequence[Term], chosen: Sequence[Pick], costs: FloatArray, room: float
) -> tuple[int, Pick] | None:
    places = [pick.place for pick in chosen]
    free = np.ones(len(costs), dtype=bool)
    free[places] = False
    best: tuple[int, Pick] | None = None
    most = _LEAST_GAIN
    for slot, leaving in enumerate(places):
        parts = _given(terms, places[:slot] + places[slot + 1 :])
        utility = parts.sum(axis=0)
        fits = free & (costs <= room + costs[leaving])
        gain = np.where(fits, utility - utility[leaving], -np.inf)
        entering = int(np.argmax(gain))
        if gain[entering] > most:
            most = float(gain[entering])
            named = {term.name: float(value) for term, value in zip(terms, parts[:, entering], strict=True)}
            best = slot, Pick(entering, "exchange", float(utility[entering]), named)
    return best


def _given(terms: Sequence[Term], chosen: Sequence[int]) -> FloatArray:
    """Weighted terms (t, p) of every candidate once `chosen` are in the set."""
    live = [copy.copy(term) for term in terms]
    for place in chosen:
        for term in live:
            term.take(place)
    return np.array([term.weight * term.values() for term in live])
