"""The walkthrough: ten stages of the pipeline on twelve chunks, computed by the pipeline itself for the settings given."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import UsageError
from gossamer.graph.fuse import fuse
from gossamer.graph.layout import plane_layout
from gossamer.model import to_plain
from gossamer.retrieval.candidates import breadth_first
from gossamer.retrieval.explain import hops_from, ranks_in
from gossamer.retrieval.pipeline import SpectRAGRetrieval
from gossamer.retrieval.scoring import score_chunks
from gossamer.server.evidence import evidence
from gossamer.server.walk_corpus import QUESTION, documents, questions_of
from gossamer.settings import Settings

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot
    from gossamer.retrieval.scoring import Scored

BUDGET = 220
_KEPT_BUILDS = 8
# Twelve chunks need smaller numbers than a corpus.
_BASE = {
    "signals.neighbours": 3,
    "graph.clusters": 3,
    "graph.dimensions": 5,
    "retrieval.seed_count": 2,
    "retrieval.hops": 1,
    "selection.core_size": 1,
}
_BUILT = ("graph.tau", "graph.graph_k")
_SEARCHED = (
    "retrieval.seed_count",
    "retrieval.hops",
    "retrieval.alpha",
    "proximity.beta",
    "utility.redundancy",
    "selection.length_power",
)


def base_settings() -> Settings:
    """The published values, on a scale that fits twelve chunks."""
    return Settings.paper().replace(**_BASE)


class Walk:
    """The twelve chunks, indexed anew in a temporary folder whenever a setting of the build changes."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._built: dict[tuple[Any, ...], SpectRAGRetrieval] = {}
        self._count = 0
        self._lock = threading.Lock()

    def close(self) -> None:
        """Remove the temporary folder."""
        for retrieval in self._built.values():
            retrieval.close()
        if self._folder is not None:
            self._folder.cleanup()

    def stages(self, question: str | None, budget: int, changes: Mapping[str, Any]) -> dict[str, Any]:
        """All ten stages for a question, a budget and changed settings."""
        for name in changes:
            if name not in (*_BUILT, *_SEARCHED):
                raise UsageError(f"{name!r} does not move here. Give one of {', '.join((*_BUILT, *_SEARCHED))}.")
        settings = base_settings().replace(**dict(changes))
        retrieval = self._indexed(settings).with_settings(settings)
        asked = question or QUESTION
        snapshot = retrieval.snapshot
        channels = retrieval.channels(asked)
        scored = score_chunks(snapshot, channels, settings, semantic=bool(snapshot.info["semantic"]))
        stages = [*_offline(snapshot, settings), *_online(retrieval, scored, asked, budget)]
        values = settings.to_dict()
        moved = {name: _value(values, name) for name in (*_BUILT, *_SEARCHED)}
        return {"question": asked, "budget": budget, "settings": moved, "stages": stages}

    def _indexed(self, settings: Settings) -> SpectRAGRetrieval:
        from gossamer.ingestion.pipeline import SpectRAGIngestion

        key = (settings.graph.tau, settings.graph.graph_k)
        with self._lock:
            if key not in self._built:
                if self._folder is None:
                    self._folder = tempfile.TemporaryDirectory(prefix="gossamer-", ignore_cleanup_errors=True)
                if len(self._built) >= _KEPT_BUILDS:
                    self._built.pop(next(iter(self._built)))
                folder = Path(self._folder.name) / f"{self._count}"
                self._count += 1
                SpectRAGIngestion(folder, settings, question_fn=questions_of).ingest(documents())
                self._built[key] = SpectRAGRetrieval(folder)
            return self._built[key]


def _value(values: Mapping[str, Any], dotted: str) -> Any:
    group, _, name = dotted.partition(".")
    return values[group][name]


