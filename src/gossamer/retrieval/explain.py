"""Why a passage is in the result: its place in each seed list, its distance from the seeds, the edges that lead to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.index.snapshot import Snapshot
from gossamer.insight.duplicates import stating_documents
from gossamer.model import Edge, Passage, Why
from gossamer.retrieval.candidates import rows_of
from gossamer.retrieval.scoring import Scored
from gossamer.retrieval.selection import Pick

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_MOST_EDGES = 3
_MOST_ENTITIES = 5
_REASONS = {
    "core": "best score of all",
    "gain": "adds most to what was chosen before",
    "exchange": "fits the rest of the set better than the passage it replaced",
    "backfill": "next best score that still fits the budget",
    "rest": "next best score",
}


def ranks_in(channels: Mapping[str, NDArray[np.floating]], chunk: int) -> dict[str, int]:
    """Channel name -> rank of the chunk (1 is best, ties share it) in each channel that scores it above 0.

    >>> ranks_in({"bm25": np.array([0.0, 2.0, 3.0])}, 1)
    {'bm25': 2}
    """
    return {
        name: int(np.count_nonzero(scores > scores[chunk])) + 1
        for name, scores in channels.items()
        if scores[chunk] > 0
    }


def hops_from(graph: csr_array, seeds: NDArray[np.int64], chunks: Sequence[int], *, limit: int = 2) -> dict[int, int]:
    """Chunk -> number of edges from the nearest seed; chunks that `limit` hops do not reach are left out."""
    distance = np.full(graph.shape[0], -1, dtype=np.int32)
    frontier = seeds
    for hop in range(limit + 1):
        frontier = frontier[distance[frontier] < 0]
        distance[frontier] = hop
        if not len(frontier) or (distance[chunks] >= 0).all():
            break
        _, frontier, _ = rows_of(graph, np.flatnonzero(distance == hop))
    return {chunk: int(distance[chunk]) for chunk in chunks if distance[chunk] >= 0}


def edges_to(snapshot: Snapshot, chunk: int, sources: Sequence[int]) -> tuple[Edge, ...]:
    """The strongest edges from chunks picked before to this one, with the six signals and the shared entities."""
    if not sources:
        return ()
    flow = _row(snapshot, "flow", chunk, sources)
    fused = _row(snapshot, "graph", chunk, sources)
    strength = flow / (flow + 0.3) + fused
    order = np.argsort(-strength, kind="stable")[:_MOST_EDGES]
    order = order[strength[order] > 0]
    if not len(order):
        return ()
    sources = [sources[place] for place in order]
    flow, strength = flow[order], strength[order]
    signals = {name: _row(snapshot, f"signal_{name}", chunk, sources) for name in snapshot.signals}
    found = []
    for place, source in enumerate(sources):
        values = {name: float(row[place]) for name, row in signals.items() if row[place] > 0}
        if flow[place] > 0:
            values["flow"] = float(flow[place])
        found.append(
            Edge(snapshot.chunk_id(source), float(strength[place]), values, shared_entities(snapshot, chunk, source))
        )
    return tuple(found)


def shared_entities(snapshot: Snapshot, one: int, other: int) -> tuple[str, ...]:
    """Names that two chunks share, the rarest first, at most five."""
    matrix = snapshot.matrix("entities")
    both = sorted(set(_columns(matrix, one).tolist()) & set(_columns(matrix, other).tolist()))
    both.sort(key=lambda entity: int(snapshot.entity_frequency[entity]))
    return tuple(snapshot.entity_names[entity] for entity in both[:_MOST_ENTITIES])


def _columns(matrix: csr_array, row: int) -> NDArray[np.integer]:
    indptr, indices = matrix.indptr, matrix.indices
    return indices[indptr[row] : indptr[row + 1]]


def _row(snapshot: Snapshot, name: str, row: int, columns: Sequence[int]) -> NDArray[np.float64]:
    """Values of one matrix row at some columns."""
    matrix = snapshot.matrix(name)
    start, end = int(matrix.indptr[row]), int(matrix.indptr[row + 1])
    stored = matrix.indices[start:end]
    out = np.zeros(len(columns))
    if end > start:
        place = np.minimum(np.searchsorted(stored, columns), len(stored) - 1)
        hit = stored[place] == np.asarray(columns)
        out[hit] = matrix.data[start:end][place[hit]]
    return out


def passages_of(snapshot: Snapshot, picks: Sequence[Pick], scored: Scored) -> list[Passage]:
    """Passages of picks, in their order, each with its reasons."""
    chunks = [pick.place for pick in picks]
    hops = hops_from(snapshot.matrix(scored.graph), scored.seeds, chunks)
    # What a filter keeps out of a search has no vote in it either.
    labels = (
        snapshot.duplicate_groups if scored.allowed is None else np.where(scored.allowed, snapshot.duplicate_groups, -1)
    )
    stating = stating_documents(labels, snapshot.chunk_document, chunks)
    passages = []
    for order, pick in enumerate(picks):
        chunk = pick.place
        document = int(snapshot.chunk_document[chunk])
        cluster = int(snapshot.clusters[chunk])
        why = Why(
            reason=_REASONS[pick.reason],
            parts=pick.parts,
            ranks=ranks_in(scored.lists, chunk),
            hop=hops.get(chunk),
            edges=edges_to(snapshot, chunk, chunks[:order]),
            cluster=cluster if cluster >= 0 else None,
        )
        passages.append(
            Passage(
                id=snapshot.chunk_id(chunk),
                document=snapshot.document_ids[document],
                title=snapshot.document_titles[document],
                section=snapshot.section(chunk),
                position=int(snapshot.chunk_position[chunk]),
                text=snapshot.text(chunk),
                tokens=int(snapshot.chunk_tokens[chunk]),
                score=float(scored.score[chunk]),
                order=order,
                why=why,
                page=int(snapshot.chunk_page[chunk]) or None,
                metadata=snapshot.metadata(document),
                votes=len(stating[order]),
                sources=tuple(snapshot.document_ids[source] for source in stating[order]),
            )
        )
    return passages
