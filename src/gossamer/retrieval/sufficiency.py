"""The probability that what a search chose is enough, from what the search has at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gossamer.insight.confidence import Evidence, gather_evidence, sufficiency

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot
    from gossamer.retrieval.scoring import Scored


def search_confidence(snapshot: Snapshot, question: str, chunks: Sequence[int], scored: Scored) -> float:
    """See `insight.confidence.sufficiency`; 0 where nothing was chosen."""
    return sufficiency(search_evidence(snapshot, question, chunks, scored)) if chunks else 0.0


def search_evidence(snapshot: Snapshot, question: str, chunks: Sequence[int], scored: Scored) -> Evidence:
    """The evidence for one or more chosen chunks."""
    return gather_evidence(
        snapshot.lexical,
        question,
        chunks,
        relevance=scored.relevance,
        mass=scored.proximity,
    )
