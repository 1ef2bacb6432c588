from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from corpora import Bridge
from gossamer import Document, Settings, SpectRAGIngestion, build_index, open_index
from gossamer.errors import GossamerError, IndexDamagedError, IndexVersionError
from gossamer.index.local import LocalStore
from gossamer.index.store import SnapshotData
from gossamer.index.strings import StringTable
from gossamer.index.verify import check_index


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("index")
    docs = [*Bridge().documents(), Document("long", "## One\nPune is far. " * 40, "Helix Labs", {"a": 1})]
    small = Settings().replace(**{"chunking.chunk_tokens": 64, "chunking.overlap_tokens": 0})
    build_index(docs, folder, small, question_fn=lambda text: [f"What about {text.split()[0]}?"])
    return folder


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("other")
    build_index(Bridge("Lyra", "Corvane", "Oslo").documents()[:9], folder)
    return folder


def faults(folder: Path) -> dict[str, str]:
    return {check.name: check.detail for check in check_index(folder) if not check.ok}


def test_a_whole_index_passes(index: Path, other: Path, tmp_path: Path) -> None:
    assert faults(index) == faults(other) == {}
    build_index([], tmp_path)
    assert faults(tmp_path) == {}


@pytest.mark.parametrize("damage", ["cut", "empty", "remove", "swap"])
def test_damage_of_each_file_is_a_typed_error_that_names_it(index: Path, other: Path, damage: str) -> None:
    folder = LocalStore(index).current()
    for path in [*sorted(folder.iterdir()), index / "CURRENT"]:
        intact = path.read_bytes()
        foreign = (LocalStore(other).current() if path.parent == folder else other) / path.name
        damaged = {"cut": intact[:-1], "empty": b"", "remove": None, "swap": foreign.read_bytes()}[damage]
        if damaged == intact or (path.name == "CURRENT" and damage == "cut"):
            # Without its line break the pointer says the same.
            continue
        try:
            path.unlink() if damaged is None else path.write_bytes(damaged)
            with pytest.raises(GossamerError) as caught, open_index(index):
                pass
            found = faults(index)
        finally:
            path.write_bytes(intact)
        named = {("CURRENT", "remove"): "no index", ("CURRENT", "swap"): "manifest.json"}.get(
            (path.name, damage), path.name
        )
        assert named in str(caught.value)
        assert "gossamer index DOCS" in str(caught.value)
        assert found
    assert faults(index) == {}


def test_a_flipped_bit_that_opening_cannot_see(tmp_path: Path) -> None:
    docs = [Document(f"d{number:03}", f"Helix Labs lens {number} was cut in Pune.") for number in range(200)]
    build_index(docs, tmp_path)
    path = LocalStore(tmp_path).current() / "vectors.npy"
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    open_index(tmp_path).close()
    assert "vectors.npy" in faults(tmp_path)["files"]
    with pytest.raises(IndexDamagedError, match=r"vectors\.npy.*--force"):
        SpectRAGIngestion(tmp_path).remove("d000")


def test_other_versions_and_leftovers(index: Path, tmp_path: Path) -> None:
    build_index([Document("a", "Pune.")], tmp_path)
    folder = LocalStore(tmp_path).current()
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "next.embeddings").mkdir()
    (tmp_path / "s-0123456789abcdef").mkdir()
    checks = {check.name: check for check in check_index(tmp_path)}
    assert all(check.ok for check in checks.values())
    assert "notes.txt" in checks["strangers"].detail
    assert "next.embeddings, s-0123456789abcdef" in checks["leftovers"].detail
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    (folder / "manifest.json").write_text(json.dumps({**manifest, "version": 99}), encoding="utf-8")
    (fault,) = [check for check in check_index(tmp_path) if not check.ok]
    assert "version 99" in fault.detail and "versions 1 and 2" in fault.detail and "--force" in fault.advice
    with pytest.raises(IndexVersionError, match="99"):
        open_index(tmp_path)


