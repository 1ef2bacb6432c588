"""What each passage would answer to a question, without a model: the value of the asked type next to the asked words.

    score(v) = 2 · max over predicate words p of near(v, p) + mean over subject words s of near(v, s)
    near(v, w) = 1 / (1 + d / 4), d the distance in tokens to the nearest w of the passage, 0 without one

Predicate words are the question's small-written words with a few words that go with them ("born": "birth"); subject words
its names. Where a question asks for a sort of thing ("What sport …") the answer is the commonest thing of that list (`kinds`).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from gossamer.insight.alignment import TERM, is_dateline
from gossamer.insight.claims import Value, agree, all_values, values
from gossamer.insight.facts import DATE, END, NAME, NEGATION, NUMBER, STOP, WORD, Token, read, stem
from gossamer.insight.kinds import asked_sort, sorts_in

_REACH = 4.0
_BARS = {DATE: 0.5, NUMBER: 0.9, NAME: 1.3}
"""Score at which an answer of each kind has a strength of one half; set so that the kinds err about equally often."""
_BESIDE = 0.49
"""Factor on the strength of a passage that lacks most names of the question: it never reaches one half."""
_COVERED = 0.5
_LONGEST = 4
_CALENDAR = (
    "monday tuesday wednesday thursday friday saturday sunday january february march april june july august september "
    "october november december"
)
_DAYS = frozenset(_CALENDAR.split())

_ASKS = (
    (DATE, r"\bwhen\b|\b(what|which) (year|date|day|month|decade|century)\b|\byear\b|\bsince when\b"),
    (
        NUMBER,
        r"\bhow (many|much|long|tall|old|far|large|big|high|deep|fast|heavy|wide)\b|\b(population|length|height|area|number|"
        r"capacity|distance|age|elevation|cost|price|size|weight|speed|rate|percentage|budget|limit|maximum|minimum)\b",
    ),
    (
        NAME,
        r"\b(who|whom|whose|where)\b|\b(city|country|state|county|town|village|location|place|director|artist|author|singer|writer|"
        r"composer|producer|band|company|team|club|party|university|district|region|province|network|label|name|language|"
        r"nationality|owner|founder|president|capital|headquarters)\b",
    ),
)
_COMPANIONS = {
    stem(word): tuple(stem(other) for other in others.split())
    for word, others in {
        "born": "birth births b née",
        "birth": "born",
        "died": "death d deaths",
        "established": "founded formed created opened began",
        "founded": "established formed created",
        "built": "constructed erected completed build construction",
        "constructed": "built erected completed",
        "released": "release published issued launched premiered",
        "artist": "album song single recorded performed singer band",
        "singer": "song sung recorded",
        "director": "directed film",
        "author": "written novel book wrote",
        "population": "people residents inhabitants census",
        "length": "long km miles kilometres kilometers",
        "located": "situated lies based headquartered",
        "location": "located held place stadium city",
        "won": "winner wins defeated beat champion title victory",
        "acquired": "bought purchase purchased acquisition acquires",
        "cost": "paid price worth",
        "hosted": "host held hosts",
    }.items()
}


class Answer(NamedTuple):
    """The best value of one passage and how near it stands to what was asked, 0 … 1."""

    value: Value
    strength: float


class Asked(NamedTuple):
    """What a question asks for: the kind of value ("" for none), predicate and subject stems, and years and numbers."""

    kind: str
    predicate: frozenset[str]
    subject: frozenset[str]
    given: tuple[Value, ...]


@lru_cache(maxsize=256)
def asked(question: str) -> Asked:
    """Read a question.

    >>> asked("When was Helix Labs founded?").kind, asked("Who leads it?").kind, asked("What is it?").kind
    ('date', 'name', '')
    """
    tokens = [token for token in read(question) if token.kind not in (END, NEGATION)]
    plain = " ".join(token.term for token in tokens)
    kind = next((name for name, pattern in _ASKS if re.search(pattern, plain)), "")
    predicate = {stem(token.term) for token in tokens if token.kind == WORD}
    predicate |= {other for word in predicate for other in _COMPANIONS.get(word, ())}
    subject = {stem(token.term) for token in tokens if token.kind not in (WORD, STOP)}
    given = tuple(value for value in all_values(question) if value.kind != NAME)
    return Asked(kind, frozenset(predicate), frozenset(subject), given)


@lru_cache(maxsize=4096)
def best_answer(text: str, question: str) -> Answer | None:
    """The best answer of a passage, None where it holds no value of the asked kind.

        strength = min(1, score / (2 · bar of the kind)), times .49 where most names of the question are missing

    A passage that lacks a year or number of the question speaks of something else and has no answer.

    >>> best_answer("Helix Labs was founded in 2019 and moved in 2021.", "When was Helix Labs founded?").value.words
    ('20190000',)
    """
    wanted = asked(question)
    if not wanted.kind:
        return None
    tokens = read(text)
    places: dict[str, list[int]] = defaultdict(list)
    for place, token in enumerate(tokens):
        places[stem(token.term)].append(place)
    if not _holds(wanted.given, text):
        return None
    covered = sum(word in places for word in wanted.subject) >= _COVERED * len(wanted.subject)
    starts = [token.start for token in tokens]
    known = wanted.predicate | wanted.subject
    best: Answer | None = None
    for value in values(tokens, text):
        if (
            value.kind != wanted.kind
            or not known.isdisjoint(stem(word) for word in value.words)
            or _doubtful(value, tokens, starts)
        ):
            continue
        first = bisect_left(starts, value.start)
        score = _score(first, first + len(value.words) - 1, places, wanted)
        strength = min(1.0, score / (2 * _BARS[wanted.kind])) * (1.0 if covered else _BESIDE)
        if best is None or strength > best.strength:
            best = Answer(value, strength)
    return best


def _holds(given: Sequence[Value], text: str) -> bool:
    """Whether a text agrees with the years and numbers that the question names."""
    found = all_values(text)
    return all(any(value.kind == other.kind and agree(value, other) for other in found) for value in given)


def _doubtful(value: Value, tokens: Sequence[Token], starts: Sequence[int]) -> bool:
    """Whether a number only counts a place, a date only dates the passage, or a name is a day or opens a sentence."""
    if value.kind == NUMBER:
        return value.token.term.endswith("th")
    first = bisect_left(starts, value.start)
    if value.kind == DATE:
        return is_dateline(tokens, first)
    if len(value.words) > 1:
        return len(value.words) > _LONGEST
    return value.words[0] in _DAYS or len(value.words[0]) == 1 or first == 0 or tokens[first - 1].kind == END


def _score(first: int, last: int, places: dict[str, list[int]], wanted: Asked) -> float:
    predicate = max((_near(first, last, places[word]) for word in wanted.predicate if word in places), default=0.0)
    subject = sum(_near(first, last, places[word]) for word in wanted.subject if word in places)
    return 2 * predicate + subject / max(1, len(wanted.subject))


def _near(first: int, last: int, places: Sequence[int]) -> float:
    distance = min(max(first - place, place - last, 1) for place in places)
    return 1 / (1 + distance / _REACH)


def answers_differ(left: str, right: str, question: str, *, least: float = 0.25) -> tuple[Answer, Answer] | None:
    """The answers of two passages where each has one and the other passage holds nothing that agrees with it.

    Both answers must have a strength of at least `least`.

    >>> texts = "The leader of Helix today is Ann Rao.", "The leader of Helix is Bo Lind."
    >>> [answer.value.words for answer in answers_differ(*texts, "Who is the leader of Helix?")]
    [('ann', 'rao'), ('bo', 'lind')]
    """
    sort = None if asked(question).kind else asked_sort(question)
    if sort is None:
        mine, theirs = best_answer(left, question), best_answer(right, question)
    else:
        mine, theirs = _best_sort(left, question, sort), _best_sort(right, question, sort)
    if mine is None or theirs is None or min(mine.strength, theirs.strength) < least:
        return None
    if sort is None:
        agreed = _said(mine.value, right) or _said(theirs.value, left)
    else:
        agreed = mine.value.words[0] in sorts_in(right, sort) or theirs.value.words[0] in sorts_in(left, sort)
    return None if agreed else (mine, theirs)


def _best_sort(text: str, question: str, sort: int) -> Answer | None:
    """The thing of a list that a passage names most often; half as sure as its share of the names of the question."""
    found = sorts_in(text, sort)
    if not found:
        return None
    name, (_, start, end) = next(iter(found.items()))
    subject = asked(question).subject
    held = {stem(token.term) for token in read(text)}
    strength = 0.5 * len(subject & held) / max(1, len(subject))
    return Answer(Value(TERM, (name,), Token(name, WORD, None, start, end), start, end), strength)


def _said(value: Value, text: str) -> bool:
    return any(other.kind == value.kind and agree(value, other) for other in all_values(text))
