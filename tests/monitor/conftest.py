from __future__ import annotations

from pathlib import Path

import pytest

from gossamer import build_index
from gossamer.demo import CORPUS
from gossamer.monitor.record import Clash, Missing, Node, Record, Shown

QUESTION = "Who founded the maker of the turbine of Project Lantern?"


@pytest.fixture(scope="session")
def demo_index(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("monitor") / "demo_index"
    build_index(str(CORPUS), folder)
    return str(folder)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the folder it was started in."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def record() -> Record:
    """Two seeds, one of them with a near-copy, a neighbour that is a bridge, and one passage at hop 2."""
    nodes = (
        Node("a#0", "The harbour", 0, (6.0, 5.0, 5.0), -1, ("copy.md",), 0.0, 1),
        Node("b#0", "港口建设项目的详细报告", 0, (4.0, 3.0, 2.5), -1, (), 0.0, 2),
        Node("c#0", "تقرير الميناء الكبير", 1, (0.0, 2.0, 1.5), 0, (), 0.25, 3),
        Node(
            "d#0",
            "A title that is far too long for any column of any screen that people have " * 3,
            2,
            (0.0, 0.0, 1.0),
            2,
        ),
    )
    passages = (
        Shown(1, "a#0", "The harbour", "# The harbour\nIt was built in 2019.", 12, 2.5, 2, ("a", "copy.md"),
              ("why    the question touches it", "ranks  bm25 1"), "a#0"),
        Shown(2, "b#0", "港口建设项目的详细报告", "港口由赫利克斯实验室建造。" * 9, 80, 2.0, 1, ("b",), (), "b#0"),
        Shown(3, "c#0", "تقرير الميناء الكبير", "مدينة الميناء", 4, 1.0, 1, ("c",), (), "a#0 → c#0"),
    )  # fmt: skip
    return Record(
        question="Who built the harbour?",
        index="my_index",
        run="flow, standard (damping 0.4, threshold 0.003)",
        hops=2,
        nodes=nodes,
        passages=passages,
        tokens=96,
        budget=200,
        ledger={
            "injected": 10.0,
            "held": 9.5,
            "dissipated": 0.5,
            "polarity": 0.0,
            "exclusion": 0.0,
            "contradiction": 0.0,
            "destroyed": 0.0,
            "balance": 0.0,
        },
        stop_reason="threshold",
        seconds=0.02,
        clashes=(Clash("[1]", "[3]", "Which is right: 2019 or 2020?", "[3]"),),
        gaps=(Missing("crane", 0.3, False),),
        confidence=0.2,
        warnings=("The corpus disputes this claim: x denies it.",),
    )
