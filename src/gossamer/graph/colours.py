"""Coloured spreading on dictionaries: the parts of a question spread apart and meet at bridges (standard library)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from operator import add
from typing import Any

from gossamer.errors import ArgumentTypeError, UsageError
from gossamer.graph.ledger import Ledger
from gossamer.graph.spread_options import check_real, significant
from gossamer.graph.wave import Graph, PropagationResult, propagate


@dataclass(frozen=True, slots=True)
class Bridge:
    """A node that several colours reach; `strength` is the smallest of its colours' shares of its energy."""

    node: str
    strength: float
    colors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ColoredResult:
    """One run a colour, kept whole in `parts` (hops, contributors, stop reason, ledger), and their sum."""

    parts: Mapping[str, PropagationResult]

    @property
    def energies(self) -> dict[str, float]:
        """Energy of each reached node, summed over the colours."""
        return {node: sum(shares.values()) for node, shares in self._by_node().items()}

    @property
    def bridges(self) -> tuple[Bridge, ...]:
        """Nodes that two or more colours reach, strongest first, then by id."""
        found = [
            Bridge(node, min(energies.values()) / sum(energies.values()), tuple(energies))
            for node, energies in self._by_node().items()
            if len(energies) > 1
        ]
        return tuple(sorted(found, key=lambda bridge: (-significant(bridge.strength), bridge.node)))

    @property
    def ledger(self) -> Ledger:
        """The books of all colours together."""
        return reduce(add, (part.ledger for part in self.parts.values()))

    def ranked(self) -> list[tuple[str, float]]:
        """(id, energy) by the summed energy (12 significant digits), then id."""
        return sorted(self.energies.items(), key=lambda pair: (-significant(pair[1]), pair[0]))

    def path(self, node: str) -> tuple[str, ...]:
        """Path of `node` in the colour that gave it most; UsageError for a node no colour reached."""
        energies = self._by_node().get(node)
        if energies is None:
            raise UsageError(f"{node!r} was not reached by any colour. Ask for the path of a node in `energies`.")
        return self.parts[min(energies, key=lambda color: (-significant(energies[color]), color))].path(node)

    def _by_node(self) -> dict[str, dict[str, float]]:
        table: dict[str, dict[str, float]] = {}
        for color, part in self.parts.items():
            for node, item in part.activations.items():
                if item.energy > 0.0:
                    table.setdefault(node, {})[color] = item.energy
        return dict(sorted(table.items()))


def propagate_colored(
    graph: Graph, parts: Mapping[str, Mapping[str, float]], *, energy: float = 10.0, **options: Any
) -> ColoredResult:
    """Spread each part of a question (colour → seeds) by itself, with an equal share of the energy.

    `options` are those of `propagate`, the same for every colour; θ is relative to a colour's own energy. Raises what
    `propagate` raises, and UsageError where there is no colour.

    >>> edges = [("A", "B", 0.8), ("A", "D", 0.4), ("C", "D", 0.6), ("C", "E", 0.3), ("D", "F", 0.5)]
    >>> result = propagate_colored(Graph.from_edges(edges), {"first": {"A": 1.0}, "second": {"C": 1.0}})
    >>> [(node, round(energy, 3)) for node, energy in result.ranked()]
    [('A', 5.0), ('C', 5.0), ('D', 3.0), ('B', 2.0), ('E', 1.0)]
    >>> [(bridge.node, round(bridge.strength, 3)) for bridge in result.bridges]
    [('D', 0.333)]
    """
    if not isinstance(parts, Mapping):
        raise ArgumentTypeError(f"parts is a {type(parts).__name__}. Pass a mapping from colour to seeds.")
    if not parts:
        raise UsageError("parts is empty. Give at least one colour with its seeds.")
    share = check_real("energy", energy, 0.0, 1e12, open_low=True) / len(parts)
    return ColoredResult({color: propagate(graph, parts[color], energy=share, **options) for color in sorted(parts)})
