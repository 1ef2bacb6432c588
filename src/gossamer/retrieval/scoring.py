"""From channel scores to one score per chunk: relevance, seeds, candidates, proximity, blend."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.guided import attraction, guided_diffusion
from gossamer.insight.duplicates import weaker_copies
from gossamer.retrieval.candidates import around_seeds, breadth_first, subgraph
from gossamer.retrieval.channels import Channels
from gossamer.retrieval.rescoring import blended_score, flow_gate, guided_score, shared_neighbours
from gossamer.retrieval.seeds import best, blended_relevance, choose_seeds, fused_relevance, minmax, rrf

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot
    from gossamer.settings import Settings

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_RRF_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Scored:
    """Scores of all n chunks for one question.

    `relevance` is what the channels say, `proximity` what the graph says (0 outside `candidates`), `score` the blend;
    `reached` marks what any channel or the graph scores at all: the rest is no hit; `lists` are the channels that
    seeds were drawn from; `graph` names the matrix along which relevance went; `allowed` is what the search may use.
    """

    relevance: FloatArray
    proximity: FloatArray
    score: FloatArray
    seeds: IntArray
    candidates: IntArray
    lists: dict[str, NDArray[np.float32]]
    flow_weight: float
    graph: str
    reached: NDArray[np.bool_]
    allowed: NDArray[np.bool_] | None = None


def score_chunks(snapshot: Snapshot, channels: Channels, settings: Settings, *, semantic: bool) -> Scored:
    """Relevance, seeds, candidates and proximity of one question.

    `semantic` says whether the dense channel knows meaning; with the hash embedder the lexical channel alone carries
    relevance in the z-score fusion, unless BM25 has no weight.
    """
    use_dense = channels.has_dense and (semantic or settings.retrieval.fusion == "rrf" or _only_dense(settings))
    lists = channels.lists(dense=use_dense)
    weight = settings.retrieval.bm25_weight
    dense = channels.dense if use_dense else None
    if settings.retrieval.fusion == "rrf":
        relevance = blended_relevance(dense, channels.bm25, bm25_weight=weight)
        fused = _ideas(snapshot, _reciprocal(lists, settings), settings, nothing=0.0)
        seeds = _nonzero(best(fused, settings.retrieval.seed_count), fused)
        seed_weights = relevance[seeds]
    else:
        relevance = fused_relevance(dense, channels.bm25, bm25_weight=weight, layers=channels.layers(settings))
        hits = np.where(np.any([values > 0 for values in lists.values()], axis=0), relevance, -np.inf)
        hits = _ideas(snapshot, hits, settings, nothing=-np.inf)
        seeds, seed_weights = choose_seeds(hits, count=min(settings.retrieval.seed_count, int(np.isfinite(hits).sum())))
    follow = _guided if settings.retrieval.proximity == "guided" else _published
    scored = follow(snapshot, relevance, seeds, seed_weights, lists, settings, channels.allowed)
    reached = scored.reached if channels.allowed is None else scored.reached & channels.allowed
    ideas = _ideas(snapshot, np.where(reached, scored.score, -np.inf), settings, nothing=-np.inf)
    return replace(scored, reached=reached & (ideas > -np.inf), allowed=channels.allowed)


def _ideas(snapshot: Snapshot, scores: FloatArray, settings: Settings, *, nothing: float) -> FloatArray:
    """Scores where near-duplicates of a better one score `nothing`: they cost no place and are its votes."""
    if not settings.retrieval.duplicates:
        return scores
    return np.where(weaker_copies(snapshot.duplicate_groups, scores), nothing, scores)


def _reached(lists: dict[str, NDArray[np.float32]], proximity: FloatArray) -> NDArray[np.bool_]:
    """A dense channel ranks every chunk; words and edges only those they touch."""
    if "dense" in lists:
        return np.ones(len(proximity), dtype=bool)
    touched = np.any([values > 0 for values in lists.values()], axis=0)
    return np.asarray(touched | (proximity > 0), dtype=bool)


def _only_dense(settings: Settings) -> bool:
    return settings.retrieval.bm25_weight == 0


def _reciprocal(lists: dict[str, NDArray[np.float32]], settings: Settings) -> FloatArray:
    """RRF of the channels' best; a score of 0 is no hit."""
    rankings = []
    for name, values in lists.items():
        if not (name == "bm25" and _only_dense(settings)):
            rankings.append(_nonzero(best(values, _RRF_DEPTH), values))
    return rrf(rankings, passages=len(next(iter(lists.values()))), k=settings.retrieval.rrf_k)


