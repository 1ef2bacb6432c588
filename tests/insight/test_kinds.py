from __future__ import annotations

import pytest

from gossamer.insight.contradictions import find_conflicts
from gossamer.insight.kinds import asked_sort, sorts_in

COACH = "Ann Rao is a basketball coach from Pune. She won two basketball titles."
PLAYER = "Ann Rao was a tennis player of the Pune club; in her youth she liked tennis most."


def test_a_question_for_a_sort_of_thing_finds_two_answers() -> None:
    (found,) = find_conflicts([COACH, PLAYER], question="What sport is Ann Rao associated with?")
    assert (found.kind, found.left, found.right) == ("term", "basketball", "tennis")
    assert found.question.startswith("What sport is Ann Rao associated with?") and found.strength <= 0.5


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ("Ann Rao also led the women's basketball league.", "the same answer"),
        ("Bo Lind plays tennis.", "another person"),
        ("Ann Rao lives in Pune.", "no answer"),
        ("Ann Rao plays tennis and basketball.", "both"),
    ],
)
def test_no_conflict(other: str, why: str) -> None:
    assert find_conflicts([COACH, other], question="What sport is Ann Rao associated with?") == [], why


def test_lists() -> None:
    assert asked_sort("What is the profession of Ann Rao?") == 1
    assert asked_sort("Who is Ann Rao?") is None
    assert list(sorts_in("Footballers and a golfer; football.", 0)) == ["football", "golf"]
    assert sorts_in("A transport firm.", 0) == {}
