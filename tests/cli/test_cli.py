from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from gossamer import __all__ as public


def gossamer(
    *arguments: str, cwd: Path, stdin: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gossamer", *arguments],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
        check=False,
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "g1.md").write_text("Project Orion's research is done by Helix Labs. It began in 2019.", encoding="utf-8")
    (docs / "g2.md").write_text("Helix Labs has its head office in Pune. Forty people work there.", encoding="utf-8")
    (docs / "empty.md").write_text("", encoding="utf-8")
    return tmp_path


def document(run: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def test_index_query_info_export(folder: Path) -> None:
    built = gossamer("index", "docs", "my_index", "--json", cwd=folder)
    assert built.returncode == 0, built.stderr
    report = document(built)
    assert (report["gossamer"], report["version"], report["documents"]) == ("index", 1, 2)
    assert [item["source"] for item in report["skipped"]] == ["empty.md"]
    assert "chunk" in built.stderr

    asked = gossamer("query", "my_index", "Where is the lab of Orion?", "--budget", "80", cwd=folder)
    assert asked.returncode == 0, asked.stderr
    assert "Pune" in asked.stdout
    assert "of 80 tokens" in asked.stderr

    found = document(gossamer("query", "my_index", "-", "--json", cwd=folder, stdin="Where is Helix Labs?\n"))
    assert found["question"] == "Where is Helix Labs?"
    assert found["tokens"] <= found["token_budget"] == 4000

    ranked = document(gossamer("query", "my_index", "Helix Labs", "--k", "1", "--json", cwd=folder))
    assert (ranked["gossamer"], len(ranked["passages"])) == ("rank", 1)

    explained = gossamer("query", "my_index", "Where is the lab of Orion?", "--explain", cwd=folder)
    assert "why" in explained.stdout and "edge" in explained.stdout

    info = document(gossamer("info", "my_index", "--json", cwd=folder))
    assert info["embedder"]["kind"] == "hash"
    assert gossamer("info", "my_index", cwd=folder).stdout.startswith("index")

    rows = [json.loads(line) for line in gossamer("export", "chunks", "my_index", cwd=folder).stdout.splitlines()]
    assert [row["id"] for row in rows] == ["g1.md#0", "g2.md#0"]


def test_json_lines_as_documents(tmp_path: Path) -> None:
    rows = [
        {"id": "one", "title": "Helix", "text": "Helix Labs is in Pune.", "source": "news"},
        {"id": "two", "title": "", "text": "The budget was approved."},
    ]
    with gzip.open(tmp_path / "c.jsonl.gz", "wt", encoding="utf-8") as handle:
        handle.writelines(json.dumps(row) + "\n" for row in rows)
    assert gossamer("index", "c.jsonl.gz", "i", "-q", cwd=tmp_path).returncode == 0
    found = document(gossamer("query", "i", "Pune", "--json", cwd=tmp_path))
    assert found["passages"][0]["document"] == "one"
    assert found["passages"][0]["metadata"] == {"source": "news"}


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("query", "nothing", "Pune"), 1, "gossamer index"),
        (("index", "nowhere", "i"), 1, "nowhere"),
        (("index", "docs"), 2, "index folder"),
        (("index", "docs", "i", "--set", "retrieval.alpha=7"), 2, "retrieval.alpha"),
        (("index", "docs", "i", "--set", "alpha"), 2, "group.name=value"),
        (("index", "docs", "i", "--embedder", "magic"), 2, "magic"),
        (("index", "docs", "i", "--preset", "magic"), 2, "paper_fine"),
        (("frobnicate",), 2, "frobnicate"),
        (("query",), 2, "INDEX"),
    ],
)
def test_errors_are_one_line_and_have_the_right_code(
    folder: Path, arguments: tuple[str, ...], code: int, words: str
) -> None:
    run = gossamer(*arguments, cwd=folder)
    assert run.returncode == code, run.stderr
    assert words in run.stderr
    assert "Traceback" not in run.stderr
    assert run.stdout == ""


def test_settings_by_strength(folder: Path) -> None:
    (folder / "s.toml").write_text("[selection]\npool = 60\n[graph]\ngraph_k = 7\n", encoding="utf-8")
    run = gossamer(
        "index", "docs", "i", "--settings", "s.toml", "--set", "selection.pool=61", "--json", "-q",
        cwd=folder, GOSSAMER_GRAPH__GRAPH_K="8", GOSSAMER_SELECTION__POOL="5",
    )  # fmt: skip
    assert document(run)["settings"] == "default (graph.graph_k=8, selection.pool=61)"


