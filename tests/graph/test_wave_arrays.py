"""What is particular to the array engines: the checks of their arrays, and order on arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array, csr_matrix

from gossamer.errors import ArgumentTypeError, UsageError
from gossamer.graph.array_order import keep_distinct, next_round, ranking, strongest, tie_keys
from gossamer.graph.colours_arrays import spread_colored
from gossamer.graph.flow import flow
from gossamer.graph.spread_arrays import Mechanisms
from gossamer.graph.spread_options import significant
from gossamer.graph.wave_arrays import wave

PAIR = csr_array(np.array([[0.0, 0.5], [0.5, 0.0]]))


@pytest.mark.parametrize("engine", [wave, flow])
@pytest.mark.parametrize(
    ("seeds", "weights", "message"),
    [
        ([], [], "seeds is empty"),
        ([0, 1], [1.0], "Pass one weight for each seed"),
        ([2], [1.0], "seeds has ids from 2 to 2. Choose ids from 0 to 1"),
        ([-1], [1.0], "seeds has ids from -1 to -1"),
        ([0, 0], [1.0, 1.0], "names a node twice"),
        ([0], [-1.0], "weights has values from -1 to -1"),
        ([0], [float("nan")], "weights has values from nan"),
        ([0], [0.0], "no node with a positive weight"),
    ],
)
def test_impossible_seeds_are_named(engine: Any, seeds: list[int], weights: list[float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        engine(PAIR, np.array(seeds, dtype=np.int64), weights)


def test_impossible_arrays_are_named() -> None:
    with pytest.raises(ArgumentTypeError, match="matrix is a coo_array"):
        wave(coo_array(PAIR), [0], [1.0])  # type: ignore[arg-type]
    with pytest.raises(ArgumentTypeError, match="seeds has the type float64"):
        wave(PAIR, [0.5], [1.0])
    with pytest.raises(UsageError, match="Pass a square matrix"):
        wave(csr_array(np.ones((2, 3))), [0], [1.0])
    with pytest.raises(UsageError, match="matrix has values from -1 to -1"):
        wave(csr_array(np.array([[0.0, -1.0], [0.0, 0.0]])), [0], [1.0])
    with pytest.raises(UsageError, match="matrix has values from nan"):
        wave(csr_array(np.array([[0.0, np.nan], [0.0, 0.0]])), [0], [1.0])
    with pytest.raises(UsageError, match="guidance has the shape"):
        wave(PAIR, [0], [1.0], guidance=np.ones(3))
    with pytest.raises(UsageError, match="prior has values from -1 to -1"):
        wave(PAIR, [0], [1.0], prior=-np.ones(2))
    with pytest.raises(UsageError, match="exclusion has 3 rows"):
        wave(PAIR, [0], [1.0], mechanisms=Mechanisms(exclusion=np.ones(3)))
    with pytest.raises(UsageError, match="exclusion has a negative"):
        Mechanisms(exclusion=np.array([np.nan]))
    with pytest.raises(UsageError, match="contradictions has strengths from 2 to 2"):
        Mechanisms(contradictions=csr_array(np.array([[0.0, 2.0], [2.0, 0.0]])))
    with pytest.raises(UsageError, match="parts is empty"):
        spread_colored(PAIR, [])
    with pytest.raises(UsageError, match="Node 1 was not reached"):
        wave(PAIR, [0], [1.0], max_hops=0).contributors(1)


def test_matrices_of_other_kinds_give_the_same_result_and_stay_unchanged() -> None:
    unsorted = csr_array((np.array([0.3, 0.2, 0.5]), np.array([1, 1, 0]), np.array([0, 2, 3])), shape=(2, 2))
    expected = wave(PAIR, [0], [1.0]).ranked()
    assert wave(csr_matrix(PAIR), [0], [1.0]).ranked() == expected
    assert wave(PAIR.astype(np.float32), [0], [1.0]).ranked() == expected
    assert wave(unsorted, [0], [1.0]).ranked() == expected
    flow(PAIR, [0], [1.0], exponent=3.0)
    wave(PAIR, [0, 1], [1.0, 1.0], exponent=3.0, damping=1.0)
    assert (unsorted.nnz, PAIR.data.tolist()) == (3, [0.5, 0.5])


def test_weights_too_small_to_share_are_no_neighbours() -> None:
    tiny = csr_array(np.array([[0.0, 1e-300], [1e-300, 0.0]]))
    assert wave(tiny, [0], [1.0]).ranked() == flow(tiny, [0], [1.0]).ranked() == [(0, 10.0)]


numbers = st.lists(
    st.sampled_from([0.5, 0.5 * (1 + 1e-14), 0.5 * (1 + 3e-12), 0.5 * (1 + 4e-11), 0.1, 2.0]), min_size=1
)


@given(numbers, st.integers(0, 60))
def test_order_and_caps_go_by_twelve_digits_then_id(values: list[float], room: int) -> None:
    ids = list(range(len(values)))
    expected = sorted(ids, key=lambda i: (-significant(values[i]), i))
    array = np.array(values)
    assert ranking(array, np.array(ids)).tolist() == expected
    assert strongest(array, np.array(ids) + 7, room).tolist() == sorted(expected[:room])
    keys = tie_keys(array)
    assert all((keys[i] == keys[j]) == (significant(values[i]) == significant(values[j])) for i in ids for j in ids)


pairs = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda p: p[0] != p[1]), max_size=25)


@given(st.permutations(range(10)), pairs)
def test_greedy_choice_in_rounds_is_the_one_by_one_choice(rank: list[int], ends: list[tuple[int, int]]) -> None:
    kept: list[int] = []
    for node in sorted(range(10), key=lambda i: rank[i]):
        if not any((node, other) in ends or (other, node) in ends for other in kept):
            kept.append(node)
    first, second = np.array([p[0] for p in ends], dtype=np.int64), np.array([p[1] for p in ends], dtype=np.int64)
    assert np.flatnonzero(keep_distinct(np.array(rank), first, second)).tolist() == sorted(kept)


@given(pairs.filter(bool))
def test_a_round_holds_the_pairs_that_share_no_node_with_an_earlier_one(ends: list[tuple[int, int]]) -> None:
    ready = next_round(np.array([p[0] for p in ends]), np.array([p[1] for p in ends]))
    expected = [not any(set(pair) & set(earlier) for earlier in ends[:i]) for i, pair in enumerate(ends)]
    assert ready.tolist() == expected
