"""The terms of the utility: what a candidate would add, and how ties weigh it."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from gossamer.retrieval.choose import scarcity, tied
from gossamer.retrieval.terms import Coverage, Fixed, Nearest, TiedCoverage


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Covered (p, u), weights (u,), ties (p, p), own ties (p,)."""
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    p, u = draw(st.integers(1, 6)), draw(st.integers(0, 5))
    covered = rng.choice([0.0, 0.7, 1.0], size=(p, u))
    return covered, rng.random(u), rng.random((p, p)), rng.random(p)


@given(tables(), st.lists(st.integers(0, 5), max_size=4), st.floats(0, 1))
def test_a_tie_only_takes_what_coverage_gives(
    made: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], picks: list[int], loss: float
) -> None:
    covered, weights, ties, own = made
    plain, bound = Coverage(covered, weights), TiedCoverage(Coverage(covered, weights), ties, own, loss=loss)
    for pick in picks:
        plain.take(pick % len(own))
        bound.take(pick % len(own))
    assert (bound.values() <= plain.values() + 1e-12).all()
    assert (bound.values() >= -1e-12).all()
    if loss == 0:
        np.testing.assert_allclose(bound.values(), plain.values(), atol=1e-12)


def test_only_the_two_largest_words_of_an_untied_passage_are_in_doubt() -> None:
    coverage = Coverage(np.ones((1, 3)), np.array([0.5, 0.3, 0.2]))
    untied = TiedCoverage(coverage, np.zeros((1, 1)), np.zeros(1), loss=1.0)
    np.testing.assert_allclose(untied.values(), [0.2])
    half = TiedCoverage(coverage, np.zeros((1, 1)), np.array([0.5]), loss=1.0)
    np.testing.assert_allclose(half.values(), [0.6])


def test_links_names_and_score_tie_but_redundancy_does_not() -> None:
    coverage = Coverage(np.ones((2, 1)), np.ones(1), weight=8.0)
    other = np.array([[0.0, 0.4], [0.4, 0.0]])
    terms = [
        Nearest("redundancy", np.ones((2, 2)), weight=-0.3),
        Nearest("link", other),
        Fixed("score", np.array([2, -1])),
    ]
    bound = tied(coverage, [coverage, *terms], 1.0)
    assert bound.weight == 8.0
    np.testing.assert_allclose(bound.values(), [1.0, 0.0])
    coverage_after = tied(Coverage(np.array([[0.0], [1.0]]), np.ones(1)), terms, 1.0)
    coverage_after.take(0)
    np.testing.assert_allclose(coverage_after.values(), [0.0, 0.4])


def test_ties_matter_only_where_few_passages_fit() -> None:
    assert [scarcity(slots) for slots in (0, 4, 5.5, 7, np.inf)] == [1, 1, 0.5, 0, 0]
