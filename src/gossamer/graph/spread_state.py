"""State and rules that the two array engines share: no loop over nodes or edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.graph.array_order import BoolArray, FloatArray, IntArray, keep_distinct, next_round, ranking, strongest
from gossamer.graph.ledger import Ledger
from gossamer.graph.spread_arrays import Matrix, Mechanisms, Sharing, Spread
from gossamer.graph.spread_checks import check_matrix, check_seeds, check_vector, raised_weights
from gossamer.graph.spread_options import COSINE_SLACK, EXACT_COPY, LARGEST_WEIGHT, TINY, SpreadOptions, duplicate_bar

NONE = np.zeros(0, dtype=np.int64)


class State:
    """One array run over n nodes. `reentrant` says whether an active node can be given energy again (flow)."""

    def __init__(
        self,
        matrix: Matrix,
        options: SpreadOptions,
        mechanisms: Mechanisms,
        guidance: FloatArray | None,
        *,
        reentrant: bool,
    ) -> None:
        self.matrix = check_matrix(matrix)
        self.size = self.matrix.shape[0]
        self.exponent = options.exponent
        if reentrant:  # rows are read again and again
            self.matrix = raised_weights(self.matrix, self.exponent)
            self.exponent = 1.0
        mechanisms.check_size(self.size)
        self.options = options
        self.mechanisms = mechanisms
        self.reentrant = reentrant
        self.guidance = None if guidance is None else check_vector("guidance", guidance, self.size, LARGEST_WEIGHT)
        self.ledger = Ledger()
        self.bar = 0.0
        self.active = 0
        self.energy = np.zeros(self.size)
        self.hop = np.full(self.size, -1, dtype=np.int64)
        self.given = np.zeros(self.size)
        self.openness = np.ones(self.size) if self.guidance is None else self.guidance.copy()
        self.speaker = np.full(self.size if mechanisms.duplicates is not None else 0, -1, dtype=np.int64)
        self._capacity = (
            None if mechanisms.exclusion is None else mechanisms.exclusion_coefficient * mechanisms.exclusion
        )
        self._disputed = np.zeros(self.size if mechanisms.polarity is not None else 0)
        self._excluded = np.zeros(self.size if mechanisms.exclusion is not None else 0)
        self._opposed: list[IntArray] = []
        self._opposed_losses: list[FloatArray] = []
        self._similar = _Similarity(mechanisms)

    def inject(self, seeds: ArrayLike, weights: ArrayLike, prior: FloatArray | None) -> tuple[IntArray, FloatArray]:
        """(ids, energies) of hop 0: E0·w/Σw + prior of the strongest `width` ideas, by id."""
        ids, strengths = check_seeds(seeds, weights, self.size)
        order = ranking(strengths, ids)
        ids, strengths = ids[order], strengths[order]
        kept = self._distinct(ids, np.arange(ids.size))
        ids, strengths = ids[kept][: self.options.width], strengths[kept][: self.options.width]
        order = np.argsort(ids)
        ids, strengths = ids[order], strengths[order]
        energies = self.options.energy * strengths / strengths.sum()
        if prior is not None:
            energies += check_vector("prior", prior, self.size, 1e12)[ids]
        self.ledger.injected = float(energies.sum())
        self.bar = self.options.bar(self.ledger.injected)
        return ids, energies

    def room(self, ids: IntArray, strengths: FloatArray) -> IntArray:
        """Ascending positions of the strongest of `ids` that still fit under `max_nodes`."""
        limit = self.options.max_nodes
        return strongest(strengths, ids, ids.size if limit is None else limit - self.active)

    def activate(self, ids: IntArray, hop: int) -> None:
        """Make `ids` active at `hop` and let each speak for its near-duplicates that are not active."""
        self.hop[ids] = hop
        self.active += ids.size
        if not self.reentrant:
            self.openness[ids] = 0.0
        if self.mechanisms.duplicates is None or not ids.size:
            return
        node, twin, cosine = self._twins(ids)
        free = (self.hop[twin] < 0) & (self.speaker[twin] < 0)
        node, twin, cosine = node[free], twin[free], cosine[free]
        order = np.lexsort((node, -cosine, twin))
        twin, best = np.unique(twin[order], return_index=True)
        self.speaker[twin] = node[order][best]
        self.openness[twin] = 0.0
        self._similar.join(ids)  # the bar of this step was that of the active set before it

    def absorb(self, ids: IntArray, amounts: FloatArray) -> FloatArray:
        """What is left of the arriving `amounts` after negative knowledge and the exclusion field of `ids`."""
        left = amounts
        if self.mechanisms.polarity is not None:
            denies = self.mechanisms.polarity[ids] < 0
            lost = np.where(denies, self.mechanisms.polarity_absorption * left, 0.0)
            self.ledger.polarity += float(lost.sum())
            self._disputed[ids] += lost
            left = left - lost
        if self._capacity is not None:
            lost = np.minimum(left, np.maximum(self._capacity[ids] - self._excluded[ids], 0.0))
            self.ledger.exclusion += float(lost.sum())
            self._excluded[ids] += lost
            left = left - lost
        return left

    def oppose(self, ids: IntArray) -> None:
        """Note each contradiction between one of `ids` and an active node; on request both lose strength·min."""
        if self.mechanisms.contradictions is None or not ids.size:
            return
        node, other, strength = _entries(self.mechanisms.contradictions, ids)
        live = (self.hop[other] >= 0) & (strength > 0.0)
        node, other, strength = node[live], other[live], strength[live]
        first, second = np.minimum(node, other), np.maximum(node, other)
        _, once = np.unique(first * self.size + second, return_index=True)
        first, second, strength = first[once], second[once], strength[once]
        losses = np.zeros(first.size)
        if self.mechanisms.destroy_contradictions:
            losses = self._annihilate(first, second, strength)
        self._opposed.append(np.column_stack((first, second)))
        self._opposed_losses.append(losses)

    def distribute(
        self, ids: IntArray, outgoing: FloatArray, *, waiting: FloatArray | None = None, floor: float = 0.0
    ) -> tuple[FloatArray, BoolArray]:
        """Share `outgoing` among open neighbours in proportion to w^α·g: (arrivals (n), which of `ids` could give).

        Where near-duplicates would become reachable together (with what is `waiting` there, at least `floor`) the
        weaker ones get nothing and their share goes to the other neighbours.
        """
        rows = self._rows(ids)
        arrivals, rates = self._share(rows, outgoing)
        losers = self._losers(arrivals, waiting, floor)
        if losers.size:
            openness = self.openness[losers]
            self.openness[losers] = 0.0
            arrivals, rates = self._share(rows, outgoing)
            self.openness[losers] = openness
        self.given[ids] += rates
        return arrivals, rates > 0.0

    def result(self, stop_reason: str) -> Spread:
        """The finished run."""
        nodes = np.flatnonzero(self.hop >= 0)
        spoken = np.flatnonzero(self.speaker >= 0)
        opposed = np.concatenate(self._opposed) if self._opposed else NONE.reshape(0, 2)
        losses = np.concatenate(self._opposed_losses) if self._opposed_losses else np.zeros(0)
        order = np.lexsort((opposed[:, 1], opposed[:, 0]))
        disputed = nodes[self.mechanisms.polarity[nodes] < 0] if self.mechanisms.polarity is not None else NONE
        excluded = nodes[self._capacity[nodes] > 0.0] if self._capacity is not None else NONE
        return Spread(
            nodes=nodes,
            energies=self.energy[nodes],
            hops=self.hop[nodes],
            votes=self._votes(spoken)[nodes],
            stop_reason=stop_reason,
            threshold=self.options.threshold * self.ledger.injected,
            ledger=self.ledger,
            duplicates=np.column_stack((spoken, self.speaker[spoken])),
            contradictions=opposed[order],
            contradiction_losses=losses[order],
            disputed=disputed,
            disputed_losses=self._disputed[disputed],
            excluded=excluded,
            excluded_losses=self._excluded[excluded],
            sharing=Sharing(self.matrix, self.exponent, self.guidance, self.given, self.reentrant),
        )

    def _rows(self, ids: IntArray) -> Matrix:
        rows = self.matrix if ids.size == self.size else self.matrix[ids]
        return rows if self.reentrant else raised_weights(rows, self.exponent)

    def _share(self, rows: Matrix, outgoing: FloatArray) -> tuple[FloatArray, FloatArray]:
        """(arrivals (n), what each row gave per unit of its weights)."""
        totals: FloatArray = np.asarray(rows @ self.openness)
        rates = np.zeros(outgoing.size)
        np.divide(outgoing, totals, out=rates, where=totals > TINY)
        return self.openness * np.asarray(rows.T @ rates), rates

    def _losers(self, arrivals: FloatArray, waiting: FloatArray | None, floor: float) -> IntArray:
        """Nodes that a stronger near-duplicate among the same new arrivals makes superfluous, by id."""
        if self.mechanisms.duplicates is None:
            return NONE
        ids = np.flatnonzero((arrivals > 0.0) & (self.hop < 0))
        strengths = arrivals[ids] if waiting is None else waiting[ids] + arrivals[ids]
        ids, strengths = ids[strengths >= floor], strengths[strengths >= floor]
        rank = np.empty(ids.size, dtype=np.int64)
        rank[ranking(strengths, ids)] = np.arange(ids.size)
        return ids[~self._distinct(ids, rank)]

    def _twins(self, ids: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
        """(node, near-duplicate, cosine) of the near-duplicates of `ids` at the bar now in force."""
        if self.mechanisms.duplicates is None:
            return NONE, NONE, np.zeros(0)
        node, twin, cosine = _entries(self.mechanisms.duplicates, ids)
        alike = self._alike(cosine)
        return node[alike], twin[alike], cosine[alike]

    def _alike(self, cosines: FloatArray) -> BoolArray:
        """Which cosines reach the bar now in force; it is worked out only where one of them may lie below."""
        low = self.mechanisms.duplicate_floor - COSINE_SLACK
        open_ = (cosines >= low) & (cosines < max(EXACT_COPY, self.mechanisms.duplicate_floor) - COSINE_SLACK)
        return np.asarray(cosines >= (self._similar.bar() - COSINE_SLACK if open_.any() else low))

    def _distinct(self, ids: IntArray, rank: IntArray) -> BoolArray:
        """Which of `ids` are no near-duplicates of one that ranks better and stays."""
        if self.mechanisms.duplicates is None or not ids.size:
            return np.ones(ids.size, dtype=bool)
        order = np.argsort(ids)
        node, twin, cosine = _entries(self.mechanisms.duplicates, ids)
        place = order[np.minimum(np.searchsorted(ids, twin, sorter=order), ids.size - 1)]
        both = ids[place] == twin
        alike = self._alike(cosine[both])
        first = order[np.searchsorted(ids, node[both][alike], sorter=order)]
        return keep_distinct(rank, first, place[both][alike])

    def _annihilate(self, first: IntArray, second: IntArray, strength: FloatArray) -> FloatArray:
        """Take strength·min of both energies of each pair, in the order of the pairs; returns what each side lost."""
        losses = np.zeros(first.size)
        todo = np.arange(first.size)
        while todo.size:
            now = next_round(first[todo], second[todo])
            pairs = todo[now]
            losses[pairs] = strength[pairs] * np.minimum(self.energy[first[pairs]], self.energy[second[pairs]])
            self.energy[first[pairs]] -= losses[pairs]
            self.energy[second[pairs]] -= losses[pairs]
            todo = todo[~now]
        total = 2.0 * float(losses.sum())
        self.ledger.held -= total
        self.ledger.contradiction += total
        return losses

    def _votes(self, spoken: IntArray) -> IntArray:
        """(n) distinct sources that state the idea of each node, its own included."""
        votes = np.ones(self.size, dtype=np.int64)
        if spoken.size:
            source = np.arange(self.size) if self.mechanisms.sources is None else self.mechanisms.sources
            node = self.speaker[spoken]
            other = source[spoken] != source[node]
            supports = np.unique(np.column_stack((node[other], source[spoken][other])), axis=0)
            votes += np.bincount(supports[:, 0], minlength=self.size)
        return votes


class _Similarity:
    """Moments of the cosines among the active nodes X (k, d), from the smaller of the products XXᵀ and XᵀX.

    Σ cos = (|Σx|² − Σ|x|²)/2 and Σ cos² = (‖XXᵀ‖² − Σ|x|⁴)/2, where ‖XXᵀ‖ = ‖XᵀX‖.
    """

    def __init__(self, mechanisms: Mechanisms) -> None:
        self.floor = mechanisms.duplicate_floor
        self.vectors = mechanisms.vectors
        self.known = self.floor
        self.waiting: list[IntArray] = []
        width = 0 if self.vectors is None else self.vectors.shape[1]
        self.count, self.squares, self.fourths = 0, 0.0, 0.0
        self.sum = np.zeros(width)
        self.rows = np.zeros((0, width))
        self.gram: FloatArray | None = None

    def join(self, ids: IntArray) -> None:
        """Count `ids` as active from now on; their vectors are read when a bar is asked for."""
        self.waiting.append(ids)

    def bar(self) -> float:
        """The duplicate bar of the nodes that joined."""
        if self.vectors is not None and self.waiting:
            norm = self._add(self.vectors[np.concatenate(self.waiting)])
            self.waiting.clear()
            pairs = self.count * (self.count - 1) / 2
            total = (float(self.sum @ self.sum) - self.squares) / 2
            self.known = duplicate_bar(self.floor, pairs, total, (norm - self.fourths) / 2)
        return self.known

    def _add(self, vectors: NDArray[np.floating]) -> float:
        """Count the nodes with these vectors; returns ‖XXᵀ‖²."""
        x = vectors.astype(np.float64)
        lengths = np.einsum("ij,ij->i", x, x)
        self.count += len(x)
        self.squares += float(lengths.sum())
        self.fourths += float((lengths * lengths).sum())
        self.sum += x.sum(axis=0)
        if self.count <= len(self.sum):
            self.rows = np.concatenate((self.rows, x))
            product = self.rows @ self.rows.T
            return float(np.vdot(product, product))
        if self.gram is None:
            self.gram = self.rows.T @ self.rows
        # Stored vectors have single precision: so has their product, at half the cost.
        self.gram += vectors.T @ vectors
        return float(np.vdot(self.gram, self.gram))


def _entries(matrix: Matrix, ids: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """(row, column, value) of the stored entries in the rows `ids`, off the diagonal."""
    rows = matrix[ids]
    node = np.repeat(ids, np.diff(rows.indptr))
    other = rows.indices.astype(np.int64)
    off = node != other
    return node[off], other[off], rows.data[off].astype(np.float64)
