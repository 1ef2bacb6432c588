"""Uploads: only where allowed, bounded, and never a path."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from gossamer import Document, build_index
from gossamer.server.app import create_app
from gossamer.server.config import ServeConfig
from gossamer.server.ingest import label

NAMES = [
    "../../escape.md",
    "/etc/cron.d/escape.md",
    "..\\..\\escape.md",
    "C:\\escape.md",
    "a\x00/escape.md",
    "escape.md",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    build_index([Document("old.md", "Helix Labs is in Pune.")], tmp_path / "index")
    return tmp_path / "index"


@pytest.fixture
def client(folder: Path) -> Iterator[Any]:
    config = ServeConfig(folder, allow_ingest=True, max_upload=20_000)
    with TestClient(create_app(config), base_url="http://localhost") as opened:
        yield opened


def send(client: Any, *files: tuple[str, bytes]) -> Any:
    return client.post("/api/documents", files=[("files", file) for file in files])


def test_uploaded_documents_join_the_index(client: Any) -> None:
    report = send(client, ("orion.md", b"# Orion\n\nOrion is built by Helix Labs."), ("photo.png", b"\x89PNG"))
    assert report.status_code == 200, report.text
    assert report.json()["gossamer"] == "index" and report.json()["documents"] == 2
    assert report.json()["skipped"] == [{"source": "photo.png", "reason": "no text: an image"}]
    assert client.get("/api/info").json()["documents"] == 2
    found = client.post("/api/query", json={"question": "Where is the builder of Orion?"}).json()
    assert {passage["document"] for passage in found["passages"]} == {"old.md", "orion.md"}
    again = send(client, ("orion.md", b"# Orion\n\nOrion was sold."))
    assert again.json()["documents"] == 2


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_a_label_and_never_a_path(client: Any, folder: Path, tmp_path: Path, name: str) -> None:
    before = sorted(path.name for path in tmp_path.iterdir())
    response = send(client, (name, b"The escape plan of the crew."))
    assert response.status_code == 200, response.text
    assert client.get("/api/chunk", params={"id": "escape.md#0"}).status_code == 200
    assert sorted(path.name for path in tmp_path.iterdir()) == before
    assert not list(tmp_path.rglob("*escape*")) and not Path("/etc/cron.d/escape.md").exists()


@given(st.text(max_size=300), st.integers(1, 9))
def test_labels_hold_no_slash(name: str, number: int) -> None:
    found = label(name, number)
    assert found and len(found) <= 200 and not {"/", "\\", "\n", "\x00"} & set(found) and found not in (".", "..")


def test_limits_and_wrong_requests(client: Any, folder: Path) -> None:
    assert send(client, ("big.txt", b"word " * 40_000)).status_code == 413
    assert send(client, ("empty.txt", b"  ")).status_code == 400
    assert client.post("/api/documents", json={"files": []}).status_code == 400
    assert (
        client.post("/api/documents", content=b"x", headers={"content-type": "multipart/form-data"}).status_code == 400
    )
    assert send(client, *[(f"{n}.txt", b"a") for n in range(600)]).status_code in (400, 413)
    foreign = client.post(
        "/api/documents", files=[("files", ("a.md", b"text"))], headers={"origin": "http://evil.example"}
    )
    assert foreign.status_code == 403
    assert client.get("/api/info").json()["documents"] == 1


def test_without_leave_there_is_no_such_address(folder: Path) -> None:
    with TestClient(create_app(ServeConfig(folder)), base_url="http://localhost") as client:
        assert send(client, ("a.md", b"text")).status_code == 404
        assert "/api/documents" not in client.get("/api/openapi.json").json()["paths"]


def test_a_passage_can_teach_the_index(client: Any, folder: Path) -> None:
    send(client, ("orion.md", b"# Orion\n\nOrion is built by Helix Labs."))
    found = client.post("/api/retrieve", json={"question": "Orion", "accept": ["old.md#0"]})
    assert found.status_code == 200, found.text
    assert (folder / "learned.json").exists()
