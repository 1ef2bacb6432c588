"""The energy ledger of one spreading run, written while the energy moves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class Ledger:
    """Where the injected energy went: `injected = held + dissipated + destroyed`.

    `held` is what stayed in nodes (for the wave Σ energy − forwarded, for flow Σ energy), `dissipated` what arrived
    somewhere and died there (below the threshold, past a limit), and `destroyed` what absorbers took, by cause.
    Each amount is booked when it moves, so `balance` is a check and not a definition.

    >>> Ledger(injected=10.0, held=9.0, dissipated=0.875, polarity=0.125).destroyed
    0.125
    """

    injected: float = 0.0
    held: float = 0.0
    dissipated: float = 0.0
    polarity: float = 0.0
    exclusion: float = 0.0
    contradiction: float = 0.0

    @property
    def destroyed(self) -> float:
        """Energy taken by absorbers: negative knowledge, the exclusion field and contradictions."""
        return self.polarity + self.exclusion + self.contradiction

    @property
    def balance(self) -> float:
        """What the books miss, `injected − held − dissipated − destroyed`: 0 up to rounding.

        >>> Ledger(injected=10.0, held=9.125, dissipated=0.875).balance
        0.0
        """
        return self.injected - self.held - self.dissipated - self.destroyed

    def _repr_html_(self) -> str:
        """For notebooks: every amount and its share of what was injected."""
        from gossamer import html

        names = ("injected", "held", "dissipated", "polarity", "exclusion", "contradiction")
        amounts = {name: float(getattr(self, name)) for name in names}
        whole = self.injected or 1.0
        rows = [
            (name, amount, f"{amount / whole:.1%}") for name, amount in amounts.items() if amount or name in names[:3]
        ]
        return html.box("Energy", html.table(("", "amount", "share"), rows))

    def __add__(self, other: Ledger) -> Ledger:
        """The books of two runs as one, as for the colours of a question."""
        return Ledger(
            self.injected + other.injected,
            self.held + other.held,
            self.dissipated + other.dissipated,
            self.polarity + other.polarity,
            self.exclusion + other.exclusion,
            self.contradiction + other.contradiction,
        )
