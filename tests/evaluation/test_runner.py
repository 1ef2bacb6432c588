from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import gossamer
from gossamer.errors import EmbeddingError, UsageError
from gossamer.evaluation.datasets import Dataset, Question
from gossamer.evaluation.options import BenchOptions
from gossamer.evaluation.runner import fitting_vectors, gold_unit, run_dataset
from gossamer.evaluation.vectors import GivenVectors
from gossamer.evaluation.workbench import Workbench
from gossamer.model import Document
from gossamer.settings import Settings

DOCUMENTS = tuple(Document(name, f"text {name}") for name in "abcd")
QUESTIONS = (Question("q", "which?", (("a",), ("c",))), Question("r", "what?", (("b",),)))
DATA = Dataset("small", DOCUMENTS, QUESTIONS, dict.fromkeys("abcd", "g"))
OPTIONS = BenchOptions(systems=("bm25",), baseline="dense", ks=(2,), budgets=(20,))


class Recorder:
    """Stands in for the pipelines: remembers what was built and with which settings."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, retrieval: Any) -> None:
        self.built: list[tuple[list[str], Settings]] = []
        self.closed = 0
        retrieval.close = self.close
        monkeypatch.setattr(gossamer, "build_index", self.build, raising=False)
        monkeypatch.setattr(gossamer, "open_index", lambda folder: retrieval, raising=False)

    def build(self, documents: Any, folder: Path, settings: Settings) -> Any:
        self.built.append(([document.id for document in documents], settings))
        return SimpleNamespace(size_bytes=10, warnings=("careful",))

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch, fake_workbench: Any) -> Recorder:
    channels = {question: [0.4, 0.1, 0.3, 0.2] for question in ("which?", "what?")}
    return Recorder(monkeypatch, fake_workbench(dense=channels, bm25=channels).retrieval)


def test_a_run_scores_every_system_on_one_shared_index(recorder: Recorder) -> None:
    run = run_dataset(DATA, OPTIONS, Settings())
    assert [system.name for system in run.systems] == ["dense", "bm25"]
    assert [row.metrics["R@2"] for row in run.systems[0].rows] == [0.5, 1.0]
    assert [row.metrics["Novelty@5"] for row in run.systems[0].rows] == [0.0, 0.0]
    assert run.systems[0].index_bytes == 10
    assert run.unit == "document"
    assert [(notice.name, notice.count) for notice in run.notices] == [("index-warning", 1)]
    assert recorder.closed == 1
    order = recorder.built[0][0]
    assert len(recorder.built) == 1
    assert sorted(order) == list("abcd")
    run_dataset(DATA, OPTIONS, Settings())
    assert recorder.built[1][0] == order


def test_groups_are_indexed_apart(recorder: Recorder) -> None:
    groups = {"a": "one", "c": "one", "b": "two", "d": "two"}
    questions = (Question("q", "which?", (("a",),), group="one"), Question("r", "what?", (("b",),), group="two"))
    data = Dataset("small", DOCUMENTS, questions, groups)
    options = BenchOptions(systems=("bm25",), baseline="dense", ks=(2,), budgets=(), within_group=True)
    seen: list[tuple[str, int, int]] = []
    run = run_dataset(data, options, Settings(), progress=lambda *step: seen.append(step))
    assert [sorted(ids) for ids, _ in recorder.built] == [["a", "c"], ["b", "d"]]
    assert [row.id for row in run.systems[0].rows] == ["q", "r"]
    assert run.systems[0].index_bytes == 20
    assert run.notices[0].count == 2
    assert seen == [("small groups", 1, 2), ("small groups", 2, 2)]


def test_settings_of_the_search_share_an_index(recorder: Recorder, tmp_path: Path) -> None:
    with Workbench(DOCUMENTS, tmp_path, Settings()) as bench:
        first = bench.index()
        assert bench.index(Settings().replace(**{"utility.coverage": 0.0, "retrieval.proximity": "ppr"})) is first
        assert bench.index(Settings().replace(**{"signals.semantic": 0.0})) is not first
        assert bench.index(Settings(embedder="onnx:elsewhere")) is first
    assert recorder.closed == 2


def test_given_vectors_replace_the_embedder(recorder: Recorder) -> None:
    vectors = GivenVectors({name: np.ones(2, np.float32) for name in "abcdx"}, {q.id: np.ones(2) for q in QUESTIONS})
    run = run_dataset(DATA, OPTIONS, Settings(), vectors=vectors)
    assert recorder.built[0][1].embedder.startswith("vectors:")
    assert run.embedder == "given vectors"


def test_vectors_that_fit_in_part_are_refused_and_of_another_set_are_noticed() -> None:
    vectors = GivenVectors({name: np.ones(2, np.float32) for name in "abcd"}, {"q": np.ones(2, np.float32)})
    with pytest.raises(EmbeddingError, match=r"1 questions of small have no vector.*'r'"):
        fitting_vectors(DATA, vectors)
    given, notices = fitting_vectors(DATA, GivenVectors({"z": np.ones(2, np.float32)}, {}))
    assert given is None
    assert notices[0].name == "no-given-vectors"
    assert fitting_vectors(DATA, None) == (None, ())


def test_unknown_systems_are_refused_before_anything_is_built(recorder: Recorder) -> None:
    with pytest.raises(UsageError):
        run_dataset(DATA, BenchOptions(systems=("bm26",)), Settings())
    assert recorder.built == []


def test_the_unit_is_that_of_the_gold() -> None:
    assert gold_unit(DATA) == "document"
    mixed = Dataset("m", DOCUMENTS, (Question("q", "w?", (("a",), ("b#0",))),), {})
    assert gold_unit(mixed) == "document"
    assert gold_unit(Dataset("n", DOCUMENTS, (Question("q", "w?"),), {})) == "document"
