"""The spreading options of `gossamer query`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gossamer import Document, Settings, build_index, load_traces


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    docs = [
        Document("a", "The festival hymn was written by Mara Lindqvist."),
        Document("b", "In her youth Mara Lindqvist studied at Torvik Academy."),
        Document("c", "Torvik Academy stands beside the harbour of Ostby."),
        Document("d", "Torvik Academy stands beside the harbour of Ostby."),
    ]
    made = tmp_path_factory.mktemp("cli")
    build_index(docs, made / "i", Settings(embedder="none"))
    return made


def ask(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gossamer", "query", "i", *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, encoding="utf-8", env=os.environ, check=False
    )


def test_text_says_what_the_ranking_hides(folder: Path) -> None:
    run = ask(folder, "Who wrote the festival hymn of Mars?", "--engine", "flow", "--paths")
    assert run.returncode == 0, run.stderr
    assert "a#0 → b#0 (through mara lindqvist) → c#0 (through torvik academy)" in run.stdout
    assert "2 votes: c, d" in run.stdout
    for word in ("theme ", "gap ", "confidence ", "energy ", "flow, standard"):
        assert word in run.stdout


def test_every_option_reaches_the_run(folder: Path) -> None:
    run = ask(
        folder, "Who wrote the festival hymn?", "--json", "--engine", "wave", "--profile", "precise", "--damping", "0.5",
        "--threshold", "0.001", "--width", "1", "--without", "Torvik", "--show", "1", "--spread", "duplicates=false",
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert (found["gossamer"], found["version"], found["engine"], found["dedup_mode"]) == ("retrieve", 1, "wave", "off")
    assert found["profile"] == {"name": "precise", "damping": 0.5, "threshold": 0.001, "width": 1, "exponent": 1.0}
    assert [passage["id"] for passage in found["passages"]] == ["a#0"]
    assert "Torvik" not in json.dumps(found["passages"])
    assert found["left_out"] == [{"name": "Torvik", "passages": 3, "words": ""}]


def test_parts_and_earlier_questions(folder: Path) -> None:
    parts = json.loads(ask(folder, "hymn harbour", "--part", "hymn", "--part", "harbour", "--json").stdout)
    assert parts["bridges"] and parts["ledger"]["injected"] == pytest.approx(20.0)
    warm = json.loads(ask(folder, "Lindqvist", "--warm", "festival hymn", "--json").stdout)
    assert warm["ledger"]["injected"] > 10.0
    both = ask(folder, "hymn", "--part", "hymn", "--warm", "harbour")
    assert both.returncode == 2 and "--warm" in both.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--engine", "tide"), "engine"),
        (("--spread", "duplicates"), "name=value"),
        (("--spread", "tide=3"), "tide"),
        (("--threshold", "0.9"), "cannot leave its seeds"),
    ],
)
def test_impossible_options_are_one_line(folder: Path, arguments: tuple[str, ...], words: str) -> None:
    run = ask(folder, "hymn", *arguments)
    assert run.returncode == 2 and words in run.stderr and "Traceback" not in run.stderr


def test_feedback_traces_and_the_learned_layer(folder: Path) -> None:
    run = ask(folder, "festival hymn", "--accept", "b#0", "--trace", "t.jsonl")
    assert run.returncode == 0, run.stderr
    assert [trace["question"] for trace in load_traces(folder / "t.jsonl")] == ["festival hymn"]

    def learned(*arguments: str) -> dict[str, int]:
        command = [sys.executable, "-m", "gossamer", "learned", "i", "--json", *arguments]
        out = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True)
        return {name: json.loads(out.stdout)[name] for name in ("edges", "pruned")}

    assert learned() == {"edges": 1, "pruned": 0}
    assert learned("--prune", "1") == {"edges": 1, "pruned": 3}
    assert learned("--unprune") == {"edges": 1, "pruned": 0}
    assert learned("--clear") == {"edges": 0, "pruned": 0}
    unknown = ask(folder, "festival hymn", "--accept", "z#0")
    assert unknown.returncode == 2 and "z#0" in unknown.stderr
