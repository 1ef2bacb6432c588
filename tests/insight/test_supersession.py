from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import UsageError
from gossamer.insight.contradictions import find_conflicts
from gossamer.insight.supersession import find_superseded, freshest_first, text_date

OLD = "The head office of Helix Labs is in Pune."
NEW = "Helix Labs has its head office in Oslo."


def test_dates_in_metadata() -> None:
    conflicts = find_conflicts([OLD, NEW])
    (found,) = find_superseded([OLD, NEW], conflicts, [{"date": "2019-03-01"}, {"updated": "2023"}])
    assert (found.older, found.newer, found.source, found.older_date) == (0, 1, "metadata", (20190301, 20190301))
    (turned,) = find_superseded([OLD, NEW], conflicts, [{"year": 2024}, {"date": "2023-12-31"}])
    assert (turned.older, turned.newer) == (1, 0)


def test_dates_in_the_text() -> None:
    texts = [f"As of 2019: {OLD}", f"{NEW} Updated 2 May 2023."]
    (found,) = find_superseded(texts, find_conflicts(texts))
    assert (found.older, found.newer, found.source) == (0, 1, "text")


@pytest.mark.parametrize(
    "metadata",
    [
        [{}, {}],
        [{"date": "2020"}, {}],
        [{"date": "2020"}, {"date": "2020-05-01"}],
        [{"date": "soon"}, {"date": "2020"}],
    ],
)
def test_unclear_order_supersedes_nothing(metadata: list[dict[str, str]]) -> None:
    assert find_superseded([OLD, NEW], find_conflicts([OLD, NEW]), metadata) == []


def test_newer_alone_supersedes_nothing() -> None:
    texts = ["As of 2019 Helix Labs sits in Pune.", "As of 2023 the canteen opens at noon."]
    assert find_superseded(texts, find_conflicts(texts)) == []


def test_a_disputed_date_orders_nothing() -> None:
    texts = ["The second telescope of Helix Labs opened in 2019.", "The second telescope of Helix Labs opened in 2021."]
    (conflict,) = find_conflicts(texts)
    assert conflict.kind == "date"
    assert find_superseded(texts, [conflict]) == []


def test_metadata_for_every_text() -> None:
    with pytest.raises(UsageError, match="metadata"):
        find_superseded([OLD, NEW], [], [{}])


def test_the_date_of_a_text() -> None:
    assert text_date("Feb 7, 2021 ... Founded in 1990, closed in 1999.") == (20210207, 20210207)
    assert text_date("Nothing is dated.") is None


@given(st.lists(st.tuples(st.floats(0, 1), st.none() | st.integers(1990, 2030)), max_size=12))
def test_freshness_only_breaks_ties(rows: list[tuple[float, int | None]]) -> None:
    scores = np.asarray([round(score, 2) for score, _ in rows])
    dates = [None if year is None else (year * 10000, year * 10000 + 9999) for _, year in rows]
    order = freshest_first(scores, dates)
    assert sorted(order.tolist()) == list(range(len(rows)))
    for one, other in zip(order[:-1].tolist(), order[1:].tolist(), strict=True):
        assert scores[one] >= scores[other]
        if scores[one] == scores[other]:
            assert (dates[one] or (0, 0)) >= (dates[other] or (0, 0))
