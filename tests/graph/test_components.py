from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from gossamer.graph.components import connected_components, number_by_first


@given(st.integers(0, 10_000), st.integers(1, 25))
def test_components_match_reachability_and_are_numbered_by_first_node(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    dense = np.triu(rng.random((n, n)) < 1.2 / n, 1)
    labels = connected_components(csr_array((dense | dense.T).astype(np.float32)))
    reach = np.linalg.matrix_power((dense | dense.T).astype(float) + np.eye(n), n) > 0
    assert np.array_equal(labels[:, None] == labels, reach)
    firsts = [int(np.flatnonzero(labels == label)[0]) for label in range(labels.max() + 1)]
    assert firsts == sorted(firsts)


def test_stored_zeros_are_no_edges_and_the_input_is_left_alone() -> None:
    graph = csr_array((np.zeros(2, np.float32), np.array([1, 0]), np.array([0, 1, 2])), shape=(2, 2))
    assert connected_components(graph).tolist() == [0, 1]
    assert graph.nnz == 2


def test_no_nodes() -> None:
    assert connected_components(csr_array((0, 0))).tolist() == []
    assert number_by_first(np.zeros(0, np.int64)).tolist() == []


def test_twenty_thousand_isolated_nodes() -> None:
    assert connected_components(csr_array((20_000, 20_000))).tolist() == list(range(20_000))
