from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.errors import UsageError
from gossamer.graph.clusters import cluster_count, kmeans_clusters


def blobs(count: int, size: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    centres = np.eye(count)
    return np.repeat(centres, size, axis=0) + 0.05 * rng.standard_normal((count * size, count))


def test_separate_blobs_are_found_whatever_their_length() -> None:
    rows = blobs(6, 40) * np.random.default_rng(1).uniform(0.1, 10, (240, 1))
    assert np.array_equal(kmeans_clusters(rows, 6), np.repeat(np.arange(6), 40))


def test_same_input_same_bytes() -> None:
    rows = np.random.default_rng(4).standard_normal((900, 8)).astype(np.float32)
    assert kmeans_clusters(rows, 20).tobytes() == kmeans_clusters(rows, 20).tobytes()


def test_clusters_move_with_the_rows() -> None:
    rows = blobs(5, 30)
    order = np.random.default_rng(2).permutation(150)
    plain, moved = kmeans_clusters(rows, 5)[order], kmeans_clusters(rows[order], 5)
    assert np.array_equal(plain[:, None] == plain, moved[:, None] == moved)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(0, 40), st.integers(1, 50), st.integers(1, 5))
def test_labels_are_dense_ordered_and_never_span_components(seed: int, n: int, k: int, parts: int) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1, 2, size=(n, 2)).astype(float)
    components = rng.integers(parts, size=n)
    labels = kmeans_clusters(rows, k, components=components)
    assert labels.dtype == np.int32
    firsts = [labels.tolist().index(label) for label in range(int(labels.max()) + 1)] if n else []
    assert firsts == sorted(firsts)
    for label in range(len(firsts)):
        inside = labels == label
        assert len(set(components[inside].tolist())) == 1
        assert len(set(rows[inside].any(axis=1).tolist())) == 1
    assert len(firsts) <= k + 2 * parts + parts


def test_equal_rows_are_one_cluster_however_many_are_asked() -> None:
    assert kmeans_clusters(np.ones((30, 3)), 8).tolist() == [0] * 30


def test_isolated_chunks_are_clusters_of_their_own() -> None:
    rows = np.array([[0, 0], [1, 0], [0.9, 0], [0, 0]], dtype=float)
    assert kmeans_clusters(rows, 1, components=[0, 1, 1, 2]).tolist() == [0, 1, 1, 2]


def test_components_share_the_clusters_by_size() -> None:
    rows = np.concatenate([blobs(6, 50), blobs(6, 10, seed=1)])
    labels = kmeans_clusters(rows, 6, components=np.repeat([0, 1], [300, 60]))
    assert len(set(labels[:300].tolist())) == 5
    assert len(set(labels[300:].tolist())) == 1


def test_number_of_clusters_stays_within_bounds() -> None:
    counts = [cluster_count(n) for n in range(0, 20_000, 7)]
    assert counts == sorted(counts)
    assert counts[0] == 1
    assert cluster_count(10**9) == 256


def test_impossible_input_is_refused() -> None:
    with pytest.raises(UsageError, match="k = 0"):
        kmeans_clusters(np.eye(2), 0)
    with pytest.raises(UsageError, match="labels"):
        kmeans_clusters(np.eye(2), 1, components=[0])
    with pytest.raises(UsageError, match="NaN"):
        kmeans_clusters([[np.nan, 0.0]], 1)
