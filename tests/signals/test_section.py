from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import UsageError
from gossamer.signals.section import section_signal

headings = st.lists(st.sampled_from("AB"), max_size=3).map(tuple)


def expected_weight(first: tuple[str, ...], second: tuple[str, ...]) -> float:
    if not first or not second:
        return 0.0
    if first == second:
        return 1.0
    short, long = sorted((first, second), key=len)
    if first[:-1] == second[:-1] or long[:-1] == short:
        shared = len(first) - 1 if len(first) == len(second) else len(short)
        return shared / len(long)
    return 0.0


@given(st.lists(st.tuples(st.integers(0, 1), headings), max_size=14))
def test_small_documents_match_the_definition(chunks: list[tuple[int, tuple[str, ...]]]) -> None:
    documents = [document for document, _ in chunks]
    signal = section_signal(documents, range(len(chunks)), [path for _, path in chunks], window=30).toarray()
    for i, (document, path) in enumerate(chunks):
        for j, (other, second) in enumerate(chunks):
            wanted = expected_weight(path, second) if i != j and document == other else 0.0
            assert signal[i, j] == pytest.approx(wanted)


def test_known_weights() -> None:
    paths = [("A",), ("A", "B"), ("A", "B", "C"), ("A", "B", "D"), ("E",), ("A", "B", "C")]
    signal = section_signal([0] * 6, range(6), paths).toarray()
    assert signal[0, 1] == pytest.approx(1 / 2)
    assert signal[1, 2] == pytest.approx(2 / 3)
    assert signal[2, 3] == pytest.approx(2 / 3)
    assert signal[2, 5] == 1
    assert signal[0, 2] == signal[0, 4] == 0


def test_a_huge_section_links_only_the_nearest() -> None:
    n = 10_000
    signal = section_signal(np.zeros(n, int), np.arange(n), [("All",)] * n, window=4)
    assert signal.nnz == 2 * sum(n - step for step in range(1, 5))
    row = signal[[5000]]
    assert sorted(row.indices.tolist()) == [*range(4996, 5000), *range(5001, 5005)]
    assert (signal.data == 1).all()


def test_a_section_with_thousands_of_small_subsections_stays_bounded() -> None:
    n = 6000
    signal = section_signal(np.zeros(n, int), np.arange(n), [("Top", str(place)) for place in range(n)], window=8)
    assert signal.nnz <= 2 * 8 * n
    assert np.allclose(signal.data, 0.5)


def test_position_and_not_chunk_order_decides_what_is_near() -> None:
    signal = section_signal([0] * 4, [3, 0, 1, 2], [("A",)] * 4, window=1).toarray()
    assert signal.tolist() == [[0, 0, 0, 1], [0, 0, 1, 0], [0, 1, 0, 1], [1, 0, 1, 0]]


def test_no_headings_no_edges() -> None:
    assert section_signal([0, 0], [0, 1], [(), ()]).nnz == 0
    assert section_signal([], [], []).shape == (0, 0)


def test_impossible_input_is_refused() -> None:
    with pytest.raises(UsageError, match="window"):
        section_signal([0], [0], [("A",)], window=0)
    with pytest.raises(UsageError, match="per chunk"):
        section_signal([0], [0, 1], [("A",)])
