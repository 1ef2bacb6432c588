"""Speed of the array wave against the package `spiyweb` on the same random graphs, in one process.

    python benchmarks/spreading.py [--sizes 10000 100000] [--repeats 5]

Needs `spiyweb` 0.2.4 (Apache-2.0), which nothing else in the project uses. Every node has ten outgoing edges with
random weights, the question has ten seeds. Each row is the median of the repeats, both engines warm; `same` says
whether both reached the same nodes with the same energies to 1e-9, where they follow the same rules.

- `uncapped`: d .9, ρ 0, no limit of hops or nodes: the whole graph is reached.
- `capped`: d .9, ρ 0, 512 nodes.
- `capped, dedup`: the same with vectors and a tenth of the nodes being copies. Gossamer reads pairs found beforehand
  and raises the bar with the active set; the peer is given a matrix-vector product for its similarities.
- `received` adds, for Gossamer, the energies that every active node got from every other one (read on demand).
- `flow`: the conserving engine with its defaults, which the peer has not; its ratio is to the peer's uncapped wave.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import spiyweb
from scipy.sparse import csr_array

from gossamer.graph.flow import flow
from gossamer.graph.spread_arrays import Mechanisms, Spread
from gossamer.graph.wave_arrays import wave

DEGREE = 10
SEEDS = 10
DIMENSION = 64


def random_graph(size: int, rng: np.random.Generator) -> csr_array:
    """(n, n) directed graph with ten outgoing edges a node."""
    source = np.repeat(np.arange(size), DEGREE)
    target = (source + 1 + rng.integers(0, size - 1, size * DEGREE)) % size
    return csr_array((rng.uniform(0.1, 1.0, size * DEGREE), (source, target)), shape=(size, size))


def vectors_with_copies(size: int, rng: np.random.Generator) -> tuple[np.ndarray, csr_array]:
    """(n, d) unit vectors where each tenth node copies the one before it, and the matrix of the copied pairs."""
    vectors = rng.normal(size=(size, DIMENSION))
    copies = np.arange(1, size, 10)
    vectors[copies] = vectors[copies - 1]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    ends = np.concatenate((copies, copies - 1)), np.concatenate((copies - 1, copies))
    return vectors, csr_array((np.ones(2 * copies.size), ends), shape=(size, size))


def peer_graph(matrix: csr_array) -> Any:
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    names = [f"n{i:07}" for i in range(matrix.shape[0])]
    triples = zip(rows.tolist(), matrix.indices.tolist(), matrix.data.tolist(), strict=True)
    return spiyweb.Graph.from_edges(((names[u], names[v], w) for u, v, w in triples), undirected=False)


def median_seconds(call: Callable[[], Any], repeats: int) -> tuple[float, Any]:
    """(median time, last result) after one warm-up call."""
    result = call()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - start)
    return statistics.median(times), result


def same(found: Spread, peer: Any) -> str:
    """Whether both reached the same nodes with the same energies."""
    expected = {int(name[1:]): item.energy for name, item in peer.activations.items()}
    if sorted(expected) != found.nodes.tolist():
        return "no"
    return (
        "yes" if np.allclose(found.energies, [expected[i] for i in found.nodes.tolist()], rtol=0, atol=1e-9) else "no"
    )


def measure(size: int, repeats: int) -> list[tuple[str, float, float, str]]:
    """Rows (case, Gossamer's seconds, the peer's seconds, same) for one size."""
    rng = np.random.default_rng(size)
    matrix = random_graph(size, rng)
    vectors, pairs = vectors_with_copies(size, rng)
    graph = peer_graph(matrix)
    seeds = rng.choice(size, SEEDS, replace=False)
    weights = rng.uniform(0.5, 1.0, SEEDS)
    peer_seeds = {f"n{i:07}": float(w) for i, w in zip(seeds.tolist(), weights.tolist(), strict=True)}

    def ours(max_nodes: int | None, mechanisms: Mechanisms | None = None) -> Spread:
        return wave(
            matrix,
            seeds,
            weights,
            damping=0.9,
            threshold=0.0,
            max_hops=1000,
            max_nodes=max_nodes,
            mechanisms=mechanisms,
        )

    def theirs(max_nodes: int, **options: Any) -> Any:
        config = spiyweb.PropagationConfig(damping=0.9, threshold_ratio=0.0, max_hop=1000, max_nodes=max_nodes)
        return spiyweb.propagate(graph, peer_seeds, config, **options)

    def similarity(node: str, others: Sequence[str]) -> list[float]:
        return (vectors[[int(other[1:]) for other in others]] @ vectors[int(node[1:])]).tolist()

    dedup = {"similarity": similarity, "dedup": spiyweb.DedupConfig()}
    copies = Mechanisms(duplicates=pairs, vectors=vectors)
    rows = []
    uncapped, found = median_seconds(lambda: ours(None), repeats)
    peer_uncapped, peer = median_seconds(lambda: theirs(size), repeats)
    rows.append(("uncapped", uncapped, peer_uncapped, same(found, peer)))
    seconds, _ = median_seconds(lambda: ours(None).received, repeats)
    rows.append(("uncapped, received", seconds, peer_uncapped, ""))
    seconds, found = median_seconds(lambda: ours(512), repeats)
    peer_seconds, peer = median_seconds(lambda: theirs(512), repeats)
    rows.append(("capped", seconds, peer_seconds, same(found, peer)))
    seconds, found = median_seconds(lambda: ours(512, copies), repeats)
    peer_seconds, peer = median_seconds(lambda: theirs(512, **dedup), repeats)
    rows.append(("capped, dedup", seconds, peer_seconds, same(found, peer)))
    seconds, _ = median_seconds(lambda: flow(matrix, seeds, weights), repeats)
    rows.append(("flow", seconds, peer_uncapped, ""))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print(f"{'nodes':>8}  {'case':<20}{'gossamer ms':>12}{'spiyweb ms':>12}{'ratio':>8}  same")
    for size in options.sizes:
        for case, seconds, peer_seconds, agree in measure(size, options.repeats):
            numbers = f"{1e3 * seconds:>12.2f}{1e3 * peer_seconds:>12.2f}{peer_seconds / seconds:>8.1f}"
            print(f"{size:>8}  {case:<20}{numbers}  {agree}")


if __name__ == "__main__":
    main()
