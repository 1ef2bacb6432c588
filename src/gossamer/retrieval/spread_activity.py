"""One or several spreading runs of a question, seen as one table of reached passages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.array_order import ranking
from gossamer.graph.ledger import Ledger
from gossamer.graph.spread_arrays import Spread
from gossamer.insight.paths import chain, parents

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_NONE = np.zeros(0, dtype=np.int64)
_NO_PAIRS = np.zeros((0, 2), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Activity:
    """Runs by name: one with the name "" for a plain question, one for each part and the whole for a coloured one."""

    names: tuple[str, ...]
    spreads: tuple[Spread, ...]

    @cached_property
    def nodes(self) -> IntArray:
        """Chunks that hold energy, ascending."""
        return np.unique(np.concatenate([_NONE, *(s.nodes[s.energies > 0.0] for s in self.spreads)]))

    @cached_property
    def shares(self) -> FloatArray:
        """(runs, k) energy of each node in each run."""
        return np.array([spread.dense()[self.nodes] for spread in self.spreads]).reshape(
            len(self.spreads), self.nodes.size
        )

    @cached_property
    def energies(self) -> FloatArray:
        """(k) energy summed over the runs."""
        return np.asarray(self.shares.sum(axis=0))

    @cached_property
    def hops(self) -> IntArray:
        """(k) first hop at which any run reached each node."""
        first = np.full(self.nodes.size, np.iinfo(np.int64).max)
        for spread, shares in zip(self.spreads, self.shares, strict=True):
            held = shares > 0.0
            first[held] = np.minimum(first[held], spread.hops[np.searchsorted(spread.nodes, self.nodes[held])])
        return first

    @cached_property
    def strongest(self) -> IntArray:
        """(k) the run that gave each node most, the first of equals."""
        return self.shares.argmax(axis=0) if self.spreads else _NONE

    @property
    def ledger(self) -> Ledger:
        """The books of all runs together."""
        return reduce(add, (spread.ledger for spread in self.spreads), Ledger())

    @property
    def stop_reasons(self) -> tuple[str, ...]:
        """Why each run stopped."""
        return tuple(spread.stop_reason for spread in self.spreads)

    @cached_property
    def spoken(self) -> dict[int, IntArray]:
        """Node -> the near-duplicates it speaks for, in any run."""
        pairs = np.unique(np.concatenate([_NO_PAIRS, *(spread.duplicates for spread in self.spreads)]), axis=0)
        return {int(node): pairs[pairs[:, 1] == node, 0] for node in np.unique(pairs[:, 1])}

    @cached_property
    def disputed(self) -> IntArray:
        """Chunks of negative knowledge that energy reached."""
        return np.unique(np.concatenate([_NONE, *(spread.disputed for spread in self.spreads)]))

    def path(self, node: int) -> tuple[int, tuple[int, ...]]:
        """The run that gave `node` most, and the chunks from one of its seeds to the node."""
        run = int(self.strongest[np.searchsorted(self.nodes, node)])
        spread = self.spreads[run]
        steps = chain(self._parents[run], int(np.searchsorted(spread.nodes, node)))
        return run, tuple(int(spread.nodes[step]) for step in steps)

    def parents_of(self, order: Sequence[int]) -> list[int]:
        """For each chunk of `order` the place in it of the chunk before it on its path, -1 for seeds."""
        if not len(order):
            return []
        chunks = np.asarray(order, dtype=np.int64)
        before = np.full(len(chunks), -1, dtype=np.int64)
        runs = self.strongest[np.searchsorted(self.nodes, chunks)]
        for run, spread in enumerate(self.spreads):
            mine = np.flatnonzero(runs == run)
            parent = self._parents[run][np.searchsorted(spread.nodes, chunks[mine])]
            before[mine[parent >= 0]] = spread.nodes[parent[parent >= 0]]
        sorter = np.argsort(chunks)
        place = sorter[np.minimum(np.searchsorted(chunks, before, sorter=sorter), len(chunks) - 1)]
        return np.where((before >= 0) & (chunks[place] == before), place, -1).tolist()  # type: ignore[no-any-return]

    def bridges(self, runs: Sequence[int]) -> tuple[IntArray, FloatArray]:
        """Nodes that two or more of `runs` reach, with the smallest share of their energy there, strongest first."""
        shares = self.shares[list(runs)]
        reached = np.flatnonzero((shares > 0.0).sum(axis=0) > 1)
        shares = shares[:, reached]
        strengths = np.where(shares > 0.0, shares, np.inf).min(axis=0) / shares.sum(axis=0)
        order = ranking(strengths, self.nodes[reached])
        return self.nodes[reached][order], strengths[order]

    @cached_property
    def _parents(self) -> list[IntArray]:
        return [parents(spread) for spread in self.spreads]
