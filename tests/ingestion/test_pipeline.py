from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest

from corpora import Bridge
from gossamer import Document, Settings, SpectRAGIngestion, build_index, open_index
from gossamer.errors import ArgumentTypeError, EmbeddingError


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_same_input_same_bytes_in_any_order(tmp_path: Path, bridge: Bridge) -> None:
    docs = bridge.documents()
    build_index(docs, tmp_path / "one")
    random.Random(5).shuffle(docs)
    build_index(docs, tmp_path / "two")
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_report_counts_and_reads_well(tmp_path: Path) -> None:
    docs = [
        Document("a.md", "# Orion\nProject Orion is built by Helix Labs.\n## Staff\nSee Helix Labs for the staff."),
        Document("b.md", "Helix Labs is in Pune.", title="Helix Labs"),
    ]
    report = build_index(docs, tmp_path, Settings().replace(**{"chunking.min_tokens": 0}))
    assert (report.documents, report.chunks) == (2, 3)
    assert report.edges["adjacency"] == 1
    assert report.edges["section"] == 1
    assert report.edges["citation"] == 2
    assert report.edges["entity"] >= 2
    assert sum(report.weights.values()) == pytest.approx(1)
    assert report.weights["utility"] == 0
    assert set(report.seconds) >= {
        "load",
        "chunk",
        "annotate",
        "embed",
        "signals",
        "graph",
        "spectral",
        "clusters",
        "save",
    }
    assert report.embedder["kind"] == "hash"
    text = repr(report)
    assert "2 documents as 3 chunks" in text and "chunking.min_tokens=0" in text
    assert json.loads(json.dumps(report.to_dict(), allow_nan=False))["chunks"] == 3


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 33, 34])
def test_small_corpora_have_coordinates_of_the_asked_width(tmp_path: Path, count: int) -> None:
    docs = [Document(f"d{n:02}", f"Helix Labs number {n} studies lens {n % 3}.") for n in range(count)]
    build_index(docs, tmp_path)
    with open_index(tmp_path) as retrieval:
        assert retrieval.snapshot.coordinates.shape == (count, 32)
        assert len(retrieval.rank("Helix lens", k=5).passages) == min(count, 5)


def test_hooks_are_used(tmp_path: Path, good_trio: list[Document]) -> None:
    report = build_index(
        good_trio,
        tmp_path,
        entity_fn=lambda text: ["Everything"],
        question_fn=lambda text: [f"What about {text.split()[0]}?"],
        embed_fn=lambda texts: np.array([[len(text), 1.0] for text in texts]),
        count_tokens=lambda text: len(text),
    )
    assert report.entities == 1
    assert report.edges["utility"] > 0
    assert report.embedder["kind"] == "callable"
    assert report.tokens == sum(len(d.text) for d in good_trio)
    with open_index(tmp_path) as retrieval:
        result = retrieval.search("What about Helix?")
        assert any("embed_fn" in warning for warning in result.warnings)
    with open_index(tmp_path, embed_fn=lambda texts: np.array([[len(text), 1.0] for text in texts])) as retrieval:
        result = retrieval.search("What about Helix?")
        assert result.warnings == ()
        assert "utility" in result.passages[0].why.ranks


@pytest.mark.parametrize("hook", ["entity_fn", "question_fn"])
@pytest.mark.parametrize("value", ["a string", [1], None])
def test_hooks_that_return_no_list_of_strings(
    tmp_path: Path, good_trio: list[Document], hook: str, value: object
) -> None:
    with pytest.raises(ArgumentTypeError, match=hook):
        build_index(good_trio, tmp_path, **{hook: lambda text: value})


def test_a_failed_build_leaves_the_old_index(tmp_path: Path, good_trio: list[Document]) -> None:
    build_index(good_trio, tmp_path)
    before = files_of(tmp_path)
    with pytest.raises(EmbeddingError, match="NaN"):
        build_index(good_trio, tmp_path, embed_fn=lambda texts: np.full((len(texts), 4), np.nan))
    assert files_of(tmp_path) == before


def test_batch_dependent_embedder_is_named(tmp_path: Path, bridge: Bridge) -> None:
    def moody(texts: list[str]) -> np.ndarray:
        return np.random.default_rng(len(texts)).normal(size=(len(texts), 8))

    report = build_index(bridge.documents(), tmp_path, embed_fn=moody)
    assert any("not reproducible" in warning for warning in report.warnings)


def test_new_ingest_holds_exactly_the_given_documents(tmp_path: Path, good_trio: list[Document]) -> None:
    ingestion = SpectRAGIngestion(tmp_path)
    ingestion.ingest(good_trio)
    ingestion.ingest(good_trio[:2])
    with open_index(tmp_path) as retrieval:
        assert list(retrieval.snapshot.document_ids) == ["g1.md", "g2.md"]


def test_settings_of_the_wrong_type(tmp_path: Path) -> None:
    with pytest.raises(ArgumentTypeError, match="settings"):
        SpectRAGIngestion(tmp_path, {"embedder": "hash"})  # type: ignore[arg-type]


@pytest.mark.parametrize("rule", ["prior", "calibrate", "fit"])
@pytest.mark.parametrize("laplacian", ["fused", "multiplex"])
def test_weight_rules_and_laplacians(tmp_path: Path, bridge: Bridge, rule: str, laplacian: str) -> None:
    if rule == "fit":
        pytest.importorskip("sklearn")
    chosen = Settings.paper().replace(**{"signals.weights": rule, "graph.laplacian": laplacian})
    report = build_index(bridge.documents(), tmp_path, chosen)
    assert sum(report.weights.values()) == pytest.approx(1)
    with open_index(tmp_path) as retrieval:
        assert np.isfinite(retrieval.snapshot.coordinates).all()
        assert retrieval.search(bridge.question).passages
