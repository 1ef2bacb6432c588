"""Lint: what is wrong with an index, found without a question.

Seven kinds of finding: isolated passages, islands, hubs, empty layers, near-duplicates, sources that contradict the rest,
and passages cut at the embedder's limit. All but the contradictions are linear in passages and stored edges; those
are looked for in a bounded number of the nearest pairs.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import UsageError
from gossamer.insight.lint_report import Finding, LintReport, Severity, sorted_report

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from gossamer.index.snapshot import Snapshot
    from gossamer.insight.contradictions import Conflict

_NEAR = 0.8
_SURE = 0.6
_EXAMPLES = 5


def lint_index(index: str | os.PathLike[str] | Snapshot, *, pairs: int = 1000, examples: int = _EXAMPLES) -> LintReport:
    """Look for the seven kinds of finding in an index.

    Args:
        index: the index folder, or an opened snapshot.
        pairs: how many of the nearest pairs of passages from different documents are compared for contradictions.
        examples: how many ids a finding names.

    Raises UsageError for negative numbers, and what opening an index raises.
    """
    for name, value in (("pairs", pairs), ("examples", examples)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise UsageError(f"{name} = {value!r} is not possible. Give a whole number of at least 0.")
    snapshot = _opened(index)
    found = [
        *_graph_findings(snapshot, examples),
        _empty_layers(snapshot, examples),
        *_copies_and_conflicts(snapshot, pairs, examples),
        _cut_passages(snapshot, examples),
    ]
    return sorted_report(len(snapshot), len(snapshot.document_ids), [finding for finding in found if finding.count])


def _opened(index: str | os.PathLike[str] | Snapshot) -> Snapshot:
    from gossamer.index.local import LocalStore
    from gossamer.index.snapshot import Snapshot

    return index if isinstance(index, Snapshot) else Snapshot(LocalStore(index).load())


def _graph_findings(snapshot: Snapshot, examples: int) -> list[Finding]:
    from gossamer.graph.components import connected_components
    from gossamer.insight.lint_graph import degrees, hubs, islands

    graph = snapshot.matrix("graph")
    n = len(snapshot)
    degree = degrees(graph)
    lonely = np.flatnonzero(degree == 0) if n > 1 else np.zeros(0, dtype=np.int64)
    apart = islands(connected_components(graph))
    inside = sum(len(nodes) for nodes in apart)
    crowded = hubs(degree)
    main = n - len(lonely) - inside
    return [
        Finding(
            "isolated passages", _by_share(len(lonely), n, 0.05), len(lonely), len(lonely) / max(1, n),
            _ids(snapshot, lonely, examples),
            "Only their words and vectors can find them. Look whether they hold text, or lower graph.tau.",
        ),
        Finding(
            "islands", "warning" if inside > main else "info", len(apart), inside / max(1, n),
            _ids(snapshot, [int(nodes[0]) for nodes in apart], examples),
            "No path leads from them to the main part. That is right for unrelated topics; else raise graph.graph_k.",
            f"The share counts passages; one passage of each of the largest islands is shown, of {inside} in all.",
        ),
        Finding(
            "hubs", "warning", len(crowded), len(crowded) / max(1, n), _ids(snapshot, crowded, examples),
            "They are near everything and blur what spreads. Split lists and boilerplate, or lower graph.graph_k.",
        ),
    ]  # fmt: skip


def _empty_layers(snapshot: Snapshot, examples: int) -> Finding:
    signals = snapshot.signals
    empty = [name for name, matrix in signals.items() if not matrix.nnz]
    severity: Severity = "error" if len(empty) == len(signals) and len(snapshot) > 1 else "info"
    return Finding(
        "empty layers", severity, len(empty), len(empty) / max(1, len(signals)), tuple(empty[:examples]),
        "These signals link nothing and their weight went to the others. Check what they need: an embedder, headings, "
        "names, links or questions.",
    )  # fmt: skip


def _copies_and_conflicts(snapshot: Snapshot, pairs: int, examples: int) -> list[Finding]:
    from gossamer.insight.twins import groups_of

    labels = groups_of(snapshot)
    conflicts, compared, possible = _conflicts(snapshot, *_near_pairs(snapshot), labels, pairs)
    return [
        _near_duplicates(snapshot, labels, examples),
        _contradicting(snapshot, conflicts, compared, possible, examples),
    ]


def _near_pairs(snapshot: Snapshot) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """Pairs i < j of the semantic layer with a cosine of at least .8, and their cosines."""
    matrix: csr_array | None = snapshot.signals.get("semantic")
    if matrix is None or not matrix.nnz:
        return np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.float32)
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    kept = (rows < matrix.indices) & (matrix.data >= np.float32(_NEAR))
    return np.column_stack((rows[kept], matrix.indices[kept])).astype(np.int64), matrix.data[kept]


def _conflicts(
    snapshot: Snapshot, near: NDArray[np.int64], cosine: NDArray[np.float32], labels: NDArray[np.int32], limit: int
) -> tuple[list[Conflict], int, int]:
    """Conflicts among the nearest pairs of different documents that are no near-duplicates, how many pairs were read, of
    how many.
    """
    from gossamer.insight.contradictions import find_conflicts

    document = np.asarray(snapshot.chunk_document)
    open_pairs = (document[near[:, 0]] != document[near[:, 1]]) & (labels[near[:, 0]] != labels[near[:, 1]])
    near, cosine = near[open_pairs], cosine[open_pairs]
    order = np.lexsort((near[:, 1], near[:, 0], -cosine))[: max(0, limit)]
    chosen = near[order]
    nodes, place = np.unique(chosen, return_inverse=True)
    texts = [snapshot.text(int(node)) for node in nodes]
    numbered = place.reshape(-1, 2)
    found = find_conflicts(texts, candidates=[(int(a), int(b)) for a, b in numbered]) if len(numbered) else []
    return [_renumbered(conflict, nodes) for conflict in found if conflict.strength >= _SURE], len(chosen), len(near)


def _renumbered(conflict: Conflict, nodes: NDArray[np.int64]) -> Conflict:
    from dataclasses import replace

    return replace(conflict, i=int(nodes[conflict.i]), j=int(nodes[conflict.j]))


def _near_duplicates(snapshot: Snapshot, labels: NDArray[np.int32], examples: int) -> Finding:
    copies = np.flatnonzero(labels != np.arange(len(labels)))
    pairs = [f"{snapshot.chunk_id(int(labels[copy]))} | {snapshot.chunk_id(int(copy))}" for copy in copies[:examples]]
    return Finding(
        "near-duplicates", _by_share(len(copies), len(labels), 0.1), len(copies), len(copies) / max(1, len(labels)),
        tuple(pairs),
        "They say what another passage says and count as its votes. Remove copies of files, or leave them to the votes.",
    )  # fmt: skip


def _contradicting(
    snapshot: Snapshot, conflicts: list[Conflict], compared: int, possible: int, examples: int
) -> Finding:
    """Sources ranked by how many others they contradict; an example names the two passages and what they say."""
    document = np.asarray(snapshot.chunk_document)
    against: dict[int, set[int]] = {}
    for conflict in conflicts:
        left, right = int(document[conflict.i]), int(document[conflict.j])
        against.setdefault(left, set()).add(right)
        against.setdefault(right, set()).add(left)
    ranked = sorted(conflicts, key=lambda c: (-_most(c, document, against), -c.strength, c.i, c.j))
    shown = tuple(_describe(snapshot, conflict) for conflict in ranked[:examples])
    share = len(conflicts) / max(1, compared)
    return Finding(
        "contradictions", "error", len(conflicts), share, shown,
        f"{len(against)} sources contradict another. Ask the question, then correct or remove the wrong side.",
        f"Compared: the {compared} nearest of {possible} near pairs from different documents.",
    )  # fmt: skip


def _most(conflict: Conflict, document: NDArray[Any], against: dict[int, set[int]]) -> int:
    return max(len(against[int(document[conflict.i])]), len(against[int(document[conflict.j])]))


def _describe(snapshot: Snapshot, conflict: Conflict) -> str:
    return f"{snapshot.chunk_id(conflict.i)} | {snapshot.chunk_id(conflict.j)}: {conflict.question}"


def _cut_passages(snapshot: Snapshot, examples: int) -> Finding:
    limit = snapshot.info.get("max_tokens")
    n = len(snapshot)
    cut = np.flatnonzero(np.asarray(snapshot.chunk_tokens) > limit) if limit else np.zeros(0, dtype=np.int64)
    severity: Severity = "error" if len(cut) > 0.25 * n else "warning"
    return Finding(
        "cut passages", severity, len(cut), len(cut) / max(1, n), _ids(snapshot, cut, examples),
        f"Their ends have no part in the vectors. Set chunk_tokens to at most {limit} and build again.",
    )  # fmt: skip


def _by_share(count: int, n: int, bar: float) -> Severity:
    return "warning" if count > bar * n else "info"


def _ids(snapshot: Snapshot, chunks: NDArray[Any] | list[int], examples: int) -> tuple[str, ...]:
    return tuple(snapshot.chunk_id(int(chunk)) for chunk in chunks[:examples])
