"""From energies to an answer: the order of the passages, their votes, and what is said about them."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.graph.array_order import ranking
from gossamer.insight.confidence import Confidence
from gossamer.insight.dates import Interval, metadata_date
from gossamer.insight.supersession import freshest_first
from gossamer.model import Why
from gossamer.retrieval.choose import choose
from gossamer.retrieval.explain import edges_to, ranks_in
from gossamer.retrieval.rescoring import flow_gate, log_flow, shared_neighbours
from gossamer.retrieval.scoring import Scored
from gossamer.retrieval.seeds import zscore
from gossamer.retrieval.spread_answer import BridgePassage, SpreadAnswer, SpreadPassage
from gossamer.retrieval.spread_trace import trace_of
from gossamer.retrieval.sufficiency import search_confidence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gossamer.retrieval.pipeline import SpectRAGRetrieval
    from gossamer.retrieval.spread_activity import Activity
    from gossamer.retrieval.spread_seeds import Asked, Contacts
    from gossamer.retrieval.spreading import Ground

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]

_CHOSEN = 20
_FLOW_WEIGHT = 0.5


def make_answer(
    retrieval: SpectRAGRetrieval,
    asked: Asked,
    ground: Ground,
    contacts: Contacts,
    activity: Activity,
    *,
    started: float,
    warnings: Sequence[str] = (),
) -> SpreadAnswer:
    """The answer of a run, recorded as a trace."""
    spread_at = time.perf_counter()
    scored = _scored(retrieval, ground, contacts, activity)
    order, terms = _order(retrieval, asked.text, ground, scored, activity)
    chunks = tuple(order)
    passages = _passages(ground, scored, activity, chunks, terms)
    whole = activity.names.index("") if "" in activity.names else None
    parts = [run for run in range(len(activity.names)) if run != whole]
    answer = SpreadAnswer(
        question=asked.text,
        passages=passages,
        confidence=_confidence(ground, asked.text, chunks, scored, activity),
        dedup_mode=_dedup_mode(ground),
        profile=ground.config.resolved,
        config=ground.config,
        ledger=activity.ledger,
        stop_reason=", ".join(dict.fromkeys(activity.stop_reasons)) or "exhausted",
        timings={"spread": spread_at - started, "order": time.perf_counter() - spread_at},
        warnings=(*asked.warnings, *warnings, *ground.exclusion.notes, *_disputes(ground, activity)),
        bridges=_bridges(ground, activity, parts) if len(parts) > 1 else (),
        left_out=ground.exclusion.left_out,
        snapshot=ground.index.snapshot,
        activity=activity,
        chunks=chunks,
    )
    return _recorded(retrieval, answer)


def _scored(retrieval: SpectRAGRetrieval, ground: Ground, contacts: Contacts, activity: Activity) -> Scored:
    """z(H) + φ · mean over the runs of z(log(energy share + 1e-6)) of the reached passages, z over the corpus.

    A coloured question has two channels of one weight: the question as a whole, and the sum of its parts.
    """
    size = len(contacts.relevance)
    reached = np.zeros(size, dtype=bool)
    reached[activity.nodes] = True
    reached &= ~ground.excluded
    energy = np.zeros(size)
    energy[activity.nodes] = activity.energies
    seeds = activity.nodes[activity.hops == 0]
    graph = ground.index.graph(ground.config.graph, learned=False)
    options = retrieval.settings.retrieval
    phi = min(options.flow_weight, _FLOW_WEIGHT)
    if options.flow_gate and len(seeds):
        phi = flow_gate(shared_neighbours(graph, seeds), strongest=phi)
    score = zscore(contacts.relevance)
    channels = _channels(activity, size)
    for mass in channels:
        score = score + phi / len(channels) * log_flow(mass, passages=size)
    name = "flow" if ground.config.graph == "flow" else "graph"
    shares = energy / max(float(energy.sum()), 1e-300)
    return Scored(contacts.relevance, shares, score, seeds, activity.nodes, contacts.lists, phi, name, reached)


def _channels(activity: Activity, size: int) -> list[FloatArray]:
    """(n) share of the energy in the whole question, and in its parts together."""
    groups = [[run for run, name in enumerate(activity.names) if (name == "") == whole] for whole in (True, False)]
    masses = []
    for runs in groups:
        if runs:
            mass = np.zeros(size)
            mass[activity.nodes] = activity.shares[runs].sum(axis=0)
            masses.append(mass / max(float(mass.sum()), 1e-300))
    return masses


def _order(
    retrieval: SpectRAGRetrieval, question: str, ground: Ground, scored: Scored, activity: Activity
) -> tuple[list[int], dict[int, dict[str, float]]]:
    """Chunks best first, and the terms of the selector's utility of those it picked."""
    nodes = activity.nodes[scored.reached[activity.nodes]]
    if ground.config.order == "energy":
        energies = activity.energies[scored.reached[activity.nodes]]
        return nodes[ranking(energies, nodes)].tolist(), {}
    by_score = _best_first(ground, nodes, scored.score[nodes])
    if ground.config.order == "blend" or not by_score:
        return by_score, {}
    picks = choose(ground.index.snapshot, question, scored, retrieval.settings, count=_CHOSEN).picks
    terms = {pick.place: pick.parts for pick in picks}
    return [*terms, *(chunk for chunk in by_score if chunk not in terms)], terms


