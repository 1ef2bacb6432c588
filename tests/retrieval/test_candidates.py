"""Candidates: hops, limits, strongest first, what is always kept."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from gossamer.retrieval.candidates import around_seeds, breadth_first, rows_of, subgraph

CHAIN = csr_array(np.diag([0.9, 0.8, 0.7], 1) + np.diag([0.9, 0.8, 0.7], -1))


def test_hops_bound_the_expansion() -> None:
    assert breadth_first(CHAIN, np.array([0]), hops=1).tolist() == [0, 1]
    assert breadth_first(CHAIN, np.array([0]), hops=2).tolist() == [0, 1, 2]


def test_strongest_edges_come_first() -> None:
    assert breadth_first(CHAIN, np.array([1]), hops=1, limit=2).tolist() == [1, 0]


def test_rows_of_any_rows() -> None:
    place, column, weight = rows_of(CHAIN, np.array([3, 1]))
    assert place.tolist() == [0, 1, 1]
    assert column.tolist() == [2, 0, 2]
    assert np.allclose(weight, [0.7, 0.9, 0.8])


@settings(deadline=None)
@given(st.integers(0, 99), st.integers(1, 12), st.integers(0, 5))
def test_guided_candidates_keep_seeds_and_the_limit(seed: int, limit: int, keep: int) -> None:
    rng = np.random.default_rng(seed)
    w = np.triu(rng.random((12, 12)) * (rng.random((12, 12)) > 0.7), 1)
    relevance, seeds = rng.random(12), np.array([3, 7])
    found = around_seeds(
        csr_array(w + w.T), seeds, np.array([0.5, 0.5]), relevance, np.ones(12), limit=limit, keep=keep
    )
    assert found.tolist() == sorted(set(found.tolist()))
    assert len(found) <= max(limit, 4)
    if limit >= 2 + keep:
        assert {3, 7} <= set(found.tolist())


def test_subgraph_keeps_order() -> None:
    assert np.allclose(subgraph(CHAIN, np.array([2, 1])).toarray(), [[0, 0.8], [0.8, 0]])
