"""A user's own system: any function that ranks ids, measured like the rest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from gossamer.errors import UsageError
from gossamer.evaluation.systems.base import Context, Query, System
from gossamer.evaluation.systems.channels import CONTEXT_DEPTH

if TYPE_CHECKING:
    from gossamer.evaluation.workbench import IndexedCorpus, Workbench


class RankedByFunction:
    """A function of (query, k) as a system; contexts are filled in its order, in the format of every other system."""

    indexed: IndexedCorpus | None = None
    returns_chunks = False

    def __init__(self, name: str, workbench: Workbench, function: Callable[[Query, int], Sequence[str]]) -> None:
        self._name = name
        self._workbench = workbench
        self._function = function

    def rank(self, query: Query, k: int) -> Sequence[str]:
        """What the function returned, checked, without repeats."""
        found = list(dict.fromkeys(self._function(query, k)))
        for one in found:
            if one not in self._workbench.documents and one not in self._workbench.chunk_numbers:
                raise UsageError(
                    f"System {self._name!r} returned {one!r}, which names neither a document nor a chunk. "
                    "Return ids of workbench.documents, or chunk ids of its index."
                )
        return found

    def context(self, query: Query, budget: int) -> Context:
        """The budget filled with the ranked chunks; a document brings all of its chunks."""
        numbers: list[int] = []
        for one in self.rank(query, CONTEXT_DEPTH):
            chunks = self._workbench.document_chunks.get(one)
            numbers += chunks if chunks is not None else [self._workbench.chunk_numbers[one]]
        retrieval = self._workbench.index().retrieval
        text, tokens, kept = retrieval.context_for(numbers[:CONTEXT_DEPTH], budget)
        ids = retrieval.snapshot.chunk_ids
        return Context(text, tokens, tuple(ids[number] for number in kept))


def user_factory(name: str, made: Callable[[Workbench], Any]) -> Callable[[Workbench], System]:
    """A factory that accepts what a user's function may return: a system, or a function that ranks."""

    def factory(workbench: Workbench) -> System:
        system = made(workbench)
        if hasattr(system, "rank") and hasattr(system, "context"):
            return system  # type: ignore[no-any-return]
        if not callable(system):
            raise UsageError(
                f"System {name!r} returned a {type(system).__name__}. Return a function of (query, k), or an object "
                "with rank and context."
            )
        return RankedByFunction(name, workbench, system)

    return factory
