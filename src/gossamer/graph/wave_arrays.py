"""The wave on a CSR matrix: the array twin of `propagate(engine="wave")`."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gossamer.graph.array_order import FloatArray, IntArray
from gossamer.graph.spread_arrays import Matrix, Mechanisms, Spread
from gossamer.graph.spread_options import check_options
from gossamer.graph.spread_state import State


def wave(
    matrix: Matrix,
    seeds: ArrayLike,
    weights: ArrayLike,
    *,
    energy: float = 10.0,
    damping: float = 0.6,
    threshold: float = 0.15,
    exponent: float = 1.0,
    max_hops: int = 8,
    max_nodes: int | None = 512,
    width: int | None = None,
    prior: FloatArray | None = None,
    guidance: FloatArray | None = None,
    mechanisms: Mechanisms | None = None,
) -> Spread:
    """Spread energy from `seeds` (k ids) with contact strengths `weights` (k) over the rows of `matrix` (n, n).

    Hop 0: f(s) = E0·w_s/Σw + prior_s. A node activates once and forwards d·f, shared among the neighbours that are
    neither active nor near-duplicates, in proportion to w^α·g. Arrivals of a hop add up; below θ = ρ·I they die. One
    sparse product a hop; the cost is that of the rows it reads.

    Args:
        energy, damping, threshold, exponent: E0, d, ρ (a share of the injected energy) and α.
        max_hops, max_nodes: limits; `max_nodes` None lifts it.
        width: seed only the strongest `width` ideas (None: all); near-duplicates of a stronger seed are no ideas.
        prior: (n,) energy left from an earlier turn; it counts at seeds only.
        guidance: (n,) g ≥ 0, how much each node is preferred as a neighbour.
        mechanisms: duplicates, exclusion, contradictions, polarity.

    Raises UsageError and ArgumentTypeError.

    >>> from scipy.sparse import csr_array
    >>> pairs = [(0, 1, 0.8), (0, 3, 0.4), (2, 3, 0.6), (2, 4, 0.3), (3, 5, 0.5)]
    >>> dense = np.zeros((6, 6))
    >>> for u, v, w in pairs:
    ...     dense[u, v] = dense[v, u] = w
    >>> result = wave(csr_array(dense), [0, 2], [0.9, 0.7])
    >>> [(node, round(energy, 3)) for node, energy in result.ranked()]
    [(0, 5.625), (2, 4.375), (3, 2.875), (1, 2.25), (5, 1.725)]
    >>> result.stop_reason, result.path(5)
    ('threshold', (0, 3, 5))
    """
    options = check_options(
        "wave",
        energy=energy,
        damping=damping,
        threshold=threshold,
        exponent=exponent,
        max_hops=max_hops,
        max_nodes=max_nodes,
        width=width,
    )
    state = State(matrix, options, mechanisms or Mechanisms(), guidance, reentrant=False)
    ids, energies = state.inject(seeds, weights, prior)
    return state.result(_run(state, ids, energies))


def _run(state: State, ids: IntArray, arrivals: FloatArray) -> str:
    died, hop = False, 0
    while True:
        places = state.room(ids, arrivals)
        frontier, before = ids[places], arrivals[places]
        state.ledger.dissipated += float(np.delete(arrivals, places).sum())
        state.activate(frontier, hop)
        state.energy[frontier] = state.absorb(frontier, before)
        state.ledger.held += float(state.energy[frontier].sum())
        state.oppose(frontier)
        if frontier.size < ids.size:
            return "max_nodes"
        ids, arrivals, weak = _forward(state, frontier, before)
        died = died or weak
        if not ids.size:
            return "threshold" if died else "exhausted"
        if hop == state.options.max_hops:
            state.ledger.dissipated += float(arrivals.sum())
            return "max_hop"
        hop += 1


def _forward(state: State, frontier: IntArray, before: FloatArray) -> tuple[IntArray, FloatArray, bool]:
    """Arrivals (ids, energies) that pass the threshold, and whether others died."""
    held = state.energy[frontier]
    able = (held > 0.0) & (held >= np.minimum(before, state.bar))  # damped below the threshold: forwards nothing
    outgoing = state.options.damping * held[able]
    arrivals, gave = state.distribute(frontier[able], outgoing)
    state.ledger.held -= float(outgoing[gave].sum())
    reached = np.flatnonzero(arrivals > 0.0)
    energies = arrivals[reached]
    passed = energies >= state.bar
    state.ledger.dissipated += float(energies[~passed].sum())
    return reached[passed], energies[passed], not bool(passed.all())
