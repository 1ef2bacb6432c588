"""Which passages a question works on: a subgraph around the seeds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from gossamer.retrieval.seeds import best

if TYPE_CHECKING:
    from scipy.sparse import csr_array

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


def rows_of(graph: csr_array, rows: IntArray) -> tuple[IntArray, IntArray, FloatArray]:
    """Stored edges of some rows as (place in `rows`, column, weight)."""
    starts = graph.indptr[rows]
    lengths = graph.indptr[rows + 1] - starts
    place = np.repeat(np.arange(len(rows)), lengths)
    at = np.arange(len(place)) + np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
    return place, graph.indices[at].astype(np.int64), graph.data[at].astype(np.float64)


def breadth_first(graph: csr_array, seeds: IntArray, *, hops: int = 2, limit: int = 200) -> IntArray:
    """The paper's expansion: hop by hop from the seeds, strongest edges first, at most `limit` passages; seeds first.

    >>> from scipy.sparse import csr_array
    >>> graph = csr_array(np.array([[0, 0.2, 0.9], [0.2, 0, 0], [0.9, 0, 0]]))
    >>> breadth_first(graph, np.array([0]), hops=1, limit=2).tolist()
    [0, 2]
    """
    found = seeds[: max(limit, 0)].astype(np.int64)
    seen = np.zeros(graph.shape[0], dtype=bool)
    seen[found] = True
    frontier = found
    for _ in range(hops):
        room = limit - len(found)
        if room <= 0 or not len(frontier):
            break
        _, columns, weights = rows_of(graph, frontier)
        fresh = ~seen[columns]
        columns, weights = columns[fresh], weights[fresh]
        order = np.lexsort((columns, -weights))
        _, first = np.unique(columns[order], return_index=True)
        frontier = columns[order][np.sort(first)][:room]
        seen[frontier] = True
        found = np.concatenate([found, frontier])
    return found


def around_seeds(
    graph: csr_array,
    seeds: IntArray,
    seed_weights: FloatArray,
    relevance: FloatArray,
    attraction: FloatArray,
    *,
    limit: int = 2000,
    keep: int = 300,
) -> IntArray:
    """Candidates of guided diffusion, ascending: the seeds, the `keep` most relevant passages, and those that two steps
    of the guided flow from the seeds reach with most mass, at most `limit`.

    Args:
        graph: the flow matrix of the corpus.
        seeds, seed_weights: see `seeds.choose_seeds`.
        relevance, attraction: H and g of every passage.
    """
    passages = graph.shape[0]
    always = np.union1d(seeds, best(relevance, min(keep, limit)))[: max(limit, len(seeds))]
    reached = np.zeros(passages)
    rows = seeds.astype(np.int64)
    mass = np.asarray(seed_weights, dtype=np.float64)
    for _ in range(2):
        place, columns, weights = rows_of(graph, rows)
        pull = weights * attraction[columns]
        givable = np.bincount(place, weights=pull, minlength=len(rows))
        share = mass / np.where(givable > 0, givable, 1.0)
        step = np.bincount(columns, weights=pull * share[place], minlength=passages)
        reached += step
        rows = np.flatnonzero(step).astype(np.int64)
        mass = np.asarray(step[rows], dtype=np.float64)
    reached[always] = 0.0
    room = max(limit - len(always), 0)
    more = best(reached, min(room, int(np.count_nonzero(reached))))
    return np.union1d(always, more)


def subgraph(graph: csr_array, nodes: IntArray) -> csr_array:
    """Rows and columns of some nodes, in their order.

    >>> from scipy.sparse import csr_array
    >>> subgraph(csr_array(np.array([[0, 1, 2], [1, 0, 0], [2, 0, 0]])), np.array([0, 2])).toarray().tolist()
    [[0, 2], [2, 0]]
    """
    from scipy.sparse import csr_array

    return csr_array(graph[nodes][:, nodes])
