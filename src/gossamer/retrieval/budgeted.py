"""From scored chunks to the result of a token budget: choice, backfill, context, reasons, confidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gossamer.model import Result
from gossamer.retrieval import context
from gossamer.retrieval.choose import Choice, best_hits
from gossamer.retrieval.explain import passages_of
from gossamer.retrieval.objective import set_objective
from gossamer.retrieval.selection import Pick
from gossamer.retrieval.sufficiency import search_confidence

if TYPE_CHECKING:
    from gossamer.retrieval.marks import Marks
    from gossamer.retrieval.pipeline import SpectRAGRetrieval
    from gossamer.retrieval.scoring import Scored

# A passage costs at least so many tokens with its header: bounds how far below the pool a large budget looks.
_SHORTEST = 8


def budgeted_result(
    retrieval: SpectRAGRetrieval,
    question: str,
    scored: Scored,
    budget: int,
    marks: Marks,
    *,
    covering: str | None = None,
    warnings: Sequence[str] = (),
) -> Result:
    """The set of passages chosen for a question; `covering` is the text whose words they should cover, if not its own."""
    snapshot, settings = retrieval.snapshot, retrieval.settings
    choice = retrieval.choose(covering or question, scored, budget=budget, costs=retrieval.costs)
    picked = [pick.place for pick in choice.picks]
    if settings.selection.backfill:
        picked += _beyond_pool(retrieval, picked, choice, scored, budget)
    marks("select")
    ordered, body, tokens = context.fit(snapshot, picked, budget, retrieval.count_tokens)
    kept = set(ordered)
    marks("context")
    extra = [Pick(chunk, "backfill", float(scored.score[chunk])) for chunk in picked[len(choice.picks) :]]
    passages = passages_of(snapshot, [pick for pick in choice.picks + extra if pick.place in kept], scored)
    by_id = {passage.id: passage for passage in passages}
    objective = set_objective(snapshot, ordered, choice, scored, settings)
    marks("explain")
    sure = search_confidence(snapshot, covering or question, ordered, scored)
    marks("confidence")
    shown = tuple(by_id[snapshot.chunk_id(chunk)] for chunk in ordered)
    return Result(question, budget, shown, body, tokens, objective, marks.seconds, tuple(warnings), sure)


def _beyond_pool(
    retrieval: SpectRAGRetrieval, picked: list[int], choice: Choice, scored: Scored, budget: int
) -> list[int]:
    """What still fits from below the pool, by score; only where the whole pool is in."""
    if len(picked) < len(choice.pool):
        return []
    room = budget - int(retrieval.costs(choice.pool).sum())
    wider = best_hits(scored, len(choice.pool) + max(room, 0) // _SHORTEST)[len(choice.pool) :]
    found = []
    for chunk, cost in zip(wider.tolist(), retrieval.costs(wider).tolist(), strict=True):
        if cost <= room:
            found.append(chunk)
            room -= cost
    return found
