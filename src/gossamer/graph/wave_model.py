"""What the dictionary engines read and return: `Graph` and `PropagationResult` (standard library only)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from gossamer.errors import ArgumentTypeError, UsageError
from gossamer.graph.ledger import Ledger
from gossamer.graph.spread_options import LARGEST_WEIGHT, check_real, significant

Vector = tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Graph:
    """A weighted graph of string ids; build it with `from_edges`.

    `adjacency[u][v]` is the weight from u to v, both in ascending order; `polarity` holds -1 for nodes that deny a
    claim; `vectors` are unit vectors, only needed to find near-duplicates.

    >>> graph = Graph.from_edges([("A", "B", 0.8), ("B", "C", 0.5)])
    >>> graph.nodes
    ('A', 'B', 'C')
    >>> graph.neighbours("B")
    {'A': 0.8, 'C': 0.5}
    """

    adjacency: Mapping[str, Mapping[str, float]]
    polarity: Mapping[str, int] = field(default_factory=dict)
    vectors: Mapping[str, Vector] = field(default_factory=dict)

    @classmethod
    def from_edges(
        cls,
        edges: Iterable[tuple[str, str, float]],
        *,
        undirected: bool = True,
        nodes: Iterable[str] = (),
        polarity: Mapping[str, int] | None = None,
        vectors: Mapping[str, Sequence[float]] | None = None,
    ) -> Graph:
        """Graph of (node, node, weight) triples.

        An edge given twice keeps its larger weight, so that the order of the edges never matters; a weight of 0 is an
        edge that carries nothing. `nodes` adds nodes without edges. `polarity` marks negative knowledge with -1.
        `vectors` may have any length but one dimension. Raises UsageError or ArgumentTypeError.

        >>> Graph.from_edges([("A", "B", 0.8), ("B", "A", 0.9)]).weight("A", "B")
        0.9
        """
        rows: dict[str, dict[str, float]] = {_node("nodes", node): {} for node in nodes}
        for edge in edges:
            source, target, weight = _edge(edge)
            for one, other in ((source, target), (target, source)) if undirected else ((source, target),):
                row = rows.setdefault(one, {})
                row[other] = max(weight, row.get(other, 0.0))
            rows.setdefault(target, {})
        adjacency = {node: dict(sorted(rows[node].items())) for node in sorted(rows)}
        graph = cls(adjacency, dict(polarity or {}), _unit_vectors(vectors or {}))
        graph.require("polarity", graph.polarity)
        graph.require("vectors", graph.vectors)
        for node, sign in graph.polarity.items():
            if sign not in (-1, 1):
                raise UsageError(f"polarity of {node!r} is {sign!r}. Choose -1 (it denies) or 1.")
        return graph

    def __len__(self) -> int:
        return len(self.adjacency)

    def __contains__(self, node: object) -> bool:
        return node in self.adjacency

    @property
    def nodes(self) -> tuple[str, ...]:
        """All node ids, ascending."""
        return tuple(self.adjacency)

    def neighbours(self, node: str) -> Mapping[str, float]:
        """Neighbours of `node` with their weights, by id; UsageError for a node the graph does not have."""
        self.require("node", (node,))
        return self.adjacency[node]

    def weight(self, source: str, target: str) -> float:
        """Weight of one edge; 0 where there is none.

        >>> Graph.from_edges([("A", "B", 0.8)]).weight("B", "B")
        0.0
        """
        return self.neighbours(source).get(target, 0.0)

    def near_duplicates(self, floor: float = 0.95) -> tuple[tuple[str, str, float], ...]:
        """Pairs (u, v, cosine) with u < v and a cosine of at least `floor`, from the graph's vectors.

        Compares every pair, so it is for graphs of some thousand nodes at most.

        >>> vectors = {"A": [1.0, 0.0], "B": [2.0, 0.0], "C": [0.0, 1.0]}
        >>> Graph.from_edges([("A", "C", 0.5)], nodes=["B"], vectors=vectors).near_duplicates()
        (('A', 'B', 1.0),)
        """
        floor = check_real("floor", floor, 0.0, 1.0)
        known = sorted(self.vectors.items())
        return tuple(
            (one, other, cosine)
            for place, (one, left) in enumerate(known)
            for other, right in known[place + 1 :]
            if (cosine := dot(left, right)) >= floor
        )

    def require(self, name: str, nodes: Iterable[object]) -> None:
        """Raise unless every one of `nodes` is in the graph; `name` is the argument that named them."""
        for node in nodes:
            if _node(name, node) not in self.adjacency:
                raise UsageError(
                    f"{name} has the node {node!r}, which the graph has not. "
                    f"Leave it out, or add it with Graph.from_edges(..., nodes=[{node!r}])."
                )


@dataclass(frozen=True, slots=True)
class Activation:
    """A node that was reached.

    `energy` is what the ranking uses; `hop` the first hop that reached it; `contributors` the nodes that gave to it, by
    id, and `received` how much each gave; `votes` the number of distinct sources that state the same idea, its own
    included.
    """

    energy: float
    hop: int
    contributors: tuple[str, ...]
    received: tuple[float, ...]
    votes: int = 1


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two active nodes that oppose each other, and the energy that each lost to it (0 where they are only flagged)."""

    first: str
    second: str
    strength: float
    lost: float


