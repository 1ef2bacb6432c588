"""Contradictions among the passages that energy reached, and what they do to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from gossamer.graph.spread_arrays import Matrix, Spread
from gossamer.insight.contradictions import find_conflicts
from gossamer.insight.supersession import find_superseded

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot

_COMPARED = 10


@dataclass(frozen=True, slots=True)
class Opposed:
    """Two passages that oppose each other: what each says about `subject`, and a question that would settle it.

    `kind` and `strength` are those of `insight.contradictions`. `current` names the side that is newer where both are dated
    in a clear order; the other is out of date.
    """

    first: str
    second: str
    kind: str
    left: str
    right: str
    subject: str
    question: str
    strength: float
    current: str | None


def opposed_passages(snapshot: Snapshot, chunks: Sequence[int], question: str, *, least: float) -> tuple[Opposed, ...]:
    """Contradictions of at least the strength `least` among the first ten of `chunks`, the strongest first."""
    compared = list(chunks[:_COMPARED])
    texts = [snapshot.text(chunk) for chunk in compared]
    found = [c for c in find_conflicts(texts, question=question) if c.strength >= least]
    metadata = [snapshot.metadata(int(snapshot.chunk_document[chunk])) for chunk in compared]
    newer = {(s.conflict.i, s.conflict.j): s.newer for s in find_superseded(texts, found, metadata)}
    names = [snapshot.chunk_id(chunk) for chunk in compared]
    return tuple(
        Opposed(
            *(names[c.i], names[c.j], c.kind, c.left, c.right, c.subject, c.question, c.strength),
            current=names[newer[c.i, c.j]] if (c.i, c.j) in newer else None,
        )
        for c in found
    )


def opposition_matrix(snapshot: Snapshot, run: Spread, question: str, *, least: float) -> Matrix:
    """Symmetric (n, n) strengths of the contradictions among the ten strongest passages of a run."""
    chunks = run.nodes[run.order()][:_COMPARED].tolist()
    texts = [snapshot.text(chunk) for chunk in chunks]
    found = [c for c in find_conflicts(texts, question=question) if c.strength >= least]
    rows = np.array([(chunks[c.i], chunks[c.j]) for c in found], dtype=np.int64).reshape(-1, 2)
    strengths = np.array([c.strength for c in found])
    both = np.concatenate([rows, rows[:, ::-1]])
    return csr_array((np.tile(strengths, 2), (both[:, 0], both[:, 1])), shape=(len(snapshot), len(snapshot)))
