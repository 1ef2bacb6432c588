from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gossamer.embedders.protocol import embed_query, is_by_id, probe_reproducibility
from gossamer.embedders.registry import make_embedder
from gossamer.embedders.vector_file import VectorFileEmbedder
from gossamer.errors import EmbeddingError

ARRAYS: dict[str, Any] = {
    "ids": np.array(["g1#0", "g1", "g2"]),
    "vectors": np.array([[2, 0, 0], [0, 2, 0], [0, 0, 2]], dtype=np.float16),
    "question_ids": np.array(["q1", "Where is Pune?"]),
    "question_vectors": np.array([[1, 1, 0], [0, 1, 1]], dtype=np.float64),
}


def saved(path: Path, **changes: Any) -> Path:
    kept = {key: value for key, value in {**ARRAYS, **changes}.items() if value is not None}
    np.savez(path, **kept)
    return path


@pytest.fixture
def embedder(tmp_path: Path) -> VectorFileEmbedder:
    return VectorFileEmbedder([saved(tmp_path / "v.npz")])


def test_chunk_id_first_then_document_id(embedder: VectorFileEmbedder) -> None:
    vectors = embedder.embed_ids(["g1#0", "g1#1", "g2#0"], ["g1", "g1", "g2"])
    np.testing.assert_array_equal(vectors, np.eye(3))
    assert vectors.dtype == np.float32
    assert is_by_id(embedder)
    assert embedder.dimension == 3


def test_missing_ids_are_named_with_the_way_out(embedder: VectorFileEmbedder) -> None:
    with pytest.raises(
        EmbeddingError, match=r"for 2 of 3 chunks, such as 'g3#0', 'g4#0'. .*gossamer export chunks INDEX"
    ):
        embedder.embed_ids(["g3#0", "g2#0", "g4#0"], ["g3", "g2", "g4"])


def test_questions_by_id_or_text(embedder: VectorFileEmbedder) -> None:
    half = 0.5**0.5
    np.testing.assert_allclose(embed_query(embedder, "q1"), [half, half, 0], atol=1e-6)
    np.testing.assert_allclose(embedder.embed(["Where is Pune?"], kind="query"), [[0, half, half]], atol=1e-6)
    assert embed_query(embedder, "Who works there?") is None
    with pytest.raises(EmbeddingError, match="no vector for question 'Who works there"):
        embedder.embed(["q1", "Who works there?"], kind="query")


def test_passages_cannot_be_embedded_by_text(embedder: VectorFileEmbedder) -> None:
    with pytest.raises(EmbeddingError, match="Use embed_ids"):
        embedder.embed(["a"], kind="passage")
    assert probe_reproducibility(embedder, ["a", "b"]) is None


def test_identity_is_the_content_not_the_place(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    here, there = saved(tmp_path / "v.npz"), tmp_path / "deep" / "w.npz"
    there.write_bytes(here.read_bytes())
    first, second = VectorFileEmbedder([here]).identity, VectorFileEmbedder([there]).identity
    assert first == second
    assert str(tmp_path) not in json.dumps(first)
    other = saved(tmp_path / "x.npz", vectors=np.ones((3, 3)))
    assert VectorFileEmbedder([other]).identity != first


def test_several_files(tmp_path: Path) -> None:
    one = saved(tmp_path / "one.npz")
    more = {"ids": np.array(["g3"]), "vectors": np.array([[1.0, 0.0, 0.0]])}
    two = saved(tmp_path / "two.npz", **more, question_ids=None, question_vectors=None)
    both = make_embedder(f"vectors:{one},{two}")
    assert is_by_id(both)
    np.testing.assert_array_equal(both.embed_ids(["g2#0", "g3#0"], ["g2", "g3"]), [[0, 0, 1], [1, 0, 0]])
    assert both.embed_query("q1") is not None
    assert both.identity == make_embedder(f"vectors:{two},{one}").identity
    with pytest.raises(EmbeddingError, match="an id occurs twice"):
        make_embedder(f"vectors:{one},{one}")


def test_files_of_different_dimension(tmp_path: Path) -> None:
    one = saved(tmp_path / "one.npz")
    two = saved(tmp_path / "two.npz", ids=np.array(["g3"]), vectors=np.ones((1, 5)), question_ids=None)
    with pytest.raises(EmbeddingError, match="5 columns, other files have 3"):
        VectorFileEmbedder([one, two])


def test_number_ids_become_strings(tmp_path: Path) -> None:
    embedder = VectorFileEmbedder([saved(tmp_path / "v.npz", ids=np.array([7, 8, 9]))])
    np.testing.assert_array_equal(embedder.embed_ids(["8#0"], ["8"]), [[0, 1, 0]])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ids": None}, "has no array 'ids'"),
        ({"vectors": None}, "has no array 'vectors'"),
        ({"ids": np.array(["a", "b"])}, "3 vectors for 2 texts"),
        ({"ids": np.array(["a", "b", "a"])}, "an id occurs twice"),
        ({"ids": np.array([1.5, 2.5, 3.5])}, "one string a vector"),
        ({"ids": np.array([["a"], ["b"], ["c"]])}, "one string a vector"),
        ({"vectors": np.array([[1.0], [np.nan], [1.0]])}, "vectors in .*v.npz': row 1 holds NaN"),
        ({"question_vectors": np.ones((2, 4))}, "question vectors have 4 columns, passage vectors 3"),
        ({"ids": np.array(["a", "b", None], dtype=object)}, "array of strings"),
    ],
)
def test_unusable_files(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(EmbeddingError, match=message):
        VectorFileEmbedder([saved(tmp_path / "v.npz", **changes)])


@pytest.mark.parametrize("content", [None, b"", b"not an archive", b"PK\x03\x04broken"])
def test_files_that_are_none(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "v.npz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(EmbeddingError, match="Cannot read vectors from"):
        VectorFileEmbedder([path])


def test_every_cut_of_a_file_is_a_clear_error(tmp_path: Path) -> None:
    whole = saved(tmp_path / "v.npz").read_bytes()
    for length in range(0, len(whole) - 1, 97):
        (tmp_path / "cut.npz").write_bytes(whole[:length])
        with pytest.raises(EmbeddingError):
            VectorFileEmbedder([tmp_path / "cut.npz"])


def test_a_single_array_file(tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.ones((2, 3)))
    with pytest.raises(EmbeddingError, match="Cannot read vectors"):
        VectorFileEmbedder([tmp_path / "v.npy"])
