from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gossamer.errors import UsageError
from gossamer.evaluation.systems import SYSTEMS, describe, load_factory
from gossamer.evaluation.systems.base import Query
from gossamer.evaluation.systems.channels import best_first, rrf_scores, standardised
from gossamer.evaluation.systems.mmr import mmr_order
from gossamer.evaluation.systems.multi_query import names, parts

QUERY = Query("q", "who?")


def test_every_registered_system_has_a_factory() -> None:
    for name in SYSTEMS:
        assert callable(load_factory(name))
        assert describe(name)


def test_bm25_leaves_out_what_shares_no_term(fake_workbench: Any) -> None:
    system = load_factory("bm25")(fake_workbench(bm25={"who?": [0.0, 2.0, 3.0, 0.0]}))
    assert list(system.rank(QUERY, 10)) == ["b#0", "a#1"]
    assert list(system.rank(QUERY, 1)) == ["b#0"]


def test_dense_ranks_every_chunk_with_ties_in_order(fake_workbench: Any) -> None:
    system = load_factory("dense")(fake_workbench(dense={"who?": [0.1, -0.5, 0.1, 0.9]}))
    assert list(system.rank(QUERY, 10)) == ["c#0", "a#0", "b#0", "a#1"]


def test_a_context_is_filled_in_the_order_of_the_ranking(fake_workbench: Any) -> None:
    system = load_factory("dense")(fake_workbench(dense={"who?": [0.1, 0.5, 0.0, 0.9]}))
    context = system.context(QUERY, 25)
    assert context.ids == ("c#0", "a#1")
    assert context.tokens == 20
    assert context.confidence == pytest.approx(0.9)


def test_a_context_is_of_its_own_query(fake_workbench: Any) -> None:
    system = load_factory("dense")(fake_workbench(dense={"who?": [0, 0, 0, 1], "what?": [1, 0, 0, 0]}))
    system.rank(QUERY, 1)
    assert system.context(Query("r", "what?"), 10).ids == ("a#0",)


def test_rrf_adds_reciprocal_ranks_over_sixty(fake_workbench: Any) -> None:
    bench = fake_workbench(dense={"who?": [0.9, 0.8, 0.7, 0.6]}, bm25={"who?": [0.0, 1.0, 2.0, 0.0]})
    system = load_factory("hybrid-rrf")(bench)
    # a#0: 1/61; a#1: 1/62 + 1/62; b#0: 1/63 + 1/61; c#0: 1/64
    assert list(system.rank(QUERY, 10)) == ["b#0", "a#1", "a#0", "c#0"]
    scores = rrf_scores([np.array([0.9, 0.8, 0.7, 0.6]), np.array([-np.inf, 1.0, 2.0, -np.inf])])
    assert scores == pytest.approx([1 / 61, 2 / 62, 1 / 63 + 1 / 61, 1 / 64])


def test_rrf_takes_a_hundred_of_each_list() -> None:
    scores = rrf_scores([np.arange(150.0)])
    assert np.isfinite(scores).sum() == 100
    assert scores[149] == pytest.approx(1 / 61)
    assert scores[50] == pytest.approx(1 / 160)


@pytest.mark.parametrize("name", ["hybrid-rrf", "hybrid-z", "multi-query"])
def test_hybrids_without_a_dense_channel_are_lexical(fake_workbench: Any, name: str) -> None:
    bench = fake_workbench(dense={"who?": [9, 0, 0, 0]}, bm25={"who?": [0, 1, 2, 0]}, has_dense=False)
    assert list(load_factory(name)(bench).rank(QUERY, 2)) == ["b#0", "a#1"]


def test_hybrid_z_weighs_bm25_by_half(fake_workbench: Any) -> None:
    dense, bm25 = [1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]
    system = load_factory("hybrid-z")(fake_workbench(dense={"who?": dense}, bm25={"who?": bm25}))
    assert list(system.rank(QUERY, 2)) == ["a#0", "b#0"]
    assert standardised(np.array([1.0, 2.0, 3.0])) == pytest.approx([-1.2247449, 0.0, 1.2247449])


