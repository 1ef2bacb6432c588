"""Selection: the budget is never exceeded, the utility adds up, the order is greedy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.errors import UsageError
from gossamer.retrieval.selection import ContextCost, rank, select
from gossamer.retrieval.selectors import SELECTORS, Pool, SelectorOptions
from gossamer.retrieval.terms import Coverage, Fixed, Nearest, Novelty


def test_coverage_prefers_the_other_half_of_the_question() -> None:
    covered = np.array([[1.0, 0], [1, 0], [0, 1]])
    score = np.array([1.0, 0.9, 0.1])
    terms = [Fixed("score", score), Coverage(covered, np.array([0.5, 0.5]), weight=4.0)]
    assert [pick.place for pick in select(terms, score)] == [0, 2, 1]


def test_redundancy_is_a_penalty_and_novelty_a_reward() -> None:
    same = np.array([[1.0, 1, 0], [1, 1, 0], [0, 0, 1]])
    flat = np.zeros(3)
    assert [p.place for p in select([Nearest("redundancy", same, weight=-1.0)], flat)] == [0, 2, 1]
    assert [p.place for p in select([Novelty("document", np.array([5, 5, 6]))], flat)] == [0, 2, 1]


def test_parts_add_up_to_the_utility() -> None:
    score = np.array([0.2, 0.5, 0.9])
    terms = [Fixed("score", score, weight=2.0), Novelty("cluster", np.array([0, 0, 1]))]
    for pick in select(terms, score)[1:]:
        assert sum(pick.parts.values()) == pytest.approx(pick.utility)


def test_length_power_prefers_short_passages() -> None:
    score = np.array([1.0, 0.9])
    for power, order in ((0.0, [0, 1]), (1.0, [1, 0])):
        cost = ContextCost(np.array([100, 10]), np.array([0, 1]))
        picks = select([Fixed("score", score)], score, cost=cost, budget=200, core_size=0, length_power=power)
        assert [pick.place for pick in picks] == order


def test_floor_leaves_the_rest_to_backfill() -> None:
    score = np.array([1.0, 0.5, 0.0])
    picks = select([Fixed("score", score)], score, core_size=1, precision_floor=0.4)
    assert [pick.reason for pick in picks] == ["core", "gain", "backfill"]
    assert len(select([Fixed("score", score)], score, precision_floor=0.4, backfill=False)) == 2


def test_a_document_is_opened_once() -> None:
    cost = ContextCost(np.array([10, 10, 10]), np.array([0, 0, 1]), per_passage=1, per_document=5)
    score = np.array([3.0, 2, 1])
    assert [p.place for p in select([], score, cost=cost, budget=27)] == [0, 1]
    assert cost.total == 27


def test_rank_holds_every_candidate_once() -> None:
    score = np.array([0.1, 0.4, 0.3])
    picks = rank([Fixed("score", score)], score, count=1)
    assert [pick.place for pick in picks] == [1, 2, 0]
    assert [pick.reason for pick in picks] == ["core", "rest", "rest"]


def test_no_candidates() -> None:
    assert select([], np.zeros(0)) == []
    for name in ("token_budget", "mmr", "protected_mmr", "topk"):
        assert SELECTORS[name](Pool(np.zeros(0)), SelectorOptions()) == []


def test_mmr_avoids_copies() -> None:
    same = np.array([[1.0, 1, 0], [1, 1, 0], [0, 0, 1]])
    pool = Pool(np.array([1.0, 0.9, 0.5]), similarity=same)
    options = SelectorOptions(relevance_share=0.5)
    assert [p.place for p in SELECTORS["mmr"](pool, options)] == [0, 2, 1]
    protected = SELECTORS["protected_mmr"](pool, SelectorOptions(relevance_share=0.5, core_size=2))
    assert [p.place for p in protected] == [0, 1, 2]


def test_cross_encoder_orders_the_neighbours_of_the_core() -> None:
    graph = np.array([[0.0, 0.5, 0.4, 0], [0.5, 0, 0, 0], [0.4, 0, 0, 0], [0, 0, 0, 0]])
    pool = Pool(np.array([4.0, 1, 2, 3]), graph=graph, rerank=lambda places: [float(p == 2) for p in places])
    picks = SELECTORS["anchor_expand_ce"](pool, SelectorOptions())
    assert [p.place for p in picks] == [0, 2, 1, 3]
    with pytest.raises(UsageError, match="rerank_fn"):
        SELECTORS["anchor_expand_ce"](Pool(np.ones(1)), SelectorOptions())


@settings(deadline=None)
@given(st.data())
def test_no_selector_exceeds_the_budget(data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 8))
    tokens = np.array(data.draw(st.lists(st.integers(0, 50), min_size=n, max_size=n)), dtype=np.int64)
    documents = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)), dtype=np.int64)
    score = np.array(data.draw(st.lists(st.floats(-2, 2), min_size=n, max_size=n)))
    budget = data.draw(st.integers(0, 120))
    table = np.eye(n)
    for name in sorted(SELECTORS):
        cost = ContextCost(tokens, documents, per_passage=3, per_document=7)
        terms = [Fixed("score", score), Nearest("link", table), Novelty("document", documents)]
        pool = Pool(score, terms, table, table, cost, budget, rerank=lambda places: [0.0] * len(places))
        picks = SELECTORS[name](pool, SelectorOptions(core_size=2, length_power=0.5, precision_floor=0.1))
        places = [pick.place for pick in picks]
        assert len(set(places)) == len(places)
        paid = sum(tokens[places]) + 3 * len(places) + 7 * len(set(documents[places].tolist()))
        assert paid <= budget
        assert cost.total == paid
