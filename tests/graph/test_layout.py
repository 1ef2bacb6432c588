from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from gossamer.errors import UsageError
from gossamer.graph.components import connected_components
from gossamer.graph.layout import plane_layout
from gossamer.graph.spectral import spectral_coordinates


def ring(n: int) -> csr_array:
    rows = np.arange(n)
    other = (rows + 1) % n
    ends = np.concatenate((rows, other)), np.concatenate((other, rows))
    return csr_array((np.ones(2 * n), ends), shape=(n, n))


def drawn(weights: csr_array, **options: int) -> np.ndarray:
    coordinates, _ = spectral_coordinates(weights, dimensions=4)
    return plane_layout(weights, coordinates, connected_components(weights), **options)


def test_neighbours_on_a_ring_are_near_and_nothing_overlaps() -> None:
    places = drawn(ring(60)).astype(float)
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    beside = np.linalg.norm(places - np.roll(places, 1, axis=0), axis=1)
    assert np.median(beside) < 0.25 * np.median(apart)
    assert apart[~np.eye(60, dtype=bool)].min() > 0.3


@given(st.integers(0, 40), st.integers(0, 60), st.integers(0, 1000))
@settings(deadline=None, max_examples=30)
def test_same_input_same_bytes_and_finite(n: int, edges: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    ends = rng.integers(0, max(n, 1), (2, edges if n else 0))
    upper = csr_array((rng.random(ends.shape[1]), (ends[0], ends[1])), shape=(n, n))
    weights = csr_array(upper + upper.T)
    weights.setdiag(0)
    weights.eliminate_zeros()
    first, second = drawn(weights, rounds=20), drawn(weights, rounds=20)
    assert first.shape == (n, 2) and np.isfinite(first).all()
    assert first.tobytes() == second.tobytes()
    assert len(np.unique(first, axis=0)) == n


def test_components_keep_apart() -> None:
    part = ring(20).toarray()
    weights = csr_array(np.block([[part, np.zeros((20, 20))], [np.zeros((20, 20)), part]]))
    places = drawn(weights)
    centres = places[:20].mean(axis=0), places[20:].mean(axis=0)
    reach = max(np.linalg.norm(places[:20] - centres[0], axis=1).max(), 1.0)
    assert np.linalg.norm(centres[0] - centres[1]) > reach


def test_shapes_must_fit() -> None:
    with pytest.raises(UsageError, match="do not fit"):
        plane_layout(ring(4), np.zeros((3, 2)), [0, 0, 0, 0])
    with pytest.raises(UsageError, match="do not fit"):
        plane_layout(ring(4), np.zeros((4, 2)), [0, 0])
