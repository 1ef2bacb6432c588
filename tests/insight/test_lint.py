from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from gossamer import Document, build_index
from gossamer.errors import IndexNotFoundError, UsageError
from gossamer.index.local import LocalStore
from gossamer.index.snapshot import Snapshot
from gossamer.index.store import SnapshotData
from gossamer.insight.lint import lint_index
from gossamer.insight.lint_graph import degrees, hubs, islands
from gossamer.insight.lint_report import Finding, LintReport, sorted_report

FACT = "Helix Labs has its head office in {}. It was founded in 2019 and employs forty people in two houses near the river."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = [
        Document("a.md", FACT.format("Pune")),
        Document("b.md", FACT.format("Oslo")),
        Document("c.md", FACT.format("Pune")),
        Document("d.md", "The canteen serves lunch at noon."),
    ]
    build_index(documents, tmp_path / "index")
    return tmp_path / "index"


def finding(report: LintReport, kind: str) -> Finding:
    (found,) = [item for item in report.findings if item.kind == kind]
    return found


def test_an_index_with_faults(folder: Path) -> None:
    report = lint_index(folder)
    assert (report.chunks, report.documents, report.worst) == (4, 4, "error")
    contradictions = finding(report, "contradictions")
    assert report.findings[0] == contradictions
    assert contradictions.count == 2
    assert contradictions.examples[0] == 'a.md#0 | b.md#0: Which is right about Helix Labs: "Pune" or "Oslo"?'
    copies = finding(report, "near-duplicates")
    assert copies.examples == ("a.md#0 | c.md#0",)
    assert "section" in finding(report, "empty layers").examples
    assert json.loads(json.dumps(report.to_dict()))["worst"] == "error"
    assert "contradictions: 2" in repr(report)
    assert lint_index(Snapshot(LocalStore(folder).load())) == report


def test_the_limit_of_the_embedder(folder: Path) -> None:
    data = LocalStore(folder).load()
    assert data.info["max_tokens"] is None
    info = {**data.info, "max_tokens": 20}
    cut = finding(lint_index(Snapshot(SnapshotData(data.arrays, data.strings, info))), "cut passages")
    assert (cut.count, cut.severity, cut.examples) == (3, "error", ("a.md#0", "b.md#0", "c.md#0"))
    assert "20" in cut.advice


def test_options(folder: Path) -> None:
    report = lint_index(folder, pairs=0, examples=0)
    assert "contradictions" not in {item.kind for item in report.findings}
    assert all(item.examples == () for item in report.findings)
    with pytest.raises(UsageError, match="pairs"):
        lint_index(folder, pairs=-1)
    with pytest.raises(IndexNotFoundError):
        lint_index(folder / "nothing")


def test_worst_first() -> None:
    found = [
        Finding(kind, level, count, 0.0, (), "")
        for kind, level, count in (("b", "info", 9), ("a", "error", 1), ("c", "info", 9))
    ]  # type: ignore[arg-type]
    report = sorted_report(1, 1, found)
    assert [item.kind for item in report.findings] == ["a", "b", "c"]
    assert report.fails("error") and report.fails("info")
    clean = sorted_report(1, 1, [])
    assert not clean.fails("info") and clean.worst is None
    assert "nothing found" in repr(clean)
    with pytest.raises(UsageError, match="fail-on"):
        clean.fails("fatal")


def test_twenty_thousand_isolated_nodes() -> None:
    assert not degrees(csr_array((20_000, 20_000))).any()
    assert islands(np.arange(20_000)) == []
    assert hubs(np.zeros(20_000, dtype=np.int64)).tolist() == []


def test_degrees_leave_loops_and_zeros_out() -> None:
    weights = csr_array((np.array([1.0, 0.0, 1.0]), np.array([0, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    assert degrees(weights).tolist() == [0, 1]


def test_islands_of_an_empty_graph() -> None:
    assert islands(np.zeros(0, dtype=np.int32)) == []
    assert islands(np.zeros(3, dtype=np.int32)) == []


def test_hubs_are_rare() -> None:
    degree = np.full(1000, 4)
    degree[[7, 3]] = (400, 200)
    assert hubs(degree).tolist() == [7, 3]
    assert hubs(np.full(1000, 100)).tolist() == []
