"""Which passages name something that a question wants left out ("without X")."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ArgumentTypeError, UsageError

if TYPE_CHECKING:
    from gossamer.index.lexical import LexicalIndex
    from gossamer.index.snapshot import Snapshot

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]


def naming_passages(snapshot: Snapshot, name: str) -> BoolArray:
    """(n) passages that name `name`: its stemmed words stand side by side in text, title or headings, or the passage holds
    an entity with these words (as where only the surname is written). Raises UsageError for a name without words.
    """
    if not isinstance(name, str):
        raise ArgumentTypeError(f"without holds a {type(name).__name__}. Pass strings.")
    lexical = snapshot.lexical
    terms = lexical.words.terms(name)
    if not terms:
        raise UsageError(f"without {name!r} has no word in it. Name what to leave out.")
    mask = np.zeros(len(snapshot), dtype=bool)
    mask[_phrase(lexical, terms)] = True
    return mask | _entity(snapshot, terms)


def near_passages(vectors: NDArray[np.float32], vector: NDArray[np.float32], cosine: float) -> BoolArray:
    """(n) passages whose unit vector has at least this cosine to that of the excluded name.

    >>> near_passages(np.eye(2, dtype=np.float32), np.array([1, 0], dtype=np.float32), 0.6).tolist()
    [True, False]
    """
    return np.asarray(vectors @ vector >= cosine)


def _phrase(lexical: LexicalIndex, terms: list[str]) -> IntArray:
    """Passages with the terms one after the other; stop words count only where the name has no other words."""
    content = [term for term in terms if term not in lexical.words.stop_terms] or terms
    numbers = [lexical.number(term) for term in content]
    if None in numbers:
        return np.zeros(0, dtype=np.int64)
    wanted = np.array(numbers, dtype=np.int64)
    holders = np.arange(lexical.passages)
    for term in wanted.tolist():
        column = lexical.indices[lexical.indptr[term] : lexical.indptr[term + 1]]
        holders = np.intersect1d(holders, column)
    found = [_adjacent(lexical, holders, wanted, titles=titles) for titles in (False, True)]
    return np.union1d(found[0], found[1])


def _adjacent(lexical: LexicalIndex, passages: IntArray, wanted: IntArray, *, titles: bool) -> IntArray:
    values, offsets = (lexical.title, lexical.title_offsets) if titles else (lexical.body, lexical.body_offsets)
    starts, lengths = offsets[passages], offsets[passages + 1] - offsets[passages]
    rows = np.repeat(np.arange(len(passages)), lengths)
    places = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(starts, lengths)
    sequence = values[places]
    if not lexical.is_stop[wanted].any() and len(sequence):
        content = ~lexical.is_stop[sequence]
        sequence, rows = sequence[content], rows[content]
    last = len(wanted) - 1
    if len(sequence) <= last:
        return np.zeros(0, dtype=np.int64)
    room = len(sequence) - last
    match = rows[:room] == rows[last:]
    for step, term in enumerate(wanted.tolist()):
        match &= sequence[step : step + room] == term
    return np.unique(passages[rows[:room][match]])


def _entity(snapshot: Snapshot, terms: list[str]) -> BoolArray:
    """Passages that hold an entity of exactly these words."""
    mask = np.zeros(len(snapshot), dtype=bool)
    words, letters = snapshot.lexical.words, terms[0][:1]
    same = [
        number
        for number, entity in enumerate(snapshot.entity_names)
        if entity[:1] == letters and len(entity.split()) == len(terms) and words.terms(entity) == terms
    ]
    if same:
        entities = snapshot.matrix("entities")
        rows = np.repeat(np.arange(len(snapshot)), np.diff(entities.indptr))
        mask[rows[np.isin(entities.indices, same)]] = True
    return mask
