"""Fixtures that the tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from chat_server import ChatServer
from corpora import Bridge
from gossamer import Document
from gossamer.llm import patience


@pytest.fixture
def bridge() -> Bridge:
    return Bridge()


@pytest.fixture
def good_trio() -> list[Document]:
    """Three documents of two sentences each; g1 and g2 are linked by a name."""
    return [
        Document("g1.md", "Project Orion's research is done by Helix Labs. It began in 2019."),
        Document("g2.md", "Helix Labs has its head office in Pune. Forty people work there."),
        Document("g3.md", "The budget was approved in May. It covers two years."),
    ]


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """A running chat server; pauses between tries are short."""
    monkeypatch.setattr(patience, "FIRST_PAUSE", 0.001)
    server = ChatServer()
    yield server
    server.close()
