from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from gossamer.embedders.function import CallableEmbedder
from gossamer.embedders.hashing import HashEmbedder
from gossamer.embedders.nothing import NoEmbedder
from gossamer.embedders.protocol import (
    Kind,
    Vectors,
    check_vectors,
    cut_warning,
    embed_in_batches,
    embed_query,
    is_by_id,
    length_sorted_batches,
    probe_reproducibility,
)
from gossamer.errors import ArgumentTypeError, EmbeddingError, UsageError

TEXTS = ["Helix Labs is in Pune.", "The budget covers two years.", "Forty people work there.", "It began in 2019."]


def check(raw: object, rows: int = 2, dimension: int | None = 3) -> Vectors:
    return check_vectors(raw, expected_rows=rows, dimension=dimension, where="Batch 7")


def test_rows_become_unit_rows() -> None:
    unit = check([[3.0, 0.0, 4.0], [0.0, 0.0, 2.0]])
    assert unit.dtype == np.float32
    np.testing.assert_allclose(unit, [[0.6, 0.0, 0.8], [0.0, 0.0, 1.0]], atol=1e-7)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.uint8])
def test_number_type_does_not_matter(dtype: type) -> None:
    np.testing.assert_array_equal(check(np.array([[3, 0, 4], [1, 2, 2]], dtype=dtype)), check([[3, 0, 4], [1, 2, 2]]))


@pytest.mark.parametrize("scale", [1000.0, 1e-30, 1e30, 1e-300, 1e300])
def test_scale_does_not_matter(scale: float) -> None:
    np.testing.assert_allclose(
        check(np.array([[3.0, 0.0, 4.0], [1.0, 2.0, 2.0]]) * scale), check([[3, 0, 4], [1, 2, 2]]), atol=1e-7
    )


def test_zero_rows_stay_zero() -> None:
    np.testing.assert_array_equal(check([[0.0, 0.0, 0.0], [0.0, 5.0, 0.0]]), [[0, 0, 0], [0, 1, 0]])


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite_names_batch_and_row(bad: float) -> None:
    with pytest.raises(EmbeddingError, match=r"^Batch 7: row 1 holds NaN or infinity \(1 such rows\)"):
        check([[1.0, 2.0, 3.0], [1.0, bad, 3.0]])


def test_members_name_the_text() -> None:
    raw = [[1.0, 2.0], [np.nan, 2.0]]
    with pytest.raises(EmbeddingError, match=r"row 1 \(text 41\)"):
        check_vectors(raw, expected_rows=2, dimension=2, where="Batch 1", members=[17, 41])


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ([[1.0, 2.0, 3.0]], "1 vectors for 2 texts"),
        ([1.0, 2.0], r"shape \(2,\)"),
        (np.ones((2, 3, 1)), r"shape \(2, 3, 1\)"),
        (np.ones((2, 4)), "row 0 has 4 columns where 3 were expected"),
        ([[1.0, 2.0, 3.0], [1.0, 2.0]], "row 1 has another length than row 0"),
        ([[1.0, 2.0, 3.0], [1.0, None, 3.0]], "row 1 holds values that are not numbers"),
        ([["a", "b", "c"], ["d", "e", "f"]], "not numbers"),
        (np.ones((2, 3), dtype=complex), "not numbers"),
        (None, "not numbers"),
    ],
)
def test_wrong_shapes_and_types(raw: object, message: str) -> None:
    with pytest.raises(EmbeddingError, match=f"^Batch 7: .*{message}"):
        check(raw)


def test_no_columns() -> None:
    with pytest.raises(EmbeddingError, match="0 columns where at least 1"):
        check(np.ones((2, 0)), dimension=None)


def test_no_rows() -> None:
    assert check([], rows=0).shape == (0, 3)


