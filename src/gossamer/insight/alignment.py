"""Where two passages say the same thing with another number, date, name or with a negation.

Near-copies are aligned word by word: what one has in place of the other's words is a difference. Other passages are
compared by slots: a value and the words of its sentence around it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from gossamer.insight.facts import (
    DATE,
    END,
    NAME,
    NEGATION,
    NUMBER,
    STOP,
    WORD,
    Token,
    read,
    same_name,
    same_value,
    stem,
)

_LONGEST_BLOCK = 8
_COPY = 0.75
_SAME_TEXT = 0.85
_NEAR = 0.5
TERM = "term"
_OPPOSITES = (
    "approved rejected|accepted refused|accepted rejected|increased decreased|rose fell|rising falling|won lost|"
    "allowed forbidden|allowed prohibited|permitted prohibited|enabled disabled|true false|safe unsafe|"
    "legal illegal|guilty innocent|open closed|opened closed|"
    "possible impossible|supported unsupported|required optional|mandatory optional|before after|"
    "largest smallest|highest lowest|first last|oldest youngest|best worst|more less|above below|increase decrease|"
    "confirmed denied|present absent|alive dead|public private|active inactive|valid invalid|maximum minimum|"
    "higher lower|larger smaller|longer shorter|faster slower|always never|all none|with without|can cannot|"
    "succeeded failed|passed failed|north south|east west|northern southern|eastern western|male female|include exclude"
)
OPPOSED = frozenset(frozenset(pair.split()) for pair in _OPPOSITES.split("|"))


class Difference(NamedTuple):
    """One difference: its kind, the places in the two token rows that differ, and how sure it is (0 … 1)."""

    kind: str
    left: tuple[int, int]
    right: tuple[int, int]
    strength: float


@lru_cache(maxsize=4096)
def content(text: str) -> frozenset[str]:
    """Stems of the words, names and values of a text."""
    return frozenset(stem(token.term) for token in read(text) if token.kind not in (STOP, END))


def containment(left: str, right: str) -> float:
    """Shared content of two texts over that of the smaller.

    >>> containment("Helix Labs is in Pune.", "In Pune is Helix Labs, a company.")
    1.0
    """
    a, b = content(left), content(right)
    return len(a & b) / max(1, min(len(a), len(b)))


def aligned_differences(left: str, right: str, *, words: bool = False) -> list[Difference]:
    """Differences of two near-copies in the order of the left one; with `words` also of plain words ("term").

    The strength is the share of tokens on which the two agree, 2 · equal / (all of both); half of it where only the
    dates in front of the same text differ. Texts that agree on less than half give nothing.

    >>> [d.kind for d in aligned_differences("The lab opened in Pune in 2019.", "The lab opened in Oslo in 2019.")]
    ['name']
    """
    a, b = read(left), read(right)
    blocks = _equal_blocks([token.term for token in a], [token.term for token in b])
    agreed = 2 * sum(size for _, _, size in blocks) / max(1, len(a) + len(b))
    if agreed < _NEAR:
        return []
    found = []
    for (i, k, before), (j, m, after) in pairwise([(0, 0, 0), *blocks, (len(a), len(b), 0)]):
        one, other = (i + before, j), (k + before, m)
        if (one[0] == one[1] and other[0] == other[1]) or not _framed(before, after, agreed):
            continue
        kind = _kind(a, b, one, other, words=words)
        if kind is None or (kind == NEGATION and not _inside(left, one, before, after)):
            continue
        stamp = kind == DATE and (_dateline(a, one) or _dateline(b, other))
        if not stamp or agreed >= _SAME_TEXT:
            found.append(Difference(kind, one, other, agreed / 2 if stamp else agreed))
    return found


def _equal_blocks(a: list[str], b: list[str]) -> list[tuple[int, int, int]]:
    """Runs (place in a, place in b, length) on which both agree; equal beginnings and ends are found without a search."""
    shorter = min(len(a), len(b))
    head = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    tail = next((i for i in range(shorter - head) if a[-1 - i] != b[-1 - i]), shorter - head)
    # `autojunk` keeps words that fill a long text from being tried everywhere: without it repeats cost cubic time.
    middle = SequenceMatcher(None, a[head : len(a) - tail], b[head : len(b) - tail], autojunk=True)
    blocks = [(0, 0, head)] if head else []
    blocks += [(i + head, k + head, size) for i, k, size in middle.get_matching_blocks() if size]
    return [*blocks, (len(a) - tail, len(b) - tail, tail)] if tail else blocks


def _framed(before: int, after: int, agreed: float) -> bool:
    """Whether a block stands between enough equal tokens, on both sides or in a copy that agrees nearly everywhere."""
    if agreed >= _COPY:
        return before + after >= 2
    return min(before, after) >= 1 and before + after >= 5


def _inside(text: str, block: tuple[int, int], before: int, after: int) -> bool:
    """Whether a block of words stands within its text, or opens it with a capital: not where a text was cut."""
    return after >= 2 and (before >= 2 or (block[0] == 0 and text.lstrip()[:1].isupper()))


def _kind(
    a: Sequence[Token], b: Sequence[Token], left: tuple[int, int], right: tuple[int, int], *, words: bool
) -> str | None:
    """The kind of difference between two blocks that stand in each other's place, None where they may agree."""
    one, other = a[left[0] : left[1]], b[right[0] : right[1]]
    if _negated(one) != _negated(other) and _negated(a) != _negated(b) and max(len(one), len(other)) <= 4:
        return NEGATION
    if not one or not other or max(len(one), len(other)) > _LONGEST_BLOCK:
        return None
    for kind in (NUMBER, DATE):
        values, others = [t for t in one if t.kind == kind], [t for t in other if t.kind == kind]
        if values and others and not _values_agree(values, others, a, b):
            return kind
    names, others_names = _names(one), _names(other)
    if names and others_names and not _names_agree(names, others_names, a, b):
        return NAME
    if max(len(one), len(other)) <= 2 and any(frozenset((x.term, y.term)) in OPPOSED for x in one for y in other):
        return NEGATION
    return TERM if words and _reworded(one, other, a, b) else None


