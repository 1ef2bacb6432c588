from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import expm
from scipy.sparse import csr_array

from gossamer.errors import UsageError
from gossamer.graph.diffusion import heat, ppr, smooth, spectral_proximity
from gossamer.graph.laplacian import laplacian, normalised_adjacency


def random_graph(seed: int, n: int = 15, share: float = 0.2) -> csr_array:
    rng = np.random.default_rng(seed)
    upper = np.triu(rng.random((n, n)) * (rng.random((n, n)) < share), 1)
    return csr_array(upper + upper.T)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 25), st.floats(0.02, 1))
def test_ppr_equals_a_dense_solve(seed: int, n: int, damping: float) -> None:
    adjacency = normalised_adjacency(random_graph(seed, n))
    restart = np.random.default_rng(seed).random(n)
    exact = np.linalg.solve(np.eye(n) - (1 - damping) * adjacency.toarray(), damping * restart)
    found = ppr(adjacency, restart, damping=damping, steps=5000)
    assert np.abs(found - exact).max() < 1e-8
    assert (found >= 0).all()


def test_ppr_by_hand_and_step_by_step() -> None:
    swap = csr_array([[0, 1.0], [1.0, 0]])
    assert ppr(swap, [1, 0], steps=0).tolist() == [1, 0]
    assert ppr(swap, [1, 0], steps=1).tolist() == [0.15, 0.85]
    # s = β (I − (1 − β) A)⁻¹ r = (1, .85) · .15 / (1 − .85²)
    assert np.allclose(ppr(swap, [1, 0]), np.array([1, 0.85]) * 0.15 / (1 - 0.85**2), atol=1e-9)


def test_ppr_stays_inside_the_seeds_component() -> None:
    graph = csr_array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0.0]])
    scores = ppr(normalised_adjacency(graph), [1, 0, 0, 0])
    assert scores[2:].tolist() == [0, 0]


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 20), st.floats(0, 60))
def test_heat_equals_the_matrix_exponential(seed: int, n: int, time: float) -> None:
    operator = laplacian(random_graph(seed, n))
    start = np.random.default_rng(seed).standard_normal(n)
    assert np.abs(heat(operator, start, time=time) - expm(-time * operator.toarray()) @ start).max() < 1e-9


def test_heat_converges_with_the_degree() -> None:
    operator = laplacian(random_graph(3, 30))
    start = np.eye(30)[0]
    exact = expm(-3.0 * operator.toarray()) @ start
    errors = [np.abs(heat(operator, start, time=3.0, degree=degree) - exact).max() for degree in (2, 5, 8, 12, 16)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-9


def test_heat_at_time_zero_and_on_isolated_nodes_changes_nothing() -> None:
    operator = laplacian(csr_array([[0, 1.0, 0], [1.0, 0, 0], [0, 0, 0]]))
    start = np.array([1.0, 0.0, 0.7])
    assert np.allclose(heat(operator, start, time=0), start, atol=1e-12)
    assert heat(operator, start, time=5)[2] == pytest.approx(0.7)


@given(st.integers(0, 10_000), st.integers(1, 20), st.integers(0, 8), st.floats(0, 1))
def test_smoothing_stays_between_the_extremes(seed: int, n: int, steps: int, keep: float) -> None:
    graph = random_graph(seed, n)
    start = np.random.default_rng(seed).standard_normal(n)
    result = smooth(graph, start, steps=steps, keep=keep)
    assert result.min() >= start.min() - 1e-12
    assert result.max() <= start.max() + 1e-12
    alone = np.diff(graph.indptr) == 0
    assert np.allclose(result[alone], start[alone])


def test_smoothing_by_hand() -> None:
    path = csr_array([[0, 1.0, 0], [1.0, 0, 3.0], [0, 3.0, 0]])
    assert smooth(path, [1, 0, 0], steps=1).tolist() == [0.5, 0.125, 0]
    assert smooth(path, [1, 0, 0], steps=1, keep=0).tolist() == [0, 0.25, 0]
    assert smooth(path, [1, 0, 0], steps=0).tolist() == [1, 0, 0]


def test_proximity_by_hand() -> None:
    coordinates = [[1.0, 0], [1, 1], [0, 2], [-1, 0], [1, 0], [0, 0]]
    components = [0, 0, 0, 0, 1, 2]
    half = np.sqrt(0.5)
    options = {"components": components, "seeds": [0, 2], "weights": [3.0, 1.0]}
    assert np.allclose(spectral_proximity(coordinates, **options, aggregation="max"), [1, half, 1, 0, 0, 0])
    weighted = spectral_proximity(coordinates, **options, aggregation="weighted")
    assert np.allclose(weighted, [0.75, half, 0.25, 0, 0, 0])
    assert np.allclose(spectral_proximity(coordinates, **options, aggregation="topk"), [0.5, half, 0.5, 0, 0, 0])
    assert np.allclose(spectral_proximity(coordinates, **options, aggregation="topk", top=1), [1, half, 1, 0, 0, 0])


@given(st.integers(0, 10_000), st.sampled_from(["max", "topk", "weighted"]))
def test_proximity_is_in_range_and_moves_with_the_rows(seed: int, aggregation: str) -> None:
    rng = np.random.default_rng(seed)
    coordinates, components = rng.standard_normal((20, 4)), rng.integers(3, size=20)
    seeds, weights = rng.choice(20, 5, replace=False), rng.random(5)
    order = rng.permutation(20)
    plain = spectral_proximity(coordinates, components, seeds, weights, aggregation=aggregation)
    place = np.argsort(order)[seeds]
    moved = spectral_proximity(coordinates[order], components[order], place, weights, aggregation=aggregation)
    assert ((plain >= 0) & (plain <= 1 + 1e-12)).all()
    assert np.allclose(plain[order], moved, atol=1e-9)
    assert not plain[~np.isin(components, components[seeds])].any()


def test_proximity_without_seeds_or_relevance_is_zero() -> None:
    assert spectral_proximity(np.eye(3), [0, 0, 0], [], []).tolist() == [0, 0, 0]
    assert spectral_proximity(np.eye(3), [0, 0, 0], [1], [0.0]).tolist() == [0, 0, 0]


def test_impossible_input_is_refused() -> None:
    edge = csr_array([[0, 1.0], [1.0, 0]])
    calls = [
        lambda: ppr(edge, [1, 0], damping=0),
        lambda: ppr(edge, [1, 0, 0]),
        lambda: ppr(edge, [np.nan, 0]),
        lambda: heat(edge, [1, 0], time=-1),
        lambda: heat(edge, [1, 0], time=np.inf),
        lambda: heat(edge, [1, 0], time=1, degree=-1),
        lambda: smooth(edge, [1, 0], keep=2),
        lambda: smooth(edge, [1, 0], steps=-1),
        lambda: spectral_proximity(np.eye(2), [0, 0], [2], [1.0]),
        lambda: spectral_proximity(np.eye(2), [0, 0], [0], [-1.0]),
        lambda: spectral_proximity(np.eye(2), [0, 0], [0], [1.0], aggregation="sum"),
    ]
    for call in calls:
        with pytest.raises(UsageError, match=r"Give|Pass"):
            call()
