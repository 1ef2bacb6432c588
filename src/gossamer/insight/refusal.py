"""What to say when the passages do not carry an answer: which parts of the question have no support."""

from __future__ import annotations

from collections.abc import Sequence

from gossamer.insight.confidence import Confidence
from gossamer.insight.gaps import Gap

_LEAST_COVERED = 0.5
# Four of five results of a lower probability lacked something (docs/benchmarks.md).
_LEAST_PROBABILITY = 0.2


def refusal_text(passages: int, gaps: Sequence[Gap], confidence: Confidence) -> str | None:
    """A refusal that says what is missing, or None where nothing speaks against answering.

    Given where there is no passage, where the gaps weigh more than half of the question, or where the probability
    that the passages suffice lies below 0.2.

    >>> refusal_text(3, [Gap("Mars", 0.7, False)], Confidence(0.5, 3, 1))
    'The passages do not answer this question. No passage of the index speaks of: Mars.'
    >>> refusal_text(3, [Gap("run", 0.2, True)], Confidence(0.5, 3, 1)) is None
    True
    """
    if not passages:
        return f"No passage touches this question.{_missing(gaps)}"
    doubtful = confidence.probability is not None and confidence.probability < _LEAST_PROBABILITY
    if not doubtful and sum(gap.weight for gap in gaps) <= 1.0 - _LEAST_COVERED:
        return None
    return f"The passages do not answer this question.{_missing(gaps)}"


def _missing(gaps: Sequence[Gap]) -> str:
    unknown = [gap.text for gap in gaps if not gap.known]
    elsewhere = [gap.text for gap in gaps if gap.known]
    text = f" No passage of the index speaks of: {'; '.join(unknown)}." if unknown else ""
    return text + (f" The passages found do not speak of: {'; '.join(elsewhere)}." if elsewhere else "")
