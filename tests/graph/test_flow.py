"""The conserving engine against the recurrence it solves, and its ledger."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from gossamer.errors import UsageError
from gossamer.graph.flow import flow
from gossamer.graph.spread_arrays import Matrix, Mechanisms


def random_graph(seed: int, size: int = 40, edges: int = 120) -> Matrix:
    rng = np.random.default_rng(seed)
    dense = np.zeros((size, size))
    ends = rng.integers(0, size - 2, (edges, 2))  # the last two nodes stay alone
    dense[ends[:, 0], ends[:, 1]] = rng.uniform(0.01, 1.0, edges)
    np.fill_diagonal(dense, 0.0)
    return csr_array(np.maximum(dense, dense.T))


def transition(matrix: Matrix, guidance: Any) -> Any:
    """P_uv ∝ w_uv·g_v; a row without neighbours is empty."""
    rows = matrix.toarray() * guidance
    totals = rows.sum(axis=1, keepdims=True)
    return np.divide(rows, totals, out=np.zeros_like(rows), where=totals > 0.0)


@pytest.mark.parametrize("seed", range(3))
def test_h_rounds_without_threshold_are_h_steps_of_the_guided_recurrence(seed: int) -> None:
    matrix = random_graph(seed)
    rng = np.random.default_rng(seed + 100)
    guidance = rng.uniform(0.1, 4.0, 40)
    totals = matrix @ guidance
    start = np.zeros(40)
    start[[1, 5, 7]] = [0.5, 0.3, 0.2]
    assert (totals[[1, 5, 7]] > 0.0).all()
    x = start.copy()
    for _ in range(10):
        x = 0.6 * start + 0.4 * guidance * (matrix.T @ np.divide(x, totals, out=np.zeros(40), where=totals > 0.0))
    options: dict[str, Any] = {"energy": 1.0, "threshold": 0.0, "guidance": guidance}
    found = flow(matrix, [1, 5, 7], [0.5, 0.3, 0.2], max_hops=10, **options)
    np.testing.assert_allclose(found.dense(), x, atol=1e-12)
    assert found.stop_reason == "max_hop"


def test_converged_energies_solve_the_linear_system_and_dead_ends_keep_theirs() -> None:
    matrix = random_graph(3)
    start = np.zeros(40)
    start[[0, 39]] = [7.0, 3.0]  # node 39 has no neighbour
    spent = np.where(matrix.sum(axis=1) > 0.0, 0.4, 0.0)
    through = np.linalg.solve(np.eye(40) - (transition(matrix, np.ones(40)) * spent[:, None]).T, start)
    found = flow(matrix, [0, 39], [0.7, 0.3], threshold=0.0)
    np.testing.assert_allclose(found.dense(), (1.0 - spent) * through, atol=1e-9)
    assert found.dense()[39] == pytest.approx(3.0)
    assert found.stop_reason == "converged"
    assert found.ledger.held == pytest.approx(10.0, abs=1e-9)


def test_the_threshold_bounds_the_error_of_each_node() -> None:
    matrix = random_graph(4)
    exact = flow(matrix, [0, 3], [1.0, 1.0], threshold=0.0).dense()
    close = flow(matrix, [0, 3], [1.0, 1.0], threshold=1e-4)
    assert np.abs(close.dense() - exact).sum() < 40 * 1e-3
    assert close.stop_reason == "threshold"
    coarse = flow(matrix, [0, 3], [1.0, 1.0], threshold=0.02)
    assert coarse.nodes.size < close.nodes.size
    assert coarse.ledger.dissipated > 0.0
    assert coarse.ledger.balance == pytest.approx(0.0, abs=1e-9)


def test_received_energy_explains_what_a_node_holds() -> None:
    matrix = random_graph(5)
    found = flow(matrix, [0, 3], [1.0, 3.0], threshold=0.0)
    injected = np.zeros(40)
    injected[[0, 3]] = [2.5, 7.5]
    through = injected + np.asarray(found.received.sum(axis=1)).ravel()
    np.testing.assert_allclose(found.dense(), 0.6 * through, atol=1e-9)


def test_a_late_arrival_counts_where_the_wave_throws_it_away() -> None:
    matrix = csr_array(np.array([[0.0, 1.0, 0.1], [1.0, 0.0, 1.0], [0.1, 1.0, 0.0]]))
    found = flow(matrix, [0], [1.0])
    assert found.contributors(2).tolist() == [0, 1]
    assert found.path(2) == (0, 2)
    assert found.received[[2]].toarray()[0, 1] > found.received[[2]].toarray()[0, 0]


def test_contradictions_destroy_retained_energy_at_the_end() -> None:
    matrix = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    plain = flow(matrix, [0], [1.0], threshold=0.0).dense()
    opposed = Mechanisms(contradictions=csr_array(np.array([[0.0, 0.5], [0.5, 0.0]])), destroy_contradictions=True)
    found = flow(matrix, [0], [1.0], threshold=0.0, mechanisms=opposed)
    np.testing.assert_allclose(found.dense(), plain - 0.5 * plain[1])
    assert found.ledger.contradiction == pytest.approx(plain[1])


def test_an_exclusion_field_absorbs_no_more_than_it_holds_over_all_rounds() -> None:
    matrix = csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    found = flow(matrix, [0], [1.0], mechanisms=Mechanisms(exclusion=np.array([0.0, 0.7])))
    assert found.excluded.tolist() == [1]
    assert found.excluded_losses == pytest.approx([0.7])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.sampled_from([0.0, 1e-6, 1e-3, 0.03]), st.booleans(), st.sampled_from([5, 500]))
def test_energy_is_conserved_with_every_absorber_on(seed: int, threshold: float, destroy: bool, cap: int) -> None:
    rng = np.random.default_rng(seed)
    size = 40
    mechanisms = Mechanisms(
        duplicates=csr_array(random_graph(seed + 1, edges=10) * 0.04 + random_graph(seed + 1, edges=10).sign() * 0.95),
        exclusion=rng.uniform(0.0, 1.0, size) * (rng.random(size) < 0.3),
        contradictions=random_graph(seed + 2, edges=30),
        destroy_contradictions=destroy,
        polarity=np.where(rng.random(size) < 0.2, -1, 1),
        polarity_absorption=0.8,
    )
    seeds = rng.choice(size, 6, replace=False)
    found = flow(
        random_graph(seed),
        seeds,
        rng.uniform(0.1, 1.0, 6),
        threshold=threshold,
        max_nodes=cap,
        guidance=rng.uniform(0.0, 3.0, size),
        mechanisms=mechanisms,
    )
    ledger = found.ledger
    assert found.energies.sum() + ledger.dissipated + ledger.destroyed == pytest.approx(10.0, abs=1e-9)
    assert found.energies.min() >= 0.0


def test_a_damping_of_one_never_converges_and_is_refused() -> None:
    with pytest.raises(UsageError, match=r"damping is 1\.0\. Choose a value from 0 to below 1"):
        flow(random_graph(0), [0], [1.0], damping=1.0)