def test_version_names_what_is_missing(tmp_path: Path) -> None:
    run = gossamer("version", cwd=tmp_path)
    assert run.returncode == 0
    assert "numpy" in run.stdout
    assert "pip install 'gossamer[" in run.stdout
    assert document(gossamer("version", "--json", cwd=tmp_path))["base"]["numpy"]


def test_help_names_every_command(tmp_path: Path) -> None:
    run = gossamer("--help", cwd=tmp_path)
    assert run.returncode == 0
    for command in ("index", "query", "info", "export", "demo", "bench", "tune", "version"):
        assert command in run.stdout
    assert public


def test_demo_shows_sets_reasons_and_what_top_k_misses(tmp_path: Path) -> None:
    run = gossamer("demo", "--keep", "kept", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert run.stdout.count("Q: ") == 3
    # The bridge of the third question is near enough in words that plain search finds it too.
    assert run.stdout.count("It misses: nothing") == 1
    for document_id in ("corvane-workshop.md#2", "marrow-line-crews.txt#0", "people/oona-breck.md#0"):
        assert document_id in run.stdout
    assert (tmp_path / "kept" / "CURRENT").is_file()


def test_console_that_cannot_show_a_character(folder: Path) -> None:
    (folder / "docs" / "g3.md").write_text("Helix Labs → Žižkov \U0001f600", encoding="utf-8")
    gossamer("index", "docs", "i", "-q", cwd=folder)
    run = gossamer("query", "i", "Helix Labs", cwd=folder, PYTHONIOENCODING="ascii")
    assert run.returncode == 0, run.stderr


def test_index_again_syncs_and_force_rebuilds(folder: Path) -> None:
    assert gossamer("index", "docs", "i", "-q", "--set", "graph.graph_k=7", cwd=folder).returncode == 0
    (folder / "docs" / "g2.md").rename(folder / "docs" / "g4.md")
    (folder / "docs" / "g3.md").write_text("The budget was approved in May.", encoding="utf-8")
    synced = document(gossamer("index", "docs", "i", "-q", "--json", "--cache", "cache", cwd=folder))
    assert synced["changes"]["documents"] == {
        "same": 1, "added": 1, "changed": 0, "moved": 1, "removed": 0, "embedded": 1,
    }  # fmt: skip
    assert synced["settings"] == "default (graph.graph_k=7)"
    assert next((folder / "cache").iterdir()).name.startswith("hash-")
    refused = gossamer("index", "docs", "i", "--embedder", "hash:64", cwd=folder)
    assert (refused.returncode, refused.stdout) == (1, "")
    assert "dimension 512" in refused.stderr and "--force" in refused.stderr
    refused = gossamer("index", "docs", "i", "--preset", "paper", cwd=folder)
    assert refused.returncode == 2 and "chunking.topics" in refused.stderr
    rebuilt = gossamer("index", "docs", "i", "--embedder", "hash:64", "--force", "-q", cwd=folder)
    assert rebuilt.returncode == 0
    assert "changes   documents 3 added, 3 embedded; chunks 3 added, 3 embedded" in rebuilt.stdout
    kept = document(gossamer("index", "docs", "i", "-q", "--json", "--embedder", "hash:64", cwd=folder))
    assert kept["changes"]["chunks"] == {"same": 3, "added": 0, "removed": 0, "embedded": 0}


def test_doctor(folder: Path) -> None:
    gossamer("index", "docs", "i", "-q", cwd=folder)
    fine = gossamer("doctor", "i", cwd=folder)
    assert fine.returncode == 0 and "FAULT" not in fine.stdout
    assert document(gossamer("doctor", "i", "--json", cwd=folder))["ok"] is True
    assert gossamer("doctor", cwd=folder).returncode == 0
    (path,) = folder.glob("i/s-*/vectors.npy")
    path.write_bytes(path.read_bytes()[:-1])
    damaged = gossamer("doctor", "i", cwd=folder)
    assert damaged.returncode == 1
    assert "vectors.npy" in damaged.stdout and "--force" in damaged.stdout
    checks = document(gossamer("doctor", "i", "--json", cwd=folder))
    assert [check["name"] for check in checks["checks"] if not check["ok"]] == ["files"]
    assert gossamer("doctor", "nowhere", cwd=folder).returncode == 1
    refused = gossamer("index", "docs", "i", cwd=folder)
    assert refused.returncode == 1 and "--force" in refused.stderr
    assert gossamer("index", "docs", "i", "-q", "--force", cwd=folder).returncode == 0
    assert gossamer("doctor", "i", cwd=folder).returncode == 0