def _offline(snapshot: Snapshot, settings: Settings) -> list[dict[str, Any]]:
    """Stages 1 to 6: what an index is made of."""
    signals, weights = snapshot.signals, snapshot.info["weights"]
    before = fuse(signals, weights).toarray()
    graph = snapshot.matrix("graph")
    vectors = np.asarray(snapshot.vectors, dtype=np.float64)
    places = plane_layout(graph, snapshot.coordinates, snapshot.components)
    entities = snapshot.matrix("entities")
    rows = [entities.indices[entities.indptr[i] : entities.indptr[i + 1]].tolist() for i in range(len(snapshot))]
    return [
        {"name": "chunk", "chunks": [_chunk(snapshot, chunk) for chunk in range(len(snapshot))]},
        {
            "name": "annotate",
            "entities": [[snapshot.entity_names[name] for name in row] for row in rows],
            "questions": [
                [snapshot.question_texts[i] for i in np.flatnonzero(snapshot.question_owner == chunk).tolist()]
                for chunk in range(len(snapshot))
            ],
            "citations": _pairs(signals["citation"].toarray()),
        },
        {
            "name": "embed",
            "embedder": dict(snapshot.info["embedder"]),
            "cosine": _rounded(np.clip(vectors @ vectors.T, -1.0, 1.0)),
        },
        {
            "name": "signals",
            "weights": dict(weights),
            "edges": {name: matrix.nnz // 2 for name, matrix in signals.items()},
            "values": {name: _rounded(matrix.toarray()) for name, matrix in signals.items()},
        },
        {
            "name": "graph",
            "tau": settings.graph.tau,
            "graph_k": settings.graph.graph_k,
            "fused": _rounded(before),
            "kept": _pairs(graph.toarray()),
            "dropped": _pairs(np.where(graph.toarray() > 0, 0.0, before)),
            "places": _rounded(places),
        },
        {
            "name": "spectral",
            "coordinates": _rounded(snapshot.coordinates[:, :8]),
            "clusters": snapshot.clusters.tolist(),
            "components": snapshot.components.tolist(),
        },
    ]


def _online(retrieval: SpectRAGRetrieval, scored: Scored, question: str, budget: int) -> list[dict[str, Any]]:
    """Stages 7 to 10: what a question does."""
    snapshot, settings = retrieval.snapshot, retrieval.settings
    chunks = list(range(len(snapshot)))
    graph = snapshot.matrix(scored.graph)
    limit = settings.retrieval.hops
    reached = breadth_first(graph, scored.seeds, hops=limit, limit=settings.retrieval.max_candidates).tolist()
    hops = hops_from(graph, scored.seeds, chunks, limit=limit)
    result = retrieval.search(question, budget)
    return [
        {
            "name": "seeds",
            "seeds": scored.seeds.tolist(),
            "relevance": _rounded(scored.relevance),
            "channels": {name: _rounded(values) for name, values in scored.lists.items()},
            "ranks": [ranks_in(scored.lists, chunk) for chunk in chunks],
        },
        {"name": "expansion", "hop": [hops.get(chunk) if chunk in reached else None for chunk in chunks]},
        {
            "name": "proximity",
            "mode": settings.retrieval.proximity,
            "relevance": _rounded(scored.relevance),
            "proximity": _rounded(scored.proximity),
            "score": _rounded(scored.score),
            "candidates": scored.candidates.tolist(),
        },
        {
            "name": "selection",
            **result.to_dict(),
            "evidence": evidence(snapshot.lexical, question, result.passages),
            "timings": {},
        },
    ]


def _chunk(snapshot: Snapshot, chunk: int) -> dict[str, Any]:
    document = int(snapshot.chunk_document[chunk])
    return {
        "id": snapshot.chunk_id(chunk),
        "document": snapshot.document_ids[document],
        "title": snapshot.document_titles[document],
        "section": to_plain(snapshot.section(chunk)),
        "text": snapshot.text(chunk),
        "tokens": int(snapshot.chunk_tokens[chunk]),
    }


def _pairs(matrix: NDArray[Any]) -> list[list[float]]:
    """[i, j, weight] of every edge, i < j, the strongest first."""
    rows, columns = np.nonzero(np.triu(matrix, k=1))
    found = [[int(i), int(j), round(float(matrix[i, j]), 4)] for i, j in zip(rows, columns, strict=True)]
    return sorted(found, key=lambda edge: (-edge[2], edge[0], edge[1]))


def _rounded(values: Any) -> Any:
    return to_plain(np.asarray(values, dtype=np.float64).round(4).tolist())
