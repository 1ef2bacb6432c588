"""The `hash` embedder: vectors of spelling, without a model and without a file."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.embedders.options import EmbedderOptions, Prefixes
from gossamer.embedders.protocol import Kind, Vectors
from gossamer.errors import SettingsError
from gossamer.text.tokens import DENSE_SCRIPTS

DEFAULT_DIMENSION = 512

_BLOCK_TEXTS = 1024
_LETTER = rf"[^\W_{DENSE_SCRIPTS}]"
_MARK = "[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0900-\u0963\u0971-\u0dff]"  # accents, points, Indic vowel signs
_WORD = re.compile(rf"{_LETTER}+(?:{_MARK}+{_LETTER}*)*")
_DENSE_RUN = re.compile(f"[{DENSE_SCRIPTS}]+")
_LONGEST_WORD = 64
_WORD_WEIGHT = 64
_LENGTH_CAP = 6


class HashEmbedder:
    """Signed feature hashing of words and character 3- to 5-grams (Weinberger et al. 2009).

    x = Σ_w √tf(w) · (a_w·φ(w) + a_w/√n_w · Σ_g φ(g)) over the distinct words w of a text and the n_w character n-grams
    g of each, where φ maps a feature to one signed coordinate and a_w grows with the length of the word up to six
    letters. Scripts without spaces give characters, pairs and triples as words. All sums are of whole numbers, so the
    vector of a text is the same on every machine and in every batch.
    """

    semantic = False
    reproducible = True
    max_tokens: int | None = None

    def __init__(self, dimension: int = DEFAULT_DIMENSION, prefixes: Prefixes | None = None) -> None:
        if not 8 <= dimension <= 65536:
            raise SettingsError(f"hash:{dimension} is not possible. Give a dimension from 8 to 65536.")
        self.name = "hash" if dimension == DEFAULT_DIMENSION else f"hash:{dimension}"
        self.dimension = dimension
        self._prefixes = prefixes or Prefixes()

    @property
    def identity(self) -> dict[str, Any]:
        """Kind, model, dimension and prefixes, as JSON values."""
        return {
            "kind": "hash",
            "model": "words-3-5-grams-1",
            "dimension": self.dimension,
            "query_prefix": self._prefixes.query,
            "passage_prefix": self._prefixes.passage,
        }

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        """Unit vectors of `texts`, shape (n, dimension); a text without letters and digits has a zero vector.

        >>> vectors = HashEmbedder().embed(["Helix Labs in Pune", "the laboratory of Helix"], kind="passage")
        >>> vectors.shape, bool(vectors[0] @ vectors[1] > 0)
        ((2, 512), True)
        """
        prepared = self._prefixes.apply(texts, kind)
        result = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for start in range(0, len(texts), _BLOCK_TEXTS):
            sums = self._sums(prepared[start : start + _BLOCK_TEXTS])
            norms = np.sqrt(np.einsum("ij,ij->i", sums, sums))
            norms[norms == 0] = 1.0
            result[start : start + _BLOCK_TEXTS] = sums / norms[:, None]
        return result

    def _sums(self, texts: list[str]) -> NDArray[np.float64]:
        """Σ of weighted features of each text, whole numbers held in float64."""
        from scipy.sparse import csr_array

        counts = [Counter(_words(text)) for text in texts]
        words = {word: column for column, word in enumerate(dict.fromkeys(chain.from_iterable(counts)))}
        if not words:
            return np.zeros((len(texts), self.dimension))
        row_ends = np.cumsum([0, *map(len, counts)])
        columns = np.fromiter((words[w] for count in counts for w in count), np.int64, row_ends[-1])
        weights = np.fromiter((isqrt(n << 12) for count in counts for n in count.values()), float, row_ends[-1])
        in_text = csr_array((weights, columns, row_ends), shape=(len(texts), len(words)))
        return np.asarray((in_text @ self._features(list(words))).toarray())

    def _features(self, words: list[str]) -> Any:
        """Sparse (words, dimension): the signed coordinates of each word and of its n-grams."""
        from scipy.sparse import csr_array

        hashes, values = zip(*map(_word_features, words), strict=True)
        mixed = _mix(np.concatenate(hashes))
        signs = np.where(mixed & np.uint64(1), 1.0, -1.0)
        columns = ((mixed >> np.uint64(1)) % np.uint64(self.dimension)).astype(np.int64)
        ends = np.cumsum([0, *map(len, hashes)])
        return csr_array((np.concatenate(values) * signs, columns, ends), shape=(len(words), self.dimension))

    def __repr__(self) -> str:
        return f"HashEmbedder({self.dimension})"


def build(rest: str, options: EmbedderOptions) -> HashEmbedder:
    """The embedder of `hash` or `hash:DIM`."""
    if rest and not (rest.isascii() and rest.isdigit()):
        raise SettingsError(f"hash:{rest} is not possible. Give a whole number, as in hash:512.")
    return HashEmbedder(int(rest or DEFAULT_DIMENSION), options.prefixes(Prefixes()))


def _words(text: str) -> list[str]:
    """Case-folded words of a text; of scripts without spaces every character, pair and triple."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    words: list[str] = _WORD.findall(folded)
    if max(map(len, words), default=0) > _LONGEST_WORD:
        words = [word[i : i + _LONGEST_WORD] for word in words for i in range(0, len(word), _LONGEST_WORD)]
    if not folded.isascii():
        for run in _DENSE_RUN.findall(folded):
            words += [run[i : i + n] for n in (1, 2, 3) for i in range(len(run) - n + 1)]
    return words


@lru_cache(maxsize=1 << 16)
def _word_features(word: str) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Hashes and whole-number weights of a word and its n-grams, the word first."""
    dense = _DENSE_RUN.match(word) is not None
    marked = f"<{word}>"
    grams = [] if dense else [marked[i : i + n] for n in (3, 4, 5) for i in range(len(marked) - n + 1)]
    weight = _WORD_WEIGHT * min(2 * len(word) if dense else len(word), _LENGTH_CAP)
    hashes = [zlib.crc32(feature.encode("utf-8")) for feature in (f"{word}\0", *grams)]
    values = [weight] + [isqrt(weight * weight // max(len(grams), 1))] * len(grams)
    return np.array(hashes, dtype=np.uint64), np.array(values, dtype=np.float64)


def _mix(hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The 64-bit finaliser of MurmurHash3: CRC-32 alone is linear, so its bits would not act as independent signs."""
    mixed: NDArray[np.uint64] = hashes ^ (hashes >> np.uint64(33))
    mixed *= np.uint64(0xFF51AFD7ED558CCD)
    mixed ^= mixed >> np.uint64(33)
    mixed *= np.uint64(0xC4CEB9FE1A85EC53)
    mixed ^= mixed >> np.uint64(33)
    return mixed
