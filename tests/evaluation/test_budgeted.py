from __future__ import annotations

from gossamer.evaluation.budgeted import budget_metrics, reduced, searchable


def test_pieces_are_found_by_any_member() -> None:
    found = budget_metrics(1000, [("a", "b"), ("c",)], [], ["b"], "text")
    assert found == {"gold@1000t": 0.5, "all@1000t": 0.0}


def test_all_gold() -> None:
    assert budget_metrics(1000, [("a",)], [], ["a"], "")["all@1000t"] == 1.0


def test_an_answer_is_looked_for_on_word_borders() -> None:
    assert budget_metrics(9, [("a",)], [("Rush",)], [], "the rush hour")["answer@9t"] == 1.0
    assert budget_metrics(9, [("a",)], [("Rush",)], [], "crushed")["answer@9t"] == 0.0
    assert budget_metrics(9, [("a",)], [("3,559 people",)], [], "with 3559 people")["answer@9t"] == 0.0
    assert budget_metrics(9, [("a",)], [("3,559 people",)], [], "with 3,559  People.")["answer@9t"] == 1.0


def test_each_wanted_answer_counts_and_any_spelling_will_do() -> None:
    answers = [("December 2015", "Dec. 2015"), ("Pune",)]
    assert budget_metrics(9, [("a",)], answers, [], "in dec 2015")["answer@9t"] == 0.5


def test_answers_that_are_no_strings_are_left_out() -> None:
    assert searchable([("Yes",)]) == []
    assert searchable([("...",)]) == []
    assert searchable([("word " * 13,)]) == []
    assert searchable([("Pune",), ("no",)]) == []
    assert "answer@9t" not in budget_metrics(9, [("a",)], [("yes",)], ["a"], "yes")


def test_without_gold_nothing_is_measured() -> None:
    assert budget_metrics(9, [], [], [], "text") == {}


def test_reduced_folds_width_and_case() -> None:
    assert reduced("Ｈｅｌｉｘ-Labs_X") == "helix labs x"
