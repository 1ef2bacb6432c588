"""How sure a result can be: the raw measures of a spreading run, and the estimated probability that a set suffices.

The probability comes from what a search has at hand anyway, by logistic regression with weights that
`benchmarks/fit_confidence.py` fitted on questions with and without evidence in the index:

    p = 1 / (1 + exp(−(b + Σ w · x)))        x: coverage, head, peak, focus

All weights are ≥ 0, so more evidence never lowers it. Over data sets that it never saw it is calibrated on average; on a
single corpus its level can be off (harder or easier questions), so a threshold needs a look at one's own. It cannot see
a question whose words all fit and whose premise is false.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.text.words import WORD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gossamer.index.lexical import LexicalIndex

FloatArray = NDArray[np.float64]

_LOOKED_AT = 40
_HEAD = 3
_MASSES = 5


@dataclass(frozen=True, slots=True)
class Confidence:
    """The raw triple of a run and, where a calibration exists, the probability that its context is sufficient.

    `energy` is the largest energy of a passage as a share of the injected energy, `nodes` the number of passages
    reached, `depth` the largest hop.
    """

    energy: float
    nodes: int
    depth: int
    probability: float | None = None

    @property
    def raw(self) -> tuple[float, int, int]:
        """(energy, nodes, depth)."""
        return self.energy, self.nodes, self.depth

    def __str__(self) -> str:
        known = f"{self.probability:.2f}" if self.probability is not None else "not calibrated"
        return f"{known} (energy {self.energy:.3f}, nodes {self.nodes}, depth {self.depth})"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What speaks for a set of passages, each in 0…1 but `peak`. Shares of the question are by idf, and a word that no
    passage of the index has is as rare as can be.

    `coverage`: share of the question's words in the set; `head`: in its three most relevant passages; `peak`:
    log(1 + z of the best relevance, over the corpus); `focus`: share of the graph's mass in its five heaviest passages.
    """

    coverage: float
    head: float
    peak: float
    focus: float


WEIGHTS = Evidence(coverage=2.251, head=1.269, peak=1.270, focus=1.507)
INTERCEPT = -7.707


def sufficiency(evidence: Evidence) -> float:
    """Probability that the passages hold all that the question needs.

    >>> little, much = Evidence(0.3, 0.2, 1.5, 0.2), Evidence(1.0, 1.0, 3.0, 0.9)
    >>> sufficiency(little) < 0.2 < 0.7 < sufficiency(much)
    True
    """
    logit = INTERCEPT + sum(getattr(WEIGHTS, name) * getattr(evidence, name) for name in Evidence.__slots__)
    return 1.0 / (1.0 + math.exp(-min(max(logit, -50.0), 50.0)))


def gather_evidence(
    lexical: LexicalIndex, question: str, chosen: Sequence[int], *, relevance: FloatArray, mass: FloatArray
) -> Evidence:
    """The evidence of a set of one or more passages (chunk numbers); the 40 most relevant of them are looked at.

    Args:
        relevance, mass: (n,) what the channels together and the graph say of all n chunks.

    >>> from gossamer.index.lexical import LexicalIndex
    >>> from gossamer.text.words import Words
    >>> texts = ["Helix Labs has its office in Pune.", "The canteen opens at noon."]
    >>> index = LexicalIndex.build(texts, ["", ""], Words("english"))
    >>> taken = dict(relevance=np.array([2.0, 0.0]), mass=np.array([1.0, 0.0]))
    >>> known = gather_evidence(index, "Where is the office of Helix Labs?", [0], **taken)
    >>> unknown = gather_evidence(index, "Where is the office of Acme Mining?", [0], **taken)
    >>> known.coverage, unknown.coverage < 0.3
    (1.0, True)
    """
    members = np.asarray(chosen, dtype=np.int64)
    members = members[np.argsort(-relevance[members], kind="stable")][:_LOOKED_AT]
    terms, weights = _question_words(lexical, question)
    shares = weights / max(float(weights.sum()), 1e-12)
    has = _holds(lexical, terms, members)
    return Evidence(_share(shares, has), _share(shares, has[:_HEAD]), _peak(relevance), _focus(mass))


def _question_words(lexical: LexicalIndex, question: str) -> tuple[NDArray[np.int64], FloatArray]:
    """Distinct content terms of a question: numbers (-1 for unknown ones) and idf."""
    words = [term for match in WORD.finditer(question) for term in lexical.words.terms(match.group())]
    terms = list(dict.fromkeys(term for term in words if term not in lexical.words.stop_terms))
    numbers = [lexical.number(term) for term in terms]
    rarest = math.log1p((lexical.passages + 0.5) / 0.5)
    weights = [rarest if number is None else float(lexical.idf[number]) for number in numbers]
    found = np.asarray([-1 if number is None else number for number in numbers], dtype=np.int64)
    return found, np.asarray(weights, dtype=np.float64)


def _holds(lexical: LexicalIndex, terms: NDArray[np.int64], passages: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(passages, terms) whether title or text has the term."""
    has = np.zeros((len(passages), len(terms)), dtype=bool)
    order = np.argsort(terms, kind="stable")
    ordered = terms[order]
    for titles in (False, True):
        values, rows = lexical.sequence(passages, titles=titles)
        if len(values) and len(terms):
            place = np.minimum(np.searchsorted(ordered, values), len(terms) - 1)
            hit = ordered[place] == values
            has[rows[hit], order[place[hit]]] = True
    return has


def _share(shares: FloatArray, has: NDArray[np.bool_]) -> float:
    return min(float(shares @ has.max(axis=0, initial=False)), 1.0)


def _peak(relevance: FloatArray) -> float:
    spread = float(relevance.std())
    return math.log1p((float(relevance.max()) - float(relevance.mean())) / spread) if spread > 1e-12 else 0.0


def _focus(mass: FloatArray) -> float:
    held = mass[mass > 0]
    if len(held) <= _MASSES:
        return float(len(held) > 0)
    return float(np.partition(held, len(held) - _MASSES)[-_MASSES:].sum() / held.sum())
