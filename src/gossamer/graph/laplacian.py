"""Degrees, normalised adjacency and Laplacian of a weighted graph."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array

from gossamer.errors import UsageError
from gossamer.graph.sparse import rows_of


def check_weights(weights: csr_array) -> csr_array:
    """`weights` as CSR with duplicates summed; UsageError unless it is square, finite and nowhere negative."""
    matrix = csr_array(weights)
    if matrix.shape[0] != matrix.shape[1]:
        raise UsageError(f"The graph has shape {matrix.shape}. Pass a square matrix, one row per chunk.")
    if not np.isfinite(matrix.data).all() or (matrix.nnz and matrix.data.min() < 0):
        raise UsageError("The graph holds a negative, NaN or infinite weight. Pass finite weights of at least 0.")
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def degrees(weights: csr_array) -> NDArray[np.float64]:
    """Sum of each row, shape (n,)."""
    # scipy adds up float32 rows in float32, which moves eigenvalues by 1e-8.
    return np.asarray(weights.astype(np.float64).sum(axis=1), dtype=np.float64).ravel()


def normalised_adjacency(weights: csr_array) -> csr_array:
    """A = D^(−1/2) W D^(−1/2) in float64, exactly symmetric where W is; rows of isolated nodes are zero.

    Eigenvalues lie in [−1, 1]. Source: SpectRAG section 3.3; Chung, Spectral Graph Theory, chapter 1.

    >>> normalised_adjacency(csr_array([[0, 4.0], [4.0, 0]])).toarray().tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    matrix = check_weights(weights)
    root = np.sqrt(degrees(matrix))
    root[root == 0] = 1
    data = matrix.data / (root[rows_of(matrix)] * root[matrix.indices])
    return csr_array((data, matrix.indices, matrix.indptr), shape=matrix.shape)


def laplacian(weights: csr_array) -> csr_array:
    """L_sym = I − D^(−1/2) W D^(−1/2) in float64; the row of an isolated node is zero, diagonal included.

    Eigenvalues lie in [0, 2], so heat on an isolated node stays where it is.

    >>> laplacian(csr_array([[0, 4.0], [4.0, 0]])).toarray().tolist()
    [[1.0, -1.0], [-1.0, 1.0]]
    """
    adjacency = normalised_adjacency(weights)
    linked = (degrees(adjacency) > 0).astype(np.float64)
    return csr_array(diags_array(linked) - adjacency)


def multiplex_adjacency(layers: Mapping[str, csr_array], weights: Mapping[str, float]) -> csr_array:
    """Σ_r α_r A_r, each layer normalised by its own degrees, so that I − it is the multiplex Laplacian Σ_r α_r L_r.

    The α of `weights` are scaled to sum 1. Raises UsageError for a layer without a weight, a negative weight, or
    when all weights are 0.

    >>> layer = csr_array([[0, 4.0], [4.0, 0]])
    >>> multiplex_adjacency({"a": layer, "b": csr_array((2, 2))}, {"a": .5, "b": .5}).toarray().tolist()
    [[0.0, 0.5], [0.5, 0.0]]
    """
    missing = sorted(set(layers) - set(weights))
    if missing or not layers:
        raise UsageError(f"Layers without a weight: {missing or 'no layers given'}. Pass one weight per layer.")
    total = sum(weights[name] for name in layers)
    if min(weights[name] for name in layers) < 0 or not 0 < total < np.inf:
        raise UsageError("The layer weights are negative or all 0. Give weights of at least 0, one of them positive.")
    parts = [normalised_adjacency(layers[name]) * (weights[name] / total) for name in sorted(layers)]
    return csr_array(sum(parts[1:], start=parts[0]))