def array(name: str, change: Callable[[np.ndarray], Any]) -> Callable[[SnapshotData], SnapshotData]:
    def apply(data: SnapshotData) -> SnapshotData:
        changed = np.array(data.arrays[name])
        outcome = change(changed)
        return replace(data, arrays={**data.arrays, name: changed if outcome is None else outcome})

    return apply


def strings(name: str, change: Callable[[list[str]], list[str]]) -> Callable[[SnapshotData], SnapshotData]:
    return lambda data: replace(data, strings={**data.strings, name: change(list(data.strings[name]))})


def information(change: dict[str, Any]) -> Callable[[SnapshotData], SnapshotData]:
    return lambda data: replace(data, info={**data.info, **change})


def put(place: Any, value: Any) -> Callable[[np.ndarray], None]:
    def change(values: np.ndarray) -> None:
        values[place] = value

    return change


BROKEN = {
    "ids twice": (strings("document_ids", lambda ids: [ids[1], *ids[1:]]), "document ids"),
    "ids not sorted": (strings("document_ids", lambda ids: ids[::-1]), "document ids"),
    "a text too few": (strings("document_texts", lambda texts: texts[1:]), "document_texts"),
    "a chunk too few": (strings("chunk_texts", lambda texts: texts[1:]), "chunk_texts"),
    "no JSON": (strings("chunk_sections", lambda texts: ["{", *texts[1:]]), "chunk_sections"),
    "position twice": (array("chunk_position", put(-1, 0)), "chunk ids"),
    "owner out of range": (array("chunk_document", put(-1, 99)), "chunk_document"),
    "span outside": (array("chunk_span", put((0, 1), 10**6)), "chunk_span"),
    "NaN": (array("vectors", put((3, 3), np.nan)), "row 3"),
    "long vector": (array("vectors", lambda values: values * 2), "vectors"),
    "row missing": (array("vectors", lambda values: values[1:]), "vectors"),
    "question owner": (array("question_owner", put(0, -1)), "question_owner"),
    "coordinates": (array("coordinates", put((0, 0), np.inf)), "coordinates"),
    "cluster gap": (array("clusters", lambda values: values * 2 + 1), "clusters"),
    "asymmetric": (array("graph__data", put(0, 0.987)), "graph is not symmetric"),
    "asymmetric twins": (array("twins__data", put(0, 0.5)), "twins is not symmetric"),
    "negative edge": (array("signal_semantic__data", put(0, -0.5)), "signal_semantic"),
    "column out of range": (array("graph__indices", put(0, 10**6)), "no valid CSR"),
    "row pointer": (array("flow__indptr", put(1, 10**6)), "no valid CSR"),
    "columns twice": (array("entities__indices", lambda values: np.zeros_like(values)), "repeated columns"),
    "terms": (array("lexical_body", put(0, 10**6)), "lexical_body"),
    "BM25": (array("lexical_data", put(0, np.nan)), "BM25"),
    "BM25 columns": (array("lexical_indptr", lambda values: values[:-1]), "BM25"),
    "vocabulary": (strings("lexical_vocabulary", lambda terms: terms[::-1]), "vocabulary"),
    "counts": (information({"counts": {"chunks": 7}}), "counts 7 chunks"),
    "dimension": (information({"embedder": {"kind": "hash", "dimension": 3}}), "manifest says 3"),
    "array missing": (
        lambda data: replace(data, arrays={k: v for k, v in data.arrays.items() if k != "vectors"}),
        "cannot be opened",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_content_that_does_not_belong_together(index: Path, tmp_path: Path, name: str) -> None:
    change, words = BROKEN[name]
    LocalStore(tmp_path).save(change(LocalStore(index).load()))
    found = faults(tmp_path)
    assert list(found) == ["content"]
    assert words in found["content"]


def test_strings_that_are_not_utf8(index: Path, tmp_path: Path) -> None:
    data = LocalStore(index).load()
    table = data.strings["chunk_texts"]
    assert isinstance(table, StringTable)
    raw = np.array(table.data)
    raw[0] = 0xFF
    broken = {**data.strings, "chunk_texts": StringTable(raw, table.offsets)}
    LocalStore(tmp_path).save(replace(data, strings=broken))
    assert "chunk_texts" in faults(tmp_path)["content"]
