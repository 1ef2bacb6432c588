from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.evaluation.metrics import bridge_pieces, content_words, means, ndcg, ranking_metrics

IDS = [f"d{number}" for number in range(12)]
rankings = st.permutations(IDS).map(lambda ids: ids[:10])
golds = st.lists(st.sampled_from(IDS), min_size=1, max_size=5, unique=True).map(lambda ids: [(one,) for one in ids])
grouped = st.lists(st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True), min_size=1, max_size=4)


def test_known_values_of_one_ranking() -> None:
    ranked = ["x", "a", "y", "b", "z", "c"]
    found = ranking_metrics(ranked, [("a",), ("b",), ("q",)], ks=(2, 5), bridge=(1, 2), reference=["a", "x", "y"])
    assert found["R@2"] == pytest.approx(1 / 3)
    assert found["P@2"] == pytest.approx(1 / 2)
    assert found["F1@2"] == pytest.approx(2 * (1 / 3) * (1 / 2) / (1 / 3 + 1 / 2))
    assert found["R@5"] == pytest.approx(2 / 3)
    assert found["P@5"] == pytest.approx(2 / 5)
    assert found["all@5"] == 0.0
    assert found["bridge@2"] == 0.0
    assert found["bridge@5"] == pytest.approx(1 / 2)
    assert found["MRR"] == pytest.approx(1 / 2)
    assert found["Hits@4"] == 1.0
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    assert found["nDCG@10"] == pytest.approx(gained / (1 + 1 / math.log2(3) + 1 / math.log2(4)))
    assert found["Novelty@5"] == pytest.approx(1 / 3)
    assert found["S@5"] == pytest.approx(0.65 * 2 / 3 + 0.35 / 3)


def test_a_short_ranking_is_not_forgiven() -> None:
    found = ranking_metrics(["a"], [("a",), ("b",)], ks=(5,))
    assert found["P@5"] == pytest.approx(1 / 5)
    assert found["R@5"] == pytest.approx(1 / 2)


def test_nothing_found_is_zero_everywhere() -> None:
    found = ranking_metrics(["x", "y"], [("a",)], ks=(2,), reference=[])
    assert set(found.values()) == {0.0}


def test_the_first_relevant_id_counts_within_ten_ranks_only() -> None:
    ranked = [f"x{i}" for i in range(10)] + ["a"]
    found = ranking_metrics(ranked, [("a",)], ks=(20,))
    assert found["MRR"] == 0.0
    assert found["nDCG@10"] == 0.0
    assert found["R@20"] == 1.0


def test_any_member_finds_a_piece_and_a_second_member_adds_no_gain() -> None:
    gold = [("a", "a2"), ("b",)]
    found = ranking_metrics(["a2", "a", "b"], gold, ks=(2,))
    assert found["R@2"] == pytest.approx(1 / 2)
    assert found["P@2"] == 1.0
    assert ndcg(["a2", "a", "b"], gold, depth=10) == pytest.approx((1 + 1 / 2) / (1 + 1 / math.log2(3)))


def test_one_passage_that_holds_two_pieces_is_the_ideal_first() -> None:
    gold = [("both", "a"), ("both", "b")]
    assert ndcg(["both"], gold, depth=10) == 1.0
    assert ndcg(["a", "b"], gold, depth=10) == pytest.approx((1 + 1 / math.log2(3)) / 2)


def test_novelty_asks_whether_dense_found_the_piece_by_any_member() -> None:
    found = ranking_metrics(["a"], [("a", "a2")], ks=(5,), reference=["a2"])
    assert found["R@5"] == 1.0
    assert found["Novelty@5"] == 0.0


@given(rankings, golds)
def test_values_stay_in_range_and_recall_grows(ranked: list[str], gold: list[tuple[str, ...]]) -> None:
    found = ranking_metrics(ranked, gold, ks=(1, 2, 5, 10), bridge=tuple(range(len(gold))), reference=IDS)
    assert all(0.0 <= value <= 1.0 for value in found.values())
    assert found["R@1"] <= found["R@2"] <= found["R@5"] <= found["R@10"]
    assert found["bridge@5"] == found["R@5"]
    assert (found["all@10"] == 1.0) == (found["R@10"] == 1.0)
    assert found["S@5"] == pytest.approx(0.65 * found["R@5"] + 0.35 * found["Novelty@5"])
    assert found["Novelty@5"] <= found["R@5"]


@given(rankings, grouped)
def test_against_itself_a_ranking_has_no_novelty(ranked: list[str], gold: list[list[str]]) -> None:
    assert ranking_metrics(ranked, gold, ks=(5,), reference=ranked)["Novelty@5"] == 0.0


@given(golds)
def test_gold_first_is_perfect(gold: list[tuple[str, ...]]) -> None:
    ranked = [piece[0] for piece in gold] + ["x"]
    assert ndcg(ranked, gold, depth=10) == pytest.approx(1.0)


@given(rankings, grouped)
def test_ndcg_of_groups_stays_in_range(ranked: list[str], gold: list[list[str]]) -> None:
    assert 0.0 <= ndcg(ranked, gold, depth=10) <= 1.0


def test_bridges_are_all_but_the_piece_that_the_question_words_lead_to() -> None:
    texts = {
        "film": "Blind Shaft is a film directed by Li Yang.",
        "person": "Li Yang was born in 1959.",
        "same": "Blind Shaft is a film.",
        "none": "Nothing at all.",
    }
    question = "When was the director of the film Blind Shaft born?"
    assert bridge_pieces(question, [("film",), ("person",)], texts.__getitem__) == (1,)
    assert bridge_pieces(question, [("person",), ("film",)], texts.__getitem__) == (0,)
    assert bridge_pieces(question, [("person",), ("none", "film"), ("none",)], texts.__getitem__) == (0, 2)
    # of equal pieces the first is the entry
    assert bridge_pieces(question, [("same",), ("same",)], texts.__getitem__) == (1,)


def test_content_words_cover_scripts() -> None:
    assert content_words("Ärzte in 南京 since 2019") == {"ärzte", "南", "京", "since", "2019"}


def test_means_count_only_where_a_metric_is_defined() -> None:
    assert means([{"a": 1.0}, {"b": 2.0}, {"a": 0.0, "b": 0.0}]) == {"a": (0.5, 2), "b": (1.0, 2)}
    assert means([]) == {}
