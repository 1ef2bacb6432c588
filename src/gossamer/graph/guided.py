"""Guided diffusion: flow from the seeds that prefers neighbours which the question itself likes.

    g_j = exp(min(H_j, 8) / (2 · std H))                       how much the question likes passage j
    r   = W g                                                  what each passage can give to
    x  ← (1 − d) s + d · g ∘ W(x / r)                          ten times, or until it stands still

s is the distribution over the seeds. With g = 1 this is personalised PageRank with damping d. A passage without
neighbours keeps what it would give, so the total stays 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DAMPING = 0.4
STEPS = 10
_CEILING = 8.0

FloatArray = npt.NDArray[np.float64]


def attraction(relevance: npt.NDArray[np.floating], *, spread: float) -> FloatArray:
    """g = exp(min(relevance, 8) / (2 · spread)), scaled to mean 1; `spread` is the standard deviation over the corpus.

    >>> attraction(np.array([0.0, 0.0]), spread=1.0).tolist()
    [1.0, 1.0]
    """
    if spread <= 0 or not len(relevance):
        return np.ones(len(relevance))
    liking = np.exp(np.minimum(np.asarray(relevance, dtype=np.float64), _CEILING) / (2 * spread))
    return np.asarray(liking / liking.mean(), dtype=np.float64)


def guided_diffusion(
    flow: csr_array,
    seeds: FloatArray,
    attraction: FloatArray,
    *,
    damping: float = DAMPING,
    steps: int = STEPS,
    tolerance: float | None = None,
) -> FloatArray:
    """Mass of every passage after guided flow from the seeds; sums to 1 like the seeds.

    Args:
        flow: symmetric n × n weights ≥ 0 of the candidates.
        seeds: n weights that sum to 1.
        attraction: n values > 0, see `attraction`.
        damping: share d of the mass that moves on, 0 to below 1.
        steps: rounds; with `tolerance` the largest number of rounds.
        tolerance: stop when a round changes the total by less.

    >>> from scipy.sparse import csr_array
    >>> path = csr_array(np.array([[0.0, 1, 1], [1, 0, 0], [1, 0, 0]]))
    >>> guided_diffusion(path, np.array([1.0, 0, 0]), np.array([1.0, 3, 1]), damping=0.5, steps=1).tolist()
    [0.5, 0.375, 0.125]
    """
    givable = flow @ attraction
    lonely = givable <= 0
    inverse = np.where(lonely, 0.0, 1 / np.where(lonely, 1.0, givable))
    x = np.asarray(seeds, dtype=np.float64)
    for _ in range(steps):
        moved = attraction * (flow @ (x * inverse))
        after = (1 - damping) * seeds + damping * (moved + np.where(lonely, x, 0.0))
        change = np.abs(after - x).sum()
        x = after
        if tolerance is not None and change < tolerance:
            break
    return x
