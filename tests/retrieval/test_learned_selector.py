"""The learned selector: parts add up to the logit, the budget holds, features follow what is chosen."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer import Document, Settings, build_index, open_index
from gossamer.retrieval.learned_selector import (
    FEATURES,
    INTERCEPT,
    WEIGHTS,
    choose_learned,
    extra_terms,
    features,
)
from gossamer.retrieval.scoring import Scored
from gossamer.retrieval.selection import ContextCost
from gossamer.retrieval.selectors import SELECTORS, Pool, SelectorOptions
from gossamer.retrieval.terms import Coverage, Fixed, Nearest

DOCUMENTS = [
    Document("a", "Orion was built by Helix Lab in the spring.", "Orion"),
    Document("b", "Helix Lab is paid for by the town of Pune.", "Helix Lab"),
    Document("c", "Pune lies east of the coast.", "Pune"),
    Document("d", "The ferry leaves at nine.", "Timetable"),
]


def test_one_weight_for_each_feature() -> None:
    assert WEIGHTS.shape == (len(FEATURES),)
    assert len(set(FEATURES)) == len(FEATURES)
    assert np.isfinite(WEIGHTS).all()


def test_logit_is_the_sum_of_weight_times_feature() -> None:
    weights = np.zeros(len(FEATURES))
    weights[FEATURES.index("score")], weights[FEATURES.index("link")] = 2.0, 3.0
    link = np.array([[0.0, 0, 0.5], [0, 0, 0], [0.5, 0, 0]])
    score = np.array([1.0, 0.5, 0.2])
    pool = Pool(score, [Fixed("score", score, weight=9.0), Nearest("link", link, weight=9.0)])
    core, gain, _ = choose_learned(pool, SelectorOptions(), weights=weights, intercept=-1.0)
    assert (core.place, core.reason) == (0, "core")
    assert (gain.place, gain.reason) == (2, "gain")
    assert gain.utility == pytest.approx(-1.0 + 2.0 * 0.2 + 3.0 * 0.5)
    assert gain.parts == {
        **dict.fromkeys(FEATURES, 0.0), "intercept": -1.0, "score": pytest.approx(0.4), "link": 1.5,
    }  # fmt: skip


def test_a_missing_term_is_a_feature_of_zero() -> None:
    table = features([Fixed("relevance", np.array([0.5, 1.0])), Fixed("unknown", np.array([7.0, 7.0]))], 2)
    assert table[:, FEATURES.index("relevance")].tolist() == [0.5, 1.0]
    assert table.sum() == 1.5


def test_features_follow_the_chosen() -> None:
    covered = np.array([[1.0, 0.0], [0.0, 1.0]])
    scored = Scored(
        relevance=np.array([3.0, 1.0]), proximity=np.zeros(2), score=np.array([2.0, 1.0]), seeds=np.array([0]),
        candidates=np.array([0]), lists={}, flow_weight=0.5, graph="flow", reached=np.ones(2, dtype=bool),
    )  # fmt: skip
    link = np.array([[0.0, 0.4], [0.4, 0.0]])
    terms = extra_terms(
        scored, np.array([0, 1]), np.array([4, 4]), covered, np.array([0.75, 0.25]), link, np.array([1.0, 0.5]),
        strongest=1.0,
    )  # fmt: skip
    before = dict(zip(FEATURES, features(terms, 2).T.tolist(), strict=True))
    for term in terms:
        term.take(0)
    after = dict(zip(FEATURES, features(terms, 2).T.tolist(), strict=True))
    assert before["covers"] == after["covers"] == [0.75, 0.25]
    assert after["titled"] == [1.0, 0.0]
    assert (before["same_document"], after["same_document"]) == ([0.0, 0.0], [0.0, 1.0])
    assert (before["gated_link"], after["gated_link"]) == ([0.0, 0.0], [0.0, 0.2])
    assert (before["settled_score"], after["settled_score"]) == ([0.0, 0.0], [0.75, 0.0])


def test_long_passages_need_better_odds() -> None:
    weights = np.zeros(len(FEATURES))
    weights[FEATURES.index("score")] = 1.0
    score = np.array([0.2, 0.0])
    for power, order in ((0.0, [0, 1]), (1.0, [1, 0])):
        cost = ContextCost(np.array([100, 10]), np.array([0, 1]))
        pool = Pool(score, [Fixed("score", score)], cost=cost, budget=200)
        options = SelectorOptions(core_size=0, length_power=power)
        assert [pick.place for pick in choose_learned(pool, options, weights=weights)] == order


def test_no_candidates() -> None:
    assert SELECTORS["learned"](Pool(np.zeros(0)), SelectorOptions()) == []


@settings(deadline=None)
@given(st.data())
def test_the_budget_holds_and_parts_add_up(data: st.DataObject) -> None:
    n = data.draw(st.integers(0, 8))
    tokens = np.array(data.draw(st.lists(st.integers(0, 50), min_size=n, max_size=n)), dtype=np.int64)
    score = np.array(data.draw(st.lists(st.floats(-2, 2), min_size=n, max_size=n)))
    budget = data.draw(st.integers(0, 120))
    options = SelectorOptions(length_power=data.draw(st.sampled_from([0.0, 0.5, 1.0])), precision_floor=0.2)
    words = Coverage(np.eye(n), np.full(n, 1.0 / max(n, 1)))
    cost = ContextCost(tokens, np.arange(n), per_passage=3)
    picks = choose_learned(Pool(score, [Fixed("score", score), words], cost=cost, budget=budget), options)
    places = [pick.place for pick in picks]
    assert len(set(places)) == len(places)
    assert sum(tokens[places]) + 3 * len(places) == cost.total <= budget
    for pick in picks:
        if pick.reason == "gain":
            assert pick.parts["intercept"] == INTERCEPT
            assert sum(pick.parts.values()) == pytest.approx(pick.utility)


def test_a_search_with_the_preset_is_explained_and_fits(tmp_path: Path) -> None:
    build_index(DOCUMENTS, tmp_path / "index", Settings.learned())
    with open_index(tmp_path / "index") as retrieval:
        assert retrieval.settings == Settings.learned()
        ranked = retrieval.rank("Who pays for the lab that built Orion?", k=3)
        assert [passage.document for passage in ranked.passages][:2] == ["a", "b"]
        for budget in (0, 30, 60, 4000):
            assert retrieval.search("Who pays for the lab that built Orion?", token_budget=budget).tokens <= budget
