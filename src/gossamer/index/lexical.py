"""The lexical index: every passage as a sequence of term numbers, and BM25 over them.

    bm25(c, q) = Σ_t idf(t) · tf / (tf + k1 · (1 − b + b · len(c) / mean len))
    idf(t) = ln(1 + (N − df + ½) / (df + ½))

Scores are built by bm25s (Lucene's variant) from our own term numbers. The sequences stay, because coverage and
naming look at the words of the few candidates of a question.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from gossamer.text.words import Words

IntArray = npt.NDArray[np.int32] | npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float32]

_K1 = 1.5
_B = 0.75
_ARRAYS = ("body", "body_offsets", "title", "title_offsets", "data", "indices", "indptr")


class LexicalIndex:
    """Term sequences of bodies and titles with their BM25 scores; immutable, and every array may be memory-mapped.

    Args:
        vocabulary: all terms, sorted; a term's number is its place.
        arrays: `body` and `title` (int32 term numbers, passage after passage) with `body_offsets` and `title_offsets`
            (int64, n + 1), and the BM25 scores as columns per term: `data` (float32), `indices` (int32 passages),
            `indptr` (int64, vocabulary + 1).
        words: the tokeniser that cut the texts; questions must pass through the same.

    >>> index = LexicalIndex.build(["Helix Labs has its office in Pune.", "It began."], ["Helix", ""], Words("english"))
    >>> scores = index.scores("Where is Pune?")
    >>> int(scores.argmax()), float(scores[1])
    (0, 0.0)
    >>> index.scores("unheard of").tolist()
    [0.0, 0.0]
    """

    def __init__(self, vocabulary: Sequence[str], arrays: Mapping[str, npt.NDArray[Any]], *, words: Words) -> None:
        self.vocabulary = vocabulary
        self.words = words
        self.body, self.body_offsets = arrays["body"], arrays["body_offsets"]
        self.title, self.title_offsets = arrays["title"], arrays["title_offsets"]
        self.data, self.indices, self.indptr = arrays["data"], arrays["indices"], arrays["indptr"]
        self.passages = len(self.body_offsets) - 1
        self._numbers: dict[str, int | None] = {}
        df = np.diff(self.indptr).astype(np.float32)
        self.idf: FloatArray = np.log1p((self.passages - df + 0.5) / (df + 0.5)).astype(np.float32)
        stops = [number for term in words.stop_terms if (number := self.number(term)) is not None]
        self.is_stop: npt.NDArray[np.bool_] = np.zeros(len(vocabulary), dtype=bool)
        self.is_stop[stops] = True

    @classmethod
    def build(cls, texts: Sequence[str], titles: Sequence[str], words: Words) -> LexicalIndex:
        """Index passages; `titles[i]` is the title of passage i (document title, headings), "" where there is none."""
        return cls.from_terms([words.terms(text) for text in texts], [words.terms(title) for title in titles], words)

    @classmethod
    def from_terms(
        cls, body_terms: Sequence[Sequence[str]], title_terms: Sequence[Sequence[str]], words: Words
    ) -> LexicalIndex:
        """Index passages whose terms are known: `words.terms` of each text and of each title."""
        vocabulary = sorted({term for terms in chain(body_terms, title_terms) for term in terms})
        numbers = {term: number for number, term in enumerate(vocabulary)}
        body, body_offsets = _sequences(body_terms, numbers)
        title, title_offsets = _sequences(title_terms, numbers)
        data, indices, indptr = _bm25(body, body_offsets, title, title_offsets, terms=len(vocabulary))
        arrays: dict[str, npt.NDArray[Any]] = dict(
            zip(_ARRAYS, (body, body_offsets, title, title_offsets, data, indices, indptr), strict=True)
        )
        return cls(vocabulary, arrays, words=words)

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        """The arrays to save beside `vocabulary` and `words.language`."""
        return {name: getattr(self, name) for name in _ARRAYS}

    @classmethod
    def from_arrays(
        cls, vocabulary: Sequence[str], arrays: Mapping[str, npt.NDArray[Any]], words: Words
    ) -> LexicalIndex:
        """The index that `to_arrays` took apart."""
        return cls(vocabulary, arrays, words=words)

    def number(self, term: str) -> int | None:
        """Number of a term, None where no passage has it."""
        if term not in self._numbers:
            place = bisect_left(self.vocabulary, term)
            known = place < len(self.vocabulary) and self.vocabulary[place] == term
            self._numbers[term] = place if known else None
        return self._numbers[term]

    def question_terms(self, question: str) -> npt.NDArray[np.int32]:
        """Numbers of the question's content terms in order, repeats kept; unknown terms become -1."""
        numbers = [self.number(term) for term in self.words.content_terms(question)]
        return np.asarray([-1 if number is None else number for number in numbers], dtype=np.int32)

    def scores(self, question: str) -> FloatArray:
        """BM25 of every passage, float32 (n,); 0 where a passage holds no word of the question: no hit."""
        return self.scores_of(np.unique(self.question_terms(question)))

    def scores_of(self, terms: npt.NDArray[np.int32], weights: FloatArray | None = None) -> FloatArray:
        """BM25 of every passage for given term numbers, each counted by its weight; negative numbers are skipped."""
        out = np.zeros(self.passages, dtype=np.float32)
        for place, term in enumerate(terms.tolist()):
            if term >= 0:
                column = slice(self.indptr[term], self.indptr[term + 1])
                out[self.indices[column]] += self.data[column] * (1.0 if weights is None else weights[place])
        return out

    def sequence(
        self, passages: IntArray, *, titles: bool = False
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
        """Term numbers of some passages without stop words, one after the other, and the row each belongs to."""
        values, offsets = (self.title, self.title_offsets) if titles else (self.body, self.body_offsets)
        starts, lengths = offsets[passages], offsets[passages + 1] - offsets[passages]
        rows = np.repeat(np.arange(len(passages)), lengths)
        places = np.arange(len(rows)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(starts, lengths)
        terms = values[places]
        keep = ~self.is_stop[terms] if len(terms) else np.zeros(0, dtype=bool)
        return terms[keep], rows[keep]


def top(scores: FloatArray, k: int) -> npt.NDArray[np.int64]:
    """The k best passages with a score above 0, best first, ties by number.

    >>> top(np.array([0.0, 2.0, 3.0, 2.0], dtype=np.float32), 9).tolist()
    [2, 1, 3]
    """
    hits = np.flatnonzero(scores > 0)
    if 0 < k < len(hits):
        bar = np.partition(scores[hits], len(hits) - k)[len(hits) - k]
        hits = hits[scores[hits] >= bar]
    order = np.argsort(-scores[hits], kind="stable")[: max(k, 0)]
    return hits[order].astype(np.int64)


def _sequences(
    texts: Sequence[Sequence[str]], numbers: Mapping[str, int]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    offsets = np.zeros(len(texts) + 1, dtype=np.int64)
    np.cumsum([len(terms) for terms in texts], out=offsets[1:])
    flat = np.fromiter((numbers[term] for terms in texts for term in terms), dtype=np.int32, count=int(offsets[-1]))
    return flat, offsets


def _bm25(
    body: IntArray, body_offsets: IntArray, title: IntArray, title_offsets: IntArray, *, terms: int
) -> tuple[FloatArray, npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """BM25 scores of title and body as compressed columns; empty arrays for an empty corpus."""
    passages = len(body_offsets) - 1
    if not passages or not terms:
        return np.zeros(0, np.float32), np.zeros(0, np.int32), np.zeros(terms + 1, np.int64)
    import bm25s

    documents = [
        np.concatenate(
            [title[title_offsets[i] : title_offsets[i + 1]], body[body_offsets[i] : body_offsets[i + 1]]]
        ).tolist()
        for i in range(passages)
    ]
    engine = bm25s.BM25(method="lucene", k1=_K1, b=_B)
    scores = engine.build_index_from_ids(
        unique_token_ids=list(range(terms)), corpus_token_ids=documents, show_progress=False, leave_progress=False
    )
    return (
        np.asarray(scores["data"], dtype=np.float32),
        np.asarray(scores["indices"], dtype=np.int32),
        np.asarray(scores["indptr"], dtype=np.int64),
    )
