"""Checks of the arrays that enter a spreading run; each error names the argument, the value and the range."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_array, csr_matrix

from gossamer.errors import ArgumentTypeError, UsageError
from gossamer.graph.array_order import FloatArray, IntArray
from gossamer.graph.spread_arrays import Matrix
from gossamer.graph.spread_options import LARGEST_WEIGHT


def check_matrix(matrix: object) -> Matrix:
    """`matrix` as a square canonical CSR array, copied only where needed; its weights are checked where they are read.

    >>> check_matrix(csr_array(np.ones((2, 3))))
    Traceback (most recent call last):
    gossamer.errors.UsageError: matrix has the shape (2, 3). Pass a square matrix, one row and column a node.
    """
    if not isinstance(matrix, csr_array | csr_matrix):
        raise ArgumentTypeError(f"matrix is a {type(matrix).__name__}. Pass a scipy.sparse.csr_array.")
    checked = matrix if isinstance(matrix, csr_array) else csr_array(matrix)
    if len(checked.shape) != 2 or checked.shape[0] != checked.shape[1]:
        raise UsageError(f"matrix has the shape {checked.shape}. Pass a square matrix, one row and column a node.")
    if not checked.has_canonical_format:
        checked = checked.copy()
        checked.sum_duplicates()
    result: Matrix = checked
    return result


def raised_weights(matrix: Matrix, exponent: float) -> Matrix:
    """`matrix` with its weights checked, as float64 and to the power of `exponent`; copied only where needed.

    >>> raised_weights(csr_array(np.array([[0.0, -1.0], [0.0, 0.0]])), 1.0)
    Traceback (most recent call last):
    gossamer.errors.UsageError: matrix has values from -1 to -1. Choose finite weights from 0 to 1e+09.
    """
    weights = matrix.data
    if weights.size and not (weights.min() >= 0.0 and weights.max() <= LARGEST_WEIGHT):
        raise UsageError(
            f"matrix has values from {weights.min():g} to {weights.max():g}. "
            f"Choose finite weights from 0 to {LARGEST_WEIGHT:g}."
        )
    weights = weights.astype(np.float64, copy=False)
    if exponent != 1.0:
        weights = weights**exponent
    if weights is matrix.data:
        return matrix
    return csr_array((weights, matrix.indices, matrix.indptr), shape=matrix.shape)


def check_vector(name: str, values: ArrayLike, size: int, high: float) -> FloatArray:
    """`values` as a float64 vector of `size` entries from 0 to `high`."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.shape != (size,):
        raise UsageError(f"{name} has the shape {vector.shape}. Give it one number for each of the {size} nodes.")
    if size and not (vector.min() >= 0.0 and vector.max() <= high):
        raise UsageError(
            f"{name} has values from {vector.min():g} to {vector.max():g}. Choose values from 0 to {high:g}."
        )
    return vector


def check_seeds(seeds: ArrayLike, weights: ArrayLike, size: int) -> tuple[IntArray, FloatArray]:
    """The seeds of positive weight, as ids and weights.

    >>> check_seeds([0, 9], [1.0, 1.0], 3)
    Traceback (most recent call last):
    gossamer.errors.UsageError: seeds has ids from 0 to 9. Choose ids from 0 to 2.
    """
    ids = np.asarray(seeds)
    strengths = np.asarray(weights, dtype=np.float64)
    if ids.ndim != 1 or strengths.shape != ids.shape:
        raise UsageError(
            f"seeds has the shape {ids.shape} and weights {strengths.shape}. Pass one weight for each seed."
        )
    if not ids.size:
        raise UsageError("seeds is empty. Give at least one node with a positive weight.")
    if not np.issubdtype(ids.dtype, np.integer):
        raise ArgumentTypeError(f"seeds has the type {ids.dtype}. Pass whole numbers as node ids.")
    if ids.min() < 0 or ids.max() >= size:
        raise UsageError(f"seeds has ids from {ids.min()} to {ids.max()}. Choose ids from 0 to {size - 1}.")
    if np.unique(ids).size < ids.size:
        raise UsageError("seeds names a node twice. Pass each node once.")
    if not (strengths.min() >= 0.0 and strengths.max() <= 1e12):
        raise UsageError(
            f"weights has values from {strengths.min():g} to {strengths.max():g}. Choose values from 0 to 1e+12."
        )
    positive = strengths > 0.0
    if not positive.any():
        raise UsageError("seeds has no node with a positive weight. Give at least one.")
    return ids[positive].astype(np.int64), strengths[positive]
