"""The terms of the selection utility: each tells what a candidate would add to the chosen set.

A term has a name, a weight, `values()` (what each of p candidates would add now) and `take(i)` (candidate i is chosen).
Utilities are sums of weighted terms, so a new idea is a new small class.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

# Units (words or word pairs) that a passage may just happen to have.
_FEW_UNITS = 2


class Term(Protocol):
    """One part of the utility."""

    name: str
    weight: float

    def values(self) -> FloatArray:
        """What each candidate would add, (p,)."""
        ...

    def take(self, candidate: int) -> None:
        """Candidate is chosen now."""
        ...


class Fixed:
    """The same value whatever is chosen: a score, a proximity, being named by the question."""

    def __init__(self, name: str, values: FloatArray, *, weight: float = 1.0) -> None:
        self.name, self.weight = name, weight
        self._values = np.asarray(values, dtype=np.float64)

    def values(self) -> FloatArray:
        """The given values."""
        return self._values

    def take(self, candidate: int) -> None:
        """Nothing changes."""


class Coverage:
    """Gain in the weighted share of question units covered: Σ_u weight_u · max(0, covered_iu − covered by the chosen).

    >>> gain = Coverage(np.array([[1.0, 0.0], [0.5, 1.0]]), np.array([0.6, 0.4]), weight=4)
    >>> gain.take(1); gain.values().tolist()
    [0.3, 0.0]
    """

    name = "coverage"

    def __init__(self, covered: FloatArray, weights: FloatArray, *, weight: float = 1.0) -> None:
        self.weight = weight
        self.covered, self.weights = covered, weights
        self.reached = np.zeros(covered.shape[1])

    def values(self) -> FloatArray:
        """Gain of each candidate over what is covered."""
        return np.asarray(np.maximum(self.covered - self.reached, 0.0) @ self.weights, dtype=np.float64)

    def take(self, candidate: int) -> None:
        """Cover what the candidate has."""
        self.reached = np.maximum(self.reached, self.covered[candidate])


class TiedCoverage(Coverage):
    """Coverage where a passage that nothing ties to the question or to the chosen must offer more than a word or two.

        gain_i = Σ_u g_iu − loss · (1 − tie_i) · (the two largest g_iu)        tie_i = max(own_i, max_{j chosen} ties_ij)

    Where few passages fit, one that only repeats a word of the question ("genre", "population") takes the place of
    evidence; a linked one that has the same word is the next hop.

    >>> words = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    >>> ties = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    >>> gain = TiedCoverage(Coverage(words, np.array([0.6, 0.4])), ties, np.zeros(3), loss=1.0)
    >>> gain.take(0); gain.values().tolist()
    [0.0, 0.0, 0.4]
    """

    def __init__(self, coverage: Coverage, ties: FloatArray, own: FloatArray, *, loss: float) -> None:
        super().__init__(coverage.covered, coverage.weights, weight=coverage.weight)
        self._ties, self._tie, self._loss = ties, own, loss

    def values(self) -> FloatArray:
        """Gain of each candidate over what is covered, less what an untied word or two would bring."""
        gains = np.maximum(self.covered - self.reached, 0.0) * self.weights
        few = min(_FEW_UNITS, gains.shape[1])
        largest = (
            np.partition(gains, gains.shape[1] - few, axis=1)[:, gains.shape[1] - few :].sum(axis=1) if few else 0.0
        )
        return np.asarray(gains.sum(axis=1) - self._loss * (1.0 - self._tie) * largest, dtype=np.float64)

    def take(self, candidate: int) -> None:
        """Cover what the candidate has, and tie what is linked to it."""
        super().take(candidate)
        self._tie = np.maximum(self._tie, self._ties[:, candidate])


class Nearest:
    """Largest entry of a (p, p) table towards the chosen, 0 while none is: links, naming, redundancy (negative weight).

    >>> link = Nearest("link", np.array([[0.0, 0.4], [0.4, 0.0]]))
    >>> link.take(0); link.values().tolist()
    [0.0, 0.4]
    """

    def __init__(self, name: str, table: FloatArray, *, weight: float = 1.0) -> None:
        self.name, self.weight = name, weight
        self.table = table
        self._values = np.zeros(len(table))

    def values(self) -> FloatArray:
        """The largest value towards a chosen candidate."""
        return self._values

    def take(self, candidate: int) -> None:
        """Look at the chosen candidate's column too."""
        self._values = np.maximum(self._values, self.table[:, candidate])


class Novelty:
    """1 for the first candidate of a group (cluster, document), 1/2 for its second, 1/3 for its third.

    >>> gain = Novelty("documents", np.array([7, 7, 9]))
    >>> gain.take(0); gain.values().tolist()
    [0.5, 0.5, 1.0]
    """

    def __init__(self, name: str, groups: npt.NDArray[np.integer[Any]], *, weight: float = 1.0) -> None:
        self.name, self.weight = name, weight
        self._groups = np.unique(groups, return_inverse=True)[1]
        self._taken = np.zeros(len(self._groups), dtype=np.int64)

    def values(self) -> FloatArray:
        """One over one more than the chosen of the same group."""
        return np.asarray(1.0 / (1.0 + self._taken), dtype=np.float64)

    def take(self, candidate: int) -> None:
        """Count one more of that group."""
        self._taken = self._taken + (self._groups == self._groups[candidate])
