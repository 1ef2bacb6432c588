"""Spectral coordinates: the smoothest non-trivial eigenvectors of each connected component."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gossamer.errors import UsageError
from gossamer.graph.components import connected_components
from gossamer.graph.laplacian import check_weights, normalised_adjacency
from gossamer.graph.sparse import rows_of
from gossamer.graph.threads import single_thread

_DENSE_NODES = 200
_DENSE_VALUES = 2_000_000
_LARGE_NODES = 20_000
_NOISE = 1e-7


def spectral_coordinates(
    weights: csr_array,
    *,
    dimensions: int = 32,
    normalised: bool = False,
    seed: int = 0,
    tolerance: float | None = None,
) -> tuple[NDArray[np.float32], list[str]]:
    """Coordinates (n, dimensions) of the nodes, and warnings about components that were not solved exactly.

    Columns are the eigenvectors of L_sym = I − D^(−1/2) W D^(−1/2) with the smallest eigenvalues after the trivial one,
    ascending, unit length, largest entry positive. Every connected component is solved by itself and fills columns
    0, 1, …; a component of m nodes has m − 1 of them, the rest is 0, and an isolated node is all 0. So coordinates
    compare only within a component: the closeness of nodes of different components is 0 by their labels.
    With `normalised` the given symmetric matrix is used as the operator instead of D^(−1/2) W D^(−1/2) (multiplex).

    `tolerance` is that of the eigensolver: 1e-8 by default, and 1e-4 in float32 above 20,000 nodes. Where it does not
    converge within bounded work (long chains) a larger basis at 1e-4 is tried, then block power iteration, then the
    component stays 0; the last two are named in the warnings.
    Raises UsageError for dimensions below 1 and for negative or infinite weights.
    Source: SpectRAG section 3.3; numerics after Lehoucq, Sorensen and Yang, ARPACK Users' Guide.

    >>> path = csr_array([[0, 1.0, 0], [1.0, 0, 1.0], [0, 1.0, 0]])
    >>> coordinates, warnings = spectral_coordinates(path, dimensions=2)
    >>> coordinates.astype(float).round(3).tolist(), warnings
    ([[0.707, -0.5], [0.0, 0.707], [-0.707, -0.5]], [])
    """
    if dimensions < 1:
        raise UsageError(f"dimensions = {dimensions!r} is not possible. Give a whole number of at least 1.")
    operator = check_weights(weights) if normalised else normalised_adjacency(weights)
    with single_thread():
        return _solve_components(operator, dimensions, seed, tolerance)


def _solve_components(
    operator: csr_array, dimensions: int, seed: int, tolerance: float | None
) -> tuple[NDArray[np.float32], list[str]]:
    labels = connected_components(operator)
    sizes = np.bincount(labels) if len(labels) else np.zeros(0, dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    starts = np.cumsum(sizes) - sizes
    coordinates = np.zeros((len(labels), dimensions), dtype=np.float32)
    warnings: list[str] = []
    dense_limit = max(_DENSE_NODES, 2 * (dimensions + 1))
    for size in np.unique(sizes[sizes > 1]).tolist():
        groups = order[starts[sizes == size][:, None] + np.arange(size)]
        columns = min(dimensions, size - 1)
        step = max(_DENSE_VALUES // size**2, 1) if size <= dense_limit else 1
        for first in range(0, len(groups), step):
            members = groups[first : first + step]
            if size <= dense_limit:
                vectors, warning = _dense_vectors(operator, members, columns)
            else:
                vectors, warning = _sparse_vectors(operator, members[0], columns, seed, tolerance)
            vectors = _fix_signs(vectors)
            coordinates[members, :columns] = np.where(np.abs(vectors) < _NOISE, 0, vectors)
            warnings += [warning] if warning else []
    return coordinates, warnings


def _fix_signs(vectors: NDArray[Any]) -> NDArray[Any]:
    """Largest entry of each column positive; among entries equal to 1e-4 the first decides."""
    size = np.abs(vectors)
    lead = np.argmax(size >= (1 - 1e-4) * size.max(axis=-2, keepdims=True), axis=-2)[..., None, :]
    sign = np.where(np.take_along_axis(vectors, lead, axis=-2) < 0, -1, 1)
    return np.asarray(vectors * sign.astype(vectors.dtype))


def _dense_vectors(operator: csr_array, members: NDArray[np.int64], columns: int) -> tuple[NDArray[Any], str | None]:
    """Vectors (components, size, columns) of equally large components, members (components, size), in one call."""
    count, size = members.shape
    place = np.zeros(operator.shape[0], dtype=np.int64)
    place[members] = np.arange(size)
    part = csr_array(operator[members.ravel()])
    rows = rows_of(part)
    stack = np.zeros((count, size, size))
    stack[rows // size, rows % size, place[part.indices]] = part.data
    try:
        vectors = np.linalg.eigh(stack)[1]
    except np.linalg.LinAlgError:
        return np.zeros((count, size, columns)), _unsolved(count * size)
    return vectors[:, :, ::-1][:, :, 1 : columns + 1], None


def _sparse_vectors(
    operator: csr_array, members: NDArray[np.int64], columns: int, seed: int, tolerance: float | None
) -> tuple[NDArray[Any], str | None]:
    """Vectors (1, size, columns) of one large component."""
    size = len(members)
    large = size > _LARGE_NODES
    part = operator if size == operator.shape[0] else csr_array(operator[members][:, members])
    part = part.astype(np.float32 if large else np.float64)
    tolerance = tolerance if tolerance is not None else (1e-4 if large else 1e-8)
    warning = None
    vectors = _lanczos(part, columns + 1, seed, tolerance)
    if vectors is None:
        warning = (
            f"The eigensolver did not converge on a component of {size} chunks; block power iteration gave "
            "approximate coordinates. Raise the tolerance or tau."
        )
        vectors = _block_power(part.astype(np.float64), columns + 1, seed)
    if vectors is None:
        return np.zeros((1, size, columns)), _unsolved(size)
    return vectors[None, :, 1:], warning


def _unsolved(size: int) -> str:
    return (
        f"No spectral coordinates for components with {size} chunks in all: the eigensolvers failed. Their "
        "coordinates are 0; use the proximity mode ppr or guided for them."
    )


def _lanczos(operator: csr_array, count: int, seed: int, tolerance: float) -> NDArray[Any] | None:
    """Eigenvectors of the `count` largest eigenvalues, largest first; None where neither basis converges."""
    from scipy.sparse.linalg import ArpackError, eigsh

    n = operator.shape[0]
    start = np.random.default_rng(seed).standard_normal(n).astype(operator.dtype)
    restarts = min(max(3_000_000 // n, 60), 300)
    for basis, accuracy, rounds in (
        (2 * count + 1, tolerance, restarts),
        (5 * count, max(tolerance, 1e-4), restarts // 3),
    ):
        options: dict[str, Any] = {"v0": start, "tol": accuracy, "ncv": min(basis, n), "maxiter": rounds}
        if "rng" in inspect.signature(eigsh).parameters:
            # Restarts draw random vectors; unseeded they differ from call to call on graphs like a star.
            options["rng"] = np.random.default_rng(seed)
        try:
            values, vectors = eigsh(operator, k=count, which="LA", **options)
        except ArpackError:
            continue
        if np.isfinite(vectors).all():
            return np.asarray(vectors[:, np.argsort(-values, kind="stable")])
    return None


def _block_power(operator: csr_array, count: int, seed: int, *, rounds: int = 60) -> NDArray[Any] | None:
    """The same by X ← orth((I + A)² X) on a block with ten spare columns, then Rayleigh–Ritz; None if not finite."""
    n = operator.shape[0]
    block = np.random.default_rng(seed).standard_normal((n, min(count + 10, n)))
    for _ in range(rounds):
        for _ in range(2):
            block = block + operator @ block
        block = np.linalg.qr(block)[0]
        if not np.isfinite(block).all():
            return None
    values, rotation = np.linalg.eigh(block.T @ (operator @ block))
    return np.asarray(block @ rotation[:, np.argsort(-values, kind="stable")[:count]])
