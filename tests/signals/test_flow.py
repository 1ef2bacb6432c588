"""The flow matrix: weights by hand, hubs left out, symmetry."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from gossamer.signals.flow import entity_flow, flow_matrix


def held(rows: list[list[int]]) -> csr_array:
    return csr_array(np.array(rows, dtype=np.float32))


def test_shared_entities_add_their_inverse_frequency() -> None:
    flow = entity_flow(held([[1, 1, 0], [1, 1, 0], [0, 1, 1]])).toarray()
    assert np.allclose(flow, [[0, 1 / 2 + 1 / 3, 1 / 3], [1 / 2 + 1 / 3, 0, 1 / 3], [1 / 3, 1 / 3, 0]])


def test_hubs_and_lonely_entities_link_nothing() -> None:
    assert entity_flow(held([[1], [1], [1]]), max_df=2).nnz == 0
    assert entity_flow(held([[1, 0], [0, 1]])).nnz == 0


def test_mentions_in_both_directions_add_up() -> None:
    none = csr_array((3, 0), dtype=np.float32)
    rows, cols, weights = np.array([0, 1, 0]), np.array([1, 0, 2]), np.array([1.0, 0.5, 0.25])
    flow = flow_matrix(none, (rows, cols, weights), mention_weight=2.0).toarray()
    assert np.allclose(flow, [[0, 3, 0.5], [3, 0, 0], [0.5, 0, 0]])


def test_empty_corpus() -> None:
    assert flow_matrix(csr_array((0, 0), dtype=np.float32)).shape == (0, 0)


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(0, 1), min_size=4, max_size=4), min_size=1, max_size=6))
def test_symmetric_without_diagonal(rows: list[list[int]]) -> None:
    flow = flow_matrix(held(rows), (np.array([0]), np.array([len(rows) - 1]), np.array([1.0]))).toarray()
    assert np.array_equal(flow, flow.T)
    assert not np.diagonal(flow).any()
    assert (flow >= 0).all()
