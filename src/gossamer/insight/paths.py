"""How energy came to a passage: the chain of strongest earlier givers, back to a seed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.array_order import tie_keys

if TYPE_CHECKING:
    from gossamer.graph.spread_arrays import Spread

IntArray = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Step:
    """One passage of a path; `through` are the names it shares with the passage before it."""

    passage: str
    energy: float
    hop: int
    through: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Path:
    """From a seed to a passage. `part` is the part of the question whose energy went this way, "" where it has none."""

    steps: tuple[Step, ...]
    part: str = ""

    def __str__(self) -> str:
        names = [f" (through {', '.join(step.through)})" if step.through else "" for step in self.steps]
        return " → ".join(f"{step.passage}{through}" for step, through in zip(self.steps, names, strict=True))


def parents(spread: Spread) -> IntArray:
    """(k) position in `spread.nodes` of the strongest earlier contributor of each node, -1 for seeds.

    >>> from scipy.sparse import csr_array
    >>> from gossamer.graph.wave_arrays import wave
    >>> line = csr_array(np.array([[0.0, 1.0, 0.0], [1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]))
    >>> parents(wave(line, [0], [1.0])).tolist()
    [-1, 0, 1]
    """
    found = np.full(spread.nodes.size, -1, dtype=np.int64)
    if not spread.nodes.size:
        return found
    rows = spread.received[spread.nodes]
    target = np.repeat(np.arange(spread.nodes.size), np.diff(rows.indptr))
    giver = np.searchsorted(spread.nodes, rows.indices)
    earlier = spread.hops[giver] < spread.hops[target]
    target, giver = target[earlier], giver[earlier]
    order = np.lexsort((giver, -tie_keys(spread.energies)[giver], target))
    places, first = np.unique(target[order], return_index=True)
    found[places] = giver[order][first]
    return found


def chain(parent: IntArray, place: int) -> list[int]:
    """Positions from a seed to `place`.

    >>> chain(np.array([-1, 0, 1]), 2)
    [0, 1, 2]
    """
    steps = [place]
    while parent[steps[-1]] >= 0:
        steps.append(int(parent[steps[-1]]))
    return steps[::-1]
