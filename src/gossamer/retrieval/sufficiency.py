"""The probability that what a search chose is enough, from what the search has at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gossamer.insight.confidence import Evidence, gather_evidence, sufficiency

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot
    from gossamer.retrieval.scoring import Scored


# Among n passages none can stand out by more than √(n − 1) deviations; the weights were fitted on hundreds and more.
_FEWEST = 200


def search_confidence(snapshot: Snapshot, question: str, chunks: Sequence[int], scored: Scored) -> float | None:
    """See `insight.confidence.sufficiency`; 0 where nothing was chosen, None in an index of fewer than 200 passages."""
    if not chunks:
        return 0.0
    if len(snapshot) < _FEWEST:
        return None
    return sufficiency(search_evidence(snapshot, question, chunks, scored))


def search_evidence(snapshot: Snapshot, question: str, chunks: Sequence[int], scored: Scored) -> Evidence:
    """The evidence for one or more chosen chunks."""
    return gather_evidence(
        snapshot.lexical,
        question,
        chunks,
        relevance=scored.relevance,
        mass=scored.proximity,
    )