def _nonzero(chunks: IntArray, values: NDArray[np.floating]) -> IntArray:
    return chunks[values[chunks] > 0]


def _guided(
    snapshot: Snapshot,
    relevance: FloatArray,
    seeds: IntArray,
    seed_weights: FloatArray,
    lists: dict[str, NDArray[np.float32]],
    settings: Settings,
    allowed: NDArray[np.bool_] | None,
) -> Scored:
    """Guided diffusion on the flow matrix F around the seeds (docs/research.md)."""
    n = len(relevance)
    flow = snapshot.matrix("flow")
    mean, spread = float(relevance.mean()) if n else 0.0, float(relevance.std()) if n else 0.0
    pull = attraction(relevance, spread=spread)
    options = settings.retrieval
    candidates = around_seeds(flow, seeds, seed_weights, relevance, pull, limit=options.max_candidates)
    candidates = candidates if allowed is None else candidates[allowed[candidates]]
    start = np.zeros(len(candidates))
    start[np.searchsorted(candidates, seeds)] = seed_weights
    mass = guided_diffusion(
        subgraph(flow, candidates),
        start,
        pull[candidates],
        damping=settings.proximity.flow_damping,
        steps=settings.proximity.flow_steps,
    )
    phi = options.flow_weight
    if options.flow_gate and len(seeds):
        phi = flow_gate(shared_neighbours(flow, seeds), strongest=options.flow_weight)
    proximity = np.zeros(n)
    proximity[candidates] = mass
    score = guided_score(relevance, proximity, passages=n, mean=mean, spread=spread, flow_weight=phi)
    return Scored(relevance, proximity, score, seeds, candidates, lists, phi, "flow", _reached(lists, proximity))


def _published(
    snapshot: Snapshot,
    relevance: FloatArray,
    seeds: IntArray,
    seed_weights: FloatArray,
    lists: dict[str, NDArray[np.float32]],
    settings: Settings,
    allowed: NDArray[np.bool_] | None,
) -> Scored:
    """The paper's expansion on W, one of its proximity modes, and its blend."""
    options = settings.retrieval
    graph = snapshot.matrix("graph")
    candidates = np.sort(breadth_first(graph, seeds, hops=options.hops, limit=options.max_candidates))
    candidates = candidates if allowed is None else candidates[allowed[candidates]]
    proximity = np.zeros(len(relevance))
    if options.proximity != "none" and len(candidates):
        restart = np.zeros(len(candidates))
        restart[np.searchsorted(candidates, seeds)] = _distribution(seed_weights)
        proximity[candidates] = _proximity(snapshot, candidates, restart, settings)
    score = blended_score(relevance, proximity, graph_weight=options.alpha if options.proximity != "none" else 0.0)
    return Scored(
        relevance, proximity, score, seeds, candidates, lists, options.alpha, "graph", _reached(lists, proximity)
    )


def _distribution(weights: FloatArray) -> FloatArray:
    total = float(weights.sum())
    return weights / total if total > 0 else np.full(len(weights), 1.0 / max(len(weights), 1))


def _proximity(snapshot: Snapshot, candidates: IntArray, restart: FloatArray, settings: Settings) -> FloatArray:
    """Proximity of the candidates to the seeds, scaled to 0…1."""
    from gossamer.graph.diffusion import heat, ppr, smooth, spectral_proximity
    from gossamer.graph.laplacian import laplacian, normalised_adjacency

    mode, options = settings.retrieval.proximity, settings.proximity
    part = subgraph(snapshot.matrix("graph"), candidates)
    places = np.flatnonzero(restart > 0)

    def spectral() -> FloatArray:
        return spectral_proximity(
            snapshot.coordinates[candidates],
            snapshot.components[candidates],
            places,
            restart[places],
            aggregation=options.aggregation,
        )

    def walk() -> FloatArray:
        return ppr(normalised_adjacency(part), restart, damping=options.beta)

    if mode == "spectral":
        return minmax(spectral())
    if mode == "hybrid":
        return (minmax(walk()) + minmax(spectral())) / 2
    if mode == "heat":
        return minmax(heat(laplacian(part), restart, time=options.heat_time, degree=options.chebyshev_degree))
    if mode == "smooth":
        return minmax(smooth(part, restart, steps=options.smooth_steps))
    return minmax(walk())
