"""The retrieval pipeline itself, as configured and as published."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gossamer.evaluation.systems.base import Context, Query

if TYPE_CHECKING:
    from gossamer.evaluation.workbench import IndexedCorpus, Workbench
    from gossamer.settings import Settings


class PipelineSystem:
    """`rank` and `search` of an index, as a user calls them."""

    returns_chunks = True

    def __init__(self, indexed: IndexedCorpus, settings: Settings) -> None:
        self.indexed = indexed
        self._retrieval = indexed.retrieval.with_settings(settings)

    def rank(self, query: Query, k: int) -> Sequence[str]:
        """Chunk ids in the order of `rank`."""
        ranking = self._retrieval.rank(query.text, k=k, query_vector=query.vector)
        return [passage.id for passage in ranking.passages]

    def context(self, query: Query, budget: int) -> Context:
        """The context of `search`."""
        result = self._retrieval.search(query.text, token_budget=budget, query_vector=query.vector)
        confidence = getattr(result, "confidence", None)
        return Context(result.context, result.tokens, tuple(passage.id for passage in result.passages), confidence)


def gossamer(workbench: Workbench) -> PipelineSystem:
    """The settings under test, on the shared index."""
    return PipelineSystem(workbench.index(), workbench.settings)


def paper(workbench: Workbench) -> PipelineSystem:
    """`Settings.paper()` with the embedder under test, on an index of its own."""
    from gossamer import Settings

    settings = Settings.paper(workbench.settings.embedder)
    return PipelineSystem(workbench.index(settings), settings)
