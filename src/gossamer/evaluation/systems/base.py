"""What a retrieval system looks like to the benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from gossamer.evaluation.workbench import IndexedCorpus


@dataclass(frozen=True, slots=True)
class Query:
    """A question as a system gets it; `vector` is the given question vector, None where the embedder makes one."""

    id: str
    text: str
    vector: NDArray[np.float32] | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """The text a system would send under a budget, its tokens, the ids in it, and how sure the system is."""

    text: str
    tokens: int
    ids: tuple[str, ...]
    confidence: float | None = None


class System(Protocol):
    """One system, ready to answer; made by a factory `factory(workbench) -> System`.

    `indexed` is the index it searches, for its cost, or None where it has none of its own. `returns_chunks` says that
    ids are chunk ids; else an id that names a document is that document.
    """

    @property
    def indexed(self) -> IndexedCorpus | None: ...

    @property
    def returns_chunks(self) -> bool: ...

    def rank(self, query: Query, k: int) -> Sequence[str]:
        """At least the k best ids, best first, without repeats; fewer when it finds no more."""
        ...

    def context(self, query: Query, budget: int) -> Context:
        """The context of at most `budget` tokens."""
        ...