@given(arrays(np.float32, array_shapes(min_dims=2, max_dims=2, max_side=6), elements=st.floats(width=32)))
def test_result_is_unit_or_zero_or_an_error(raw: np.ndarray) -> None:
    if not np.isfinite(raw).all():
        with pytest.raises(EmbeddingError):
            check_vectors(raw, expected_rows=len(raw), dimension=None, where="x")
        return
    unit = check_vectors(raw, expected_rows=len(raw), dimension=None, where="x")
    norms = np.linalg.norm(unit.astype(np.float64), axis=1)
    np.testing.assert_allclose(norms, raw.any(axis=1).astype(float), atol=1e-5)
    again = check_vectors(unit, expected_rows=len(raw), dimension=None, where="x")
    assert again.tobytes() == unit.tobytes()
    alone = [check_vectors(row[None], expected_rows=1, dimension=None, where="x")[0] for row in raw]
    assert np.array(alone).tobytes() == unit.tobytes()


def test_many_rows_are_checked_in_blocks() -> None:
    raw = np.arange(1, 10_001, dtype=np.float64)[:, None] * np.array([[3.0, 4.0]])
    unit = check_vectors(raw, expected_rows=10_000, dimension=2, where="x")
    np.testing.assert_allclose(unit, np.tile([[0.6, 0.8]], (10_000, 1)), atol=1e-7)


class Stub:
    """An embedder whose batches are given by a function of the batch number."""

    name = "stub"
    dimension: int | None = None
    max_tokens: int | None = 256
    reproducible = False
    semantic = True

    def __init__(self, make: object) -> None:
        self.make = make
        self.calls = 0
        self.batches: list[list[str]] = []

    @property
    def identity(self) -> dict[str, object]:
        return {"kind": "stub"}

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        self.batches.append(list(texts))
        self.calls += 1
        return self.make(self.calls, len(texts))  # type: ignore[operator,no-any-return]


def ones(batch: int, rows: int) -> np.ndarray:
    return np.ones((rows, 384))


def with_row(value: float) -> object:
    def make(batch: int, rows: int) -> np.ndarray:
        vectors = ones(batch, rows)
        if batch == 2:
            vectors[1] = value
        return vectors

    return make


def run(stub: Stub) -> Vectors:
    return embed_in_batches(stub, TEXTS, kind="passage", batch_size=2)


def test_stub_with_a_zero_row() -> None:
    vectors = run(Stub(with_row(0.0)))
    assert np.isfinite(vectors).all()
    assert sorted(np.linalg.norm(vectors, axis=1).round(6)) == [0, 1, 1, 1]


def test_stub_with_a_nan_row() -> None:
    with pytest.raises(EmbeddingError, match=r"Batch 2 of embedder 'stub': row 1 \(text 1\) holds NaN"):
        run(Stub(with_row(np.nan)))


def test_stub_with_too_few_rows() -> None:
    with pytest.raises(EmbeddingError, match=r"Batch 1 of embedder 'stub': .* 1 vectors for 2 texts"):
        run(Stub(lambda batch, rows: np.ones((rows - 1, 384))))


def test_stub_that_changes_its_columns() -> None:
    with pytest.raises(EmbeddingError, match=r"Batch 2 .* has 385 columns where 384 were expected"):
        run(Stub(lambda batch, rows: np.ones((rows, 383 + batch))))


@pytest.mark.parametrize(
    "make",
    [
        lambda batch, rows: np.ones((rows, 384), dtype=np.float16),
        lambda batch, rows: np.ones((rows, 384)) * 1000,
        ones,
    ],
)
def test_stubs_with_half_precision_large_or_equal_rows(make: object) -> None:
    vectors = run(Stub(make))
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors @ vectors.T, np.ones((4, 4)), atol=1e-5)


def test_batches_keep_the_order_of_the_texts_and_tell_progress() -> None:
    texts = ["aaaa", "a", "aaa", "aa", ""]
    seen: list[tuple[int, int]] = []
    embedder = CallableEmbedder(lambda batch: [[len(text), 1.0] for text in batch])
    vectors = embed_in_batches(
        embedder, texts, kind="passage", batch_size=2, progress=lambda done, total: seen.append((done, total))
    )
    np.testing.assert_allclose(vectors[:, 0] / vectors[:, 1], [4, 1, 3, 2, 0], rtol=1e-6)
    assert seen == [(2, 5), (4, 5), (5, 5)]