def test_best_first_cuts_and_skips() -> None:
    assert best_first(np.array([1.0, -np.inf, 3.0, 2.0]), 2).tolist() == [2, 3]


def test_mmr_prefers_what_is_new(fake_workbench: Any) -> None:
    # a#0 and a#1 have the same vector: with equal relevance the second copy comes last
    system = load_factory("mmr")(fake_workbench(dense={"who?": [1.0, 0.99, 0.9, 0.95]}))
    ranked = list(system.rank(QUERY, 4))
    assert ranked[0] == "a#0"
    assert sorted(ranked) == ["a#0", "a#1", "b#0", "c#0"]
    order = mmr_order(np.array([1.0, 0.99, 0.9]), np.array([[1, 1, 0], [1, 1, 0], [0, 0, 1.0]]), weight=0.3)
    assert order == [0, 2, 1]


def test_mmr_with_full_weight_on_relevance_is_the_ranking() -> None:
    assert mmr_order(np.array([0.2, 0.9, 0.5]), np.ones((3, 3)), weight=1.0) == [1, 2, 0]
    assert mmr_order(np.array([]), np.ones((0, 0)), weight=1.0) == []


def test_names_of_a_question() -> None:
    assert names("Who directed Blind Shaft?") == ["Blind Shaft"]
    assert names("Are Li Yang and Mara Lind both from Pune?") == ["Li Yang and Mara Lind", "Pune"]
    assert names("what is it") == []
    assert parts("Helix Labs") == []


def test_several_queries_help_when_the_parts_lead_elsewhere(fake_workbench: Any) -> None:
    question = "Is Orion older than Pune?"
    bm25 = {
        question: [3.0, 2.0, 1.0, 0.5],
        "Is Orion older than ?": [3.0, 0.5, 0, 1.0],
        "Is older than Pune?": [0, 0, 0, 3.0],
    }
    assert list(bm25)[1:] == parts(question)
    system = load_factory("multi-query")(fake_workbench(bm25=bm25, has_dense=False))
    assert list(system.rank(Query("q", question), 4)) == ["a#0", "a#1", "c#0", "b#0"]


@pytest.fixture
def own_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    code = (
        "def ranker(bench):\n    return lambda query, k: ['c', 'c', 'a#1'][:k]\n"
        "def broken(bench):\n    return lambda query, k: ['nowhere']\n"
        "def nothing(bench):\n    return 3\n"
        "number = 4\n"
    )
    (tmp_path / "own_ranker_of_tests.py").write_text(code, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "own_ranker_of_tests", raising=False)
    return "own_ranker_of_tests"


def test_a_users_function_is_a_system(fake_workbench: Any, own_module: str) -> None:
    system = load_factory(f"{own_module}:ranker")(fake_workbench())
    assert list(system.rank(QUERY, 10)) == ["c", "a#1"]
    assert system.context(QUERY, 100).ids == ("c#0", "a#1")
    assert system.indexed is None
    assert not system.returns_chunks


def test_what_is_no_system_is_named(fake_workbench: Any, own_module: str) -> None:
    with pytest.raises(UsageError, match="There is no system 'bm26'"):
        load_factory("bm26")
    with pytest.raises(UsageError, match="cannot be loaded"):
        load_factory("no_such_module_anywhere:x")
    with pytest.raises(UsageError, match="cannot be loaded"):
        load_factory(f"{own_module}:gone")
    with pytest.raises(UsageError, match="is a int"):
        load_factory(f"{own_module}:number")
    with pytest.raises(UsageError, match="returned a int"):
        load_factory(f"{own_module}:nothing")(fake_workbench())
    with pytest.raises(UsageError, match="'nowhere', which names neither"):
        load_factory(f"{own_module}:broken")(fake_workbench()).rank(QUERY, 1)
