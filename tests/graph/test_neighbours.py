from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.errors import UsageError
from gossamer.graph.neighbours import near_duplicates, nearest_neighbours, unit_rows


def brute_force(vectors: np.ndarray, k: int) -> list[list[int]]:
    lengths = np.linalg.norm(vectors, axis=1)
    unit = vectors / np.where(lengths, lengths, 1)[:, None]
    cosine = np.round(unit @ unit.T, 6)
    found = []
    for row in range(len(vectors)):
        others = [j for j in range(len(vectors)) if j != row and lengths[j] and lengths[row]]
        best = sorted(others, key=lambda j: (-cosine[row, j], j))[:k]
        found.append(best + [-1] * (k - len(best)))
    return found


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 30), st.integers(0, 35), st.sampled_from([None, 1, 3, 7]))
def test_neighbours_match_brute_force_with_ties_and_zero_rows(seed: int, n: int, k: int, block: int | None) -> None:
    vectors = np.random.default_rng(seed).integers(-1, 2, size=(n, 3)).astype(float)
    indices, similarities = nearest_neighbours(vectors, k, block=block)
    assert indices.tolist() == brute_force(vectors, k)
    assert indices.dtype == np.int32
    assert similarities.dtype == np.float32
    assert (similarities[indices < 0] == 0).all()
    assert (np.abs(similarities) <= 1).all()
    assert (np.diff(np.where(indices < 0, -2, similarities), axis=1) <= 0).all()


def test_many_rows_go_through_the_group_maxima() -> None:
    vectors = np.random.default_rng(5).standard_normal((700, 8))
    indices, _ = nearest_neighbours(vectors, 10)
    assert indices.tolist() == brute_force(vectors, 10)


def test_equal_rows_are_ordered_by_number() -> None:
    indices, similarities = nearest_neighbours(np.full((600, 5), 0.3), 3)
    assert indices[0].tolist() == [1, 2, 3]
    assert indices[599].tolist() == [0, 1, 2]
    assert (similarities == 1).all()


def test_neighbours_move_with_the_rows() -> None:
    rng = np.random.default_rng(2)
    vectors = rng.standard_normal((400, 16)).astype(np.float32)
    order = rng.permutation(400)
    before, cosine = nearest_neighbours(vectors, 5)
    after, moved = nearest_neighbours(vectors[order], 5)
    assert np.array_equal(order[after], before[order])
    assert np.allclose(moved, cosine[order], atol=2e-6)


def test_same_input_same_bytes() -> None:
    vectors = np.random.default_rng(3).standard_normal((700, 24)).astype(np.float32)
    first, second = nearest_neighbours(vectors, 8), nearest_neighbours(vectors, 8)
    assert [part.tobytes() for part in first] == [part.tobytes() for part in second]


@settings(max_examples=60, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(0, 25),
    st.sampled_from([0.5, 0.7, 0.95, 1.0]),
    st.sampled_from([None, 2, 5]),
)
def test_near_duplicates_match_brute_force(seed: int, n: int, threshold: float, block: int | None) -> None:
    vectors = np.random.default_rng(seed).integers(-1, 3, size=(n, 3)).astype(float)
    lengths = np.linalg.norm(vectors, axis=1)
    unit = vectors / np.where(lengths, lengths, 1)[:, None]
    cosine = np.round(unit @ unit.T, 6)
    expected = [[i, j] for i in range(n) for j in range(i + 1, n) if cosine[i, j] >= threshold]
    assert near_duplicates(vectors, threshold, block=block).tolist() == expected


def test_equal_rows_give_bounded_pairs_that_hang_together() -> None:
    n, kinds = 4500, 10
    pairs = near_duplicates(np.tile(np.eye(kinds), (n // kinds, 1)), 0.95, partners=3)
    assert pairs[:3].tolist() == [[0, 10], [0, 20], [0, 30]]
    assert len(pairs) == kinds * (1 + 2 + 3 * (n // kinds - 3))
    assert set(pairs[:, 1].tolist()) == set(range(kinds, n))
    assert pairs[:, 0].max() == 3 * kinds - 1


def test_unit_rows_survive_extreme_lengths() -> None:
    rows = unit_rows(np.array([[1e30, 1e30], [1e-30, 0], [0, 0]], dtype=np.float32))
    assert np.allclose(rows, [[np.sqrt(0.5), np.sqrt(0.5)], [1, 0], [0, 0]])


@pytest.mark.parametrize("vectors", [[[np.nan, 1.0]], [[np.inf, 1.0]], [1.0, 2.0]])
def test_unusable_vectors_are_refused(vectors: object) -> None:
    with pytest.raises(UsageError, match="Pass"):
        nearest_neighbours(vectors, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{"k": -1}, {"k": True}, {"k": 1, "block": 0}])
def test_impossible_counts_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="Give"):
        nearest_neighbours(np.eye(2), **options)


@pytest.mark.parametrize("threshold", [0.0, 1.1, float("nan")])
def test_impossible_thresholds_are_refused(threshold: float) -> None:
    with pytest.raises(UsageError, match="threshold"):
        near_duplicates(np.eye(2), threshold)
