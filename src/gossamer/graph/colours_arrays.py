"""Coloured spreading on a CSR matrix: the array twin of `colours`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gossamer.errors import UsageError
from gossamer.graph.array_order import FloatArray, IntArray, ranking
from gossamer.graph.ledger import Ledger
from gossamer.graph.spread_arrays import Matrix, Spread
from gossamer.graph.spread_options import check_real
from gossamer.graph.wave_arrays import wave


@dataclass(frozen=True, eq=False)
class ColoredSpread:
    """One run a colour, kept whole in `parts` (hops, contributors, stop reason, ledger), and their sum."""

    parts: tuple[Spread, ...]

    @cached_property
    def shares(self) -> FloatArray:
        """(colours, n) energy of each node in each colour."""
        return np.stack([part.dense() for part in self.parts])

    @cached_property
    def energies(self) -> FloatArray:
        """(n,) energy summed over the colours."""
        total: FloatArray = self.shares.sum(axis=0)
        return total

    @property
    def ledger(self) -> Ledger:
        """The books of all colours together."""
        return reduce(add, (part.ledger for part in self.parts))

    def ranked(self) -> list[tuple[int, float]]:
        """(id, energy) by the summed energy (12 significant digits), then id."""
        nodes = np.flatnonzero(self.energies)
        nodes = nodes[ranking(self.energies[nodes], nodes)]
        return list(zip(nodes.tolist(), self.energies[nodes].tolist(), strict=True))

    def bridges(self) -> tuple[IntArray, FloatArray]:
        """Nodes (b) that two or more colours reach and their strengths (b): the smallest of their colours' shares.

        Strongest first, then by id.
        """
        nodes = np.flatnonzero((self.shares > 0.0).sum(axis=0) > 1)
        shares = self.shares[:, nodes]
        strengths = np.where(shares > 0.0, shares, np.inf).min(axis=0) / self.energies[nodes]
        order = ranking(strengths, nodes)
        return nodes[order], strengths[order]

    def path(self, node: int) -> tuple[int, ...]:
        """Path of `node` in the colour that gave it most; UsageError for a node no colour reached."""
        colors = np.arange(len(self.parts))
        return self.parts[int(ranking(self.shares[:, node], colors)[0])].path(node)


def spread_colored(
    matrix: Matrix,
    parts: Sequence[tuple[ArrayLike, ArrayLike]],
    *,
    engine: Callable[..., Spread] = wave,
    energy: float = 10.0,
    **options: Any,
) -> ColoredSpread:
    """Spread each part of a question (its seeds and their weights) by itself, with an equal share of the energy.

    `engine` is `wave` or `flow`; `options` are its options, the same for every colour; θ is relative to a colour's own
    energy. Raises what the engine raises, and UsageError where there is no part.

    >>> from scipy.sparse import csr_array
    >>> path = csr_array(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]))
    >>> result = spread_colored(path, [([0], [1.0]), ([2], [1.0])])
    >>> nodes, strengths = result.bridges()
    >>> nodes.tolist(), strengths.round(4).tolist()
    ([1, 0, 2], [0.5, 0.2647, 0.2647])
    """
    if not parts:
        raise UsageError("parts is empty. Give at least one pair of seeds and weights.")
    share = check_real("energy", energy, 0.0, 1e12, open_low=True) / len(parts)
    return ColoredSpread(tuple(engine(matrix, seeds, weights, energy=share, **options) for seeds, weights in parts))
