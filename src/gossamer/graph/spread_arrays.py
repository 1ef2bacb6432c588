"""What the array engines read and return: `Mechanisms` and `Spread`."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gossamer.errors import UsageError
from gossamer.graph.array_order import FloatArray, IntArray, ranking
from gossamer.graph.ledger import Ledger
from gossamer.graph.spread_options import check_real

Matrix = csr_array[np.float64, tuple[int, int]]


@dataclass(frozen=True, eq=False, kw_only=True)
class Mechanisms:
    """What bends the spreading over n nodes, each switched off by its default; the same rules as in `propagate`.

    Args:
        duplicates: symmetric (n, n) CSR matrix with the cosine of each pair of near-duplicates.
        duplicate_floor: smallest cosine that counts.
        vectors: (n, d) unit vectors; with them the bar is max(floor, mean + 2·std over the active set).
        sources: (n,) number of each node's source (None: each its own).
        exclusion: (n,) negative field ≥ 0; a node absorbs at most exclusion_coefficient·field.
        contradictions: symmetric (n, n) CSR matrix of strengths in [0, 1].
        destroy_contradictions: each side loses strength·min of the two energies, instead of being flagged only.
        polarity: (n,) with -1 for nodes that deny a claim; they absorb the share `polarity_absorption`.

    >>> Mechanisms(polarity_absorption=2.0)
    Traceback (most recent call last):
    gossamer.errors.UsageError: polarity_absorption is 2.0. Choose a value from 0 to 1.
    """

    duplicates: Matrix | None = None
    duplicate_floor: float = 0.95
    vectors: NDArray[np.floating] | None = None
    sources: IntArray | None = None
    exclusion: FloatArray | None = None
    exclusion_coefficient: float = 1.0
    contradictions: Matrix | None = None
    destroy_contradictions: bool = False
    polarity: NDArray[np.integer] | None = None
    polarity_absorption: float = 1.0

    def __post_init__(self) -> None:
        check_real("duplicate_floor", self.duplicate_floor, 0.0, 1.0)
        check_real("exclusion_coefficient", self.exclusion_coefficient, 0.0, 1e6, open_low=True)
        check_real("polarity_absorption", self.polarity_absorption, 0.0, 1.0)
        if self.exclusion is not None and not bool(np.all(self.exclusion >= 0.0)):
            raise UsageError("exclusion has a negative or undefined value. Choose values from 0 up.")
        if self.contradictions is not None and self.contradictions.nnz:
            low, high = self.contradictions.data.min(), self.contradictions.data.max()
            if not (low >= 0.0 and high <= 1.0):
                raise UsageError(
                    f"contradictions has strengths from {low:g} to {high:g}. Choose strengths from 0 to 1."
                )

    def check_size(self, size: int) -> None:
        """Raise UsageError where an array does not have one row a node."""
        for name in ("duplicates", "vectors", "sources", "exclusion", "contradictions", "polarity"):
            value = getattr(self, name)
            if value is not None and value.shape[0] != size:
                raise UsageError(f"{name} has {value.shape[0]} rows. Give it one for each of the {size} nodes.")


@dataclass(frozen=True, eq=False)
class Sharing:
    """How energy was shared: `given` (n) is what each node gave per unit of weight^exponent · guidance."""

    matrix: Matrix
    exponent: float
    guidance: FloatArray | None
    given: FloatArray
    reentrant: bool


@dataclass(frozen=True, eq=False)
class Spread:
    """What one array run reached and why it stopped; the fields are those of `PropagationResult`, as arrays.

    `nodes` (k, ascending ids) were activated; `energies`, `hops` and `votes` (k) belong to them. `duplicates` (m, 2)
    has rows (near-duplicate, node that speaks for it), `contradictions` (p, 2) rows of opposing active nodes with what
    each side lost in `contradiction_losses` (p). `disputed` and `excluded` are ids, with what they absorbed in
    `disputed_losses` and `excluded_losses`.
    """

    nodes: IntArray
    energies: FloatArray
    hops: IntArray
    votes: IntArray
    stop_reason: str
    threshold: float
    ledger: Ledger
    duplicates: IntArray
    contradictions: IntArray
    contradiction_losses: FloatArray
    disputed: IntArray
    disputed_losses: FloatArray
    excluded: IntArray
    excluded_losses: FloatArray
    sharing: Sharing = field(repr=False)

    def ranked(self) -> list[tuple[int, float]]:
        """(id, energy) by energy (12 significant digits), then id; nodes that lost all their energy are left out."""
        order = self.order()
        return list(zip(self.nodes[order].tolist(), self.energies[order].tolist(), strict=True))

    def order(self) -> IntArray:
        """Positions in `nodes` of the nodes with energy, in the order of `ranked`."""
        order = ranking(self.energies, self.nodes)
        return order[self.energies[order] > 0.0]

    def dense(self) -> FloatArray:
        """Energy of all n nodes, 0 where nothing arrived."""
        energy = np.zeros(self.sharing.given.size)
        energy[self.nodes] = self.energies
        return energy

    @cached_property
    def received(self) -> Matrix:
        """(n, n) CSR matrix: entry (v, u) is the energy that the active node u gave to the active node v ≠ u."""
        sharing = self.sharing
        size = sharing.given.size
        hop = np.full(size, -2, dtype=np.int32)
        hop[self.nodes] = self.hops
        givers = self.nodes[sharing.given[self.nodes] > 0.0]
        rows = sharing.matrix[givers]
        lengths = np.diff(rows.indptr)
        source, target = np.repeat(givers, lengths), rows.indices
        real = (hop[target] >= 0) & (source != target)
        if not sharing.reentrant:
            real &= hop[target] == np.repeat(hop[givers] + 1, lengths)
        source, target = source[real], target[real]
        amount = sharing.given[source] * rows.data[real].astype(np.float64) ** sharing.exponent
        if sharing.guidance is not None:
            amount *= sharing.guidance[target]
        table = csr_array((amount, (target, source)), shape=(size, size))
        table.eliminate_zeros()
        return table

    def contributors(self, node: int) -> IntArray:
        """Ids of the nodes that gave energy to `node`, ascending."""
        self._position(node)
        start, end = self.received.indptr[node : node + 2]
        return self.received.indices[start:end].astype(np.int64)

    def path(self, node: int) -> tuple[int, ...]:
        """How the energy came to `node`: back over the strongest (most energetic) earlier contributor to a seed."""
        steps = [node]
        while True:
            given = np.searchsorted(self.nodes, self.contributors(steps[-1]))
            given = given[self.hops[given] < self.hops[self._position(steps[-1])]]
            if not given.size:
                return tuple(reversed(steps))
            steps.append(int(self.nodes[given[ranking(self.energies[given], self.nodes[given])[0]]]))

    def _position(self, node: int) -> int:
        place = int(np.searchsorted(self.nodes, node))
        if place == self.nodes.size or self.nodes[place] != node:
            raise UsageError(f"Node {node} was not reached. Ask for one of `nodes`.")
        return place
