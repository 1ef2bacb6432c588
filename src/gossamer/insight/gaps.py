"""Which parts of a question no passage speaks of."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.text.words import WORD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.index.lexical import LexicalIndex


@dataclass(frozen=True, slots=True)
class Gap:
    """Neighbouring words of the question that no considered passage has.

    `weight` is their idf share of the question, where names and numbers count twice; `known` says whether some passage
    of the index has them all.
    """

    text: str
    weight: float
    known: bool


def question_gaps(lexical: LexicalIndex, question: str, passages: Sequence[int]) -> tuple[Gap, ...]:
    """The gaps of a question given the passages (chunk numbers) of an answer, the heaviest first.

    Words are compared by their stems in text, title and headings; stop words are no part of a question.

    >>> from gossamer.index.lexical import LexicalIndex
    >>> from gossamer.text.words import Words
    >>> texts = ["Helix Labs has its office in Pune.", "The canteen opens at noon."]
    >>> index = LexicalIndex.build(texts, ["", ""], Words("english"))
    >>> [gap.text for gap in question_gaps(index, "Does Helix Labs run the Pune canteen for Mars?", [0])]
    ['canteen Mars', 'run']
    """
    words = [(match.group(), _numbers(lexical, match.group())) for match in WORD.finditer(question)]
    content = [(word, numbers) for word, numbers in words if numbers]
    present = _present(lexical, passages)
    missing = [not all(number in present for number in numbers) for _, numbers in content]
    known_idf = [_idf(lexical, number) for _, numbers in content for number in numbers if number >= 0]
    # A common word that the index lacks is more often put another way ("pays", "paid") than as rare as it looks.
    most = max(known_idf, default=float("inf"))
    weights = [
        _worth(word)
        * min(max(_idf(lexical, number) for number in numbers), most if _worth(word) < 1.0 else float("inf"))
        for word, numbers in content
    ]
    total = sum(weights) or 1.0
    gaps = []
    for lacks, run in itertools.groupby(range(len(content)), key=missing.__getitem__):
        if lacks:
            places = list(run)
            known = all(number >= 0 for place in places for number in content[place][1])
            text = " ".join(content[place][0] for place in places)
            gaps.append(Gap(text, sum(weights[place] for place in places) / total, known))
    return tuple(sorted(gaps, key=lambda gap: -gap.weight))


def _numbers(lexical: LexicalIndex, word: str) -> list[int]:
    """Term numbers of a word, -1 for unknown terms; nothing for stop words."""
    terms = [term for term in lexical.words.terms(word) if term not in lexical.words.stop_terms]
    numbers = [lexical.number(term) for term in terms]
    return [-1 if number is None else number for number in numbers]


def _worth(word: str) -> float:
    """A missing name or number is a gap; a missing common word may be put another way."""
    return 1.0 if word[:1].isupper() or any(char.isdigit() for char in word) else 0.5


def _present(lexical: LexicalIndex, passages: Sequence[int]) -> set[int]:
    chosen: NDArray[np.int64] = np.asarray(passages, dtype=np.int64)
    found: set[int] = set()
    for titles in (False, True):
        found.update(lexical.sequence(chosen, titles=titles)[0].tolist())
    return found


def _idf(lexical: LexicalIndex, number: int) -> float:
    """idf of a term; an unknown one is as rare as can be."""
    return float(lexical.idf[number]) if number >= 0 else float(np.log1p((lexical.passages + 0.5) / 0.5))