@dataclass(frozen=True, slots=True)
class PropagationResult:
    """What one run reached and why it stopped.

    `stop_reason` is `threshold` (energy died because it was too weak), `exhausted` (nothing was left to reach),
    `converged` (flow: no energy is under way any more), `max_hop` or `max_nodes`. `threshold` is the absolute θ.
    `duplicates` maps each suppressed near-duplicate to the node that speaks for it; `disputed` and `excluded` map the
    nodes of polarity -1, and those in the exclusion field, to the energy they absorbed.
    """

    activations: Mapping[str, Activation]
    stop_reason: str
    threshold: float
    ledger: Ledger
    duplicates: Mapping[str, str]
    contradictions: tuple[Contradiction, ...]
    disputed: Mapping[str, float]
    excluded: Mapping[str, float]

    def ranked(self) -> list[tuple[str, float]]:
        """(id, energy) by energy (12 significant digits), then id; nodes that lost all their energy are left out."""
        alive = [(node, item.energy) for node, item in self.activations.items() if item.energy > 0.0]
        return sorted(alive, key=lambda pair: (-significant(pair[1]), pair[0]))

    @property
    def votes(self) -> dict[str, int]:
        """Votes of the ideas that more than one source states."""
        return {node: item.votes for node, item in self.activations.items() if item.votes > 1}

    def path(self, node: str) -> tuple[str, ...]:
        """How the energy came to `node`: back over the strongest (most energetic) earlier contributor to a seed."""
        if node not in self.activations:
            raise UsageError(f"{node!r} was not reached. Ask for the path of a node in `activations`.")
        steps = [node]
        while earlier := [u for u in self.activations[steps[-1]].contributors if self._earlier(u, steps[-1])]:
            steps.append(min(earlier, key=lambda u: (-significant(self.activations[u].energy), u)))
        return tuple(reversed(steps))

    def _earlier(self, one: str, other: str) -> bool:
        return self.activations[one].hop < self.activations[other].hop


def dot(left: Vector, right: Vector) -> float:
    """Inner product; for unit vectors the cosine."""
    return sum(a * b for a, b in zip(left, right, strict=True))


def _node(name: str, node: object) -> str:
    if not isinstance(node, str):
        raise ArgumentTypeError(f"{name} has the id {node!r}, a {type(node).__name__}. Use strings as node ids.")
    return node


def _edge(edge: tuple[str, str, float]) -> tuple[str, str, float]:
    if not isinstance(edge, Sequence) or isinstance(edge, str) or len(edge) != 3:
        raise ArgumentTypeError(f"edges has {edge!r}. Pass every edge as (node, node, weight).")
    source, target, weight = edge
    pair = f"{source!r}–{target!r}"
    _node("edges", source)
    _node("edges", target)
    return source, target, check_real(f"weight of the edge {pair}", weight, 0.0, LARGEST_WEIGHT)


def _unit_vectors(vectors: Mapping[str, Sequence[float]]) -> dict[str, Vector]:
    """The vectors scaled to length 1; a zero vector stays zero and resembles nothing."""
    units: dict[str, Vector] = {}
    width: int | None = None
    for node, vector in vectors.items():
        length = math.hypot(*vector)
        width = len(vector) if width is None else width
        if len(vector) != width or not math.isfinite(length):
            raise UsageError(
                f"vectors of {node!r} has {len(vector)} numbers, or one that is not finite; needed are {width} finite "
                "numbers. Give all nodes vectors of one embedder."
            )
        units[node] = tuple(value / length for value in vector) if length > 0.0 else tuple(vector)
    return units
