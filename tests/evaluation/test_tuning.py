from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gossamer.evaluation.datasets import Question
from gossamer.evaluation.tuning import split_questions

golds = st.lists(st.lists(st.integers(0, 30), min_size=0, max_size=3), min_size=1, max_size=40)


@given(golds, st.integers(0, 3))
def test_sides_share_no_question_and_no_gold(raw: list[list[int]], seed: int) -> None:
    asked = [Question(str(i), "w?", tuple((str(one),) for one in gold)) for i, gold in enumerate(raw)]
    tune, test = split_questions(asked, seed=seed)
    assert sorted([q.id for q in (*tune, *test)]) == sorted(q.id for q in asked if q.gold)
    assert not {one for q in tune for one in q.gold} & {one for q in test for one in q.gold}
    assert (tune, test) == split_questions(asked, seed=seed)


def test_halves_are_even_and_the_seed_moves_them() -> None:
    asked = [Question(str(i), "w?", ((str(i),),)) for i in range(20)]
    assert [len(side) for side in split_questions(asked, seed=0)] == [10, 10]
    assert split_questions(asked, seed=0) != split_questions(asked, seed=1)
