from __future__ import annotations

import numpy as np
import pytest

from gossamer.evaluation.bootstrap import bootstrap_means, paired_differences


def test_the_interval_is_that_of_the_normal_law_for_many_questions() -> None:
    values = np.random.default_rng(3).normal(0.1, 1.0, size=(900, 1))
    low, high = bootstrap_means(values)
    error = 1.96 * values.std() / np.sqrt(900)
    assert low[0] == pytest.approx(values.mean() - error, abs=0.004)
    assert high[0] == pytest.approx(values.mean() + error, abs=0.004)


def test_columns_share_their_draws_and_the_seed_decides() -> None:
    values = np.random.default_rng(0).random((40, 1))
    low, high = bootstrap_means(np.hstack([values, values]), resamples=500, seed=1)
    assert low[0] == pytest.approx(low[1], abs=1e-12)
    assert high[0] == pytest.approx(high[1], abs=1e-12)
    again, _ = bootstrap_means(values, resamples=500, seed=1)
    other, _ = bootstrap_means(values, resamples=500, seed=2)
    assert again[0] == pytest.approx(low[0], abs=1e-12)
    assert abs(other[0] - low[0]) > 1e-6


def test_one_question_has_no_spread_and_none_has_no_interval() -> None:
    low, high = bootstrap_means(np.array([[0.4]]), resamples=100)
    assert (low[0], high[0]) == (0.4, 0.4)
    assert np.isnan(bootstrap_means(np.empty((0, 2)))[0]).all()


def test_differences_use_the_questions_where_both_are_defined() -> None:
    first = [{"a": 0.0, "b": 1.0}, {"a": 1.0}, {"a": 0.0}]
    second = [{"a": 1.0, "b": 0.0}, {"a": 0.5}, {"a": 0.0, "c": 1.0}]
    found = paired_differences(first, second, resamples=200)
    assert set(found) == {"a", "b"}
    assert found["a"].mean == pytest.approx(0.5 / 3)
    assert (found["a"].n, found["a"].better, found["a"].worse) == (3, 1, 1)
    assert (found["b"].n, found["b"].mean, found["b"].low, found["b"].high) == (1, -1.0, -1.0, -1.0)
    assert found["b"].clear
    assert not found["a"].clear


def test_no_shared_metric_gives_no_difference() -> None:
    assert paired_differences([{"a": 1.0}], [{"b": 1.0}]) == {}
    assert paired_differences([], []) == {}
    assert paired_differences([{"a": 1.0}, {"b": 1.0}], [{"b": 1.0}, {"a": 1.0}]) == {}
