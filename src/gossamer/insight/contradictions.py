"""Passages that contradict each other: which two, in what, and the question that would settle it.

Three detectors, none of which needs a model, from sure to likely; the first that finds something speaks for its pair:

1. near-copies aligned word by word that differ in a number, a date, a name or a negation (`alignment`);
2. sentences about the same thing that oppose each other in one value (`claims`);
3. given a question, passages whose best answers to it differ (`answers`).

An entailment model, where one is given, decides about the pairs that the first two leave open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from gossamer.errors import UsageError
from gossamer.insight.alignment import TERM, Difference, aligned_differences, containment, content
from gossamer.insight.answers import answers_differ, asked
from gossamer.insight.claims import Opposition, claims, opposed_claims
from gossamer.insight.facts import DATE, NAME, NEGATION, STOP, WORD, Token, read, stem

Entailment = Callable[[list[tuple[str, str]]], list[tuple[float, float, float]]]
"""A model of natural language inference: pairs (premise, hypothesis) to (entailment, neutral, contradiction), sum 1."""

_CONTRADICTS = 0.5
_COPIES = 0.5
_SHOWN = 6
_NEAR_WORDS = 12


@dataclass(frozen=True, slots=True)
class Conflict:
    """Passages i and j oppose each other: `left` is what i says, `right` what j says, about `subject`.

    `kind` is "number", "date", "name", "negation", "term" (other words in the same place) or "entailment" (a model
    says so). `question` asks a person to settle it. `strength` in (0, 1] orders conflicts; it is not a probability.
    """

    i: int
    j: int
    kind: str
    left: str
    right: str
    subject: str
    question: str
    strength: float

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {name: getattr(self, name) for name in self.__slots__}


def find_conflicts(
    texts: Sequence[str],
    *,
    candidates: Iterable[tuple[int, int]] | None = None,
    question: str | None = None,
    answer_strength: float = 0.25,
    nli: Entailment | None = None,
) -> list[Conflict]:
    """Conflicts among texts, at most one a pair, the strongest first, then by (i, j).

    Args:
        texts: the passages.
        candidates: the pairs to compare (None: all pairs; meant for the few passages of a result).
        question: what was asked; passages that answer it differently are conflicts too.
        answer_strength: how sure both answers must be, 0 … 1; lower finds more and errs more.
        nli: an entailment model. It reads, in both directions, the pairs in which words alone show no conflict; a verdict
            of one half or more adds a conflict, a lower one takes back what rests on differing answers.

    Raises UsageError for a pair that is no two different texts and for an answer_strength outside 0 … 1.

    >>> texts = ["Helix Labs has its head office in Pune.", "The head office of Helix Labs is in Oslo.", "It rains."]
    >>> [(c.i, c.j, c.kind, c.left, c.right, c.question) for c in find_conflicts(texts)]
    [(0, 1, 'name', 'Pune', 'Oslo', 'Which is right about Helix Labs: "Pune" or "Oslo"?')]
    """
    if not 0 <= answer_strength <= 1:
        raise UsageError(f"answer_strength = {answer_strength!r} is not possible. Give a number from 0 to 1.")
    pairs = _pairs(len(texts), candidates)
    found = {pair: conflict for pair in pairs if (conflict := _sure(*pair, texts, question))}
    open_pairs = [pair for pair in pairs if pair not in found and texts[pair[0]] != texts[pair[1]]]
    likely = {pair: conflict for pair in open_pairs if (conflict := _likely(*pair, texts, question, answer_strength))}
    found |= likely if nli is None else _judge(open_pairs, likely, texts, question, nli)
    return sorted(found.values(), key=lambda conflict: (-conflict.strength, conflict.i, conflict.j))


def _pairs(n: int, candidates: Iterable[tuple[int, int]] | None) -> list[tuple[int, int]]:
    if candidates is None:
        return list(combinations(range(n), 2))
    pairs = sorted({(min(i, j), max(i, j)) for i, j in ((int(i), int(j)) for i, j in candidates)})
    for i, j in pairs:
        if i == j or i < 0 or j >= n:
            raise UsageError(f"candidates holds ({i}, {j}). Give pairs of two different texts, numbered 0 to {n - 1}.")
    return pairs


def _sure(i: int, j: int, texts: Sequence[str], question: str | None) -> Conflict | None:
    """The conflict of two texts that shows in their words alone."""
    left, right = texts[i], texts[j]
    if left == right:
        return None
    if containment(left, right) >= _COPIES:
        open_question = question is not None and not asked(question).kind
        differences = aligned_differences(left, right, words=open_question)
        if differences:
            return _of_difference(i, j, left, right, min(differences, key=_rank), question)
    if oppositions := opposed_claims(left, right):
        return _of_opposition(i, j, left, right, max(oppositions, key=lambda found: found.strength), question)
    return None


def _likely(i: int, j: int, texts: Sequence[str], question: str | None, least: float) -> Conflict | None:
    """The conflict of two texts that answer the question differently."""
    answers = None if question is None else answers_differ(texts[i], texts[j], question, least=least)
    if question is None or answers is None:
        return None
    mine, theirs = answers
    said = texts[i][mine.value.start : mine.value.end], texts[j][theirs.value.start : theirs.value.end]
    subject = question.strip().rstrip("?")
    # Words that differ in place are surer than answers: these never rank above one half of the scale.
    strength = max(1e-6, round(min(mine.strength, theirs.strength) / 2, 6))
    return Conflict(i, j, mine.value.kind, *said, subject, _ask(mine.value.kind, *said, subject, question), strength)


def _rank(difference: Difference) -> tuple[int, float]:
    """Dates come after other values, which they may only qualify, and plain words last; the first of equals wins."""
    return {DATE: 1, TERM: 2}.get(difference.kind, 0), -difference.strength


def _of_difference(i: int, j: int, left: str, right: str, found: Difference, question: str | None) -> Conflict:
    a, b = read(left), read(right)
    if found.kind == NEGATION:
        said = _around(left, a, found.left), _around(right, b, found.right)
    else:
        said = _block(left, a, found.left, found.kind), _block(right, b, found.right, found.kind)
    subject = _subject(left, a, found.left)
    around = a[max(0, found.left[0] - _NEAR_WORDS) : found.left[1] + _NEAR_WORDS]
    asks = _ask(found.kind, *said, subject, _if_about(question, {stem(token.term) for token in around}))
    return Conflict(i, j, found.kind, *said, subject, asks, round(found.strength, 6))


def _block(text: str, tokens: Sequence[Token], place: tuple[int, int], kind: str) -> str:
    """The words of a block from its first to its last token of the kind, names whole."""
    wanted = WORD if kind == TERM else kind
    inside = [n for n in range(*place) if tokens[n].kind == wanted]
    first, last = (inside[0], inside[-1]) if inside else (place[0], place[1] - 1)
    if kind == NAME:
        while (
            first > 0
            and tokens[first - 1].kind == NAME
            and not text[tokens[first - 1].end : tokens[first].start].strip()
        ):
            first -= 1
        while (
            last + 1 < len(tokens)
            and tokens[last + 1].kind == NAME
            and not text[tokens[last].end : tokens[last + 1].start].strip()
        ):
            last += 1
    return text[tokens[first].start : tokens[last].end]


def _around(text: str, tokens: Sequence[Token], place: tuple[int, int]) -> str:
    """A few words on both sides of a block."""
    first, last = max(0, place[0] - _SHOWN), min(len(tokens), place[1] + _SHOWN) - 1
    return " ".join(text[tokens[first].start : tokens[last].end].split())


def _subject(text: str, tokens: Sequence[Token], place: tuple[int, int]) -> str:
    """The name nearest to a block outside it, else the content words before it."""
    names = [n for n, token in enumerate(tokens) if token.kind == NAME and not place[0] <= n < place[1]]
    apart = [n for n in names if not _touches(text, tokens, n, place)] or names
    if apart:
        nearest = min(apart, key=lambda n: (min(abs(n - place[0]), abs(n - place[1] + 1)), n))
        return _block(text, tokens, (nearest, nearest + 1), NAME)
    words = [token for token in tokens[: place[0]] if token.kind != STOP][-3:]
    return text[words[0].start : words[-1].end] if words else ""


def _touches(text: str, tokens: Sequence[Token], n: int, place: tuple[int, int]) -> bool:
    """Whether a name is one with the block: nothing but a space or comma between."""
    low, high = (tokens[n], tokens[place[0]]) if n < place[0] else (tokens[place[1] - 1], tokens[n])
    return not text[low.end : high.start].strip(" ,")


def _of_opposition(i: int, j: int, left: str, right: str, found: Opposition, question: str | None) -> Conflict:
    said = " ".join(left[slice(*found.left)].split()), " ".join(right[slice(*found.right)].split())
    claim = next(claim for claim in claims(left) if claim.start <= found.left[0] and found.left[1] <= claim.end)
    names = [value for value in claim.values if value.kind == NAME and value.start != found.left[0]]
    subject = left[names[0].start : names[0].end] if names else " ".join(sorted(found.shared))
    asks = _ask(found.kind, *said, subject, _if_about(question, claim.everything))
    return Conflict(i, j, found.kind, *said, subject, asks, round(found.strength, 6))


def _if_about(question: str | None, words: AbstractSet[str]) -> str | None:
    """The question where it speaks of what is disputed, given by the stems around it; else None."""
    return question if question is not None and not content(question).isdisjoint(words) else None


def _ask(kind: str, left: str, right: str, subject: str, question: str | None) -> str:
    """The question for a person who can settle the conflict."""
    if question is not None and kind != NEGATION:
        return f'{question.strip()} One passage says "{left}", another "{right}".'
    if kind in (NEGATION, "entailment"):
        return f'Which of the two holds: "{left}" or "{right}"?'
    about = f" about {subject}" if subject else ""
    return f'Which is right{about}: "{left}" or "{right}"?'


def _judge(
    pairs: Sequence[tuple[int, int]],
    likely: dict[tuple[int, int], Conflict],
    texts: Sequence[str],
    question: str | None,
    nli: Entailment,
) -> dict[tuple[int, int], Conflict]:
    """The conflicts among pairs without a sure one that an entailment model confirms or adds."""
    both = [(texts[i], texts[j]) for i, j in pairs] + [(texts[j], texts[i]) for i, j in pairs]
    verdicts = nli(both) if both else []
    if len(verdicts) != len(both):
        raise UsageError(f"nli returned {len(verdicts)} verdicts for {len(both)} pairs. Return one for each pair.")
    found = {}
    for place, (i, j) in enumerate(pairs):
        opposed = max(float(verdicts[place][2]), float(verdicts[place + len(pairs)][2]))
        if opposed < _CONTRADICTS:
            continue
        said = _short(texts[i]), _short(texts[j])
        asks = _ask("entailment", *said, "", question)
        added = Conflict(i, j, "entailment", *said, "", asks, round(min(1.0, opposed), 6))
        found[i, j] = likely.get((i, j), added)
    return found


def _short(text: str, limit: int = 120) -> str:
    plain = " ".join(text.split())
    return plain if len(plain) <= limit else f"{plain[: limit - 1].rstrip()}…"
