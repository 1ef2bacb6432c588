"""Guided diffusion: mass is kept, uniform attraction is personalised PageRank, the question steers."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from gossamer.graph.guided import attraction, guided_diffusion

STAR = csr_array(np.array([[0.0, 1, 1], [1, 0, 0], [1, 0, 0]]))


def test_one_step_by_hand() -> None:
    mass = guided_diffusion(STAR, np.array([1.0, 0, 0]), np.array([1.0, 3, 1]), damping=0.4, steps=1)
    assert np.allclose(mass, [0.6, 0.3, 0.1])


def test_uniform_attraction_is_personalised_pagerank() -> None:
    w = np.array([[0.0, 2, 1], [2, 0, 1], [1, 1, 0]])
    seeds = np.array([0.5, 0.5, 0.0])
    walk = (w / w.sum(axis=1, keepdims=True)).T
    exact = np.linalg.solve(np.eye(3) - 0.4 * walk, 0.6 * seeds)
    mass = guided_diffusion(csr_array(w), seeds, np.ones(3), damping=0.4, steps=200, tolerance=1e-14)
    assert np.allclose(mass, exact)


def test_the_liked_neighbour_gets_more() -> None:
    liking = attraction(np.array([0.0, 4.0, 0.0]), spread=1.0)
    mass = guided_diffusion(STAR, np.array([1.0, 0, 0]), liking)
    assert mass[1] > mass[2]


def test_attraction_has_mean_one_and_a_ceiling() -> None:
    liking = attraction(np.array([8.0, 80.0]), spread=1.0)
    assert liking[0] == liking[1]
    assert np.isclose(attraction(np.array([0.0, 1.0, 5.0]), spread=2.0).mean(), 1.0)
    assert attraction(np.array([3.0]), spread=0.0).tolist() == [1.0]


@settings(deadline=None)
@given(st.integers(1, 6), st.integers(0, 50), st.floats(0, 0.95))
def test_mass_is_kept(n: int, seed: int, damping: float) -> None:
    rng = np.random.default_rng(seed)
    w = np.triu(rng.random((n, n)) * (rng.random((n, n)) > 0.5), 1)
    seeds = rng.random(n)
    seeds /= seeds.sum()
    mass = guided_diffusion(csr_array(w + w.T), seeds, rng.random(n) + 0.1, damping=damping)
    assert np.isclose(mass.sum(), 1.0)
    assert (mass >= 0).all()
