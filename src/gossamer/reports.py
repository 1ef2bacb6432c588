"""What a build or sync reports: what was indexed, what was left out and why, what it took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gossamer import html
from gossamer.model import to_plain


@dataclass(frozen=True, slots=True)
class Skipped:
    """A source that was not indexed, and why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a build or sync did. Times in seconds; `edges` counts undirected edges per signal, `edges_kept` those of W.

    `changes` counts documents (same, added, changed, moved, removed, embedded) and chunks (same, added, removed,
    embedded) against the index that was there; a build starts from nothing.

    `llm` is what the steps that use a language model spent: `model`, `calls`, `cached`, `failed`, tokens and `cost`.
    """

    index: str
    snapshot: str
    documents: int
    chunks: int
    tokens: int
    entities: int
    edges: Mapping[str, int]
    edges_kept: int
    flow_edges: int
    weights: Mapping[str, float]
    clusters: int
    seconds: Mapping[str, float]
    embedder: Mapping[str, Any]
    language: str | None
    settings: str
    size_bytes: int
    skipped: tuple[Skipped, ...] = ()
    warnings: tuple[str, ...] = ()
    changes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    questions: int = 0
    propositions: int = 0
    llm: Mapping[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return to_plain(self)  # type: ignore[no-any-return]

    def _repr_html_(self) -> str:
        """For notebooks."""
        said, *rest = repr(self).splitlines()
        rows = [line.strip().partition(" ")[::2] for line in rest]
        return html.box(said, html.table((), [(name, text.strip()) for name, text in rows]))

    def __repr__(self) -> str:
        changed = (
            f"{kind} " + (", ".join(f"{count} {name}" for name, count in counts.items() if count) or "none")
            for kind, counts in self.changes.items()
        )
        lines = [
            f"Indexed {self.documents} documents as {self.chunks} chunks ({self.tokens} tokens) "
            f"into {self.index} in {sum(self.seconds.values()):.2f} s.",
            "  changes   " + "; ".join(changed),
            "  signals   " + ", ".join(f"{name} {count}" for name, count in self.edges.items()),
            "  weights   " + ", ".join(f"{name} {weight:.3f}" for name, weight in self.weights.items()),
            f"  graph     {self.edges_kept} edges, {self.flow_edges} flow edges, {self.clusters} clusters, "
            f"{self.entities} entities",
            f"  embedder  {self.embedder.get('kind', '?')}, {self.embedder.get('dimension', 0)} dimensions",
            "  seconds   " + ", ".join(f"{name} {value:.2f}" for name, value in self.seconds.items()),
            f"  settings  {self.settings}",
            f"  size      {self.size_bytes / 1e6:.1f} MB",
        ]
        if self.llm:
            cost = "" if self.llm.get("cost") is None else f", cost {self.llm['cost']:.4f}"
            lines.append(
                f"  model     {self.llm['model']}: {self.llm['calls']} calls, {self.llm['cached']} from the cache, "
                f"{self.llm['prompt_tokens']} tokens sent, {self.llm['completion_tokens']} received{cost}"
            )
        if self.questions or self.propositions:
            lines.append(f"  notes     {self.questions} questions, {self.propositions} propositions")
        lines += [f"  skipped   {item.source}: {item.reason}" for item in self.skipped[:20]]
        if len(self.skipped) > 20:
            lines.append(f"  skipped   … and {len(self.skipped) - 20} more (see .skipped)")
        lines += [f"  warning   {text}" for text in self.warnings]
        return "\n".join(lines)
