"""Paired bootstrap: how sure is a difference of two systems measured on the same questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

RESAMPLES = 10_000
_BLOCK = 250


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over `n` questions with its percentile interval, and how many questions rose and fell."""

    mean: float
    low: float
    high: float
    n: int
    better: int = 0
    worse: int = 0

    @property
    def clear(self) -> bool:
        """True when the interval leaves out zero."""
        return self.low > 0.0 or self.high < 0.0


def bootstrap_means(
    values: Matrix, *, resamples: int = RESAMPLES, level: float = 0.95, seed: int = 0
) -> tuple[Matrix, Matrix]:
    """Percentile interval of each column's mean under resampling of the rows (Efron 1979).

    Args:
        values: shape (questions, columns); for a paired comparison each column holds differences. All columns are
            resampled with the same draws.
        resamples: number of bootstrap samples.
        level: mass inside the interval.
        seed: seed of the draws.

    Returns:
        Lower and upper bounds, each of shape (columns,).

    >>> low, high = bootstrap_means(np.array([[1.0], [1.0], [1.0]]))
    >>> low.tolist(), high.tolist()
    ([1.0], [1.0])
    """
    rows, columns = values.shape
    if not rows:
        return np.full(columns, np.nan), np.full(columns, np.nan)
    rng = np.random.default_rng(seed)
    sampled = np.empty((resamples, columns))
    for start in range(0, resamples, _BLOCK):
        size = min(_BLOCK, resamples - start)
        draws = rng.integers(rows, size=(size, rows)) + rows * np.arange(size)[:, None]
        counts = np.bincount(draws.ravel(), minlength=size * rows).reshape(size, rows)
        sampled[start : start + size] = counts @ values / rows
    tail = (1.0 - level) / 2.0
    bounds = np.quantile(sampled, [tail, 1.0 - tail], axis=0)
    return bounds[0], bounds[1]


def paired_differences(
    first: Sequence[Mapping[str, float]],
    second: Sequence[Mapping[str, float]],
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> dict[str, Interval]:
    """second - first for each metric, over the questions where both have it; rows stand for the same questions.

    >>> change = paired_differences([{"R@2": 0.0}, {"R@2": 1.0}], [{"R@2": 1.0}, {"R@2": 1.0}])["R@2"]
    >>> change.mean, change.n, change.better, change.worse
    (0.5, 2, 1, 0)
    """
    names = sorted({name for row in first for name in row} & {name for row in second for name in row})
    shape = (len(first), len(names))
    before = np.array([[row.get(name, np.nan) for name in names] for row in first]).reshape(shape)
    after = np.array([[row.get(name, np.nan) for name in names] for row in second]).reshape(shape)
    change = after - before
    result: dict[str, Interval] = {}
    defined = ~np.isnan(change)
    patterns, which = np.unique(defined, axis=1, return_inverse=True)
    for number in range(patterns.shape[1]):
        columns = np.flatnonzero(which == number)
        part = change[patterns[:, number]][:, columns]
        if not len(part):
            continue
        low, high = bootstrap_means(part, resamples=resamples, seed=seed)
        for spot, column in enumerate(columns):
            values = part[:, spot]
            result[names[column]] = Interval(
                float(values.mean()),
                float(low[spot]),
                float(high[spot]),
                len(values),
                int((values > 1e-12).sum()),
                int((values < -1e-12).sum()),
            )
    return {name: result[name] for name in names if name in result}
