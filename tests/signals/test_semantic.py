from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.graph.neighbours import nearest_neighbours
from gossamer.signals.semantic import semantic_signal


@given(st.integers(0, 10_000), st.integers(1, 30), st.integers(0, 12))
def test_edges_are_neighbours_in_either_direction_with_their_cosine(seed: int, n: int, k: int) -> None:
    vectors = np.random.default_rng(seed).standard_normal((n, 4))
    indices, similarities = nearest_neighbours(vectors, k)
    signal = semantic_signal(indices, similarities).toarray()
    expected = np.zeros((n, n))
    for row in range(n):
        for column, cosine in zip(indices[row], similarities[row], strict=True):
            if column >= 0 and cosine > 0:
                expected[row, column] = expected[column, row] = cosine
    assert np.allclose(signal, expected, atol=2e-6)
    assert np.array_equal(signal, signal.T)
    assert signal.min() >= 0
    assert signal.max() <= 1


def test_opposite_and_zero_vectors_have_no_edge() -> None:
    signal = semantic_signal(*nearest_neighbours([[1.0, 0], [-1.0, 0], [0, 0]], 2))
    assert signal.shape == (3, 3)
    assert signal.nnz == 0
