from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.evaluation.abstention import abstention, auroc, risk_coverage

pairs = st.lists(st.tuples(st.integers(0, 5), st.booleans()), min_size=1, max_size=30)


@given(pairs)
def test_auroc_is_the_share_of_ordered_pairs(rows: list[tuple[int, bool]]) -> None:
    positives = [score for score, label in rows if label]
    negatives = [score for score, label in rows if not label]
    found = auroc([score for score, _ in rows], [label for _, label in rows])
    if not positives or not negatives:
        assert found is None
        return
    wins = sum((p > n) + 0.5 * (p == n) for p in positives for n in negatives)
    assert found == pytest.approx(wins / (len(positives) * len(negatives)))


@given(pairs, st.randoms())
def test_risk_does_not_depend_on_the_order_of_the_data(rows: list[tuple[int, bool]], random: object) -> None:
    mixed = list(rows)
    random.shuffle(mixed)  # type: ignore[attr-defined]
    first = risk_coverage([score for score, _ in rows], [failed for _, failed in rows])
    second = risk_coverage([score for score, _ in mixed], [failed for _, failed in mixed])
    assert np.allclose(first, second)
    assert first[-1] == pytest.approx(np.mean([failed for _, failed in rows]))


def test_a_null_question_is_a_failure_whatever_was_found() -> None:
    found = abstention([3.0, 2.0, 1.0, 0.0], [True, False, False, True], [True, True, False, False])
    assert found.questions == 4
    assert found.null_questions == 2
    assert found.null_auroc == pytest.approx(0.5)
    assert found.risk["1.0"] == pytest.approx(3 / 4)
    assert found.failure_auroc == pytest.approx(2 / 3)
    assert found.aurc == pytest.approx(np.mean([1, 1 / 2, 2 / 3, 3 / 4]))


def test_one_class_alone_has_no_auroc() -> None:
    found = abstention([1.0, 0.0], [False, False], [True, True])
    assert found.null_auroc is None
    assert found.failure_auroc is None
    assert found.aurc == 0.0
