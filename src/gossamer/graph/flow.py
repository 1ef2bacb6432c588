"""The conserving engine on a CSR matrix: guided diffusion with energy, threshold, contributors and a ledger."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from gossamer.graph.array_order import FloatArray, IntArray
from gossamer.graph.spread_arrays import Matrix, Mechanisms, Spread
from gossamer.graph.spread_options import SLACK, check_options
from gossamer.graph.spread_state import State


def flow(
    matrix: Matrix,
    seeds: ArrayLike,
    weights: ArrayLike,
    *,
    energy: float = 10.0,
    damping: float = 0.4,
    threshold: float = 1e-6,
    exponent: float = 1.0,
    max_hops: int = 100,
    max_nodes: int | None = None,
    width: int | None = None,
    prior: FloatArray | None = None,
    guidance: FloatArray | None = None,
    mechanisms: Mechanisms | None = None,
) -> Spread:
    """Diffuse energy from `seeds` (k ids) with contact strengths `weights` (k) over the rows of `matrix` (n, n).

    The fixed point is x = (1 − d)·s + d·Pᵀx with P_uv = w_uv^α·g_v / Σ_t w_ut^α·g_t, that is
    x ← (1 − d)·s + d·g∘Wᵀ(x/r), r = Wg. It is reached by pushing: each round, every node whose unspent energy is at
    least θ = ρ·I (at hop 0: every seed) retains 1 − d of it and forwards d. A node with no neighbour to give to retains
    all. With ρ = 0 and `max_hops` h the energies are those of h steps of the recurrence from x = s.

    Retained + dissipated + absorbed = injected. Only what lies below θ at nodes that never activated dissipates.

    Args:
        energy, damping, threshold, exponent: E0, d < 1, ρ (a share of the injected energy) and α.
        max_hops: most rounds. max_nodes: most nodes to activate (None: no limit); later rounds stay among them.
        width, prior, guidance, mechanisms: as in `wave`. Absorbers act on all that arrives; contradictions at the end.

    Raises UsageError and ArgumentTypeError.
    Source: Page et al. (1999) and Andersen, Chung & Lang (2006), with a guided, row-normalised transition.

    >>> from scipy.sparse import csr_array
    >>> result = flow(csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), [0], [1.0], energy=1.0)
    >>> [(node, round(energy, 4)) for node, energy in result.ranked()]
    [(0, 0.7143), (1, 0.2857)]
    """
    options = check_options(
        "flow",
        energy=energy,
        damping=damping,
        threshold=threshold,
        exponent=exponent,
        max_hops=max_hops,
        max_nodes=max_nodes,
        width=width,
    )
    state = State(matrix, options, mechanisms or Mechanisms(), guidance, reentrant=True)
    ids, energies = state.inject(seeds, weights, prior)
    unspent = np.zeros(state.size)
    unspent[ids] = energies
    return state.result(_run(state, unspent))


def _run(state: State, unspent: FloatArray) -> str:
    refused = last = converged = False
    hop = 0
    while not last:
        ready = np.flatnonzero((unspent > 0.0) & (unspent >= (state.bar if hop else 0.0)))
        if state.speaker.size:
            ready = ready[state.speaker[ready] < 0]
        new = ready[state.hop[ready] < 0]
        joined = new[state.room(new, unspent[new])]
        refused = refused or joined.size < new.size
        state.activate(joined, hop)
        ready = ready[state.hop[ready] >= 0]
        if not ready.size:
            break
        converged = hop > 0 and float(unspent[ready].sum()) <= SLACK * state.ledger.injected
        last = converged or hop == state.options.max_hops
        _settle(state, ready, unspent, forward=not last)
        hop += 1
    weak = _close(state, unspent)
    if refused:
        return "max_nodes"
    if last:
        return "converged" if converged else "max_hop"
    return "threshold" if weak else "exhausted"


def _settle(state: State, ready: IntArray, unspent: FloatArray, *, forward: bool) -> None:
    """Absorb, retain and forward the energy of the `ready` nodes; adds the arrivals to `unspent`."""
    before = unspent[ready]
    unspent[ready] = 0.0
    kept = state.absorb(ready, before)
    if forward:
        able = np.flatnonzero((kept > 0.0) & (kept >= np.minimum(before, state.bar)))
        outgoing = state.options.damping * kept[able]
        arrivals, gave = state.distribute(ready[able], outgoing, waiting=unspent, floor=state.bar)
        kept[able[gave]] -= outgoing[gave]
        unspent += arrivals
    state.energy[ready] += kept
    state.ledger.held += float(kept.sum())


def _close(state: State, unspent: FloatArray) -> bool:
    """Book what was never spent: active nodes keep it, elsewhere it dissipates. Returns whether there was any."""
    active = np.flatnonzero(state.hop >= 0)
    state.energy[active] += unspent[active]
    state.ledger.held += float(unspent[active].sum())
    state.ledger.dissipated += float(unspent[state.hop < 0].sum())
    state.oppose(active)
    return bool(unspent.any())
