"""Spreading activation on dictionaries: `Graph` and `propagate`, with the standard library alone.

A question is energy that enters the graph at its contacts and spreads until it is too weak. There is no k. The array
twins, for whole indexes, are `wave_arrays` and `flow`; they give the same numbers to 1e-9.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from gossamer.errors import ArgumentTypeError, UsageError
from gossamer.graph.spread_options import check_options
from gossamer.graph.wave_flow import run_flow
from gossamer.graph.wave_mechanisms import Pair, check_values, read_mechanisms
from gossamer.graph.wave_model import Activation, Contradiction, Graph, PropagationResult
from gossamer.graph.wave_state import Run

__all__ = ["Activation", "Contradiction", "Graph", "PropagationResult", "propagate"]


def propagate(
    graph: Graph,
    seeds: Mapping[str, float],
    *,
    engine: str = "wave",
    energy: float = 10.0,
    damping: float | None = None,
    threshold: float | None = None,
    exponent: float = 1.0,
    max_hops: int | None = None,
    max_nodes: int | None = None,
    width: int | None = None,
    prior: Mapping[str, float] | None = None,
    guidance: Mapping[str, float] | None = None,
    duplicates: Iterable[Pair] | None = None,
    duplicate_floor: float = 0.95,
    sources: Mapping[str, str] | None = None,
    exclusion: Mapping[str, float] | None = None,
    exclusion_coefficient: float = 1.0,
    contradictions: Iterable[Pair] | None = None,
    destroy_contradictions: bool = False,
    polarity: Mapping[str, int] | None = None,
    polarity_absorption: float = 1.0,
) -> PropagationResult:
    """Let energy spread from `seeds` (node → contact strength) and return what it reached.

    Hop 0 splits the energy: f(s) = E0·w_s/Σw + prior_s. A node forwards d·f, shared in proportion to w^α·g among the
    neighbours that are open to it. Arrivals of one hop add up; below θ = ρ·(injected energy) they die.

    - engine `wave`: a node activates once, with the energy of that hop. d .6, ρ .15, 8 hops, 512 nodes.
    - engine `flow`: the converged diffusion; late arrivals count, the retained energies add up to the injected one less
      what dissipated or was absorbed, and a node with no neighbour to give to keeps its energy. d .4, ρ 1e-6,
      100 hops, no limit of nodes.

    Args:
        energy: E0. damping: d. threshold: ρ, a share of the injected energy. exponent: α. None is the engine's default.
        max_nodes: most nodes to activate; `len(graph)` lifts the limit.
        width: seed only the strongest `width` ideas (None: all). A near-duplicate of a stronger seed is no new idea.
        prior: energy left from an earlier turn, added to seeds; it never activates a node that is no seed.
        guidance: g, how much a neighbour is preferred (1 where not given).
        duplicates: pairs (node, node[, cosine]); a near-duplicate of an active node gets no energy, its share goes to
            the other neighbours, and it votes for that node. `graph.near_duplicates()` finds them. Where the graph has
            vectors the bar is max(duplicate_floor, mean + 2·std of the active set's cosines).
        sources: the source of each node; only distinct other sources vote (None: each node is its own source).
        exclusion: negative field; a node absorbs at most exclusion_coefficient·field.
        contradictions: pairs (node, node[, strength]) to flag when both sides are active;
            `destroy_contradictions` makes each side lose strength·min of the two energies.
        polarity: -1 for nodes that deny a claim (None: those of the graph); they absorb the share
            `polarity_absorption` of what reaches them and are named in `disputed`.

    Raises UsageError for impossible values and ArgumentTypeError for wrong types.
    Source: Collins & Loftus (1975), spreading activation; Andersen, Chung & Lang (2006) for the push form of flow.

    >>> edges = [("A", "B", 0.8), ("A", "D", 0.4), ("C", "D", 0.6), ("C", "E", 0.3), ("D", "F", 0.5)]
    >>> result = propagate(Graph.from_edges(edges), {"A": 0.9, "C": 0.7})
    >>> [(node, round(energy, 3)) for node, energy in result.ranked()]
    [('A', 5.625), ('C', 4.375), ('D', 2.875), ('B', 2.25), ('F', 1.725)]
    >>> result.activations["D"].contributors, result.stop_reason, result.path("F")
    (('A', 'C'), 'threshold', ('A', 'D', 'F'))
    """
    if not isinstance(graph, Graph):
        raise ArgumentTypeError(f"graph is a {type(graph).__name__}. Build one with Graph.from_edges(...).")
    options = check_options(
        engine,
        energy=energy,
        damping=damping,
        threshold=threshold,
        exponent=exponent,
        max_hops=max_hops,
        max_nodes=512 if max_nodes is None and engine == "wave" else max_nodes,
        width=width,
    )
    mechanisms = read_mechanisms(
        duplicates=duplicates,
        duplicate_floor=duplicate_floor,
        sources=sources,
        exclusion=exclusion,
        exclusion_coefficient=exclusion_coefficient,
        contradictions=contradictions,
        destroy_contradictions=destroy_contradictions,
        polarity=graph.polarity if polarity is None else polarity,
        polarity_absorption=polarity_absorption,
        guidance=guidance,
    )
    weights = check_values("seeds", seeds, 1e12)
    graph.require("seeds", weights)
    if not weights:
        raise UsageError("seeds is empty. Give at least one node with a positive weight.")
    run = Run(graph, options, mechanisms, reentrant=engine == "flow")
    injected = run.inject(weights, check_values("prior", prior or {}, 1e12))
    return run.result(run_flow(run, injected) if engine == "flow" else run_wave(run, injected))


def run_wave(run: Run, arrivals: dict[str, float]) -> str:
    """Spread the injected `arrivals` hop by hop; returns the stop reason."""
    died, hop = False, 0
    while True:
        frontier = run.room(arrivals, arrivals)
        run.ledger.dissipated += sum(arrivals[v] for v in sorted(arrivals) if v not in set(frontier))
        run.activate(frontier, hop)
        for node in frontier:
            run.energy[node] = run.absorb(node, arrivals[node])
            run.ledger.held += run.energy[node]
        run.oppose(frontier)
        if len(frontier) < len(arrivals):
            return "max_nodes"
        arrivals, weak = _forward(run, frontier, arrivals)
        died = died or weak
        if not arrivals:
            return "threshold" if died else "exhausted"
        if hop == run.options.max_hops:
            run.ledger.dissipated += sum(arrivals.values())
            return "max_hop"
        hop += 1


def _forward(run: Run, frontier: list[str], before: Mapping[str, float]) -> tuple[dict[str, float], bool]:
    """Arrivals that pass the threshold, and whether others died; a node damped below it forwards nothing."""
    outgoing = {
        node: run.options.damping * run.energy[node]
        for node in frontier
        if run.energy[node] > 0.0 and (run.energy[node] >= min(before[node], run.bar))
    }
    arrivals, givers = run.distribute(outgoing, waiting={}, floor=0.0)
    run.ledger.held -= sum(outgoing[node] for node in sorted(givers))
    passed = {v: f for v, f in sorted(arrivals.items()) if f >= run.bar and f > 0.0}
    run.ledger.dissipated += sum(arrivals[v] for v in sorted(arrivals) if v not in passed)
    return passed, len(passed) < len(arrivals)
