"""From a question, or from the trace of another process, to a record."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gossamer.cli.query import passage_label, why_lines
from gossamer.insight.ledger import ledger_values
from gossamer.model import heading_path
from gossamer.monitor.record import Clash, Missing, Node, Record, Shown

if TYPE_CHECKING:
    from gossamer.retrieval.pipeline import SpectRAGRetrieval
    from gossamer.retrieval.spread_answer import SpreadAnswer

_MOST_HOPS = 8


@dataclass(frozen=True, slots=True)
class Asking:
    """How questions are asked: options of spreading, what to leave out, parts, and the token budget."""

    budget: int = 4000
    options: Mapping[str, Any] = field(default_factory=dict)
    without: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()


def record_question(retrieval: SpectRAGRetrieval, question: str, asking: Asking) -> Record:
    """Ask and record: once to the end, then once for each hop before it, so that every bar is measured."""
    started = time.perf_counter()
    answer = spread(retrieval, question, asking)
    seconds = time.perf_counter() - started
    depth = min(max((passage.hop for passage in answer.passages), default=0), _MOST_HOPS)
    at_hops = [_energies(retrieval, question, asking, hop) for hop in range(depth)]
    _, tokens, kept = retrieval.context_for(answer.chunks, asking.budget)
    ids = {retrieval.snapshot.chunk_id(chunk) for chunk in kept}
    chosen = [passage.id for passage in answer.passages if passage.id in ids]
    numbers = {name: number for number, name in enumerate(chosen, start=1)}
    return Record(
        question=answer.question,
        index=str(retrieval.folder),
        run=_run(answer.config.engine, answer.profile.name, answer.profile.damping, answer.profile.threshold),
        hops=depth,
        nodes=_nodes(answer, at_hops, numbers),
        passages=_shown(answer, numbers),
        tokens=tokens,
        budget=asking.budget,
        ledger=ledger_values(answer.ledger),
        stop_reason=answer.stop_reason,
        seconds=seconds,
        clashes=tuple(
            Clash(
                _name(c.first, numbers), _name(c.second, numbers), c.question, c.current and _name(c.current, numbers)
            )
            for c in answer.contradictions
        ),
        gaps=tuple(Missing(gap.text, gap.weight, gap.known) for gap in answer.gaps()),
        confidence=answer.confidence.probability,
        refusal=answer.refusal(),
        warnings=answer.warnings,
        parts=asking.parts,
    )


def spread(retrieval: SpectRAGRetrieval, question: str, asking: Asking, **options: Any) -> SpreadAnswer:
    """The answer of the spreading engine, by parts where there are any."""
    given = {**asking.options, **options}
    if asking.parts:
        return retrieval.retrieve_colored(asking.parts, question, without=asking.without, **given)
    return retrieval.retrieve(question, without=asking.without, **given)


def record_of_trace(trace: Mapping[str, Any], origin: str) -> Record:
    """The record of a trace: it has no texts, and each passage has its energy from its first hop on.

    Raises KeyError, TypeError or ValueError where the trace lacks something.
    """
    table, config, profile = trace["nodes"], trace["config"], trace["profile"]
    depth = min(max(table["hop"], default=0), _MOST_HOPS)
    strengths = {bridge["passage"]: float(bridge["strength"]) for bridge in trace["bridges"]}
    rows = zip(*(table[name] for name in ("id", "title", "energy", "hop", "votes", "parent", "score")), strict=True)
    nodes, shown = [], []
    for place, (name, title, energy, hop, votes, parent, score) in enumerate(rows):
        number = place + 1 if place < _OF_TRACE else 0
        energies = tuple(float(energy) if at >= min(hop, depth) else 0.0 for at in range(depth + 1))
        ghosts = ("another source",) * (int(votes) - 1)
        nodes.append(
            Node(str(name), str(title), int(hop), energies, int(parent), ghosts, strengths.get(name, 0.0), number)
        )
        if number:
            shown.append(Shown(number, str(name), str(title) or str(name), "", 0, float(score), int(votes), (), (), ""))
    return Record(
        question=str(trace["question"]),
        index="",
        run=_run(config["engine"], profile["name"], profile["damping"], profile["threshold"]),
        hops=depth,
        nodes=tuple(nodes),
        passages=tuple(shown),
        tokens=0,
        budget=0,
        ledger={str(key): float(value) for key, value in trace["ledger"].items()},
        stop_reason=str(trace["stop_reason"]),
        seconds=float(sum(trace["timings"].values())),
        gaps=tuple(Missing(str(gap["text"]), float(gap["weight"]), bool(gap["known"])) for gap in trace["gaps"]),
        confidence=trace["confidence"]["probability"],
        warnings=tuple(str(warning) for warning in trace["warnings"]),
        parts=tuple(str(part) for part in trace["parts"] if part),
        origin=origin,
    )


_OF_TRACE = 10


def _energies(retrieval: SpectRAGRetrieval, question: str, asking: Asking, hop: int) -> dict[str, float]:
    """Energy by passage after so many hops."""
    answer = spread(retrieval, question, asking, max_hops=hop, order="energy", contradictions="off")
    return {passage.id: passage.energy for passage in answer.passages}


def _nodes(
    answer: SpreadAnswer, at_hops: Sequence[Mapping[str, float]], numbers: Mapping[str, int]
) -> tuple[Node, ...]:
    parents = answer.activity.parents_of(answer.chunks)
    strengths = {bridge.passage: bridge.strength for bridge in answer.bridges}
    found = []
    for passage, parent in zip(answer.passages, parents, strict=True):
        energies = (*(earlier.get(passage.id, 0.0) for earlier in at_hops), passage.energy)
        ghosts = tuple(source for source in passage.sources if source != passage.document)
        strength, number = strengths.get(passage.id, 0.0), numbers.get(passage.id, 0)
        title = " > ".join(heading_path(passage.title, passage.section)) or passage.id
        found.append(Node(passage.id, title, passage.hop, energies, parent, ghosts, strength, number))
    return tuple(found)


def _shown(answer: SpreadAnswer, numbers: Mapping[str, int]) -> tuple[Shown, ...]:
    return tuple(
        Shown(
            number=numbers[passage.id],
            id=passage.id,
            label=passage_label(passage).removeprefix(f"{passage.id}  "),
            text=passage.text,
            tokens=passage.tokens,
            score=passage.score,
            votes=passage.votes,
            sources=passage.sources,
            why=tuple(why_lines(passage)),
            path=str(answer.path(passage.id)),
        )
        for passage in answer.passages
        if passage.id in numbers
    )


def _name(passage: str, numbers: Mapping[str, int]) -> str:
    return f"[{numbers[passage]}]" if passage in numbers else passage


def _run(engine: str, profile: str, damping: float, threshold: float) -> str:
    return f"{engine}, {profile} (damping {damping:g}, threshold {threshold:g})"
