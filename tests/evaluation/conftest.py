"""Invented stand-ins: a corpus of three documents, and an index that needs no pipeline."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from gossamer.evaluation.systems.base import Context, Query
from gossamer.model import Document

DOCUMENTS = (
    Document("a", "Orion was led by Mara Lind.", title="Orion"),
    Document("b", "Mara Lind was born in Oslo."),
    Document("c", "Pune has a lab."),
)


@dataclass
class FakeRetrieval:
    """Channels by question; document a has two chunks."""

    dense: Mapping[str, Sequence[float]] = field(default_factory=dict)
    bm25: Mapping[str, Sequence[float]] = field(default_factory=dict)
    has_dense: bool = True

    @property
    def snapshot(self) -> Any:
        return SimpleNamespace(
            chunk_ids=["a#0", "a#1", "b#0", "c#0"],
            chunk_document=np.array([0, 0, 1, 2]),
            document_ids=["a", "b", "c"],
            lexical=SimpleNamespace(scores=lambda question: self.channels(question).bm25),
            vectors=np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.6, 0.8]], dtype=np.float32),
        )

    def channels(self, question: str, query_vector: Any = None) -> Any:
        return SimpleNamespace(
            dense=np.array(self.dense.get(question, [0.0] * 4), dtype=np.float32),
            bm25=np.array(self.bm25.get(question, [0.0] * 4), dtype=np.float32),
            has_dense=self.has_dense,
        )

    def embed_query(self, question: str) -> Any:
        return None

    def context_for(self, chunks: Sequence[int], token_budget: int) -> tuple[str, int, list[int]]:
        kept = list(chunks)[: token_budget // 10]
        return " ".join(self.snapshot.chunk_ids[chunk] for chunk in kept), 10 * len(kept), kept


class FakeWorkbench:
    """A workbench over `DOCUMENTS` and one fake index."""

    def __init__(self, retrieval: FakeRetrieval | None = None) -> None:
        self.documents = {document.id: document for document in DOCUMENTS}
        self.retrieval = retrieval or FakeRetrieval()
        self.chunk_numbers = {"a#0": 0, "a#1": 1, "b#0": 2, "c#0": 3}
        self.document_chunks = {"a": [0, 1], "b": [2], "c": [3]}

    def index(self, settings: Any = None) -> Any:
        return SimpleNamespace(retrieval=self.retrieval, seconds=0.5, size_bytes=1000, warnings=())


class FixedSystem:
    """Ranks what it was told, and remembers how deep it was asked."""

    indexed = None

    def __init__(self, ranking: Sequence[str], *, returns_chunks: bool = True, confidence: float | None = None) -> None:
        self.ranking = list(ranking)
        self.returns_chunks = returns_chunks
        self.confidence = confidence
        self.asked: list[int] = []

    def rank(self, query: Query, k: int) -> list[str]:
        self.asked.append(k)
        return self.ranking[:k]

    def context(self, query: Query, budget: int) -> Context:
        ids = tuple(self.ranking[: budget // 10])
        return Context(" ".join(ids), 10 * len(ids), ids, self.confidence)


@pytest.fixture
def fake_workbench() -> Callable[..., FakeWorkbench]:
    """Makes a workbench from the channels of a fake index."""
    return lambda **channels: FakeWorkbench(FakeRetrieval(**channels))


@pytest.fixture
def fixed_system() -> type[FixedSystem]:
    """Makes a system with a fixed ranking."""
    return FixedSystem
