from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gossamer.errors import UsageError
from gossamer.evaluation.compare import compare_reports, comparison_tables
from gossamer.evaluation.datasets import Dataset, Notice, Question
from gossamer.evaluation.options import BenchOptions
from gossamer.evaluation.report import build_report, read_report, write_report
from gossamer.evaluation.runner import DatasetRun, SystemRun
from gossamer.evaluation.scoring import Row
from gossamer.evaluation.tables import dataset_tables, report_markdown
from gossamer.model import Document
from gossamer.settings import Settings

OPTIONS = BenchOptions(systems=("gossamer",), baseline="bm25", ks=(5,), budgets=(100,))


def system(name: str, recalls: list[float], confidence: float | None = None) -> SystemRun:
    rows = []
    for number, recall in enumerate(recalls):
        metrics = {"R@5": recall, "nDCG@10": recall, "gold@100t": recall}
        kind = "bridge" if number % 2 else "comparison"
        row = Row(f"q{number}", kind, 2 + number % 2, False, ["a"], metrics, seconds=0.001 * (number + 1))
        row.confidence, row.complete = confidence, recall == 1.0
        rows.append(row)
    null = Row("null", "null_query", 0, True, ["a"], {}, seconds=0.001)
    null.confidence = None if confidence is None else confidence / 2
    return SystemRun(name, [*rows, null], index_seconds=2.0, index_bytes=3_000_000)


def run(new: list[float], *, text: str = "text", confidence: float | None = None) -> dict[str, Any]:
    questions = tuple(Question(f"q{i}", "what?", (("a",),)) for i in range(len(new)))
    data = Dataset("small", (Document("a", text),), (*questions, Question("null", "what?", kind="null_query")), {})
    systems = [system("bm25", [0.0] * len(new)), system("gossamer", new, confidence)]
    notices = (Notice("gold-not-in-corpus", 1, "One is gone."),)
    made = DatasetRun(data, "document", "hash", 1, 1, systems, notices)
    return build_report([made], OPTIONS, Settings(), resamples=200)


def test_a_report_holds_means_differences_and_costs() -> None:
    report = run([1.0, 0.0, 0.5, 0.5], confidence=0.8)
    base, ours = report["datasets"][0]["systems"]
    assert ours["metrics"]["R@5"] == {"mean": 0.5, "n": 4}
    assert base["delta"] == {}
    assert ours["delta"]["R@5"]["mean"] == 0.5
    assert ours["delta"]["R@5"]["better"] == 3
    assert ours["by_type"]["bridge"]["questions"] == 2
    assert ours["by_type"]["comparison"]["metrics"]["R@5"] == 0.75
    assert ours["by_hops"]["3"]["metrics"]["R@5"] == 0.25
    assert ours["seconds"]["p50"] == pytest.approx(0.002)
    assert ours["index"] == {"seconds": 2.0, "bytes": 3_000_000}
    assert base["abstention"] is None
    assert ours["abstention"]["null_auroc"] == 1.0
    assert ours["abstention"]["null_questions"] == 1


def test_a_plain_system_that_beats_the_baseline_is_named() -> None:
    data = Dataset("small", (Document("a", "text"),), (Question("q0", "what?", (("a",),)),), {})

    def names(*systems: SystemRun) -> list[str]:
        made = DatasetRun(data, "document", "hash", 1, 1, list(systems), ())
        return [notice["name"] for notice in build_report([made], OPTIONS, Settings())["datasets"][0]["notices"]]

    assert names(system("bm25", [0.5]), system("dense", [1.0])) == ["stronger-baseline"]
    assert names(system("bm25", [1.0]), system("dense", [1.0])) == []
    assert names(system("bm25", [1.0, 0.0]), system("dense", [0.5, 1.0])) == []
    assert names(system("bm25", [0.5]), system("gossamer", [1.0])) == []


def test_a_report_survives_a_file(tmp_path: Path) -> None:
    report = run([1.0, 0.0])
    write_report(report, tmp_path / "out.json")
    assert read_report(tmp_path / "out.json") == json.loads(json.dumps(report))


@pytest.mark.parametrize("text", ["", "[]", '{"schema": "other"}', '{"schema": "gossamer-bench", "version": 99}'])
def test_other_files_are_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError):
        read_report(tmp_path / "x.json")
    with pytest.raises(UsageError):
        read_report(tmp_path / "gone.json")


def test_markdown_has_every_system_notice_and_interval() -> None:
    text = report_markdown(run([1.0, 1.0], confidence=0.8))
    assert "| gossamer | 1.000 |" in text
    assert "gold-not-in-corpus (1): One is gone." in text
    assert "+1.000 [+1.000, +1.000] *" in text
    assert "| gossamer | 2.0 | 2.0 |" not in text
    assert "R@5 by type" in text
    assert "refusing (1 null questions)" in text
    titles = [table.title for table in dataset_tables(run([1.0])["datasets"][0], run([1.0])["options"], full=False)]
    assert "small: R@5 by type" not in titles


def test_a_metric_of_some_questions_says_of_how_many() -> None:
    report = run([1.0, 1.0, 0.0])
    for made in report["datasets"][0]["systems"]:
        made["metrics"]["answer@100t"] = {"mean": 1.0, "n": 2}
    tables = dataset_tables(report["datasets"][0], report["options"])
    assert tables[1].columns == ("system", "gold@100t", "answer@100t (n=2)")


def test_two_runs_are_compared_question_by_question() -> None:
    found = compare_reports(run([0.0, 0.5, 1.0]), run([1.0, 0.5, 0.5], text="other"), resamples=200)
    assert found["notices"] == ["small: the two runs saw different corpora."]
    pair = next(pair for pair in found["pairs"] if pair["second"] == "gossamer")
    assert pair["questions"] == 4
    assert pair["before"]["R@5"] == pytest.approx(0.5)
    assert pair["after"]["R@5"] == pytest.approx(2 / 3)
    assert pair["delta"]["R@5"]["mean"] == pytest.approx(0.5 / 3)
    assert pair["changed"] == [{"id": "q0", "change": 1.0}, {"id": "q2", "change": -0.5}]
    tables = comparison_tables(found, ["R@5"])
    assert tables[1].rows[0][:3] == ("R@5", ".500", ".667")


def test_systems_of_two_runs_can_be_crossed() -> None:
    found = compare_reports(run([0.0]), run([1.0]), systems=["bm25:gossamer"], resamples=200)
    assert [(pair["first"], pair["second"]) for pair in found["pairs"]] == [("bm25", "gossamer")]
    assert comparison_tables(found)[0].title == "small: bm25 then gossamer, 2 questions"


def test_runs_without_anything_in_common_are_refused() -> None:
    other = run([1.0])
    other["datasets"][0]["name"] = "another"
    with pytest.raises(UsageError, match="share no data set"):
        compare_reports(run([1.0]), other)
    with pytest.raises(UsageError, match="share no data set"):
        compare_reports(run([1.0]), run([1.0]), systems=["gone"])
