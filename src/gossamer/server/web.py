"""The chunk graph as the page draws it: some nodes with their places, and the edges among them with all signals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.sparse import rank_in_row
from gossamer.insight.themes import themes
from gossamer.model import heading_path, to_plain
from gossamer.retrieval.candidates import breadth_first, subgraph
from gossamer.retrieval.explain import edges_to
from gossamer.retrieval.seeds import best

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot
    from gossamer.server.served import Opened

IntArray = NDArray[np.int64]

FLOW = "flow"
_EDGES_PER_NODE = 6
_EDGES_PER_LANDMARK = 2
_MOST_EDGES = 9000
_FLOW_HALF = 0.3
_LABEL_CHARACTERS = 60
_MOST_NEIGHBOURS = 60


def overview(opened: Opened, limit: int) -> dict[str, Any]:
    """The whole graph, or where it is larger than `limit` its best linked chunks, each cluster with its share."""
    size = len(opened.snapshot)
    chunks = np.arange(size) if size <= limit else landmarks(opened.snapshot.clusters, opened.degrees, limit)
    return {
        "whole": size <= limit,
        **drawing(opened, chunks, _EDGES_PER_NODE if size <= limit else _EDGES_PER_LANDMARK),
    }


def around(opened: Opened, passages: list[str], hops: int, limit: int) -> dict[str, Any]:
    """Chunks within some hops of the given ones on W, strongest edges first."""
    centre = np.asarray([opened.number(passage) for passage in passages], dtype=np.int64)
    found = breadth_first(opened.snapshot.matrix("graph"), np.unique(centre), hops=hops, limit=max(limit, len(centre)))
    return {"whole": False, **drawing(opened, np.sort(found))}


def landmarks(clusters: NDArray[np.int32], degrees: IntArray, limit: int) -> IntArray:
    """At most `limit` chunks, ascending: of each cluster the best linked, in proportion to the cluster's size.

    >>> landmarks(np.array([0, 0, 0, 0, 1, 1], dtype=np.int32), np.array([1, 5, 3, 2, 9, 1]), 3).tolist()
    [1, 2, 4]
    """
    order = np.lexsort((np.arange(len(degrees)), -degrees, clusters))
    _, start, sizes = np.unique(clusters[order], return_index=True, return_counts=True)
    rank = np.arange(len(order)) - np.repeat(start, sizes)
    # The share of its cluster that is reached once a chunk is taken: taking the smallest first keeps proportions.
    reached = (rank + 0.5) / np.repeat(sizes, sizes)
    return np.sort(order[np.argsort(reached, kind="stable")[:limit]])


def drawing(opened: Opened, chunks: IntArray, per_node: int = _EDGES_PER_NODE) -> dict[str, Any]:
    """Nodes and edges in columns; `source`, `target`, `document` and `signal` are places in other lists."""
    snapshot = opened.snapshot
    names = [*snapshot.info["signals"], FLOW]
    return {
        "chunks": len(snapshot),
        "signals": names,
        "weights": {name: snapshot.info["weights"].get(name, 0.0) for name in names},
        "nodes": _nodes(opened, chunks),
        "edges": _edges(snapshot, chunks, names, per_node),
        "clusters": _cluster_labels(snapshot, chunks),
    }


def _nodes(opened: Opened, chunks: IntArray) -> dict[str, Any]:
    snapshot = opened.snapshot
    places = opened.places()[chunks]
    owners = snapshot.chunk_document[chunks]
    documents, place = np.unique(owners, return_inverse=True)
    return {
        "id": [snapshot.chunk_id(chunk) for chunk in chunks.tolist()],
        "label": [_label(snapshot, chunk) for chunk in chunks.tolist()],
        "x": places[:, 0].round(3).astype(float).tolist(),
        "y": places[:, 1].round(3).astype(float).tolist(),
        "cluster": snapshot.clusters[chunks].tolist(),
        "document": place.tolist(),
        "documents": [snapshot.document_ids[document] for document in documents.tolist()],
        "degree": opened.degrees[chunks].tolist(),
    }


def _label(snapshot: Snapshot, chunk: int) -> str:
    document = int(snapshot.chunk_document[chunk])
    title = snapshot.document_titles[document] or snapshot.document_ids[document]
    path = heading_path(title, snapshot.section(chunk))
    label = path[-1] if len(path) == 1 else f"{path[0]} › {path[-1]}"
    return label if len(label) <= _LABEL_CHARACTERS else f"{label[: _LABEL_CHARACTERS - 1]}…"


def _edges(snapshot: Snapshot, chunks: IntArray, names: list[str], per_node: int) -> dict[str, Any]:
    """The strongest edges of W and F among some chunks: those that are among the `per_node` strongest of an end."""
    fused, flow = subgraph(snapshot.matrix("graph"), chunks), subgraph(snapshot.matrix("flow"), chunks)
    flow.data = flow.data / (flow.data + _FLOW_HALF)
    both = (fused + flow).tocsr()
    both.sort_indices()
    rows = np.repeat(np.arange(len(chunks)), np.diff(both.indptr))
    columns = both.indices.astype(np.int64)
    near = rank_in_row(rows, both.data) < per_node
    pair = np.unique(np.minimum(rows, columns)[near] * len(chunks) + np.maximum(rows, columns)[near])
    source, target = pair // max(len(chunks), 1), pair % max(len(chunks), 1)
    apart = source != target
    source, target = source[apart], target[apart]
    strength = entries(both, source, target)
    kept = np.sort(best(strength, _MOST_EDGES))
    source, target, strength = source[kept], target[kept], strength[kept]
    signals = [entries(subgraph(snapshot.matrix(f"signal_{name}"), chunks), source, target) for name in names[:-1]]
    values = np.array([*signals, entries(flow, source, target)]).T.reshape(len(source), len(names))
    share = values * np.array([*(snapshot.info["weights"].get(name, 0.0) for name in names[:-1]), 0.0])
    linked = entries(fused, source, target)
    return {
        "source": source.tolist(),
        "target": target.tolist(),
        "weight": np.where(linked > 0, linked, strength).round(4).tolist(),
        "signal": np.where(linked > 0, share.argmax(axis=1), len(names) - 1).tolist(),
        "values": values.round(3).tolist(),
    }


def entries(matrix: Any, rows: IntArray, columns: IntArray) -> NDArray[np.float64]:
    """Values of a CSR matrix at (row, column) pairs, 0 where nothing is stored.

    >>> from scipy.sparse import csr_array
    >>> entries(csr_array([[0, 2.0], [0, 0]]), np.array([0, 1]), np.array([1, 1])).tolist()
    [2.0, 0.0]
    """
    matrix.sort_indices()
    width = matrix.shape[1]
    stored = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr)) * width + matrix.indices
    wanted = rows * width + columns
    found = np.zeros(len(wanted))
    if len(stored):
        place = np.minimum(np.searchsorted(stored, wanted), len(stored) - 1)
        hit = stored[place] == wanted
        found[hit] = matrix.data[place[hit]]
    return found


def _cluster_labels(snapshot: Snapshot, chunks: IntArray) -> dict[str, str]:
    """Cluster -> the names or words that its drawn chunks share."""
    found = themes(snapshot, chunks.tolist(), [0.0] * len(chunks))
    number = {snapshot.chunk_id(chunk): int(snapshot.clusters[chunk]) for chunk in chunks.tolist()}
    return {str(number[theme.passages[0]]): theme.label for theme in found if number[theme.passages[0]] >= 0}


def chunk_view(opened: Opened, passage: str) -> dict[str, Any]:
    """One chunk: its text, entities and utility questions, and its edges with the value of every signal."""
    snapshot, chunk = opened.snapshot, opened.number(passage)
    document = int(snapshot.chunk_document[chunk])
    entities = snapshot.matrix("entities")
    names = entities.indices[entities.indptr[chunk] : entities.indptr[chunk + 1]].tolist()
    near = _neighbours(snapshot, chunk)
    edges = [to_plain(edge) for other in near for edge in edges_to(snapshot, chunk, [other])]
    for edge in edges:
        edge["label"] = _label(snapshot, opened.number(edge["source"]))
    return {
        "id": passage,
        "document": snapshot.document_ids[document],
        "title": snapshot.document_titles[document],
        "section": list(snapshot.section(chunk)),
        "position": int(snapshot.chunk_position[chunk]),
        "page": int(snapshot.chunk_page[chunk]) or None,
        "text": snapshot.text(chunk),
        "tokens": int(snapshot.chunk_tokens[chunk]),
        "cluster": int(snapshot.clusters[chunk]),
        "metadata": to_plain(snapshot.metadata(document)),
        "entities": [
            {"name": snapshot.entity_names[name], "chunks": int(snapshot.entity_frequency[name])} for name in names
        ],
        "questions": [snapshot.question_texts[i] for i in np.flatnonzero(snapshot.question_owner == chunk).tolist()],
        "degree": int(opened.degrees[chunk]),
        "edges": sorted(edges, key=lambda edge: (-edge["weight"], edge["source"])),
    }


def _neighbours(snapshot: Snapshot, chunk: int) -> list[int]:
    """Neighbours on W and F, at most sixty of each, the strongest."""
    found: set[int] = set()
    for name in ("graph", FLOW):
        matrix = snapshot.matrix(name)
        start, end = int(matrix.indptr[chunk]), int(matrix.indptr[chunk + 1])
        order = best(matrix.data[start:end], _MOST_NEIGHBOURS)
        found.update(matrix.indices[start:end][order].tolist())
    return sorted(found - {chunk})


def edge_view(opened: Opened, source: str, target: str) -> dict[str, Any]:
    """One edge: its weights in W and F, the value of every signal, and the names that both ends hold."""
    snapshot = opened.snapshot
    one, other = opened.number(source), opened.number(target)
    at = np.array([one, other], dtype=np.int64)

    def value(name: str) -> float:
        return float(entries(subgraph(snapshot.matrix(name), at), np.array([0]), np.array([1]))[0])

    edges = edges_to(snapshot, other, [one])
    return {
        "source": source,
        "target": target,
        "labels": [_label(snapshot, one), _label(snapshot, other)],
        "weight": value("graph"),
        "flow": value(FLOW),
        "signals": {name: value(f"signal_{name}") for name in snapshot.info["signals"]},
        "weights": dict(snapshot.info["weights"]),
        "entities": list(edges[0].entities) if edges else [],
        "texts": [snapshot.text(one), snapshot.text(other)],
    }


def find(opened: Opened, text: str, limit: int) -> dict[str, Any]:
    """Chunks by words of their text and title, those whose id or title holds the text as typed first."""
    snapshot = opened.snapshot
    wanted = text.casefold().strip()
    documents = [
        number
        for number, (name, title) in enumerate(zip(snapshot.document_ids, snapshot.document_titles, strict=True))
        if wanted and (wanted in name.casefold() or wanted in title.casefold())
    ]
    named = np.flatnonzero(np.isin(snapshot.chunk_document, documents[:limit]))[:limit].tolist()
    scores = snapshot.lexical.scores(text)
    hits = [chunk for chunk in best(scores, limit).tolist() if scores[chunk] > 0]
    chunks = list(dict.fromkeys([*named, *hits]))[:limit]
    exact = opened.numbers.get(text.strip())
    chunks = list(dict.fromkeys([exact, *chunks]))[:limit] if exact is not None else chunks
    rows = [
        {"id": snapshot.chunk_id(chunk), "label": _label(snapshot, chunk), "text": snapshot.text(chunk)[:160]}
        for chunk in chunks
    ]
    return {"text": text, "passages": rows}
