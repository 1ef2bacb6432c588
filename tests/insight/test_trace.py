from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gossamer import TraceConfig, load_traces
from gossamer.errors import SettingsError, UsageError
from gossamer.insight.trace import Traces


def test_ring_keeps_the_last(tmp_path: Path) -> None:
    traces = Traces()
    for number in range(250):
        traces.record({"question": str(number)})
    assert len(traces) == 200
    assert [trace["question"] for trace in traces][::199] == ["50", "249"]


def test_lines_are_whole_and_readable(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    traces = Traces(TraceConfig(path=path, size=0))

    def write() -> None:
        for _ in range(20):
            traces.record({"question": "Wo ist Žižkov?\n"})

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(traces) == 0
    assert [trace["question"] for trace in load_traces(path)] == ["Wo ist Žižkov?\n"] * 80


@pytest.mark.parametrize("cut", range(1, 30, 4))
def test_a_last_line_cut_short_is_left_out(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "t.jsonl"
    traces = Traces(TraceConfig(path=path))
    traces.record({"question": "Žižkov"})
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:cut])
    assert len(load_traces(path)) == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"trace": 2}\n', "version 2"),
        ('{"trace": 1}\n{"tra\n{"trace": 1}\n', "line 2"),
        ('{"question": "x"}\n', "no trace"),
        ("[1]\n", "no trace"),
        ('{"trace": 7}', "version 7"),
    ],
)
def test_what_is_no_trace_is_refused(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=words):
        load_traces(path)
    with pytest.raises(UsageError, match="cannot be read"):
        load_traces(tmp_path / "none.jsonl")


def test_config_is_checked() -> None:
    with pytest.raises(SettingsError, match="size"):
        TraceConfig(size="many")  # type: ignore[arg-type]
    with pytest.raises(SettingsError, match="path"):
        TraceConfig(path=3)  # type: ignore[arg-type]


def test_graph_and_traces_need_the_standard_library_alone(tmp_path: Path) -> None:
    (tmp_path / "t.jsonl").write_text(json.dumps({"trace": 1}) + "\n", encoding="utf-8")
    code = (
        "import sys\n"
        "class Refuse:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        root = name.partition('.')[0]\n"
        "        if root not in sys.stdlib_module_names and root != 'gossamer':\n"
        "            raise ImportError(name)\n"
        "sys.meta_path.insert(0, Refuse())\n"
        "from gossamer import Graph, Ledger, Profile, PropagationResult, TraceConfig, load_traces, propagate\n"
        "result = propagate(Graph.from_edges([('A', 'B', 0.8)]), {'A': 0.9})\n"
        "print(result.ranked(), len(load_traces(sys.argv[1])))"
    )
    out = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "t.jsonl")], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "[('A', 10.0), ('B', 6.0)] 1"
