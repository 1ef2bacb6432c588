from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from gossamer.errors import EmbeddingError, UsageError
from gossamer.evaluation.vectors import load_vectors


def save(path: Path, **arrays: object) -> Path:
    np.savez(path, **{key: np.asarray(value) for key, value in arrays.items()})
    return path


def test_files_are_merged(tmp_path: Path) -> None:
    one = save(tmp_path / "a.npz", ids=["a"], vectors=np.eye(2, dtype=np.float16)[:1])
    two = save(
        tmp_path / "b.npz", ids=["b", "a"], vectors=np.eye(2)[::-1], question_ids=["q"], question_vectors=[[1, 0]]
    )
    found = load_vectors([one, two])
    assert sorted(found.passages) == ["a", "b"]
    assert found.passages["a"].dtype == np.float32
    assert found.questions["q"].tolist() == [1.0, 0.0]


def test_a_set_takes_what_is_its_own_and_chunks_count_for_their_document(tmp_path: Path) -> None:
    found = load_vectors([save(tmp_path / "a.npz", ids=["a", "b#0", "b#1", "x"], vectors=np.eye(4))])
    kept = found.restricted(["a", "b"])
    assert kept is not None
    assert sorted(kept.passages) == ["a", "b#0", "b#1"]
    assert found.restricted(["other"]) is None
    with pytest.raises(EmbeddingError, match=r"1 of 2 passages have no vector.*'c'"):
        found.restricted(["a", "c"])


def test_saved_files_are_the_same_bytes_whatever_the_order(tmp_path: Path) -> None:
    one = load_vectors([save(tmp_path / "a.npz", ids=["a", "b"], vectors=np.eye(2))])
    two = load_vectors([save(tmp_path / "b.npz", ids=["b", "a"], vectors=np.eye(2)[::-1])])
    one.save(tmp_path / "one.npz")
    two.save(tmp_path / "two.npz")
    with np.load(tmp_path / "one.npz") as first, np.load(tmp_path / "two.npz") as second:
        assert first["ids"].tolist() == second["ids"].tolist() == ["a", "b"]
        assert (first["vectors"] == second["vectors"]).all()


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="There is no vectors file"):
        load_vectors([tmp_path / "none.npz"])
    (tmp_path / "text.npz").write_text("no", encoding="utf-8")
    with pytest.raises(UsageError, match=r"not a readable \.npz"):
        load_vectors([tmp_path / "text.npz"])
    np.save(tmp_path / "single.npy", np.eye(2))
    with pytest.raises(UsageError, match="single array"):
        load_vectors([tmp_path / "single.npy"])
    with pytest.raises(UsageError, match="neither 'ids' nor 'question_ids'"):
        load_vectors([save(tmp_path / "a.npz", names=["a"])])
    with pytest.raises(UsageError, match="'ids' without 'vectors'"):
        load_vectors([save(tmp_path / "a.npz", ids=["a"])])
    with pytest.raises(EmbeddingError, match="one row per id"):
        load_vectors([save(tmp_path / "a.npz", ids=["a"], vectors=np.eye(2))])
    with pytest.raises(EmbeddingError, match="NaN"):
        load_vectors([save(tmp_path / "a.npz", ids=["a"], vectors=[[np.nan, 1.0]])])
    one = save(tmp_path / "a.npz", ids=["a"], vectors=[[1.0, 0.0]])
    with pytest.raises(EmbeddingError, match="one embedder for all"):
        load_vectors([one, save(tmp_path / "b.npz", ids=["b"], vectors=[[1.0, 0.0, 0.0]])])
    with pytest.raises(EmbeddingError, match="'a' has two different vectors"):
        load_vectors([one, save(tmp_path / "b.npz", ids=["a"], vectors=[[0.0, 1.0]])])


def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", ids=np.array(["a", None], dtype=object), vectors=np.eye(2))
    with pytest.raises(UsageError, match=r"not a readable \.npz"):
        load_vectors([tmp_path / "a.npz"])
