"""An index with hostile documents, served to a test client or to a browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from gossamer import Document, build_index

pytest.importorskip("starlette")

SCRIPT = "<script>window.hacked=1</script><img src=x onerror='window.hacked=1'>"
QUESTION = "Where did the composer of the festival hymn study?"


def documents() -> list[Document]:
    """A chain of two edges, other languages, and texts and names that would be code if a page let them."""
    return [
        Document(
            "hymn.md", "The festival hymn was composed by Mara Lindqvist in a single night.", title="Festival hymn"
        ),
        Document("mara.md", "Mara Lindqvist studied at Torvik Academy before she moved to the coast."),
        Document("torvik.md", "Torvik Academy stands beside the harbour of Ostby.", title="Torvik Academy"),
        Document("copy.md", "Torvik Academy stands beside the harbour of Ostby."),
        Document("lock one.md", "The lock at Sill was opened on 3 May 1931 by Oona Breck, who had planned it."),
        Document("lock two.md", "The lock at Sill was opened on 9 June 1934 by Oona Breck, who had planned it."),
        Document(f"evil/../{SCRIPT}.md", f"{SCRIPT} The festival of Ostby ends at noon.", title=f"Notes {SCRIPT}"),
        Document("ar.txt", "درست مارا ليندكفيست في Torvik Academy قبل أن تنتقل إلى الساحل."),
        Document("zh.txt", "马拉在 Torvik Academy 学习。"),
    ]


@pytest.fixture(scope="session")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served") / "index"
    build_index(documents(), folder)
    return folder


class Client:
    """A browser without a page: JSON in, JSON out."""

    def __init__(self, test_client: Any) -> None:
        self.http = test_client

    def get(self, path: str, **values: Any) -> dict[str, Any]:
        response = self.http.get(path, params=values)
        assert response.status_code == 200, response.text
        return self._document(response)

    def post(self, path: str, **values: Any) -> dict[str, Any]:
        response = self.http.post(path, json=values)
        assert response.status_code == 200, response.text
        return self._document(response)

    def refused(self, path: str, status: int, **values: Any) -> str:
        """The message of an error, in its one shape."""
        response = self.http.post(path, json=values)
        assert response.status_code == status, response.text
        found = response.json()
        assert found["gossamer"] == "error" and found["version"] == 1 and found["kind"]
        return str(found["message"])

    @staticmethod
    def _document(response: Any) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(response.content.decode("utf-8"))
        assert found["version"] == 1
        return found


@pytest.fixture(scope="session")
def client(index: Path) -> Iterator[Client]:
    from starlette.testclient import TestClient

    from gossamer.server.app import create_app
    from gossamer.server.config import ServeConfig

    with TestClient(create_app(ServeConfig(index)), base_url="http://127.0.0.1:8734") as opened:
        yield Client(opened)
