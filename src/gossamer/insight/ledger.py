"""The energy ledger in words: where the injected energy of a question went."""

from __future__ import annotations

from gossamer.graph.ledger import Ledger


def ledger_values(ledger: Ledger) -> dict[str, float]:
    """Amounts by name, `balance` included, which is 0 up to rounding.

    >>> ledger_values(Ledger(injected=10.0, held=9.0, dissipated=1.0))["balance"]
    0.0
    """
    names = ("injected", "held", "dissipated", "polarity", "exclusion", "contradiction", "destroyed", "balance")
    return {name: getattr(ledger, name) for name in names}


def ledger_line(ledger: Ledger) -> str:
    """One line for people; causes that took nothing are left out.

    >>> ledger_line(Ledger(injected=10.0, held=9.125, dissipated=0.875))
    'injected 10.000 = held 9.125 + dissipated 0.875'
    """
    parts = [f"held {ledger.held:.3f}", f"dissipated {ledger.dissipated:.3f}"]
    parts += [
        f"{name} {value:.3f}" for name in ("polarity", "exclusion", "contradiction") if (value := getattr(ledger, name))
    ]
    return f"injected {ledger.injected:.3f} = {' + '.join(parts)}"
