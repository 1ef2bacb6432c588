"""What the words of a question find in a pool of candidates: coverage, naming, and links that the question leaves out.

Everything here looks at the pool only (some 50 passages), as dense tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from gossamer.index.lexical import LexicalIndex
from gossamer.text.names import name_words

if TYPE_CHECKING:
    from scipy.sparse import csr_array

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class QuestionTable:
    """How a pool of p passages answers to the u units (terms and word pairs) of a question.

    `units` names them; `weights` (u,) sum to 1 over the units that some passage has; `covered` (p, u) is 1 where a
    passage's title has the unit, `body_share` where only its text has it.
    """

    units: tuple[str, ...]
    weights: FloatArray
    covered: FloatArray


def question_table(
    index: LexicalIndex, question: str, pool: IntArray, *, body_share: float = 0.7, pair_weight: float = 0.5
) -> QuestionTable:
    """Terms and word pairs of the question against the passages of the pool.

    A term weighs its idf; a pair of words that stand together in the question and in some passage weighs
    `pair_weight` times the sum of theirs. Units that no passage of the pool has are left out.
    """
    numbers = index.question_terms(question)
    terms = np.unique(numbers[numbers >= 0])
    pairs = _pairs_of(numbers)
    covered = np.zeros((len(pool), len(terms) + len(pairs)))
    for titles, share in ((False, body_share), (True, 1.0)):
        values, rows = index.sequence(pool, titles=titles)
        _mark_terms(covered, values, rows, terms, share)
        _mark_pairs(covered[:, len(terms) :], values, rows, pairs, share)
    idf = index.idf.astype(np.float64)
    weights = np.concatenate([idf[terms], pair_weight * idf[pairs].sum(axis=1)])
    alive = np.flatnonzero(covered.max(axis=0, initial=0.0) > 0)
    names = [index.vocabulary[t] for t in terms] + [" ".join(index.vocabulary[t] for t in pair) for pair in pairs]
    total = float(weights[alive].sum())
    shares = weights[alive] / total if total > 0 else weights[alive]
    return QuestionTable(tuple(names[i] for i in alive.tolist()), shares, covered[:, alive])


def _pairs_of(numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    pairs = np.stack([numbers[:-1], numbers[1:]], axis=1) if len(numbers) > 1 else np.zeros((0, 2), np.int32)
    return np.unique(pairs[(pairs >= 0).all(axis=1)], axis=0).astype(np.int32)


def _mark_terms(
    covered: FloatArray, values: npt.NDArray[np.int32], rows: IntArray, terms: npt.NDArray[np.int32], share: float
) -> None:
    if not len(terms) or not len(values):
        return
    place = np.minimum(np.searchsorted(terms, values), len(terms) - 1)
    hit = terms[place] == values
    covered[rows[hit], place[hit]] = share


def _mark_pairs(
    covered: FloatArray, values: npt.NDArray[np.int32], rows: IntArray, pairs: npt.NDArray[np.int32], share: float
) -> None:
    for column, (first, second) in enumerate(pairs.tolist()):
        at = np.flatnonzero((values[:-1] == first) & (values[1:] == second) & (rows[:-1] == rows[1:]))
        covered[rows[at], column] = share


def naming(index: LexicalIndex, question: str, pool: IntArray) -> tuple[FloatArray, FloatArray]:
    """Who names whom: (p, p) share of the title words of passage i that the text of passage j has, and (p,) share of
    the title words of i that the question has; 0 for passages without a title. The diagonal is 0.
    """
    p = len(pool)
    title_terms, title_rows = index.sequence(pool, titles=True)
    body_terms, body_rows = index.sequence(pool)
    keys = np.unique(title_rows.astype(np.int64) * len(index.vocabulary) + title_terms)
    rows, terms = keys // max(len(index.vocabulary), 1), keys % max(len(index.vocabulary), 1)
    distinct = np.unique(terms)
    has = np.zeros((p, len(distinct)))
    _mark_terms(has, body_terms, body_rows, distinct.astype(np.int32), 1.0)
    _mark_terms(has, title_terms, title_rows, distinct.astype(np.int32), 1.0)
    bears = np.zeros((p, len(distinct)))
    bears[rows, np.searchsorted(distinct, terms)] = 1.0
    count = np.maximum(bears.sum(axis=1), 1.0)
    by_passage = (bears @ has.T) / count[:, None]
    np.fill_diagonal(by_passage, 0.0)
    asked = np.isin(distinct, index.question_terms(question)).astype(np.float64)
    return by_passage, (bears @ asked) / count


def links(weights: FloatArray, *, half: float = 0.3) -> FloatArray:
    """Edge weights as strengths in 0…1: w / (w + half).

    >>> links(np.array([0.0, 0.3])).tolist()
    [0.0, 0.5]
    """
    return weights / (weights + half)


def new_link_weights(
    entities: csr_array, names: Sequence[str], df: npt.NDArray[Any], question: str, pool: IntArray, *, max_df: int = 50
) -> FloatArray:
    """(p, p) weights Σ 1/df over shared entities that the question does not name: a bridge is a name it leaves out."""
    from gossamer.retrieval.candidates import rows_of

    place, held, _ = rows_of(entities, pool)
    usable = (df[held] >= 2) & (df[held] <= max_df)
    place, held = place[usable], held[usable]
    distinct, column = np.unique(held, return_inverse=True)
    asked = set(name_words(question))
    fresh = np.array([not asked.issuperset(names[e].casefold().split(" ")) for e in distinct.tolist()], dtype=bool)
    table = np.zeros((len(pool), len(distinct)))
    table[place, column] = 1.0
    table = table[:, fresh]
    shared = (table / df[distinct[fresh]]) @ table.T
    np.fill_diagonal(shared, 0.0)
    return np.asarray(shared, dtype=np.float64)
