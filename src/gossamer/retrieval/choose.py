"""From scores to picks: the pool, the terms of the utility, and the selector that a setting names."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.retrieval.candidates import subgraph
from gossamer.retrieval.coverage import QuestionTable, links, naming, new_link_weights, question_table
from gossamer.retrieval.exchange import exchange
from gossamer.retrieval.learned_selector import extra_terms
from gossamer.retrieval.rescoring import anchored
from gossamer.retrieval.scoring import Scored
from gossamer.retrieval.seeds import best, minmax
from gossamer.retrieval.selection import ContextCost, Pick
from gossamer.retrieval.selectors import SELECTORS, Pool, SelectorOptions
from gossamer.retrieval.terms import Coverage, Fixed, Nearest, Novelty, Term, TiedCoverage

if TYPE_CHECKING:
    from gossamer.index.snapshot import Snapshot
    from gossamer.settings import Settings

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Rerank = Callable[[str, list[str]], Sequence[float]]

# So many of the best passages tell what one costs.
_TYPICAL = 10
_TIES = frozenset({"link", "new_link", "named_by_chosen", "named_by_question", "score"})


@dataclass(frozen=True, slots=True)
class Choice:
    """Picks whose places are chunk numbers, in the order they were picked, with the pool they came from."""

    picks: list[Pick]
    pool: IntArray
    covered: FloatArray
    unit_weights: FloatArray


def choose(
    snapshot: Snapshot,
    question: str,
    scored: Scored,
    settings: Settings,
    *,
    rerank_fn: Rerank | None = None,
    budget: float = np.inf,
    costs: Callable[[IntArray], NDArray[np.int64]] | None = None,
    count: int | None = None,
) -> Choice:
    """Choose from the best scored chunks; `costs` prices chunks in tokens, no costs no budget."""
    options = settings.selection
    pool = best_hits(scored, options.pool)
    priced = costs(pool) if costs is not None else None
    slots = budget / max(float(np.median(priced[:_TYPICAL])), 1.0) if priced is not None and len(priced) else np.inf
    candidates, table = gather(snapshot, question, scored, pool, settings, slots=slots)
    price = ContextCost(priced, snapshot.chunk_document[pool]) if priced is not None else None
    fresh = [copy.copy(term) for term in candidates.terms]
    judge = _judge(snapshot, question, pool, rerank_fn)
    picks = SELECTORS[options.selector](
        replace(candidates, cost=price, budget=budget, count=count, rerank=judge),
        SelectorOptions(
            core_size=options.core_size,
            length_power=options.length_power if costs is not None else 0.0,
            precision_floor=options.precision_floor,
            backfill=options.backfill,
            steps=options.greedy_steps,
            relevance_share=options.mmr_lambda,
        ),
    )
    if priced is not None and options.selector == "token_budget" and options.exchange:
        picks = exchange(fresh, picks, priced.astype(np.float64), budget=budget, rounds=options.exchange)
    placed = [Pick(int(pool[pick.place]), pick.reason, pick.utility, pick.parts) for pick in picks]
    return Choice(placed, pool, table.covered, table.weights)


def gather(
    snapshot: Snapshot, question: str, scored: Scored, pool: IntArray, settings: Settings, *, slots: float = np.inf
) -> tuple[Pool, QuestionTable]:
    """The pool with the terms of the selector in `settings`, free and without a budget, and its question table.

    `slots`: about how many passages the budget will hold.
    """
    vectors = np.asarray(snapshot.vectors[pool], dtype=np.float64)
    similarity = np.clip(vectors @ vectors.T, 0.0, 1.0)
    np.fill_diagonal(similarity, 0.0)
    graph = subgraph(snapshot.matrix("graph"), pool).toarray()
    terms, table = _terms(snapshot, question, scored, pool, similarity, settings)
    loss = settings.utility.tie * scarcity(slots)
    if loss > 0:
        terms = [tied(term, terms, loss) if isinstance(term, Coverage) else term for term in terms]
    return Pool(score=scored.score[pool], terms=terms, similarity=similarity, graph=graph), table


def scarcity(slots: float, *, few: float = 4.0, many: float = 7.0) -> float:
    """1 where `few` passages or fewer fit, 0 from `many` on, linear between.

    >>> scarcity(3), scarcity(5.5), scarcity(np.inf)
    (1.0, 0.5, 0.0)
    """
    return float(np.clip((many - slots) / (many - few), 0.0, 1.0))


def tied(coverage: Coverage, terms: Sequence[Term], loss: float) -> TiedCoverage:
    """The coverage whose passages are tied by links and naming to the chosen, and by score and naming to the question."""
    size = len(coverage.values())
    ties, own = np.zeros((size, size)), np.zeros(size)
    for term in terms:
        if isinstance(term, Nearest) and term.name in _TIES:
            ties = np.maximum(ties, term.table)
        elif isinstance(term, Fixed) and term.name in _TIES:
            own = np.maximum(own, np.clip(term.values(), 0.0, 1.0))
    return TiedCoverage(coverage, ties, own, loss=loss)


def best_hits(scored: Scored, count: int) -> IntArray:
    """The `count` best scored chunks among the hits, best first."""
    hits = int(np.count_nonzero(scored.reached))
    return best(np.where(scored.reached, scored.score, -np.inf), min(count, hits))


def _judge(
    snapshot: Snapshot, question: str, pool: IntArray, rerank_fn: Rerank | None
) -> Callable[[Sequence[int]], Sequence[float]] | None:
    if rerank_fn is None:
        return None
    return lambda places: rerank_fn(question, [snapshot.text(int(pool[place])) for place in places])


def _terms(
    snapshot: Snapshot,
    question: str,
    scored: Scored,
    pool: IntArray,
    similarity: FloatArray,
    settings: Settings,
) -> tuple[list[Term], QuestionTable]:
    """The terms with a weight, and how much of the question each pool chunk covers."""
    weights = settings.utility
    table = question_table(snapshot.lexical, question, pool)
    scaled = anchored(scored.score)[pool]
    terms: list[Term] = [Fixed("score", scaled, weight=weights.score)]
    if weights.proximity:
        terms.append(Fixed("proximity", minmax(scored.proximity[pool]), weight=weights.proximity))
    if weights.cluster_gain:
        terms.append(Novelty("cluster_gain", snapshot.clusters[pool], weight=weights.cluster_gain))
    if weights.document_gain:
        terms.append(Novelty("document_gain", snapshot.chunk_document[pool], weight=weights.document_gain))
    if weights.redundancy:
        terms.append(Nearest("redundancy", similarity, weight=-weights.redundancy))
    if weights.coverage:
        terms.append(Coverage(table.covered, table.weights, weight=weights.coverage))
    if weights.link:
        flow = subgraph(snapshot.matrix("flow"), pool).toarray()
        terms.append(Nearest("link", links(flow), weight=weights.link))
    if weights.new_link:
        fresh = new_link_weights(
            snapshot.matrix("entities"),
            snapshot.entity_names,
            snapshot.entity_frequency,
            question,
            pool,
            max_df=settings.graph.flow_max_frequency,
        )
        terms.append(Nearest("new_link", links(fresh), weight=weights.new_link))
    if weights.named_by_chosen or weights.named_by_question:
        by_chosen, by_question = naming(snapshot.lexical, question, pool)
        terms.append(Nearest("named_by_chosen", by_chosen, weight=weights.named_by_chosen))
        terms.append(Fixed("named_by_question", by_question, weight=weights.named_by_question))
    if settings.selection.selector == "learned":
        terms += _learned_terms(snapshot, question, scored, pool, table, settings)
    return terms, table


def _learned_terms(
    snapshot: Snapshot, question: str, scored: Scored, pool: IntArray, table: QuestionTable, settings: Settings
) -> list[Term]:
    return extra_terms(
        scored,
        pool,
        snapshot.chunk_document[pool],
        table.covered,
        table.weights,
        links(subgraph(snapshot.matrix("flow"), pool).toarray()),
        naming(snapshot.lexical, question, pool)[1],
        strongest=settings.retrieval.flow_weight,
    )
