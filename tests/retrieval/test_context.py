from __future__ import annotations

from pathlib import Path

import pytest

from gossamer import Document, Settings, SpectRAGRetrieval, build_index, open_index
from gossamer.retrieval import context


@pytest.fixture
def opened(tmp_path: Path) -> SpectRAGRetrieval:
    docs = [
        Document("b.md", "# Staff\nForty people.\n# Place\nIn Pune.", title="Helix"),
        Document("a.txt", "The budget was approved in May."),
    ]
    build_index(docs, tmp_path, Settings().replace(**{"chunking.min_tokens": 0}))
    return open_index(tmp_path)


def test_passages_are_grouped_by_document_in_document_order(opened: SpectRAGRetrieval) -> None:
    snapshot = opened.snapshot
    assert snapshot.chunk_ids == ["a.txt#0", "b.md#0", "b.md#1"]
    assert context.group_by_document(snapshot, [2, 0, 1]) == [1, 2, 0]
    text = context.compose(snapshot, [1, 2, 0])
    assert text == (
        "[1] b.md: Helix\n# Staff\nForty people.\n\n[2]\n# Place\nIn Pune.\n\n"
        "[3] a.txt\nThe budget was approved in May."
    )
    assert context.compose(snapshot, []) == ""


def test_costs_bound_what_a_passage_adds(opened: SpectRAGRetrieval) -> None:
    count = opened.count_tokens
    for order in ([0, 1, 2], [2, 1, 0], [1, 0, 2]):
        costs = context.passage_costs(opened.snapshot, order, count)
        for size in range(1, 4):
            kept = context.group_by_document(opened.snapshot, order[:size])
            assert count(context.compose(opened.snapshot, kept)) <= sum(costs[:size])


def test_fit_drops_the_last_picks(opened: SpectRAGRetrieval) -> None:
    count = opened.count_tokens
    whole = count(context.compose(opened.snapshot, [1, 2, 0]))
    assert context.fit(opened.snapshot, [1, 2, 0], whole, count)[0] == [1, 2, 0]
    ordered, text, tokens = context.fit(opened.snapshot, [1, 2, 0], whole - 1, count)
    assert ordered == [1, 2]
    assert tokens == count(text) < whole
    assert context.fit(opened.snapshot, [1], 0, count) == ([], "", 0)


def test_fill_passes_over_what_does_not_fit(opened: SpectRAGRetrieval) -> None:
    count = opened.count_tokens
    costs = context.passage_costs(opened.snapshot, [1, 0, 2], count)
    budget = costs[1]
    ordered, _, tokens = context.fill(opened.snapshot, [1, 0, 2], budget, count)
    assert tokens <= budget
    assert ordered
    text, used, kept = opened.context_for([1, 0, 2], budget)
    assert (kept, used) == (ordered, tokens)
    assert count(text) == used
