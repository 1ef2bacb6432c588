from __future__ import annotations

import json
from pathlib import Path

import pytest

from chat_server import MODEL, ChatServer, says, status
from gossamer import Document, build_index

from .test_cli import gossamer

KEY = "sk-very-secret-0123456789"


@pytest.fixture
def index(tmp_path: Path, good_trio: list[Document]) -> Path:
    build_index(good_trio, tmp_path / "index")
    return tmp_path


def test_an_answer_with_its_sources(index: Path, chat: ChatServer) -> None:
    chat.key = KEY
    chat.script.append(says("In Pune [1], not [9]."))
    run = gossamer(
        "answer", "index", "Where is Helix Labs?", "--llm-url", chat.address, "--llm-model", MODEL,
        "--llm-key-env", "MY_KEY", "--llm-set", "price_sent=1", "--llm-set", "price_received=2", cwd=index, MY_KEY=KEY,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    first, *rest = run.stdout.splitlines()
    assert first == "In Pune [1], not."
    assert any(line.startswith("[1] g") for line in rest)
    assert "removed citations of passages that do not exist: 9" in run.stderr
    assert "1 calls, 0 from the cache" in run.stderr
    assert "cost 0.000" in run.stderr
    assert KEY not in run.stdout + run.stderr


def test_where_the_model_is_may_stand_in_the_environment_or_a_file(index: Path, chat: ChatServer) -> None:
    (index / "s.toml").write_text(f'[llm]\nurl = "{chat.address}"\nmodel = "wrong"\n', encoding="utf-8")
    run = gossamer(
        "answer", "index", "-", "--settings", "s.toml", "--json", cwd=index, stdin="Where is Helix Labs?\n",
        GOSSAMER_LLM_MODEL=MODEL,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    data = json.loads(run.stdout)
    assert (data["gossamer"], data["version"], data["spent"]["calls"]) == ("answer", 1, 1)
    assert data["text"].startswith("You said:")
    assert data["result"]["question"] == "Where is Helix Labs?"


def test_a_dry_run_asks_nobody(index: Path, chat: ChatServer) -> None:
    flags = ("--llm-url", chat.address, "--llm-model", MODEL, "--dry-run")
    run = gossamer("answer", "index", "Where is Helix Labs?", *flags, cwd=index)
    assert "1 calls to make, 0 replies cached" in run.stdout
    data = json.loads(gossamer("answer", "index", "Where is Helix Labs?", *flags, "--json", cwd=index).stdout)
    assert (data["gossamer"], data["calls"], data["cost"]) == ("answer-estimate", 1, None)
    assert not chat.requests


def test_no_answer_is_said(index: Path, chat: ChatServer) -> None:
    chat.script.append(says("NO ANSWER"))
    flags = ("--llm-url", chat.address, "--llm-model", MODEL)
    run = gossamer("answer", "index", "Where is Helix Labs?", *flags, cwd=index)
    assert run.stdout == "no answer: The model does not find the answer in the passages.\n"
    run = gossamer("answer", "index", "Helix Labs", *flags, "--where", "path=g3*", cwd=index)
    assert run.stdout.startswith("no answer: No passage was found")
    run = gossamer("answer", "index", "zzz qqq", *flags, cwd=index)
    assert run.stdout.startswith("no answer: No passage was found")
    assert len(chat.requests) == 1


def test_trouble_is_one_line(index: Path, chat: ChatServer) -> None:
    run = gossamer("answer", "index", "Where?", cwd=index)
    assert (run.returncode, "No address of a language model" in run.stderr) == (2, True)
    flags = ("--llm-url", chat.address, "--llm-model", MODEL)
    run = gossamer("answer", "index", "Where is Pune?", *flags, "--llm-key-env", "NOT_SET", cwd=index)
    assert (run.returncode, "NOT_SET holds no key" in run.stderr) == (2, True)
    run = gossamer("answer", "index", "Where is Pune?", *flags, "--llm-set", "speed=3", cwd=index)
    assert (run.returncode, "no setting llm.speed" in run.stderr) == (2, True)
    chat.always = status(401, "bad key")
    run = gossamer("answer", "index", "Where is Helix Labs?", *flags, cwd=index)
    assert run.returncode == 1
    assert run.stderr.count("\n") == 1
    assert "status 401: bad key. Check the key" in run.stderr
