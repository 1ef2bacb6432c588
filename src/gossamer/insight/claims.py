"""The claims of a passage, one a sentence, and where two claims about the same thing cannot both hold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from gossamer.insight.dates import is_stamp
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

_SHARED = 3
_AGREEMENT = 0.6
_SHORTEST = 3
_MOST = 100


class Value(NamedTuple):
    """A number, a date or a name in a text: its kind, its words, the first token and the place in the text."""

    kind: str
    words: tuple[str, ...]
    token: Token
    start: int
    end: int


class Claim(NamedTuple):
    """One sentence: what it holds beside its values, its values, whether it denies, and its place in the text."""

    words: frozenset[str]
    everything: frozenset[str]
    values: tuple[Value, ...]
    denies: bool
    start: int
    end: int


class Opposition(NamedTuple):
    """Two claims of two texts that oppose each other in one value each, or where one denies the other."""

    kind: str
    left: tuple[int, int]
    right: tuple[int, int]
    shared: frozenset[str]
    strength: float


@lru_cache(maxsize=4096)
def claims(text: str) -> tuple[Claim, ...]:
    """The first hundred different sentences of a text with at least three content words.

    >>> [[" ".join(v.words) for v in claim.values] for claim in claims("Helix Labs is in Pune. It began in 2019.")]
    [['helix labs', 'pune']]
    """
    out: list[Claim] = []
    seen: set[tuple[frozenset[str], bool]] = set()
    row: list[Token] = []
    for token in (*read(text), None):
        if token is not None and token.kind != END:
            row.append(token)
            continue
        claim = _claim(row, text)
        if len(claim.everything) >= _SHORTEST and (claim.everything, claim.denies) not in seen:
            seen.add((claim.everything, claim.denies))
            out.append(claim)
        row = []
    return tuple(out[:_MOST])


def _claim(row: Sequence[Token], text: str) -> Claim:
    found = tuple(values(row, text))
    everything = frozenset(stem(token.term) for token in row if token.kind not in (STOP, NEGATION))
    words = frozenset(stem(token.term) for token in row if token.kind == WORD)
    # A sentence that begins small was cut: its first words may have lost what a "not" belongs to.
    first = 3 if row and text[row[0].start].islower() else 0
    denies = sum(token.kind == NEGATION for token in row[first:-1]) % 2 == 1
    return Claim(words, everything, found, denies, row[0].start if row else 0, row[-1].end if row else 0)


def values(row: Sequence[Token], text: str) -> list[Value]:
    """Numbers, dates and names of a row of tokens; capitalised words with nothing between them are one name."""
    out: list[Value] = []
    for token in row:
        if token.kind == NAME and out and out[-1].kind == NAME and text[out[-1].end : token.start].strip() in ("", "."):
            last = out[-1]
            out[-1] = last._replace(words=(*last.words, token.term), end=token.end)
        elif token.kind in (NUMBER, DATE, NAME):
            out.append(Value(token.kind, (token.term,), token, token.start, token.end))
    return out


def agree(left: Value, right: Value) -> bool:
    """Whether two values of one kind can stand for the same."""
    return same_name(left.words, right.words) if left.kind == NAME else same_value(left.token, right.token)


def opposed_claims(left: str, right: str) -> list[Opposition]:
    """Claims of two texts about the same thing that cannot both hold.

    Two claims are about the same thing when they share three content stems, one of them of a name, and the stems that
    are no value of their own overlap by 60 % of the smaller claim. They oppose each other where each has exactly one
    value of a kind that the other text lacks, and no other kind of value tells them apart; or where one denies.

    >>> [o.kind for o in opposed_claims("Helix Labs has its head office in Pune.", "The head office of Helix Labs is in Oslo.")]
    ['name']
    """
    out = []
    for one in claims(left):
        for other in claims(right):
            shared = one.everything & other.everything
            if len(shared) >= _SHARED and (found := _oppose(one, other, shared, left, right)):
                out.append(found)
    return out


def _oppose(one: Claim, other: Claim, shared: frozenset[str], left: str, right: str) -> Opposition | None:
    if len(shared) < _AGREEMENT * (len(shared) + len(one.words ^ other.words)):
        return None
    names = {stem(word) for value in one.values if value.kind == NAME for word in value.words}
    if names.isdisjoint(shared):
        return None
    lone = _missing(one.values, right), _missing(other.values, left)
    own = {stem(word) for side in lone for value in side for word in value.words}
    lone = _undated(lone[0], left), _undated(lone[1], right)
    rest = one.everything - own, other.everything - own
    smaller = min(len(rest[0]), len(rest[1]))
    agreement = len(rest[0] & rest[1]) / max(1, len(rest[0] | rest[1]))
    if smaller < _SHARED or len(rest[0] & rest[1]) < _SHARED or agreement < _AGREEMENT:
        return None
    if not lone[0] and not lone[1]:
        if one.denies == other.denies or agreement < 0.75:
            return None
        return Opposition(NEGATION, (one.start, one.end), (other.start, other.end), shared, agreement)
    if one.denies != other.denies or len(lone[0]) != 1 or len(lone[1]) != 1 or lone[0][0].kind != lone[1][0].kind:
        return None
    a, b = lone[0][0], lone[1][0]
    return Opposition(a.kind, (a.start, a.end), (b.start, b.end), shared, agreement)


def _undated(lone: Sequence[Value], text: str) -> list[Value]:
    """Values without those that only say as of when the claim holds."""
    return [value for value in lone if value.kind != DATE or not is_stamp(text, value.start)]


def _missing(own: Sequence[Value], text: str) -> list[Value]:
    """Values that agree with no value of the other text."""
    others = all_values(text)
    said = {value.words for value in others}
    unsaid = [value for value in own if value.words not in said]
    return [value for value in unsaid if not any(value.kind == other.kind and agree(value, other) for other in others)]


@lru_cache(maxsize=4096)
def all_values(text: str) -> tuple[Value, ...]:
    """The numbers, dates and names of a text, each once, in order."""
    return tuple({(value.kind, value.words): value for value in reversed(values(read(text), text))}.values())[::-1]
