"""Steps 5 to 8: six signals, the fused graph W, the flow matrix F, spectral coordinates and clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from gossamer.ingestion.annotate import Entities, Questions
    from gossamer.ingestion.clock import Clock
    from gossamer.ingestion.load import LoadedDocument
    from gossamer.model import Chunk
    from gossamer.settings import Settings


@dataclass(frozen=True, slots=True)
class Relations:
    """Everything that links the n chunks; `counts` is the part of the report that speaks of it."""

    signals: dict[str, csr_array]
    weights: dict[str, float]
    graph: csr_array
    flow: csr_array
    coordinates: NDArray[np.float32]
    components: NDArray[np.int32]
    clusters: NDArray[np.int32]
    counts: dict[str, Any]
    warnings: list[str]


def relate(
    documents: Sequence[LoadedDocument],
    chunks: Sequence[Chunk],
    owners: Sequence[int],
    vectors: NDArray[np.float32],
    question_vectors: NDArray[np.float32],
    entities: Entities,
    questions: Questions,
    references: Sequence[Sequence[tuple[str, str]]],
    settings: Settings,
    clock: Clock,
) -> Relations:
    """All signals and everything computed from them."""
    from gossamer.graph.clusters import cluster_count, kmeans_clusters
    from gossamer.graph.components import connected_components
    from gossamer.graph.fuse import fuse, sparsify
    from gossamer.graph.spectral import spectral_coordinates
    from gossamer.signals.flow import flow_matrix

    warnings: list[str] = []
    options = settings.graph
    with clock.step("signals"):
        mentions = _mentions(documents, chunks, owners)
        signals = _signals(
            documents, chunks, owners, vectors, question_vectors, entities, questions, references, mentions, settings
        )
    with clock.step("graph"):
        weights, note = _weights(signals, settings)
        warnings += [note] if note else []
        graph = sparsify(fuse(signals, weights), tau=options.tau, k=options.graph_k)
        flow = flow_matrix(
            entities.matrix,
            mentions,
            max_df=options.flow_max_frequency,
            mention_weight=options.mention_weight,
        )
    with clock.step("spectral"):
        operator = _operator(graph, signals, weights, settings)
        coordinates, notes = spectral_coordinates(
            operator, dimensions=options.dimensions, normalised=options.laplacian == "multiplex", seed=options.seed
        )
        warnings += notes
        components = connected_components(operator)
    with clock.step("clusters"):
        wanted = options.clusters or cluster_count(len(chunks))
        clusters = kmeans_clusters(coordinates, wanted, components=components, seed=options.seed)
    counts = {
        "edges": {name: matrix.nnz // 2 for name, matrix in signals.items()},
        "edges_kept": graph.nnz // 2,
        "flow_edges": flow.nnz // 2,
        "weights": weights,
        "clusters": int(clusters.max()) + 1 if len(clusters) else 0,
    }
    return Relations(signals, weights, graph, flow, coordinates, components, clusters, counts, warnings)


def _mentions(
    documents: Sequence[LoadedDocument], chunks: Sequence[Chunk], owners: Sequence[int]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    """Chunks that name the title of another document: rows, columns, weights."""
    from gossamer.ingestion.mentions import title_mentions

    titles = [documents[owner].document.title for owner in owners]
    rows, columns, weights = title_mentions([chunk.text for chunk in chunks], titles)
    owner = np.asarray(owners, dtype=np.int64)
    apart = owner[rows] != owner[columns]
    return rows[apart], columns[apart], weights[apart]


def _signals(
    documents: Sequence[LoadedDocument],
    chunks: Sequence[Chunk],
    owners: Sequence[int],
    vectors: NDArray[np.float32],
    question_vectors: NDArray[np.float32],
    entities: Entities,
    questions: Questions,
    references: Sequence[Sequence[tuple[str, str]]],
    mentions: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]],
    settings: Settings,
) -> dict[str, csr_array]:
    """The six signals in their fixed order."""
    from gossamer.graph.neighbours import nearest_neighbours
    from gossamer.ingestion.references import resolve_references
    from gossamer.signals.adjacency import adjacency_signal
    from gossamer.signals.citation import citation_signal
    from gossamer.signals.entity import entity_signal
    from gossamer.signals.section import section_signal
    from gossamer.signals.semantic import semantic_signal
    from gossamer.signals.utility import utility_signal

    n = len(chunks)
    k = settings.signals.neighbours
    positions = [chunk.position for chunk in chunks]
    resolved = resolve_references(chunks, [loaded.document for loaded in documents], references)
    named = np.column_stack(mentions[:2]).astype(np.int64)
    pairs = np.concatenate([np.asarray(resolved, dtype=np.int64).reshape(-1, 2), named])
    return {
        "semantic": semantic_signal(*nearest_neighbours(vectors, k)),
        "section": section_signal(owners, positions, [chunk.section for chunk in chunks]),
        "entity": entity_signal(entities.matrix, max_df=settings.signals.max_entity_frequency),
        "adjacency": adjacency_signal(owners, positions),
        "utility": utility_signal(questions.owner, *nearest_neighbours(question_vectors, k), n),
        "citation": citation_signal(pairs, n),
    }


def _weights(signals: dict[str, csr_array], settings: Settings) -> tuple[dict[str, float], str | None]:
    """Weights α by the chosen rule, and a warning where it had to fall back."""
    from gossamer.graph.fuse import calibrate_weights, fit_weights, redistribute

    prior = settings.signals.alphas
    live = [name for name, matrix in signals.items() if matrix.nnz]
    if settings.signals.weights == "calibrate":
        return calibrate_weights(signals, prior), None
    if settings.signals.weights == "fit":
        fitted = fit_weights(signals, prior, seed=settings.graph.seed)
        if fitted.fell_back:
            return fitted.weights, f"signals.weights = 'fit' fell back to the priors: {fitted.reason}."
        return fitted.weights, f"signals.weights = 'fit' reached a held-out AUC of {fitted.auc:.3f}."
    return redistribute(prior, live), None


def _operator(
    graph: csr_array, signals: dict[str, csr_array], weights: dict[str, float], settings: Settings
) -> csr_array:
    """What the coordinates are computed from: W, or the mean of the signals' normalised adjacencies."""
    from gossamer.graph.laplacian import multiplex_adjacency

    if settings.graph.laplacian == "fused" or not any(weights.values()):
        return graph
    return multiplex_adjacency(signals, weights)
