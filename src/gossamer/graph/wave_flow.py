"""The conserving engine on dictionaries (standard library only): the twin of `flow`."""

from __future__ import annotations

from gossamer.graph.spread_options import SLACK
from gossamer.graph.wave_state import Run


def run_flow(run: Run, injected: dict[str, float]) -> str:
    """Push energy until no node holds θ of unspent energy; returns the stop reason.

    Each round, every node whose unspent energy reached θ (at hop 0: every seed) retains 1 − d of it and forwards d;
    a node with no neighbour to give to retains all. At the end active nodes keep what they have not spent.
    """
    unspent = dict(injected)
    refused = last = False
    hop = 0
    while not last:
        ready = {v: r for v, r in unspent.items() if r > 0.0 and v not in run.speaker and (r >= run.bar or hop == 0)}
        new = [v for v in ready if v not in run.energy]
        joined = run.room(new, ready)
        refused = refused or len(joined) < len(new)
        run.activate(joined, hop)
        ready = {v: ready[v] for v in sorted(ready) if v in run.energy}
        if not ready:
            break
        converged = hop > 0 and sum(ready.values()) <= SLACK * run.ledger.injected
        last = converged or hop == run.options.max_hops
        for node in ready:
            del unspent[node]
        _settle(run, ready, unspent, forward=not last)
        hop += 1
    weak = _close(run, unspent)
    if refused:
        return "max_nodes"
    if last:
        return "converged" if converged else "max_hop"
    return "threshold" if weak else "exhausted"


def _settle(run: Run, ready: dict[str, float], unspent: dict[str, float], *, forward: bool) -> None:
    """Absorb, retain and forward the energy of the `ready` nodes; adds the arrivals to `unspent`."""
    amounts = {node: run.absorb(node, energy) for node, energy in ready.items()}
    outgoing = {
        node: run.options.damping * amount
        for node, amount in amounts.items()
        if forward and amount > 0.0 and amount >= min(ready[node], run.bar)
    }
    arrivals, givers = run.distribute(outgoing, waiting=unspent, floor=run.bar)
    for node, amount in amounts.items():
        kept = amount - outgoing[node] if node in givers else amount
        run.energy[node] += kept
        run.ledger.held += kept
    for node, energy in arrivals.items():
        unspent[node] = unspent.get(node, 0.0) + energy


def _close(run: Run, unspent: dict[str, float]) -> bool:
    """Book what was never spent: active nodes keep it, elsewhere it dissipates. Returns whether there was any."""
    for node in sorted(unspent):
        if node in run.energy:
            run.energy[node] += unspent[node]
            run.ledger.held += unspent[node]
        else:
            run.ledger.dissipated += unspent[node]
    run.oppose(sorted(run.energy))
    return any(energy > 0.0 for energy in unspent.values())
