from __future__ import annotations

import json
from pathlib import Path

from chat_server import MODEL, ChatServer, says
from gossamer import Document, build_index

from .test_cli import gossamer

PARTS = ["Who does the research of Project Orion?", "Where is the office of #1?"]


def test_parts_by_hand_and_by_model(tmp_path: Path, good_trio: list[Document], chat: ChatServer) -> None:
    build_index(good_trio, tmp_path / "index")
    command = ("parts", "index", "Where is Orion studied?")
    run = gossamer(*command, "--part", PARTS[0], "--part", PARTS[1], "--answer", "1=Helix Labs", cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert "Where is the office of Helix Labs?" in run.stderr
    assert "Pune" in run.stdout
    chat.script.extend([says(json.dumps({"parts": PARTS})), says('{"answer": "Helix Labs"}')])
    run = gossamer(*command, "--llm-url", chat.address, "--llm-model", MODEL, "--json", cwd=tmp_path)
    data = json.loads(run.stdout)
    assert data["gossamer"] == "parts"
    assert data["parts"][0]["answer"] == "Helix Labs"
    run = gossamer(*command, "--part", "x", "--answer", "Helix", cwd=tmp_path)
    assert run.returncode == 2
    assert "Write it like 1=" in run.stderr
