"""A question step by step: frames of what lights up in the web, for the pipeline and for both spreading engines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.retrieval.candidates import subgraph
from gossamer.retrieval.explain import hops_from
from gossamer.retrieval.scoring import score_chunks
from gossamer.retrieval.seeds import best
from gossamer.server.ask import spread, with_settings
from gossamer.server.web import drawing, entries

if TYPE_CHECKING:
    from gossamer.retrieval.scoring import Scored
    from gossamer.server.served import Opened

IntArray = NDArray[np.int64]

_MOST_IN_FRAME = 80
_MOST_EDGES = 160
_CHOSEN = 10


def play(opened: Opened, values: Mapping[str, Any]) -> dict[str, Any]:
    """`frames` in order, each with nodes (id, value) and edges (source, target, value), and the part of the web they need."""
    frames = _spread_frames(opened, values) if values["engine"] in ("flow", "wave") else _set_frames(opened, values)
    shown = sorted({opened.number(node["id"]) for frame in frames for node in frame["nodes"]})
    return {
        "question": values["question"],
        "engine": values["engine"],
        "frames": frames,
        "web": {"whole": False, **drawing(opened, np.asarray(shown, dtype=np.int64))},
    }


def _set_frames(opened: Opened, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Seeds, hops, flow and the chosen set of the pipeline."""
    snapshot = opened.snapshot
    retrieval = with_settings(opened, values["settings"] or {})
    channels = retrieval.asked(values["question"], where=values["where"]).channels
    scored = score_chunks(snapshot, channels, retrieval.settings, semantic=bool(snapshot.info["semantic"]))
    result = retrieval.search(values["question"], values["budget"], where=values["where"])
    seeds = scored.seeds.tolist()
    frames = [_frame(opened, "seeds", seeds, scored.relevance[scored.seeds], [])]
    hops = max(retrieval.settings.retrieval.hops, 1) if retrieval.settings.retrieval.proximity != "guided" else 2
    graph = snapshot.matrix(scored.graph)
    hop_of = hops_from(graph, scored.seeds, scored.candidates.tolist(), limit=hops)
    before = seeds
    for hop in range(1, hops + 1):
        inside = np.asarray([chunk for chunk, at in hop_of.items() if at == hop], dtype=np.int64)
        inside = inside[best(scored.proximity[inside], _MOST_IN_FRAME)]
        if len(inside):
            edges = _links(opened, graph, before, inside.tolist())
            frames.append(_frame(opened, f"hop {hop}", inside.tolist(), scored.proximity[inside], edges))
            before = inside.tolist()
    frames.append(_flow_frame(opened, scored))
    chosen = sorted(result.passages, key=lambda passage: passage.order)
    numbers = [opened.number(passage.id) for passage in chosen]
    led = [
        {"source": edge.source, "target": passage.id, "value": edge.weight}
        for passage in chosen
        for edge in passage.why.edges[:1]
    ]
    frames.append(_frame(opened, "chosen", numbers, [passage.score for passage in chosen], led))
    return frames


def _flow_frame(opened: Opened, scored: Scored) -> dict[str, Any]:
    """Where relevance went, with the edges among those that hold most of it."""
    held = best(scored.proximity, _MOST_IN_FRAME)
    held = held[scored.proximity[held] > 0]
    edges = _links(opened, opened.snapshot.matrix(scored.graph), held.tolist(), held.tolist())
    return _frame(opened, "flow", held.tolist(), scored.proximity[held], edges)


def _spread_frames(opened: Opened, values: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Hop by hop, with the edge that brought each passage most of its energy; then the best passages."""
    answer = spread(opened, values)
    parents = answer.activity.parents_of(answer.chunks)
    frames = []
    for hop in sorted({passage.hop for passage in answer.passages}):
        places = [place for place, passage in enumerate(answer.passages) if passage.hop == hop]
        places = sorted(places, key=lambda place: -answer.passages[place].energy)[:_MOST_IN_FRAME]
        edges = [
            {
                "source": answer.passages[parents[place]].id,
                "target": answer.passages[place].id,
                "value": answer.passages[place].energy,
            }
            for place in places
            if parents[place] >= 0
        ]
        energies = [answer.passages[place].energy for place in places]
        chunks = [answer.chunks[place] for place in places]
        frames.append(_frame(opened, "seeds" if hop == 0 else f"hop {hop}", chunks, energies, edges))
    best_ones = answer.passages[:_CHOSEN]
    scores = [passage.energy for passage in best_ones]
    frames.append(_frame(opened, "chosen", list(answer.chunks[:_CHOSEN]), scores, []))
    return frames


def _frame(
    opened: Opened, name: str, chunks: Sequence[int], values: Sequence[float] | NDArray[np.float64], edges: list[Any]
) -> dict[str, Any]:
    nodes = [
        {"id": opened.snapshot.chunk_id(chunk), "value": float(value)}
        for chunk, value in zip(chunks, values, strict=True)
    ]
    return {"name": name, "nodes": nodes, "edges": edges}


def _links(opened: Opened, graph: Any, sources: Sequence[int], targets: Sequence[int]) -> list[dict[str, Any]]:
    """For each target the strongest edge from a source."""
    both = np.unique(np.asarray([*sources, *targets], dtype=np.int64))
    part = subgraph(graph, both)
    from_, to = np.searchsorted(both, np.unique(sources)), np.searchsorted(both, np.unique(targets))
    if not len(from_) or not len(to):
        return []
    rows, columns = np.repeat(to, len(from_)), np.tile(from_, len(to))
    weights = entries(part, rows, columns).reshape(len(to), len(from_))
    strongest = weights.argmax(axis=1)
    found: list[dict[str, Any]] = []
    for place, source in enumerate(strongest.tolist()):
        weight = float(weights[place, source])
        if weight > 0 and to[place] != from_[source]:
            ends = int(both[from_[source]]), int(both[to[place]])
            found.append(
                {
                    "source": opened.snapshot.chunk_id(ends[0]),
                    "target": opened.snapshot.chunk_id(ends[1]),
                    "value": weight,
                }
            )
    return sorted(found, key=lambda edge: -edge["value"])[:_MOST_EDGES]
