from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from gossamer.signals import entity
from gossamer.signals.entity import entity_signal


def jaccard(dense: np.ndarray, max_df: int) -> np.ndarray:
    kept = dense[:, dense.sum(axis=0) <= max_df]
    n = len(dense)
    expected = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            union = (kept[i] | kept[j]).sum()
            if i != j and union:
                expected[i, j] = (kept[i] & kept[j]).sum() / union
    return expected


@given(st.integers(0, 10_000), st.integers(0, 15), st.integers(0, 10), st.integers(1, 8))
def test_weights_are_jaccard_of_entities_that_are_no_hubs(seed: int, n: int, entities: int, max_df: int) -> None:
    dense = np.random.default_rng(seed).random((n, entities)) < 0.3
    signal = entity_signal(csr_array(dense.astype(np.float32)), max_df=max_df).toarray()
    assert np.allclose(signal, jaccard(dense, max_df), atol=1e-6)
    assert np.array_equal(signal, signal.T)
    assert signal.dtype == np.float32


def test_counts_and_stored_zeros_do_not_matter() -> None:
    counted = csr_array((np.array([5.0, 2.0, 0.0]), np.array([0, 0, 1]), np.array([0, 1, 3])), shape=(2, 2))
    assert entity_signal(counted).toarray().tolist() == [[0, 1], [1, 0]]
    assert counted.nnz == 3


def test_blocks_do_not_change_the_result() -> None:
    dense = csr_array((np.random.default_rng(0).random((80, 40)) < 0.15).astype(np.float32))
    whole = entity_signal(dense)
    limit, entity._PRODUCTS = entity._PRODUCTS, 50
    try:
        assert np.array_equal(entity_signal(dense).toarray(), whole.toarray())
    finally:
        entity._PRODUCTS = limit


def test_each_chunk_keeps_its_strongest_partners() -> None:
    dense = np.zeros((30, 31), dtype=np.float32)
    dense[:, 0] = 1
    dense[np.arange(30), np.arange(1, 31)] = np.arange(30) >= 3
    signal = entity_signal(csr_array(dense), partners=2).toarray()
    assert signal[0, 1] == signal[0, 2] == signal[1, 2] == 1
    assert (signal > 0).sum() == 2 * (3 + 2 * 27)
    assert (signal[3:, :2] == 0.5).all()
