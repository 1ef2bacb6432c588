from __future__ import annotations

from typing import Any

import pytest

from gossamer.evaluation.datasets import Question
from gossamer.evaluation.options import BenchOptions
from gossamer.evaluation.scoring import Scorer

OPTIONS = BenchOptions(ks=(1, 2), budgets=(10, 40))
QUESTION = Question("q", "Where was the leader of Orion born?", (("a",), ("b",)), (("Oslo",),), "bridge", 2)


def scorer(fake_workbench: Any, *questions: Question, unit: str = "document") -> Scorer:
    return Scorer(fake_workbench(), questions or (QUESTION,), unit, OPTIONS, None)


def test_chunks_are_folded_to_documents(fake_workbench: Any, fixed_system: Any) -> None:
    row = scorer(fake_workbench).rows(fixed_system(["a#1", "a#0", "c#0", "b#0"]), "stage", None)[0]
    assert row.ranked == ["a", "c", "b"]
    assert row.metrics["R@1"] == 0.5
    assert row.metrics["P@2"] == 0.5
    assert row.metrics["bridge@2"] == 0.0
    assert row.contexts["10"] == {"tokens": 10, "passages": 1, "found": [0]}
    assert row.contexts["40"]["found"] == [0, 1]
    assert row.metrics["gold@10t"] == 0.5
    assert row.complete
    assert "S@5" not in row.metrics


def test_gold_that_names_chunks_is_not_folded(fake_workbench: Any, fixed_system: Any) -> None:
    question = Question("q", "who?", (("a#1",),), hops=1)
    row = scorer(fake_workbench, question, unit="chunk").rows(fixed_system(["a#0", "a#1"]), "stage", None)[0]
    assert row.ranked == ["a#0", "a#1"]
    assert row.metrics["MRR"] == 0.5


def test_a_document_named_like_a_chunk_stays_a_document(fake_workbench: Any, fixed_system: Any) -> None:
    made = scorer(fake_workbench)
    row = made.rows(fixed_system(["b", "a#1"], returns_chunks=False), "stage", None)[0]
    assert row.ranked == ["b", "a"]


def test_a_deeper_ranking_is_asked_for_when_folding_leaves_too_few(fake_workbench: Any, fixed_system: Any) -> None:
    options = BenchOptions(ks=(2,), budgets=())
    many = [f"a#{i}" for i in range(100)] + [f"x{i}#0" for i in range(30)]
    system = fixed_system(many)
    row = Scorer(fake_workbench(), (QUESTION,), "document", options, None).rows(system, "stage", None)[0]
    assert system.asked == [80, 160]
    assert len(row.ranked) == options.depth
    assert row.ranked[:2] == ["a", "x0"]


def test_the_reference_gives_novelty(fake_workbench: Any, fixed_system: Any) -> None:
    made = scorer(fake_workbench)
    made.set_reference(fixed_system(["a#0"]))
    row = made.rows(fixed_system(["b#0", "a#0"]), "stage", None)[0]
    assert row.metrics["Novelty@5"] == 0.5
    assert row.metrics["S@5"] == pytest.approx(0.65 + 0.35 * 0.5)


def test_a_question_without_gold_has_no_metrics_but_a_confidence(fake_workbench: Any, fixed_system: Any) -> None:
    null = Question("n", "who?", (), (("Insufficient information.",),), "null_query")
    row = scorer(fake_workbench, null).rows(fixed_system(["a#0"], confidence=0.4), "stage", None)[0]
    assert row.null
    assert row.metrics == {}
    assert row.confidence == 0.4
    assert not row.complete


def test_progress_counts_questions(fake_workbench: Any, fixed_system: Any) -> None:
    seen: list[tuple[str, int, int]] = []
    scorer(fake_workbench).rows(fixed_system(["a#0"]), "stage", lambda *step: seen.append(step))
    assert seen == [("stage", 1, 1)]
