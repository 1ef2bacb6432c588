"""Fusion and seeds: known values and ties."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.retrieval.seeds import best, blended_relevance, choose_seeds, fused_relevance, minmax, rrf, zscore


def test_rrf_sums_reciprocal_ranks() -> None:
    fused = rrf([np.array([3, 1]), np.array([1])], passages=4)
    assert fused.tolist() == pytest.approx([0, 1 / 62 + 1 / 61, 0, 1 / 61])


def test_relevance_without_weight_on_words_is_the_dense_ranking() -> None:
    dense, words = np.array([0.1, 0.9, 0.5]), np.array([9.0, 0.0, 1.0])
    for fuse in (blended_relevance, fused_relevance):
        assert np.argsort(-fuse(dense, words, bm25_weight=0.0)).tolist() == [1, 2, 0]
        assert np.argsort(-fuse(None, words)).tolist()[0] == 0


def test_seed_weights_are_a_softmax() -> None:
    seeds, weights = choose_seeds(np.array([1.0, 0.0, 2.0]), count=2, temperature=0.5)
    assert seeds.tolist() == [2, 0]
    assert weights.tolist() == pytest.approx([1 / (1 + np.exp(-2)), np.exp(-2) / (1 + np.exp(-2))])


def test_nothing_to_seed() -> None:
    seeds, weights = choose_seeds(np.zeros(0))
    assert len(seeds) == len(weights) == 0


@given(st.lists(st.floats(-5, 5), max_size=9), st.integers(0, 12))
def test_best_agrees_with_a_stable_sort(values: list[float], k: int) -> None:
    scores = np.array(values)
    assert best(scores, k).tolist() == sorted(range(len(values)), key=lambda i: (-scores[i], i))[:k]


@given(st.lists(st.floats(-1e6, 1e6), max_size=9))
def test_scales_are_finite_and_bounded(values: list[float]) -> None:
    scaled = minmax(np.array(values))
    assert ((scaled >= 0) & (scaled <= 1)).all()
    assert np.isfinite(zscore(np.array(values))).all()
