"""The paper's objective of a set, reported for every result."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from gossamer.index.snapshot import Snapshot
from gossamer.retrieval.candidates import subgraph
from gossamer.retrieval.choose import Choice
from gossamer.retrieval.scoring import Scored
from gossamer.retrieval.seeds import minmax
from gossamer.settings import Settings


def set_objective(
    snapshot: Snapshot, chunks: Sequence[int], choice: Choice, scored: Scored, settings: Settings
) -> dict[str, float]:
    """F(C) = relevance − λ · redundancy + γ · coverage + η · connectivity, each term in 0…1.

    relevance: mean score of the set, scaled to 0…1 over the corpus; redundancy: mean over the set of the highest cosine
    to another member; coverage: weighted share of the question's units that some member has; connectivity: share of
    the members with an edge of W to another. Source: SpectRAG section 4.4.
    """
    names = ("relevance", "redundancy", "coverage", "connectivity")
    if not chunks:
        return {**dict.fromkeys(names, 0.0), "total": 0.0}
    members = np.asarray(chunks, dtype=np.int64)
    vectors = np.asarray(snapshot.vectors[members], dtype=np.float64)
    cosines = np.clip(vectors @ vectors.T, 0.0, 1.0)
    np.fill_diagonal(cosines, 0.0)
    edges = subgraph(snapshot.matrix("graph"), members)
    inside = np.isin(choice.pool, members)
    covered = choice.covered[inside].max(axis=0, initial=0.0)
    values = {
        "relevance": float(minmax(scored.score)[members].mean()),
        "redundancy": float(cosines.max(axis=1).mean()),
        "coverage": float(covered @ choice.unit_weights),
        "connectivity": float((np.diff(edges.indptr) > 0).mean()),
    }
    total = (
        values["relevance"]
        - settings.utility.redundancy * values["redundancy"]
        + settings.selection.gamma * values["coverage"]
        + settings.selection.eta * values["connectivity"]
    )
    return {**values, "total": total}
