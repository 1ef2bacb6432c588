from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.insight.dates import DATE, find_dates, interval, is_stamp, metadata_date, overlap


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("2021-02-07", (20210207, 20210207)),
        ("February 7, 2021", (20210207, 20210207)),
        ("7th of February 2021", (20210207, 20210207)),
        ("7 février 2021", (20210207, 20210207)),
        ("7. Februar 2021", (20210207, 20210207)),
        ("2021年2月7日", (20210207, 20210207)),
        ("Feb. 2021", (20210200, 20210299)),
        ("25/12/2020", (20201225, 20201225)),
        ("03/04/2020", (20200000, 20209999)),
        ("1810-11", (18100000, 18119999)),
        ("1901–1905", (19010000, 19059999)),
        ("1790s", (17900000, 17999999)),
        ("2021", (20210000, 20219999)),
    ],
)
def test_forms(text: str, days: tuple[int, int]) -> None:
    assert [found for _, _, found in find_dates(f"On {text} it began.")] == [days]


@pytest.mark.parametrize("text", ["2.5", "1,234", "A1999", "version 1.2019.3", "Maritime 12", "room 207"])
def test_no_dates(text: str) -> None:
    assert list(find_dates(text)) == []


def test_a_day_without_its_year() -> None:
    (match,) = re.finditer(DATE, "on 3 March")
    assert interval(match) == (303, 303)
    assert overlap((303, 303), (20210303, 20210303))
    assert not overlap((303, 303), (20210304, 20210304))
    assert overlap((20210000, 20219999), (303, 303))


def test_metadata() -> None:
    assert metadata_date({"title": "2019", "created_date": "2020-01-02 10:00:00"}) == (20200102, 20200102)
    assert metadata_date({"year": 2018}) == (20180000, 20189999)
    assert metadata_date({"date": None, "updated": ["2020"]}) is None


def test_stamps() -> None:
    assert is_stamp("Updated on: 2021", 12)
    assert not is_stamp("Founded in 2021", 11)


@given(st.text(max_size=80))
def test_any_text_is_read(text: str) -> None:
    for start, end, (first, last) in find_dates(text):
        assert 0 <= start < end <= len(text)
        assert 10000 <= first <= last
