"""What of the gold and the answer is inside a context of so many tokens.

| name | definition |
|---|---|
| `gold@Bt` | pieces of evidence with a passage in the context of at most B tokens / pieces |
| `all@Bt` | 1 when every piece has one, else 0 |
| `answer@Bt` | wanted answers of which some spelling stands in the context's text / wanted answers |

Strings are compared after NFKC, case folding, and reducing everything but letters and digits to single spaces, on word
borders. An answer that cannot be looked for as a string (yes, no, more than `LONGEST_ANSWER` words, nothing left
after reduction) makes `answer@Bt` undefined for its question.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

LONGEST_ANSWER = 12
_NOT_STRINGS = frozenset({"yes", "no", "true", "false", "unknown"})
_BORDER = re.compile(r"[\W_]+")


def budget_metrics(
    budget: int, gold: Sequence[Sequence[str]], answers: Sequence[Sequence[str]], ids: Collection[str], text: str
) -> dict[str, float]:
    """The metrics of one context, by name.

    Args:
        budget: the token budget, for the names.
        gold: the pieces of evidence, as in `metrics`.
        answers: the wanted answers, each with its spellings.
        ids: ids of the passages in the context.
        text: the context as sent.

    >>> budget_metrics(500, [("a",), ("b",)], [("Mara Lind",)], ["a", "x"], "It was led by MARA  LIND.")
    {'gold@500t': 0.5, 'all@500t': 0.0, 'answer@500t': 1.0}
    """
    found = [any(one in ids for one in piece) for piece in gold]
    values: dict[str, float] = {}
    if found:
        values[f"gold@{budget}t"] = sum(found) / len(found)
        values[f"all@{budget}t"] = float(all(found))
    wanted = searchable(answers)
    if wanted:
        inside = f" {reduced(text)} "
        values[f"answer@{budget}t"] = sum(any(f" {spelling} " in inside for spelling in one) for one in wanted) / len(
            wanted
        )
    return values


def searchable(answers: Sequence[Sequence[str]]) -> list[list[str]]:
    """Reduced spellings per wanted answer; empty when one of the answers cannot be looked for.

    >>> searchable([("Mara Lind", "M. Lind")]), searchable([("yes",)])
    ([['mara lind', 'm lind']], [])
    """
    wanted = []
    for spellings in answers:
        forms = [reduced(spelling) for spelling in spellings]
        kept = [form for form in forms if form and form not in _NOT_STRINGS and form.count(" ") < LONGEST_ANSWER]
        if not kept:
            return []
        wanted.append(kept)
    return wanted


def reduced(text: str) -> str:
    """Lower-case words and numbers with single spaces between.

    >>> reduced("The U.S. (1994)")
    'the u s 1994'
    """
    return _BORDER.sub(" ", unicodedata.normalize("NFKC", text).casefold()).strip()