def _reworded(one: Sequence[Token], other: Sequence[Token], a: Sequence[Token], b: Sequence[Token]) -> bool:
    """Whether a few plain words of one text, all missing in the other, stand in place of others."""
    mine, theirs = {stem(t.term) for t in one if t.kind == WORD}, {stem(t.term) for t in other if t.kind == WORD}
    if not mine or not theirs or max(len(one), len(other)) > 4:
        return False
    return mine.isdisjoint(stem(t.term) for t in b) and theirs.isdisjoint(stem(t.term) for t in a)


def _dateline(tokens: Sequence[Token], block: tuple[int, int]) -> bool:
    """Whether the first date of a block only dates its text."""
    return any(is_dateline(tokens, i) for i in range(*block) if tokens[i].kind == DATE)


def is_dateline(tokens: Sequence[Token], place: int) -> bool:
    """Whether a date opens its text as the date of publication.

    >>> is_dateline(read("Feb 7, 2021 ... The game was played in Oslo."), 0)
    True
    """
    return place <= 2 and place + 1 < len(tokens) and tokens[place + 1].kind == END


def _negated(tokens: Sequence[Token]) -> int:
    return sum(token.kind == NEGATION for token in tokens) % 2


def _values_agree(one: Sequence[Token], other: Sequence[Token], a: Sequence[Token], b: Sequence[Token]) -> bool:
    """Whether each value of the shorter block stands in the other, or both only moved."""
    short, long = sorted((one, other), key=len)
    if all(any(same_value(x, y) for y in long) for x in short):
        return True
    moved = (
        Counter(t.term for t in one) - Counter(t.term for t in b),
        Counter(t.term for t in other) - Counter(t.term for t in a),
    )
    return not moved[0] and not moved[1]


def _names(tokens: Sequence[Token]) -> tuple[str, ...]:
    return tuple(token.term for token in tokens if token.kind == NAME)


def _names_agree(one: tuple[str, ...], other: tuple[str, ...], a: Sequence[Token], b: Sequence[Token]) -> bool:
    if same_name(one, other):
        return True
    in_a, in_b = {t.term for t in a}, {t.term for t in b}
    if in_b.issuperset(one) and in_a.issuperset(other):
        return True
    # Written small elsewhere: a capital at the start of a sentence, no name.
    small = {t.term for t in (*a, *b) if t.kind == WORD}
    return small.issuperset(one) or small.issuperset(other)
