from __future__ import annotations

import json
from pathlib import Path

import pytest

from chat_server import MODEL, ChatServer

from .test_cli import gossamer


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("Helix Labs has its head office in Pune.", encoding="utf-8")
    (tmp_path / "docs" / "b.md").write_text("Project Orion's research is done by Helix Labs.", encoding="utf-8")
    return tmp_path


def test_questions_with_cost_first_and_kept_after(docs: Path, chat: ChatServer) -> None:
    chat.answer = lambda prompt: '{"questions": ["Where is Helix Labs?"]}'
    flags = ("--questions", "--llm-url", chat.address, "--llm-model", MODEL, "--llm-set", "price_sent=1",
             "--llm-set", "price_received=2")  # fmt: skip
    dry = gossamer("index", "docs", "index", *flags, "--dry-run", cwd=docs)
    assert dry.stdout.startswith("questions: 2 calls to make, 0 replies cached")
    assert "cost 0.00" in dry.stdout
    assert not chat.requests
    assert not (docs / "index" / "CURRENT").exists()
    run = gossamer("index", "docs", "index", *flags, cwd=docs)
    assert run.returncode == 0, run.stderr
    assert "questions: 2 calls to make" in run.stderr
    assert f"{MODEL}: 2 calls, 0 from the cache" in run.stdout
    for force, cached in (((), 0), (("--force",), 2)):
        again = gossamer("index", "docs", "index", *flags, *force, "--json", "--quiet", cwd=docs)
        data = json.loads(again.stdout)
        assert (data["questions"], data["llm"]["calls"], data["llm"]["cached"]) == (2, 0, cached)
    assert len(chat.requests) == 2
    assert again.stderr == ""


def test_a_dry_run_as_json(docs: Path, chat: ChatServer) -> None:
    run = gossamer(
        "index", "docs", "index", "--concepts", "--propositions", "--dry-run", "--json", "--quiet", cwd=docs,
        GOSSAMER_LLM_URL=chat.address, GOSSAMER_LLM_MODEL=MODEL,
    )  # fmt: skip
    data = json.loads(run.stdout)
    assert data["gossamer"] == "index-estimate"
    assert (data["concepts"]["calls"], data["propositions"]["calls"]) == (2, 2)
    assert not chat.requests


def test_steps_without_a_model_are_an_error_and_no_steps_need_none(docs: Path) -> None:
    run = gossamer("index", "docs", "index", "--questions", cwd=docs)
    assert (run.returncode, "No address of a language model" in run.stderr) == (2, True)
    run = gossamer("index", "docs", "index", "--dry-run", "-q", cwd=docs)
    assert (run.returncode, "no step asks a model" in run.stdout) == (0, True)
    assert gossamer("index", "docs", "index", "-q", cwd=docs).returncode == 0
