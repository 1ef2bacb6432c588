"""What a benchmark runs, and where rankings and contexts are cut."""

from __future__ import annotations

from dataclasses import dataclass

from gossamer.errors import UsageError

DEPTH = 20
"""Ranks kept of every ranking; more where a larger k is asked for."""


@dataclass(frozen=True, slots=True)
class BenchOptions:
    """What to run and how to cut it; impossible values raise UsageError."""

    systems: tuple[str, ...] = ("bm25", "dense", "hybrid-rrf", "hybrid-z", "mmr", "multi-query", "paper", "gossamer")
    baseline: str = "hybrid-rrf"
    ks: tuple[int, ...] = (2, 5, 10, 20)
    budgets: tuple[int, ...] = (500, 1000, 2000, 4000)
    seed: int = 0
    within_group: bool = False

    def __post_init__(self) -> None:
        for name, values in (("k", self.ks), ("budgets", self.budgets)):
            if any(value < 1 for value in values) or len(set(values)) < len(values):
                raise UsageError(
                    f"--{name} {','.join(map(str, values))} is not possible. Give different numbers from 1 up."
                )
        if not self.ks:
            raise UsageError("No k is given. Give at least one, such as --k 5.")

    @property
    def all_systems(self) -> tuple[str, ...]:
        """The systems to run: the baseline is always among them."""
        return tuple(dict.fromkeys((self.baseline, *self.systems)))

    @property
    def depth(self) -> int:
        """Ranks to keep."""
        return max(DEPTH, *self.ks)
