"""How sure a result can be: raw measures beside a probability, which stays None until something has been calibrated."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Confidence:
    """The raw triple of a run and, where a calibration exists, the probability that its context is sufficient.

    `energy` is the largest energy of a passage as a share of the injected energy, `nodes` the number of passages
    reached, `depth` the largest hop.
    """

    energy: float
    nodes: int
    depth: int
    probability: float | None = None

    @property
    def raw(self) -> tuple[float, int, int]:
        """(energy, nodes, depth)."""
        return self.energy, self.nodes, self.depth

    def __str__(self) -> str:
        known = f"{self.probability:.2f}" if self.probability is not None else "not calibrated"
        return f"{known} (energy {self.energy:.3f}, nodes {self.nodes}, depth {self.depth})"
