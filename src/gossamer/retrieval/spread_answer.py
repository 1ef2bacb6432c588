"""What `retrieve` returns: passages with their energy and votes, and what a ranking hides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from gossamer import html
from gossamer.graph.ledger import Ledger
from gossamer.graph.profiles import Profile
from gossamer.insight.confidence import Confidence
from gossamer.insight.gaps import Gap, question_gaps
from gossamer.insight.ledger import ledger_line, ledger_values
from gossamer.insight.paths import Path, Step
from gossamer.insight.refusal import refusal_text
from gossamer.insight.themes import Theme, themes
from gossamer.model import Passage, to_plain
from gossamer.retrieval.spread_conflicts import Opposed, opposed_passages
from gossamer.retrieval.spread_exclude import LeftOut

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot
    from gossamer.retrieval.spread_activity import Activity
    from gossamer.retrieval.spread_config import RetrievalConfig

_CONSIDERED = 10


@dataclass(frozen=True, slots=True)
class SpreadPassage(Passage):
    """A passage that energy reached.

    `energy` is what it holds, as it came out of the run; `votes` and `sources` count what the run met; `hop` is the first
    hop that reached it; `parts` holds its energy by part of a coloured question (the rest of `energy` came from the
    question as a whole).
    """

    energy: float = 0.0
    hop: int = 0
    parts: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BridgePassage:
    """A passage that several parts of a question reach; `strength` is the smallest of their shares, at most 1/2."""

    passage: str
    strength: float
    parts: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class SpreadAnswer:
    """The passages that a question's energy reached, best first, and how it came to them.

    There is no k: the run stops by itself (`stop_reason`). `dedup_mode` says how near-duplicates were found: `vectors`
    (cosine, and equal words), `words` (equal words alone) or `off`. `contradictions` holds pairs of passages that
    oppose each other, each with a question that would settle it. `left_out` names what "without" kept out.
    """

    question: str
    passages: tuple[SpreadPassage, ...]
    confidence: Confidence
    dedup_mode: str
    profile: Profile
    config: RetrievalConfig
    ledger: Ledger
    stop_reason: str
    timings: Mapping[str, float]
    warnings: tuple[str, ...]
    bridges: tuple[BridgePassage, ...]
    left_out: tuple[LeftOut, ...]
    snapshot: Snapshot = field(repr=False)
    activity: Activity = field(repr=False)
    chunks: tuple[int, ...] = field(repr=False)

    @cached_property
    def contradictions(self) -> tuple[Opposed, ...]:
        """Pairs of the ten best passages that oppose each other; looked for when first asked."""
        if self.config.contradictions == "off":
            return ()
        least = self.config.contradiction_strength
        return opposed_passages(self.snapshot, self.chunks, self.question, least=least)

    @cached_property
    def _gaps(self) -> tuple[Gap, ...]:
        return question_gaps(self.snapshot.lexical, self.question, self.chunks[:_CONSIDERED])

    def paths(self, limit: int = 10) -> tuple[Path, ...]:
        """How energy came to the first `limit` passages that are no seeds."""
        reached = [chunk for chunk, passage in zip(self.chunks, self.passages, strict=True) if passage.hop > 0]
        return tuple(self.path(self.snapshot.chunk_id(chunk)) for chunk in reached[:limit])

    def path(self, passage: str) -> Path:
        """How energy came to one passage, given by its id; a KeyError names a passage that is not in the answer."""
        run, chunks = self.activity.path(self._places[passage])
        return Path(tuple(self._steps(run, chunks)), self.activity.names[run])

    def path_chunks(self, passage: str) -> tuple[int, ...]:
        """Chunk numbers on the path to a passage of the answer."""
        return self.activity.path(self._places[passage])[1]

    def clusters(self, limit: int = 50) -> tuple[Theme, ...]:
        """Themes of the first `limit` passages."""
        energies = [passage.energy for passage in self.passages[:limit]]
        return themes(self.snapshot, self.chunks[:limit], energies)

    def gaps(self) -> tuple[Gap, ...]:
        """Parts of the question that none of the ten best passages speaks of, the heaviest first."""
        return self._gaps

    def refusal(self) -> str | None:
        """Why not to answer from these passages and what is missing; None where nothing speaks against it."""
        return refusal_text(len(self.passages), self._gaps, self.confidence)

    def to_dict(self, *, limit: int | None = None) -> dict[str, Any]:
        """Plain JSON values; at most `limit` passages where one is given."""
        data = {
            "question": self.question,
            "engine": self.config.engine,
            "profile": self.profile,
            "config": self.config.to_dict(),
            "passages": self.passages[:limit],
            "reached": len(self.passages),
            "confidence": self.confidence,
            "refusal": self.refusal(),
            "gaps": self.gaps(),
            "paths": self.paths(),
            "clusters": self.clusters(),
            "bridges": self.bridges,
            "left_out": self.left_out,
            "contradictions": self.contradictions,
            "dedup_mode": self.dedup_mode,
            "stop_reason": self.stop_reason,
            "ledger": ledger_values(self.ledger),
            "timings": self.timings,
            "warnings": self.warnings,
        }
        return to_plain(data)  # type: ignore[no-any-return]

    def _repr_html_(self) -> str:
        """For notebooks: the first passages with their energy, and what is to be said of them."""
        shown = [
            html.passage(n, p.title or p.id, f"{p.id}, energy {p.energy:.3f}, hop {p.hop}, {p.votes} sources", p.text)
            for n, p in enumerate(self.passages[:_CONSIDERED], start=1)
        ]
        said = [f"gap: {gap.text} ({gap.weight:.0%} of the question)" for gap in self.gaps()]
        said += [f"contradiction: {c.first} | {c.second}: {c.question}" for c in self.contradictions]
        said += [f"bridge: {b.passage}, strength {b.strength:.3f}" for b in self.bridges[:_CONSIDERED]]
        run = f"{len(self.passages)} passages reached, {ledger_line(self.ledger)}, stopped: {self.stop_reason}"
        return html.box(self.question, html.line(run), *shown, *map(html.line, [*said, *self.warnings]))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {passage.id: chunk for chunk, passage in zip(self.chunks, self.passages, strict=True)}

    def _steps(self, run: int, chunks: Sequence[int]) -> list[Step]:
        from gossamer.retrieval.explain import shared_entities

        spread = self.activity.spreads[run]
        place = spread.nodes.searchsorted(chunks)
        steps = []
        for number, (chunk, at) in enumerate(zip(chunks, place.tolist(), strict=True)):
            through = shared_entities(self.snapshot, chunk, chunks[number - 1]) if number else ()
            name = self.snapshot.chunk_id(chunk)
            steps.append(Step(name, float(spread.energies[at]), int(spread.hops[at]), through))
        return steps
