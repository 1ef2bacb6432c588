"""Spreading activation: everything the energy reaches, in the order of the answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from gossamer.evaluation.systems.base import Context, Query

if TYPE_CHECKING:
    from gossamer.evaluation.workbench import Workbench


class SpreadSystem:
    """`retrieve` of the shared index with fixed options."""

    returns_chunks = True

    def __init__(self, workbench: Workbench, **options: Any) -> None:
        self.indexed = workbench.index()
        self._retrieval = self.indexed.retrieval.with_settings(workbench.settings)
        self._options = options

    def rank(self, query: Query, k: int) -> Sequence[str]:
        """The k first ids of the answer."""
        answer = self._retrieval.retrieve(query.text, query_vector=query.vector, **self._options)
        return [passage.id for passage in answer.passages[:k]]

    def context(self, query: Query, budget: int) -> Context:
        """The budget filled in the order of the answer."""
        answer = self._retrieval.retrieve(query.text, query_vector=query.vector, **self._options)
        text, tokens, kept = self._retrieval.context_for(answer.chunks, budget)
        ids = tuple(self._retrieval.snapshot.chunk_id(chunk) for chunk in kept)
        return Context(text, tokens, ids, answer.confidence.probability)


def spread_wave(workbench: Workbench) -> SpreadSystem:
    """The wave that goes far."""
    return SpreadSystem(workbench, engine="wave", profile="explore")


def spread_precise(workbench: Workbench) -> SpreadSystem:
    """The wave that stays near its seeds."""
    return SpreadSystem(workbench, engine="wave", profile="precise")


def spread_flow(workbench: Workbench) -> SpreadSystem:
    """The conserving engine, as `retrieve` uses it."""
    return SpreadSystem(workbench)
