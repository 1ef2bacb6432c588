from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from gossamer.errors import UsageError
from gossamer.graph.sparse import rank_in_row, row_blocks, strongest, symmetric_csr

pairs = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 8), st.floats(-1, 2, width=32)), max_size=40)


@given(pairs)
def test_symmetric_csr_is_symmetric_and_keeps_the_largest_value(given_pairs: list[tuple[int, int, float]]) -> None:
    rows, columns, values = zip(*given_pairs, strict=True) if given_pairs else ((), (), ())
    matrix = symmetric_csr(rows, columns, values, 9)
    expected = np.zeros((9, 9), dtype=np.float32)
    for i, j, value in given_pairs:
        if i != j:
            expected[i, j] = expected[j, i] = max(expected[i, j], min(value, 1.0))
    assert np.array_equal(matrix.toarray(), expected)
    assert matrix.dtype == np.float32
    assert matrix.has_sorted_indices
    assert (matrix.data > 0).all()


@pytest.mark.parametrize(("row", "value"), [(9, 1.0), (-1, 1.0), (0, np.nan), (0, np.inf)])
def test_symmetric_csr_refuses_what_it_cannot_store(row: int, value: float) -> None:
    with pytest.raises(UsageError):
        symmetric_csr([row], [1], [value], 9)


@given(st.lists(st.integers(0, 20), max_size=30), st.integers(1, 40))
def test_row_blocks_cover_every_row_once_within_the_limit(cost: list[int], limit: int) -> None:
    blocks = list(row_blocks(cost, limit))
    assert [row for start, stop in blocks for row in range(start, stop)] == list(range(len(cost)))
    assert all(sum(cost[start:stop]) <= limit or stop - start == 1 for start, stop in blocks)


@settings(max_examples=50)
@given(st.integers(0, 2**32 - 1), st.integers(0, 6))
def test_strongest_matches_a_plain_sort(seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    dense = np.round(rng.random((7, 9)), 1) * (rng.random((7, 9)) < 0.7)
    expected = np.zeros_like(dense)
    for row, values in enumerate(dense):
        best = sorted(np.flatnonzero(values), key=lambda column: (-values[column], column))[:k]
        expected[row, best] = values[best]
    assert np.array_equal(strongest(csr_array(dense), k).toarray(), expected)


def test_rank_in_row_of_nothing() -> None:
    assert rank_in_row(np.zeros(0, np.int64), np.zeros(0)).tolist() == []
