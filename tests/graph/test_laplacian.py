from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from gossamer.errors import UsageError
from gossamer.graph.laplacian import check_weights, laplacian, multiplex_adjacency, normalised_adjacency


def random_graph(seed: int, n: int = 9, share: float = 0.3) -> csr_array:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < share), 1)
    return csr_array((upper + upper.T).astype(np.float32))


@given(st.integers(0, 10_000), st.integers(0, 12))
def test_operator_is_symmetric_with_spectrum_in_range(seed: int, n: int) -> None:
    graph = random_graph(seed, n)
    adjacency, laplace = normalised_adjacency(graph).toarray(), laplacian(graph).toarray()
    assert np.array_equal(adjacency, adjacency.T)
    if n:
        assert np.abs(np.linalg.eigvalsh(adjacency)).max() <= 1 + 1e-12
        values = np.linalg.eigvalsh(laplace)
        assert values.min() >= -1e-12
        assert values.max() <= 2 + 1e-12


def test_clique_has_the_known_spectrum() -> None:
    clique = csr_array(np.ones((5, 5)) - np.eye(5))
    assert np.allclose(np.linalg.eigvalsh(laplacian(clique).toarray()), [0, 1.25, 1.25, 1.25, 1.25])


def test_isolated_nodes_have_zero_rows() -> None:
    graph = csr_array([[0, 0.5, 0], [0.5, 0, 0], [0, 0, 0]])
    assert laplacian(graph).toarray()[2].tolist() == [0, 0, 0]
    assert normalised_adjacency(csr_array((3, 3))).nnz == 0


@given(st.floats(5e-324, 1e-290))
def test_tiny_weights_stay_finite(weight: float) -> None:
    assert np.isfinite(normalised_adjacency(csr_array([[0, weight], [weight, 0]])).data).all()


def test_multiplex_is_the_mean_of_normalised_layers() -> None:
    first, second = random_graph(1), random_graph(2)
    mixed = multiplex_adjacency({"b": second, "a": first}, {"a": 0.2, "b": 0.6})
    expected = 0.25 * normalised_adjacency(first).toarray() + 0.75 * normalised_adjacency(second).toarray()
    assert np.allclose(mixed.toarray(), expected)


@pytest.mark.parametrize("weights", [{"a": 1.0}, {"a": 0.0, "b": 0.0}, {"a": -1.0, "b": 2.0}])
def test_multiplex_refuses_unusable_weights(weights: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"Pass|Give"):
        multiplex_adjacency({"a": random_graph(1), "b": random_graph(2)}, weights)


def test_unusable_graphs_are_refused() -> None:
    for bad in (csr_array((2, 3)), csr_array([[0, np.nan], [1, 0]]), csr_array([[0, -1.0], [-1.0, 0]])):
        with pytest.raises(UsageError, match="Pass"):
            check_weights(bad)


def test_duplicate_entries_are_summed_without_touching_the_input() -> None:
    doubled = csr_array((np.array([1.0, 2.0]), np.array([1, 1]), np.array([0, 2, 2])), shape=(2, 2))
    assert check_weights(doubled).toarray().tolist() == [[0, 3], [0, 0]]
    assert doubled.nnz == 2
    assert coo_array(doubled).nnz == 2
