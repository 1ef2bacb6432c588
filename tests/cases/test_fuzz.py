"""Random and mutated input: whatever comes, the result is an answer or an error of the project's own tree."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gossamer import Settings, build_index, open_index
from gossamer.errors import GossamerError
from gossamer.index.manifest import Manifest
from gossamer.ingestion.loaders import LOADERS, UnreadableFileError, parse_file
from gossamer.model import Document
from gossamer.retrieval.filters import parse_where
from gossamer.text.clean import clean_text

SEEDS = {
    "md": b"---\ntitle: Orion\n---\n# Orion\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx = 1\n```\n[a](b.md#c) <!-- x -->\n",
    "html": b"<html><head><title>A</title></head><body><main><h1>B</h1><ul><li>c<table><tr><th>d<td>e</table></main>",
    "rst": b"Orion\n=====\n\n.. _lens:\n\n+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+"
    b"\n\n.. code:: py\n\n   x\n\n:ref:`a <b>`::\n\n  c\n",
    "csv": b'number;lab\n1;"Helix\nLabs"\n2;Orion\n',
    "json": b'{"title": "Orion", "labs": [{"name": "Helix", "staff": 40.5e3}, null, true]}',
    "jsonl": b'{"id": 1, "text": "Helix"}\n{"id": 2, "text": "Orion"}\n',
    "ipynb": b'{"cells": [{"cell_type": "code", "source": ["x"], "outputs": [{"text": "1"}]}], "metadata": {}}',
    "xml": b'<?xml version="1.0"?><rss><channel><title>A</title><item><title>B</title></item></channel></rss>',
    "pdf": b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\n"
    b"endobj\ntrailer << /Size 3 /Root 1 0 R >>\nstartxref\n9\n%%EOF",
    "txt": "螺旋\r\nGröße\u200b".encode(),
    "py": b"def f():\n    '''``` # no heading'''\n",
}


@st.composite
def mutated(draw: st.DrawFn) -> tuple[str, bytes]:
    """A small valid file with some bytes changed, cut or repeated; or any bytes under any ending."""
    ending = draw(st.sampled_from(sorted(LOADERS)))
    data = bytearray(SEEDS.get(ending) or draw(st.sampled_from(sorted(SEEDS.values()))))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        data[at : at + draw(st.integers(0, 9))] = draw(st.binary(max_size=6)) * draw(st.sampled_from([1, 1, 1, 50]))
    return ending, bytes(data)


@settings(max_examples=300, deadline=None)
@given(mutated())
def test_loaders(case: tuple[str, bytes]) -> None:
    ending, data = case
    try:
        parsed = parse_file(data, f"a.{ending}")
    except UnreadableFileError as error:
        assert str(error)
    else:
        assert clean_text(parsed.text).encode("utf-8")
        assert json.dumps(dict(parsed.metadata), default=str)
        assert list(parsed.pages) == sorted(parsed.pages)


@settings(max_examples=8, deadline=None)
@given(data=st.binary(max_size=60), ending=st.sampled_from(["docx", "pptx", "xlsx", "epub"]), name=st.text(max_size=9))
def test_office_containers_of_anything(data: bytes, ending: str, name: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", data)
        archive.writestr("word/document.xml", data)
        archive.writestr("a" + name.encode("ascii", "ignore").decode(), data)
    try:
        parse_file(buffer.getvalue(), f"a.{ending}")
    except UnreadableFileError as error:
        assert str(error)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fuzz") / "index"
    texts = {"a.md": "# Orion\nHelix Labs built the lens.", "b/c.md": "Helix Labs is in Pune.", "d.md": "螺旋实验室"}
    build_index([Document(name, text) for name, text in texts.items()], folder, Settings(embedder="hash"))
    return folder


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    question=st.text(st.characters(), max_size=60) | st.sampled_from(['"', "a AND (b", "*", "\ud800", "<|endoftext|>"]),
    budget=st.integers(-5, 2000),
    filters=st.lists(st.text(max_size=12) | st.sampled_from(["path=*", "after=2024-13", "source=["]), max_size=2),
)
def test_questions_and_filters(index: Path, question: str, budget: int, filters: list[str]) -> None:
    with open_index(index) as retrieval:
        try:
            where = parse_where(filters)
            result = retrieval.search(question, budget, where=where)
        except GossamerError as error:
            assert str(error)
        else:
            assert json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False).encode("utf-8")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
ENTRY = st.fixed_dictionaries({"size": JSON, "sha256": JSON, "edges": JSON})
MANIFEST = st.fixed_dictionaries(
    {
        "format": st.just("gossamer") | JSON,
        "version": st.integers(0, 9) | JSON,
        "info": st.just({}) | JSON,
        "files": st.dictionaries(st.text(max_size=5), ENTRY | JSON, max_size=2) | JSON,
    }
)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=80) | MANIFEST.map(lambda data: json.dumps(data).encode()))
def test_the_manifest_reader(raw: bytes) -> None:
    try:
        Manifest.from_bytes(raw, "manifest.json")
    except GossamerError as error:
        assert "manifest.json" in str(error)


@pytest.mark.parametrize("raw", [b"[" * 100_000, b'{"version": ' + b"1" * 5000 + b"}", b'{"a": 1e999'])
def test_manifests_that_json_itself_refuses(raw: bytes) -> None:
    with pytest.raises(GossamerError, match=r"manifest\.json"):
        Manifest.from_bytes(raw, "manifest.json")
