"""One question three ways at one budget: Gossamer, plain top-k and hybrid search, all filled by the same rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from gossamer.evaluation.systems.channels import best_first, matching, rrf_scores
from gossamer.model import heading_path
from gossamer.monitor.recorder import Asking, spread

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot
    from gossamer.retrieval.pipeline import SpectRAGRetrieval

_OFFERED = 256


@dataclass(frozen=True, slots=True)
class Column:
    """What one way put into the budget: (id, title with headings) in its order, and the tokens of its context."""

    name: str
    passages: tuple[tuple[str, str], ...]
    tokens: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The three columns of a question."""

    question: str
    budget: int
    columns: tuple[Column, ...]


def compare_question(retrieval: SpectRAGRetrieval, question: str, asking: Asking) -> Comparison:
    """Fill the budget with the answer of the spreading engine, plain top-k by relevance, and RRF of words and vectors."""
    channels = retrieval.channels(question)
    lists = [matching(channels.bm25)]
    if channels.has_dense:
        lists.insert(0, channels.dense.astype(float))
    snapshot = retrieval.snapshot
    number = {name: chunk for chunk, name in enumerate(snapshot.chunk_ids)}
    plain = [number[name] for name in retrieval.plain_top_k(question, asking.budget)]
    hybrid = best_first(rrf_scores(lists), _OFFERED).tolist()
    ways = {"Gossamer": spread(retrieval, question, asking).chunks, "plain top-k": plain, "hybrid (RRF)": hybrid}
    columns = []
    for name, chunks in ways.items():
        _, tokens, kept = retrieval.context_for(list(chunks), asking.budget)
        inside = set(kept)
        rows = tuple((snapshot.chunk_id(chunk), _label(snapshot, chunk)) for chunk in chunks if chunk in inside)
        columns.append(Column(name, rows, tokens))
    return Comparison(question, asking.budget, tuple(columns))


def _label(snapshot: Snapshot, chunk: int) -> str:
    title = str(snapshot.document_titles[int(snapshot.chunk_document[chunk])])
    return " > ".join(heading_path(title, snapshot.section(chunk)))
