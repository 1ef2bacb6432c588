from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gossamer import TraceConfig, open_index
from gossamer.errors import UsageError
from gossamer.monitor.record import Record, read_record, write_record
from gossamer.monitor.recorder import Asking, record_of_trace, record_question
from monitor.conftest import QUESTION


def test_a_question_is_recorded_hop_by_hop(demo_index: str) -> None:
    with open_index(demo_index) as index:
        record = record_question(index, QUESTION, Asking(budget=200))
        answer = index.retrieve(QUESTION)
    assert record.hops >= 1
    assert {node.id: node.energy for node in record.nodes} == {p.id: p.energy for p in answer.passages}
    assert all(len(node.energies) == record.hops + 1 for node in record.nodes)
    assert all(node.energies[hop] == 0.0 for node in record.nodes for hop in range(min(node.hop, record.hops)))
    assert all(node.energies[0] > 0.0 for node in record.nodes if node.hop == 0)
    assert 0 < record.tokens <= 200
    assert [shown.number for shown in record.passages] == list(range(1, len(record.passages) + 1))
    assert record.confidence == answer.confidence.probability


def test_without_and_parts_reach_the_engine(demo_index: str) -> None:
    with open_index(demo_index) as index:
        without = record_question(index, QUESTION, Asking(without=("turbine",)))
        parts = record_question(
            index, QUESTION, Asking(parts=("who founded the workshop", "turbine of Project Lantern"))
        )
    assert not any("turbine" in shown.text.lower() for shown in without.passages)
    assert any(node.bridge > 0.0 for node in parts.nodes)


def test_a_record_comes_back_as_it_was_saved(record: Record, tmp_path: Path) -> None:
    write_record(record, tmp_path / "a.json")
    assert read_record(tmp_path / "a.json") == record
    with pytest.raises(UsageError, match="exists already"):
        write_record(record, tmp_path / "a.json")
    with pytest.raises(UsageError, match="cannot be written"):
        write_record(record, tmp_path / "no" / "a.json")


def test_markdown_is_for_reading(record: Record, tmp_path: Path) -> None:
    write_record(record, tmp_path / "a.md")
    text = (tmp_path / "a.md").read_text(encoding="utf-8")
    assert text.startswith("# Who built the harbour?")
    assert "## [1] The harbour" in text


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"gossamer": "record", "version": 9}', "\x00"])
def test_a_file_that_is_no_record_is_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"bad\.json is no saved answer"):
        read_record(tmp_path / "bad.json")


def test_a_record_of_another_shape_is_refused(record: Record, tmp_path: Path) -> None:
    data: dict[str, Any] = record.to_dict()
    data["nodes"][0]["colour"] = "red"
    (tmp_path / "bad.json").write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(UsageError, match="no saved answer"):
        read_record(tmp_path / "bad.json")


def test_missing_passage_says_what_there_is(record: Record) -> None:
    assert record.passage("2") is record.passage("b#0")
    with pytest.raises(UsageError, match="1 to 3"):
        record.passage("9")


def test_a_trace_becomes_a_record_without_texts(demo_index: str) -> None:
    with open_index(demo_index, trace=TraceConfig()) as index:
        answer = index.retrieve(QUESTION)
        (trace,) = index.traces
    record = record_of_trace(trace, "process 7")
    assert record.origin == "process 7"
    assert record.question == QUESTION
    assert [node.id for node in record.nodes] == [passage.id for passage in answer.passages]
    assert record.passages[0].text == ""
    assert all(node.energies[node.hop] == node.energy for node in record.nodes if node.hop <= record.hops)