def test_batches_hold_texts_of_similar_length() -> None:
    stub = Stub(ones)
    embed_in_batches(stub, ["dddd", "a", "ccc", "bb"], kind="passage", batch_size=2)
    assert stub.batches == [["a", "bb"], ["ccc", "dddd"]]


@given(st.lists(st.text(max_size=5), max_size=20), st.integers(1, 7))
def test_every_text_is_in_one_batch(texts: list[str], batch_size: int) -> None:
    batches = length_sorted_batches(texts, batch_size)
    assert sorted(i for batch in batches for i in batch) == list(range(len(texts)))
    assert all(len(batch) <= batch_size for batch in batches)


def test_no_texts_and_no_dimension() -> None:
    assert embed_in_batches(Stub(ones), [], kind="passage").shape == (0, 0)
    assert embed_in_batches(HashEmbedder(64), [], kind="passage").shape == (0, 64)
    assert embed_in_batches(NoEmbedder(), TEXTS, kind="passage").shape == (4, 0)


def test_impossible_arguments() -> None:
    with pytest.raises(UsageError, match="batch_size = 0"):
        embed_in_batches(HashEmbedder(), TEXTS, kind="passage", batch_size=0)
    with pytest.raises(ArgumentTypeError, match="single string"):
        embed_in_batches(HashEmbedder(), "one text", kind="passage")


def test_embed_query() -> None:
    vector = embed_query(HashEmbedder(), "Where is Pune?")
    assert vector is not None
    np.testing.assert_array_equal(vector, HashEmbedder().embed(["Where is Pune?"], kind="query")[0])
    assert embed_query(NoEmbedder(), "Where is Pune?") is None
    assert not is_by_id(HashEmbedder())


def lengths(batch: list[str]) -> np.ndarray:
    return np.array([[len(text), 1.0] for text in batch])


def test_probe_is_silent_for_stable_embedders() -> None:
    assert probe_reproducibility(CallableEmbedder(lengths), TEXTS) is None
    assert probe_reproducibility(CallableEmbedder(lambda batch: np.zeros((len(batch), 3))), TEXTS) is None
    assert probe_reproducibility(HashEmbedder(), TEXTS) is None
    assert probe_reproducibility(NoEmbedder(), TEXTS) is None
    assert probe_reproducibility(CallableEmbedder(lengths), []) is None


def test_probe_names_the_cosine_of_a_batch_dependent_embedder() -> None:
    def scaled_by_batch(batch: list[str]) -> np.ndarray:
        vectors = np.array([[1.0, 0.0]] * len(batch))
        vectors[:, 1] = 0.1 * (len(batch) > 1)
        return vectors

    warning = probe_reproducibility(CallableEmbedder(scaled_by_batch, name="int8"), TEXTS)
    assert warning is not None
    assert "'int8' is not reproducible" in warning
    assert "cosine 0.9950" in warning  # 1 / sqrt(1.01)


def test_probe_notices_the_order() -> None:
    def first_differs(batch: list[str]) -> np.ndarray:
        vectors = np.tile([1.0, 0.0], (len(batch), 1))
        if len(batch) > 1:
            vectors[0] = [0.0, 1.0]
        return vectors

    assert "cosine 0.0000" in (probe_reproducibility(CallableEmbedder(first_differs), TEXTS) or "")


def test_cut_warning() -> None:
    stub = Stub(ones)
    warning = cut_warning(stub, np.array([256, 257, 900]))
    assert warning is not None
    assert warning.startswith("2 of 3 passages are longer than the 256 tokens that embedder 'stub' reads")
    assert cut_warning(stub, np.array([1, 256])) is None
    assert cut_warning(HashEmbedder(), np.array([10**9])) is None
