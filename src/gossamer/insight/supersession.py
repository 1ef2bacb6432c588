"""Which side of a contradiction is out of date, by dates alone.

A passage is superseded when another one contradicts it and carries a later date of the same sort: both by metadata, or
both by their texts. Without a contradiction a newer passage supersedes nothing; its date only breaks ties.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from gossamer.errors import UsageError
from gossamer.insight.alignment import is_dateline
from gossamer.insight.contradictions import Conflict
from gossamer.insight.dates import Interval, find_dates, is_stamp, metadata_date
from gossamer.insight.facts import DATE, read

_DIGITS = 12


@dataclass(frozen=True, slots=True)
class Supersession:
    """`newer` is current and `older` out of date: numbers of two passages that contradict each other.

    The dates are intervals yyyymmdd; `source` says where they stand: "metadata" or "text".
    """

    older: int
    newer: int
    older_date: Interval
    newer_date: Interval
    source: str
    conflict: Conflict


def find_superseded(
    texts: Sequence[str], conflicts: Sequence[Conflict], metadata: Sequence[Mapping[str, Any]] | None = None
) -> list[Supersession]:
    """The conflicts whose two sides are dated in a clear order, in the order of the conflicts.

    Args:
        texts: the passages.
        conflicts: as `find_conflicts` gives them.
        metadata: of each passage's document; dates in it come before dates in the text.

    Two dates are ordered when one interval ends before the other begins. The date of a text is the one it bears as a
    stamp ("as of May 2021", a date in front), else its only date; never the value that is disputed.
    Raises UsageError when `metadata` has another length than `texts`.

    >>> from gossamer.insight.contradictions import find_conflicts
    >>> texts = ["As of 2019, Helix Labs has 40 staff in Pune.", "As of 2023, Helix Labs has 65 staff in Pune."]
    >>> [(s.older, s.newer, s.source) for s in find_superseded(texts, find_conflicts(texts))]
    [(0, 1, 'text')]
    """
    if metadata is not None and len(metadata) != len(texts):
        raise UsageError(
            f"metadata has {len(metadata)} entries for {len(texts)} texts. Give one mapping for each text."
        )
    found = []
    for conflict in conflicts:
        for source, left, right in _dates(texts, conflict, metadata):
            if left is None or right is None:
                continue
            if left[1] < right[0]:
                found.append(Supersession(conflict.i, conflict.j, left, right, source, conflict))
            elif right[1] < left[0]:
                found.append(Supersession(conflict.j, conflict.i, right, left, source, conflict))
            else:
                continue
            break
    return found


def _dates(
    texts: Sequence[str], conflict: Conflict, metadata: Sequence[Mapping[str, Any]] | None
) -> list[tuple[str, Interval | None, Interval | None]]:
    sources: list[tuple[str, Interval | None, Interval | None]] = []
    if metadata is not None:
        sources.append(("metadata", metadata_date(metadata[conflict.i]), metadata_date(metadata[conflict.j])))
    left, right = text_date(texts[conflict.i], conflict.left), text_date(texts[conflict.j], conflict.right)
    return [*sources, ("text", left, right)]


def text_date(text: str, disputed: str = "") -> Interval | None:
    """The date that a text bears: its stamp, else its only date; None where there is none or more than one.

    `disputed` is a value that is no date of the text.

    >>> text_date("Updated 3 March 2021. Founded in 1990."), text_date("From 1990 to 1999."), text_date("In 1990.", "1990")
    ((20210303, 20210303), None, None)
    """
    stamped: list[Interval] = []
    plain: list[Interval] = []
    for start, end, days in find_dates(text):
        if text[start:end] == disputed.strip():
            continue
        (stamped if is_stamp(text, start) else plain).append(days)
    if not stamped and (front := _front(text)) in plain and front is not None:
        return front
    chosen = set(stamped or plain)
    return chosen.pop() if len(chosen) == 1 else None


def _front(text: str) -> Interval | None:
    """The date of publication in front of a text."""
    tokens = read(text[:80])
    for place, token in enumerate(tokens[:3]):
        if token.kind == DATE and is_dateline(tokens, place):
            days: Interval = token.value  # type: ignore[assignment]
            return days
    return None


def freshest_first(scores: ArrayLike, dates: Sequence[Interval | None]) -> NDArray[np.int64]:
    """Order by score, best first; only equal scores (12 significant digits) are ordered by date, newest first.

    Passages without a date come after dated ones of the same score; then the lower number. Shape (n,).
    Raises UsageError when there is not one date (or None) for each score.

    >>> freshest_first([0.5, 0.9, 0.5], [(20190000, 20199999), None, (20230000, 20239999)]).tolist()
    [1, 2, 0]
    """
    values = np.asarray(scores, dtype=np.float64)
    if values.shape != (len(dates),):
        raise UsageError(f"There are {values.size} scores for {len(dates)} dates. Give a date or None for each score.")
    rounded = np.asarray([float(f"{value:.{_DIGITS}g}") for value in values.tolist()], dtype=np.float64)
    last = np.asarray([-1 if days is None else days[1] for days in dates], dtype=np.int64)
    return np.lexsort((np.arange(len(values)), -last, -rounded)).astype(np.int64)
