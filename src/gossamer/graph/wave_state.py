"""State and rules that the two dictionary engines share (standard library only)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from gossamer.errors import UsageError
from gossamer.graph.ledger import Ledger
from gossamer.graph.spread_options import COSINE_SLACK, TINY, SpreadOptions, duplicate_bar, significant
from gossamer.graph.wave_mechanisms import Mechanisms, Pairs
from gossamer.graph.wave_model import Activation, Contradiction, Graph, PropagationResult, dot


class Run:
    """One run: who is active, what they hold and gave, and the books.

    `reentrant` says whether an active node can be given energy again (flow) or not (wave).
    """

    def __init__(self, graph: Graph, options: SpreadOptions, mechanisms: Mechanisms, *, reentrant: bool) -> None:
        self.graph = graph
        self.options = options
        self.mechanisms = mechanisms
        self.reentrant = reentrant
        self.ledger = Ledger()
        self.bar = 0.0
        self.energy: dict[str, float] = {}
        self.hop: dict[str, int] = {}
        self.received: dict[str, dict[str, float]] = {}
        self.speaker: dict[str, str] = {}
        self.contradictions: list[Contradiction] = []
        self.disputed: dict[str, float] = {}
        self.excluded: dict[str, float] = {}
        self._pairs = self._total = self._squares = 0.0
        self._duplicate_bar = mechanisms.duplicate_floor

    def inject(self, seeds: Mapping[str, float], prior: Mapping[str, float]) -> dict[str, float]:
        """Hop-0 energies E0·w/Σw + prior of the strongest `width` ideas; a duplicate of a stronger seed is no idea."""
        ranked = sorted((node for node, w in seeds.items() if w > 0.0), key=lambda v: (-significant(seeds[v]), v))
        if not ranked:
            raise UsageError("seeds has no node with a positive weight. Give at least one.")
        ideas = self._distinct(ranked)[: self.options.width]
        total = sum(seeds[node] for node in sorted(ideas))
        energies = {v: self.options.energy * seeds[v] / total + prior.get(v, 0.0) for v in sorted(ideas)}
        self.ledger.injected = sum(energies.values())
        self.bar = self.options.bar(self.ledger.injected)
        return energies

    def room(self, nodes: Collection[str], strength: Mapping[str, float]) -> list[str]:
        """The strongest of `nodes` that still fit under `max_nodes` (12 significant digits, then id), by id."""
        limit = self.options.max_nodes
        if limit is None or len(self.energy) + len(nodes) <= limit:
            return sorted(nodes)
        ranked = sorted(nodes, key=lambda v: (-significant(strength[v]), v))
        return sorted(ranked[: limit - len(self.energy)])

    def activate(self, nodes: list[str], hop: int) -> None:
        """Make `nodes` active at `hop` and let each speak for its near-duplicates that are not active."""
        for node in nodes:
            self._count_pairs(node)
            self.energy[node] = 0.0
            self.hop[node] = hop
        claims: dict[str, list[tuple[float, str]]] = {}
        for node in nodes:
            for twin, cosine in self._twins(node):
                if twin not in self.energy and twin not in self.speaker:
                    claims.setdefault(twin, []).append((-cosine, node))
        self.speaker.update({twin: min(offers)[1] for twin, offers in claims.items()})
        self._duplicate_bar = duplicate_bar(self.mechanisms.duplicate_floor, self._pairs, self._total, self._squares)

    def absorb(self, node: str, amount: float) -> float:
        """What is left of an arriving `amount` after negative knowledge and the exclusion field of `node`."""
        if self.mechanisms.polarity.get(node, 1) < 0:
            lost = self.mechanisms.polarity_absorption * amount
            self.disputed[node] = self.disputed.get(node, 0.0) + lost
            self.ledger.polarity += lost
            amount -= lost
        if self.mechanisms.exclusion.get(node, 0.0) > 0.0:
            taken = self.excluded.get(node, 0.0)
            lost = min(amount, max(self.mechanisms.exclusion[node] - taken, 0.0))
            self.excluded[node] = taken + lost
            self.ledger.exclusion += lost
            amount -= lost
        return amount

    def oppose(self, nodes: Collection[str]) -> None:
        """Note each contradiction between one of `nodes` and an active node; on request both lose strength·min."""
        opposed = self.mechanisms.contradictions
        pairs = {
            (min(node, other), max(node, other))
            for node in nodes
            for other, strength in opposed.get(node, {}).items()
            if other in self.energy and strength > 0.0
        }
        for first, second in sorted(pairs):
            strength = opposed[first][second]
            lost = strength * min(self.energy[first], self.energy[second])
            lost = lost if self.mechanisms.destroy_contradictions else 0.0
            self.energy[first] -= lost
            self.energy[second] -= lost
            self.ledger.held -= 2.0 * lost
            self.ledger.contradiction += 2.0 * lost
            self.contradictions.append(Contradiction(first, second, strength, lost))

    def distribute(
        self, outgoing: Mapping[str, float], *, waiting: Mapping[str, float], floor: float
    ) -> tuple[dict[str, float], set[str]]:
        """Share `outgoing` among open neighbours in proportion to w^α·g: (arrivals, nodes that could give).

        Where near-duplicates would become reachable together (with what is `waiting` there, at least `floor`) the
        weaker ones get nothing and their share goes to the other neighbours.
        """
        gifts = self._share(outgoing, closed=frozenset())
        strength = {v: waiting.get(v, 0.0) + sum(g.values()) for v, g in gifts.items() if v not in self.energy}
        ranked = sorted((v for v, s in strength.items() if s >= floor), key=lambda v: (-significant(strength[v]), v))
        if losers := set(ranked).difference(self._distinct(ranked)):
            gifts = self._share(outgoing, closed=losers)
        for node, given in gifts.items():
            row = self.received.setdefault(node, {}) if self.reentrant else {}
            self.received[node] = row  # a wave's earlier gifts died: only the hop that activates counts
            for source, amount in given.items():
                row[source] = row.get(source, 0.0) + amount
        givers = {source for given in gifts.values() for source in given}
        return {node: sum(given.values()) for node, given in gifts.items()}, givers

    def result(self, stop_reason: str) -> PropagationResult:
        """The finished run."""
        votes = self._votes()
        activations = {}
        for node in sorted(self.energy):
            given = {u: a for u, a in sorted(self.received.get(node, {}).items()) if u != node and a > 0.0}
            activations[node] = Activation(
                self.energy[node], self.hop[node], tuple(given), tuple(given.values()), votes.get(node, 1)
            )
        return PropagationResult(
            activations,
            stop_reason,
            self.options.threshold * self.ledger.injected,
            self.ledger,
            dict(sorted(self.speaker.items())),
            tuple(sorted(self.contradictions, key=lambda item: (item.first, item.second))),
            dict(sorted(self.disputed.items())),
            dict(sorted(self.excluded.items())),
        )

    def _share(self, outgoing: Mapping[str, float], *, closed: Collection[str]) -> dict[str, dict[str, float]]:
        gifts: dict[str, dict[str, float]] = {}
        guidance, exponent = self.mechanisms.guidance, self.options.exponent
        for source in sorted(outgoing):
            shares = {
                node: share
                for node, weight in self.graph.adjacency[source].items()
                if (share := weight**exponent * guidance.get(node, 1.0)) > 0.0
                and node not in closed
                and self._open(node)
            }
            total = sum(shares.values())
            if total > TINY:
                for node, share in shares.items():
                    gifts.setdefault(node, {})[source] = outgoing[source] / total * share
        return gifts

    def _open(self, node: str) -> bool:
        return node not in self.speaker and (self.reentrant or node not in self.energy)

    def _twins(self, node: str) -> list[tuple[str, float]]:
        pairs: Pairs = self.mechanisms.duplicates
        bar = self._duplicate_bar - COSINE_SLACK
        return [(twin, cosine) for twin, cosine in pairs.get(node, {}).items() if cosine >= bar]

    def _distinct(self, ranked: list[str]) -> list[str]:
        """`ranked` without the near-duplicates of a node that stands earlier and stays."""
        kept: list[str] = []
        barred: set[str] = set()
        for node in ranked:
            if node not in barred:
                kept.append(node)
                barred.update(twin for twin, _ in self._twins(node))
        return kept

    def _count_pairs(self, node: str) -> None:
        vector = self.graph.vectors.get(node)
        if vector is None or not self.mechanisms.duplicates:
            return
        for other in self.energy:
            if (known := self.graph.vectors.get(other)) is not None:
                cosine = dot(vector, known)
                self._pairs += 1.0
                self._total += cosine
                self._squares += cosine * cosine

    def _votes(self) -> dict[str, int]:
        source = self.mechanisms.sources
        supporters: dict[str, set[str]] = {}
        for twin, node in self.speaker.items():
            supporters.setdefault(node, {source.get(node, node)}).add(source.get(twin, twin))
        return {node: len(names) for node, names in supporters.items()}
