"""Places of the nodes on a plane, drawn from their spectral coordinates."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array

from gossamer.errors import UsageError
from gossamer.graph.sparse import rows_of, strongest

Places = NDArray[np.float64]

_GOLDEN = np.pi * (3 - np.sqrt(5))
_WORK = 600_000
_MOST_ROUNDS = 120
_NEIGHBOURS = 8
_SPRINGS = 5


def plane_layout(
    weights: csr_array, coordinates: ArrayLike, components: ArrayLike, *, rounds: int | None = None
) -> NDArray[np.float32]:
    """A place (x, y) for each of n nodes, (n, 2), about one unit from its neighbours; the same input, the same bytes.

    Each component starts at its first two spectral coordinates, half as they are and half by rank (eigenvectors alone
    pile most nodes on a few spots), and fills a disc of its size; discs lie on a spiral, the largest in the middle.
    Then in each of `rounds` a node moves towards the mean of its strongest neighbours and away from the nodes that are
    nearer than one unit. By default the work is bounded: at most 120 rounds, fewer for many nodes.

    Args:
        weights: symmetric (n, n) edge weights.
        coordinates: (n, d) spectral coordinates, see `spectral_coordinates`.
        components: (n,) component of each node.

    Raises UsageError where the shapes do not fit. Source: Koren (2005), Drawing graphs by eigenvectors.

    >>> line = csr_array([[0, 1.0, 0], [1.0, 0, 1.0], [0, 1.0, 0]])
    >>> plane_layout(line, [[.7, -.5], [0, .7], [-.7, -.5]], [0, 0, 0], rounds=0).shape
    (3, 2)
    """
    axes = np.asarray(coordinates, dtype=np.float64)
    label = np.asarray(components, dtype=np.int64)
    n = weights.shape[0]
    if axes.ndim != 2 or len(axes) != n or label.shape != (n,):
        raise UsageError(
            f"Coordinates {axes.shape} and components {label.shape} do not fit {n} nodes. Pass one row for each."
        )
    if not n:
        return np.zeros((0, 2), dtype=np.float32)
    sizes = np.bincount(label)
    places = _start(axes, label, sizes)
    wanted = min(_MOST_ROUNDS, _WORK // n) if rounds is None else rounds
    places = _relax(places, weights, wanted)
    return np.asarray(places - places.mean(axis=0), dtype=np.float32)


def _start(axes: Places, label: NDArray[np.int64], sizes: NDArray[np.int64]) -> Places:
    """Every component in its disc, every disc on the spiral."""
    places = np.zeros((len(axes), 2))
    radius = np.sqrt(sizes) * 0.6
    for axis in range(min(2, axes.shape[1])):
        places[:, axis] = _spread(axes[:, axis], label, sizes)
    order = np.argsort(-sizes, kind="stable")
    area = np.cumsum(radius[order] ** 2) - radius[order] ** 2
    away = np.where(area > 0, 1.15 * np.sqrt(area) + radius[order], 0.0)
    turn = _GOLDEN * np.arange(len(order))
    centre = np.empty((len(sizes), 2))
    centre[order] = away[:, None] * np.column_stack((np.cos(turn), np.sin(turn)))
    return centre[label] + radius[label][:, None] * places


def _spread(values: NDArray[np.float64], label: NDArray[np.int64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
    """Values of one axis in −1 … 1 within each component: the mean of the scaled value and the scaled rank."""
    order = np.lexsort((np.arange(len(values)), values, label))
    starts = np.cumsum(sizes) - sizes
    rank = np.empty(len(values))
    rank[order] = np.arange(len(values)) - starts[label[order]]
    by_rank = np.where(sizes[label] > 1, 2 * rank / np.maximum(sizes[label] - 1, 1) - 1, 0.0)
    largest = np.zeros(len(sizes))
    np.maximum.at(largest, label, np.abs(values))
    scaled = values / np.where(largest > 0, largest, 1.0)[label]
    return np.asarray(0.5 * scaled + 0.5 * np.where(largest[label] > 0, by_rank, 0.0))


def _relax(places: Places, weights: csr_array, rounds: int) -> Places:
    """Springs to the strongest neighbours and a push between nodes nearer than one unit, both cooling down."""
    from scipy.spatial import cKDTree

    n = len(places)
    if n < 2 or rounds < 1:
        return places
    springs = strongest(weights, _SPRINGS)
    rows = rows_of(springs)
    pull = np.bincount(rows, weights=springs.data, minlength=n)
    linked = pull > 0
    # Nodes on one spot cannot push each other apart: a golden spiral moves them by a hair.
    turn = _GOLDEN * np.arange(n)
    places = places + 1e-3 * np.column_stack((np.cos(turn), np.sin(turn)))
    near = min(_NEIGHBOURS + 1, n)
    for number in range(rounds):
        heat = 1.0 - number / rounds
        mean = (springs @ places) / np.where(linked, pull, 1.0)[:, None]
        step = np.where(linked[:, None], mean - places, 0.0) * (0.12 * heat)
        distance, other = (np.asarray(found)[:, 1:] for found in cKDTree(places).query(places, k=near))
        gap = np.maximum(1.0 - distance, 0.0) / np.maximum(distance, 1e-9)
        away = places[:, None, :] - places[other]
        places = places + step + 0.35 * (gap[:, :, None] * away).sum(axis=1) / 2
    return places
