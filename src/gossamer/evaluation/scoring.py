"""Asks one system the questions of one workbench and scores what it returns."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from gossamer.evaluation.budgeted import budget_metrics
from gossamer.evaluation.metrics import bridge_pieces, ranking_metrics
from gossamer.evaluation.systems.base import Context, Query, System

if TYPE_CHECKING:
    from gossamer.evaluation.datasets import Question
    from gossamer.evaluation.options import BenchOptions
    from gossamer.evaluation.vectors import GivenVectors
    from gossamer.evaluation.workbench import Workbench

Progress = Callable[[str, int, int], None]

_CHUNKS_PER_DOCUMENT = 4


@dataclass(slots=True)
class Row:
    """One question answered by one system.

    `ranked` are ids in the unit of the gold; `contexts` maps a budget to its tokens, passages and found pieces (by
    their place in the gold); `seconds` is the time of `rank` alone, embedding of the question included; `complete`
    says that the context of the largest budget held all gold.
    """

    id: str
    kind: str
    hops: int
    null: bool
    ranked: list[str]
    metrics: dict[str, float]
    contexts: dict[str, dict[str, object]] = field(default_factory=dict)
    seconds: float = 0.0
    confidence: float | None = None
    complete: bool = False


class Scorer:
    """Scores systems on the questions of one workbench.

    Args:
        bench: the documents and the shared index.
        questions: what to ask.
        unit: "document" folds chunks to their documents, "chunk" leaves them.
        options: cuts and budgets.
        vectors: given question vectors, None where the embedder makes them.
    """

    def __init__(
        self,
        bench: Workbench,
        questions: Sequence[Question],
        unit: str,
        options: BenchOptions,
        vectors: GivenVectors | None,
    ) -> None:
        self._documents = bench.documents
        self._questions = questions
        self._unit = unit
        self._options = options
        self._vectors = vectors
        self._chunks_each = len(bench.chunk_numbers) / max(1, len(bench.documents))
        self._bridges = {q.id: bridge_pieces(q.text, q.gold, self._text_of) for q in questions}
        self._gold = {q.id: [[self._folded(one, chunk=False) for one in piece] for piece in q.gold] for q in questions}
        self._reference: Mapping[str, Sequence[str]] = {}

    def set_reference(self, system: System) -> None:
        """Rank every question by the system that `Novelty@5` is measured against; without one it stays undefined."""
        self._reference = {question.id: self._ranked(system, self._query(question))[0] for question in self._questions}

    def rows(self, system: System, stage: str, progress: Progress | None) -> list[Row]:
        """One row per question."""
        rows = []
        for done, question in enumerate(self._questions, start=1):
            rows.append(self._row(system, question))
            if progress:
                progress(stage, done, len(self._questions))
        return rows

    def _row(self, system: System, question: Question) -> Row:
        query = self._query(question)
        ranked, seconds = self._ranked(system, query)
        gold = self._gold[question.id]
        metrics: dict[str, float] = {}
        if gold:
            metrics = ranking_metrics(
                ranked,
                gold,
                ks=self._options.ks,
                bridge=self._bridges[question.id],
                reference=self._reference.get(question.id),
            )
        row = Row(question.id, question.kind, question.hops, question.null, ranked, metrics, seconds=seconds)
        for budget in self._options.budgets:
            context = system.context(query, budget)
            self._add_context(row, question, budget, context, system)
        return row

    def _add_context(self, row: Row, question: Question, budget: int, context: Context, system: System) -> None:
        ids = {self._folded(one, chunk=system.returns_chunks) for one in context.ids}
        gold = self._gold[question.id]
        row.metrics |= budget_metrics(budget, gold, question.answers if gold else (), ids, context.text)
        found = [number for number, piece in enumerate(gold) if any(one in ids for one in piece)]
        row.contexts[str(budget)] = {"tokens": context.tokens, "passages": len(context.ids), "found": found}
        if budget == max(self._options.budgets):
            row.confidence = context.confidence
            row.complete = bool(gold) and len(found) == len(gold)

    def _ranked(self, system: System, query: Query) -> tuple[list[str], float]:
        """A ranking of at least the wanted depth where there is one; the time is that of the first call."""
        depth = self._options.depth
        asked = depth if self._unit == "chunk" or self._chunks_each <= 1.0 else depth * _CHUNKS_PER_DOCUMENT
        started = time.perf_counter()
        found = system.rank(query, asked)
        seconds = time.perf_counter() - started
        while True:
            folded = list(dict.fromkeys(self._folded(one, chunk=system.returns_chunks) for one in found))
            if len(folded) >= depth or len(found) < asked:
                return folded[:depth], seconds
            asked *= 2
            found = system.rank(query, asked)

    def _folded(self, one: str, *, chunk: bool) -> str:
        """An id in the unit of the gold; `chunk` says that it is a chunk id even where a document has that name."""
        if self._unit == "chunk" or (not chunk and one in self._documents):
            return one
        return one.rpartition("#")[0] or one

    def _text_of(self, one: str) -> str:
        document = self._documents.get(one) or self._documents.get(one.rpartition("#")[0])
        return f"{document.title} {document.text}" if document else ""

    def _query(self, question: Question) -> Query:
        vector = self._vectors.questions[question.id] if self._vectors else None
        return Query(question.id, question.text, vector)
