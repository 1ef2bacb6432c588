"""Near-duplicates of an index: a matrix of cosines and groups, found when the index is built so that questions pay nothing.

Two passages state the same when their cosine is at least .95 (the nearest neighbours stored by the semantic signal), or
when they have the same words in any order, and neither of these is true:

- they differ in a number, or in more than two thirds of their words (as pieces of one document with one given vector);
- one denies what the other says ("not"), or has the opposite of a word ("approved", "rejected");
- each names something of which the other has no word ("Orion began in 2019" under two titles is two claims).

Stored are the matrix `twins` and the array `duplicate_groups`: the lowest passage of each group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from gossamer.graph.spread_arrays import Matrix
from gossamer.index.snapshot import Snapshot, pack_matrix
from gossamer.insight.alignment import OPPOSED
from gossamer.insight.duplicates import DUPLICATE_COSINE, duplicate_groups, same_words
from gossamer.insight.facts import NEGATIONS

if TYPE_CHECKING:
    from gossamer.index.lexical import LexicalIndex
    from gossamer.index.store import SnapshotData

_PARTNERS = 64
_COMMON_WORDS = 1 / 3

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


def with_twins(data: SnapshotData) -> SnapshotData:
    """The content of a snapshot with its near-duplicates."""
    from gossamer.index.store import SnapshotData

    matrix = twin_matrix(Snapshot(data))
    arrays = {**data.arrays, **pack_matrix("twins", matrix), "duplicate_groups": duplicate_groups(matrix)}
    columns = {**data.info["columns"], "twins": matrix.shape[1]}
    return SnapshotData(arrays=arrays, strings=data.strings, info={**data.info, "columns": columns})


def twins_of(snapshot: Snapshot) -> Matrix:
    """The stored matrix as float64; found now where an index was built before near-duplicates were stored."""
    if "twins" not in snapshot.info["columns"]:
        return twin_matrix(snapshot)
    return csr_array(snapshot.matrix("twins").astype(np.float64))


def groups_of(snapshot: Snapshot) -> NDArray[np.int32]:
    """(n,) lowest passage of the group of each."""
    return snapshot.duplicate_groups if "twins" in snapshot.info["columns"] else duplicate_groups(twin_matrix(snapshot))


def twin_matrix(snapshot: Snapshot) -> Matrix:
    """Symmetric (n, n) matrix with the cosine of each pair of near-duplicates; 1 for equal words."""
    first, second = same_word_pairs(snapshot.lexical)
    cosine = np.ones(len(first))
    if "semantic" in snapshot.info["signals"]:
        near = snapshot.matrix("signal_semantic").tocoo()
        close = (near.data >= DUPLICATE_COSINE - 1e-6) & (near.row < near.col)
        first = np.concatenate([first, near.row[close].astype(np.int64)])
        second = np.concatenate([second, near.col[close].astype(np.int64)])
        cosine = np.concatenate([cosine, near.data[close].astype(np.float64)])
    n = len(snapshot)
    if not len(first):
        return csr_array((n, n), dtype=np.float64)
    keep = same_claim(snapshot, first, second)
    first, second, cosine = first[keep], second[keep], cosine[keep]
    _, once = np.unique(first * n + second, return_index=True)
    first, second, cosine = first[once], second[once], np.minimum(cosine[once], 1.0)
    both = (np.concatenate([first, second]), np.concatenate([second, first]))
    return csr_array((np.concatenate([cosine, cosine]), both), shape=(n, n))


def same_word_pairs(lexical: LexicalIndex) -> tuple[IntArray, IntArray]:
    """Pairs of passages, lower number first, with the same words in any order.

    A passage is paired with the 64 before it in its group, so that n equal passages give 64·n pairs and not n².
    """
    group = same_words(lexical.body, lexical.body_offsets, skip=lexical.is_stop)
    order = np.argsort(group, kind="stable")
    first, second = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for step in range(1, min(_PARTNERS, len(order) - 1) + 1):
        alike = np.flatnonzero(group[order[:-step]] == group[order[step:]])
        if not len(alike):
            break
        first.append(order[alike])
        second.append(order[alike + step])
    return np.concatenate(first), np.concatenate(second)


def same_claim(snapshot: Snapshot, first: IntArray, second: IntArray) -> NDArray[np.bool_]:
    """Which pairs agree in numbers, denials and words and do not each name something that the other lacks."""
    passages, place = np.unique(np.concatenate([first, second]), return_inverse=True)
    a, b = place[: len(first)], place[len(first) :]
    lexical = snapshot.lexical
    body = _presence(lexical, passages, titles=False)
    words = _binary(body + _presence(lexical, passages, titles=True))
    named = _names(snapshot, passages, words)
    numbers = np.zeros(body.shape[1])
    used = np.unique(body.indices).tolist()
    numbers[[term for term in used if any(char.isdigit() for char in lexical.vocabulary[term])]] = 1.0
    common = body[a].multiply(body[b])
    shared, own = _sums(common), _sums(body)
    shared_numbers, own_numbers = np.asarray(common @ numbers), np.asarray(body @ numbers)
    alike = shared >= _COMMON_WORDS * (own[a] + own[b] - shared)
    alike &= (shared_numbers == own_numbers[a]) & (shared_numbers == own_numbers[b])
    alike &= ~_opposed(lexical, passages, body, a, b)
    mine = _sums(named)[a] - _sums(named[a].multiply(words[b]))
    theirs = _sums(named)[b] - _sums(named[b].multiply(words[a]))
    return np.asarray(alike & ~((mine > 0) & (theirs > 0)))


def _opposed(lexical: LexicalIndex, passages: IntArray, body: Matrix, a: IntArray, b: IntArray) -> NDArray[np.bool_]:
    """Which pairs (a, b) of rows differ in the number of their "not"s, or hold the two sides of an opposite."""
    denials = np.zeros(len(lexical.vocabulary), dtype=np.int64)
    denials[[number for word in NEGATIONS if (number := lexical.number(lexical.words.terms(word)[-1])) is not None]] = 1
    total = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(denials[lexical.body])))
    count = total[lexical.body_offsets[passages + 1]] - total[lexical.body_offsets[passages]]
    found = np.asarray(count[a] != count[b])
    row = np.repeat(np.arange(body.shape[0]), np.diff(body.indptr))
    for pair in sorted(map(sorted, OPPOSED)):
        sides = [lexical.number(lexical.words.terms(word)[0]) for word in pair]
        if sides[0] is None or sides[1] is None or sides[0] == sides[1]:
            continue
        holds = [np.bincount(row[body.indices == side], minlength=body.shape[0]) > 0 for side in sides]
        one, other = holds[0] & ~holds[1], holds[1] & ~holds[0]
        found |= (one[a] & other[b]) | (other[a] & one[b])
    return found


def _presence(lexical: LexicalIndex, passages: IntArray, *, titles: bool) -> Matrix:
    """Passages × vocabulary: 1 where the passage has the content term."""
    terms, rows = lexical.sequence(passages, titles=titles)
    shape = (len(passages), max(len(lexical.vocabulary), 1))
    return _binary(csr_array((np.ones(len(terms)), (rows, terms)), shape=shape))


def _names(snapshot: Snapshot, passages: IntArray, words: Matrix) -> Matrix:
    """Passages × vocabulary: 1 for the words of names that the passage has."""
    held = snapshot.matrix("entities")[passages]
    lexical = snapshot.lexical
    distinct = np.unique(held.indices)
    rows, columns = [], []
    for entity in distinct.tolist():
        found = [lexical.number(term) for term in lexical.words.terms(snapshot.entity_names[entity])]
        terms = [number for number in found if number is not None and not lexical.is_stop[number]]
        rows += [entity] * len(terms)
        columns += terms
    spelled = csr_array((np.ones(len(rows)), (rows, columns)), shape=(held.shape[1], words.shape[1]))
    return _binary(csr_array(held.astype(np.float64) @ spelled).multiply(words))


def _binary(matrix: Matrix) -> Matrix:
    result = csr_array(matrix)
    result.sum_duplicates()
    result.data = np.ones(len(result.data))
    return result


def _sums(matrix: Matrix) -> FloatArray:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()