def _best_first(ground: Ground, nodes: IntArray, scores: FloatArray) -> list[int]:
    """Nodes by score; dates of the documents break ties, the newest first."""
    dates: list[Interval | None] = [None] * nodes.size
    if np.unique(scores).size < nodes.size:
        snapshot = ground.index.snapshot
        dates = [metadata_date(snapshot.metadata(int(snapshot.chunk_document[node]))) for node in nodes.tolist()]
    return nodes[freshest_first(scores, dates)].tolist()  # type: ignore[no-any-return]


def _passages(
    ground: Ground,
    scored: Scored,
    activity: Activity,
    chunks: tuple[int, ...],
    terms: Mapping[int, Mapping[str, float]],
) -> tuple[SpreadPassage, ...]:
    places = np.searchsorted(activity.nodes, chunks)
    parents = activity.parents_of(chunks)
    found = []
    for order, (chunk, place, parent) in enumerate(zip(chunks, places.tolist(), parents, strict=True)):
        hop = int(activity.hops[place])
        before = chunks[parent] if parent >= 0 else None
        detailed = order < _CHOSEN
        why = Why(
            reason=_reason(ground, hop, before),
            parts=terms.get(chunk, {}),
            ranks=ranks_in(scored.lists, chunk) if detailed else {},
            hop=hop,
            edges=edges_to(ground.index.snapshot, chunk, [before]) if detailed and before is not None else (),
            cluster=int(ground.index.snapshot.clusters[chunk]) if ground.index.snapshot.clusters[chunk] >= 0 else None,
        )
        found.append(_passage(ground, scored, activity, chunk, place, order, why))
    return tuple(found)


def _passage(
    ground: Ground, scored: Scored, activity: Activity, chunk: int, place: int, order: int, why: Why
) -> SpreadPassage:
    snapshot = ground.index.snapshot
    document = int(snapshot.chunk_document[chunk])
    sources = _sources(ground, activity, chunk, document)
    by_run = zip(activity.names, activity.shares[:, place].tolist(), strict=True)
    return SpreadPassage(
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
        energy=float(activity.energies[place]),
        votes=len(sources),
        sources=tuple(snapshot.document_ids[source] for source in sources),
        hop=int(activity.hops[place]),
        parts={name: energy for name, energy in by_run if name and energy > 0.0},
    )


def _sources(ground: Ground, activity: Activity, chunk: int, document: int) -> list[int]:
    """Documents that state what a chunk states, its own first."""
    if chunk not in activity.spoken:
        return [document]
    others = np.unique(ground.index.sources[activity.spoken[chunk]]).tolist()
    return [document, *(other for other in others if other != document)]


def _reason(ground: Ground, hop: int, before: int | None) -> str:
    if hop == 0:
        return "the question touches it"
    if before is None:
        return f"energy reached it at hop {hop}"
    return f"energy reached it from {ground.index.snapshot.chunk_id(before)}"


def _confidence(ground: Ground, question: str, chunks: Sequence[int], scored: Scored, activity: Activity) -> Confidence:
    sure = search_confidence(ground.index.snapshot, question, chunks[:_CHOSEN], scored)
    if not activity.nodes.size:
        return Confidence(0.0, 0, 0, sure)
    share = float(activity.energies.max()) / activity.ledger.injected
    return Confidence(share, int(activity.nodes.size), int(activity.hops.max()), sure)


def _dedup_mode(ground: Ground) -> str:
    if not ground.config.duplicates:
        return "off"
    return "vectors" if ground.index.has_vectors else "words"


def _disputes(ground: Ground, activity: Activity) -> list[str]:
    snapshot = ground.index.snapshot
    shown = [chunk for chunk in activity.disputed.tolist() if not ground.excluded[chunk]]
    return [f"The corpus disputes this claim: {snapshot.chunk_id(chunk)} denies it." for chunk in shown]


def _bridges(ground: Ground, activity: Activity, parts: list[int]) -> tuple[BridgePassage, ...]:
    nodes, strengths = activity.bridges(parts)
    found = []
    for node, strength in zip(nodes.tolist(), strengths.tolist(), strict=True):
        if not ground.excluded[node]:
            place = int(np.searchsorted(activity.nodes, node))
            reaching = tuple(activity.names[run] for run in parts if activity.shares[run, place] > 0.0)
            found.append(BridgePassage(ground.index.snapshot.chunk_id(node), strength, reaching))
    return tuple(found)


def _recorded(retrieval: SpectRAGRetrieval, answer: SpreadAnswer) -> SpreadAnswer:
    """The answer, kept as a trace; where the trace file cannot be written the answer says so."""
    if not retrieval.traces.active:
        return answer
    try:
        retrieval.traces.record(trace_of(answer))
    except OSError as problem:
        note = f"The trace was not written ({problem.strerror}). Check the path given to TraceConfig."
        return replace(answer, warnings=(*answer.warnings, note))
    return answer
