from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.signals.adjacency import adjacency_signal


@given(st.lists(st.integers(0, 3), max_size=25), st.integers(0, 1000))
def test_only_followers_in_one_document_are_linked_whatever_the_order(documents: list[int], seed: int) -> None:
    number = np.array(documents, dtype=int)
    positions = np.array([documents[:place].count(document) for place, document in enumerate(documents)], dtype=int)
    order = np.random.default_rng(seed).permutation(len(number))
    number, positions = number[order], positions[order]
    signal = adjacency_signal(number, positions).toarray()
    expected = (number[:, None] == number) & (np.abs(positions[:, None] - positions) == 1)
    assert np.array_equal(signal, expected.astype(np.float32))


def test_a_gap_in_the_positions_does_not_break_the_chain() -> None:
    assert adjacency_signal([0, 0], [3, 7]).toarray().tolist() == [[0, 1], [1, 0]]
