"""Closeness to the seeds on a graph: personalised PageRank, heat, smoothing, and spectral proximity."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from gossamer.errors import UsageError
from gossamer.graph.laplacian import check_weights, degrees
from gossamer.graph.neighbours import unit_rows

Vector = NDArray[np.float64]


def ppr(
    transition: csr_array,
    restart: ArrayLike,
    *,
    damping: float = 0.15,
    steps: int = 1000,
    tolerance: float = 1e-10,
) -> Vector:
    """Personalised PageRank, the fixed point of s ← β r + (1 − β) A s from s = r, with β = `damping`.

    `transition` A is n × n with spectral radius at most 1, in the paper D^(−1/2) W D^(−1/2) of the candidate
    subgraph; `restart` r has shape (n,). Stops after `steps` rounds, or when the error is below `tolerance`: for
    symmetric A the distance to the fixed point is at most (1 − β) / β times the last move, in the 2-norm.
    Raises UsageError for β outside (0, 1]. Source: SpectRAG section 4.3; Page et al. 1999.

    >>> swap = csr_array([[0, 1.0], [1.0, 0]])
    >>> ppr(swap, [1, 0], damping=.5).round(6).tolist()
    [0.666667, 0.333333]
    """
    if not 0 < damping <= 1:
        raise UsageError(f"damping = {damping!r} is not possible. Give the restart share, above 0 and at most 1.")
    r = _signal(restart, transition)
    s = r
    for _ in range(steps):
        following = damping * r + (1 - damping) * (transition @ s)
        moved = float(np.linalg.norm(following - s))
        s = following
        if moved * (1 - damping) <= tolerance * damping:
            break
    return s


def heat(laplacian: csr_array, s: ArrayLike, *, time: float, degree: int | None = None) -> Vector:
    """Heat flow s' = exp(−t L) s, with t = `time`, by Chebyshev polynomials of the given degree.

    For L with eigenvalues in [0, 2], Y = L − I and modified Bessel functions I_k:
    exp(−t L) = e^(−t) [I_0(t) + 2 Σ_{k≥1} (−1)^k I_k(t) T_k(Y)], cut at `degree`; without one, at the degree whose
    remainder is below 1e-12. The error is at most 2 Σ_{k>degree} e^(−t) I_k(t) times the 2-norm of s.
    Raises UsageError for a negative or infinite time or degree. Source: SpectRAG section 4.3; Hammond et al. 2011.

    >>> edge = csr_array([[1.0, -1.0], [-1.0, 1.0]])
    >>> heat(edge, [1, 0], time=100).round(6).tolist()
    [0.5, 0.5]
    """
    from scipy.special import ive

    if not 0 <= time < np.inf or (degree is not None and degree < 0):
        raise UsageError(f"time = {time!r} and degree = {degree!r} are not possible. Give finite values of at least 0.")
    signal = _signal(s, laplacian)
    orders = np.arange(int(12 * np.sqrt(time)) + 32 if degree is None else degree + 1)
    factors = ive(orders, time) * np.where(orders, 2.0, 1.0) * np.where(orders % 2, -1.0, 1.0)
    if degree is None:
        remainder = np.cumsum(np.abs(factors)[::-1])[::-1]
        factors = factors[: max(int(np.count_nonzero(remainder > 1e-12)), 1)]
    before, current = signal, laplacian @ signal - signal
    flowed = factors[0] * signal
    for factor in factors[1:]:
        flowed = flowed + factor * current
        before, current = current, 2 * (laplacian @ current - current) - before
    return np.asarray(flowed)


def smooth(weights: csr_array, s: ArrayLike, *, steps: int = 3, keep: float = 0.5) -> Vector:
    """Lazy averaging over neighbours: `steps` times s ← κ s + (1 − κ) D⁻¹ W s, with κ = `keep`.

    Values stay between the smallest and the largest of s; an isolated node keeps its value. Raises UsageError for κ
    outside 0 … 1 and negative steps. Source: SpectRAG section 4.3.

    >>> path = csr_array([[0, 1.0, 0], [1.0, 0, 1.0], [0, 1.0, 0]])
    >>> smooth(path, [1, 0, 0], steps=1).tolist()
    [0.5, 0.25, 0.0]
    """
    if not 0 <= keep <= 1 or steps < 0:
        raise UsageError(f"keep = {keep!r} and steps = {steps!r} are not possible. Give keep in 0 … 1, steps from 0.")
    matrix = check_weights(weights)
    signal = _signal(s, matrix)
    degree = degrees(matrix)
    linked = degree > 0
    for _ in range(steps):
        mean = np.where(linked, matrix @ signal / np.where(linked, degree, 1), signal)
        signal = keep * signal + (1 - keep) * mean
    return signal


def spectral_proximity(
    coordinates: ArrayLike,
    components: ArrayLike,
    seeds: ArrayLike,
    weights: ArrayLike,
    *,
    aggregation: str = "weighted",
    top: int = 3,
) -> Vector:
    """Closeness of every node to the seeds, shape (n,), in [0, 1]: cosine of coordinates, negative ones as 0.

    Nodes of different components have closeness 0. `seeds` are row numbers, `weights` their relevance. Aggregation:
    `max` the closest seed; `topk` the mean of the `top` closest seeds; `weighted` Σ w_s cos_s / Σ w_s.
    Raises UsageError for another aggregation, seeds that are no rows, and negative weights.
    Source: SpectRAG section 4.3.

    >>> spectral_proximity([[1, 0], [2, 0], [0, 1], [1, 0]], [0, 0, 0, 1], [0], [1.0]).tolist()
    [1.0, 1.0, 0.0, 0.0]
    """
    if aggregation not in {"max", "topk", "weighted"}:
        raise UsageError(f"aggregation = {aggregation!r} is not known. Give 'max', 'topk' or 'weighted'.")
    rows = unit_rows(coordinates).astype(np.float64)
    label, chosen = np.asarray(components), np.asarray(seeds, dtype=np.int64)
    relevance = np.asarray(weights, dtype=np.float64)
    if len(chosen) and not 0 <= chosen.min() <= chosen.max() < len(rows):
        raise UsageError(f"A seed is outside 0 … {len(rows) - 1}. Pass row numbers of the coordinates.")
    if relevance.shape != chosen.shape or label.shape != (len(rows),) or not (relevance >= 0).all():
        raise UsageError(
            "Seeds, weights and components do not fit. Pass a weight of at least 0 per seed, a label per row."
        )
    if not len(chosen):
        return np.zeros(len(rows))
    cosine = np.clip(rows @ rows[chosen].T, 0, 1) * (label[:, None] == label[chosen])
    if aggregation == "max":
        return np.asarray(cosine.max(axis=1))
    if aggregation == "topk":
        return np.asarray(np.sort(cosine, axis=1)[:, -max(top, 1) :].mean(axis=1))
    total = relevance.sum()
    return np.asarray(cosine @ (relevance / total)) if total else np.zeros(len(rows))


def _signal(values: ArrayLike, matrix: csr_array) -> Vector:
    signal = np.asarray(values, dtype=np.float64)
    if matrix.shape[0] != matrix.shape[1] or signal.shape != (matrix.shape[0],) or not np.isfinite(signal).all():
        raise UsageError(
            f"Values of shape {signal.shape} for a graph of shape {matrix.shape}. Pass one finite number per node."
        )
    return signal
