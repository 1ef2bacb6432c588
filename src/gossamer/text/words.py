"""Words of any language as comparable terms: one tokeniser for the lexical index, coverage and titles.

    text → NFKC, casefold → words (letters, digits, marks) → possessive cut, parts at apostrophes → Snowball stem
         → diacritics folded

Hyphens and punctuation separate words. One-letter words stay. Han, kana and Hangul runs become characters and pairs of
characters, scripts without spaces (Thai, Lao, Khmer, Burmese) pairs.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any

from gossamer.text.stopwords import STOP_WORDS

# Marks are not \w, yet belong to their word: combining accents, Hebrew and Arabic points, Indic vowel signs.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06dc\u0711\u0730-\u074a\u0900-\u0963\u0971-\u0dff\u0e31\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc"
    "\u0ec8-\u0ecd\u0f71-\u0f84\u102b-\u103e\u17b4-\u17d3\u3099\u309a"
)
WORD = re.compile(rf"(?:[^\W_]|[{_MARKS}])+(?:['’ʼ](?:[^\W_]|[{_MARKS}])+)*")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
_APOSTROPHE = re.compile(r"['’ʼ]")
_PAIRED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff々〆"
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_RUNS = re.compile(rf"([{_PAIRED}]+)|([{_UNSPACED}]+)|([^{_PAIRED}{_UNSPACED}]+)")
_HAS_RUN = re.compile(rf"[{_PAIRED}{_UNSPACED}]")
# Cyrillic й and its like are letters of their own; only ё is written without its marks.
_ACCENTS = re.compile("(?<![\u0400-\u04ff])[\u0300-\u036f]+|(?<=е)\u0308")
_EXTRA_FOLDS = str.maketrans(
    {"ł": "l", "ø": "o", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
)
_SAMPLE_TEXTS = 400
_SAMPLE_CHARS = 2000


def normalise(text: str) -> str:
    """NFKC and casefold, the form in which words are compared; ASCII takes a short cut.

    >>> normalise("Ｓtraße")
    'strasse'
    """
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def fold(word: str) -> str:
    """Drop Latin, Greek and Cyrillic diacritics of a normalised word; marks of other scripts carry meaning and stay.

    >>> fold("señor"), fold("łódź"), fold("が")
    ('senor', 'lodz', 'が')
    """
    if word.isascii():
        return word
    plain = _ACCENTS.sub("", unicodedata.normalize("NFD", word.translate(_EXTRA_FOLDS)))
    return unicodedata.normalize("NFC", plain)


def split_words(text: str) -> list[str]:
    """Words of a text in order, normalised, neither stemmed nor folded; apostrophes inside a word stay.

    >>> split_words("Orion's state-of-the-art lens, 3.5 m")
    ["orion's", 'state', 'of', 'the', 'art', 'lens', '3', '5', 'm']
    """
    plain = normalise(text)
    found: list[str] = (_ASCII_WORD if plain.isascii() else WORD).findall(plain)
    return found


def is_unspaced(word: str) -> bool:
    """Whether a word is written, wholly or in part, in a script that is cut into characters: Han, Thai ...

    >>> is_unspaced("智利"), is_unspaced("Chile")
    (True, False)
    """
    return not word.isascii() and _HAS_RUN.search(word) is not None


def detect_language(texts: Sequence[str]) -> str | None:
    """Snowball name of the main language of a sample of texts, or None where none is clear.

    Counts stop words of each known language among the words of up to 400 texts spread over the corpus; the winner must
    reach 10 % of the words and beat the second by a tenth.

    >>> detect_language(["The budget was approved in May.", "It covers two years of work."])
    'english'
    >>> detect_language(["螺旋实验室位于浦那"]) is None
    True
    """
    step = max(1, len(texts) // _SAMPLE_TEXTS)
    counts = dict.fromkeys(sorted(STOP_WORDS), 0)
    total = 0
    for text in texts[::step]:
        words = [part for word in split_words(text[:_SAMPLE_CHARS]) for part in _APOSTROPHE.split(word)]
        total += len(words)
        for name in counts:
            stops = STOP_WORDS[name]
            counts[name] += sum(word in stops for word in words)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    (best, hits), (_, second) = ranked[0], ranked[1]
    return best if hits >= 2 and hits >= 0.1 * total and hits > 1.1 * second else None


class Words:
    """The tokeniser for one language: texts in, terms out; stems are computed once per distinct word.

    Args:
        language: a Snowball language name such as "english"; None leaves words unstemmed.

    >>> words = Words("english")
    >>> words.terms("Helix Labs' telescopes, Müller's lens")
    ['helix', 'lab', 'telescop', 'muller', 'len']
    >>> words.content_terms("Where is the head office of Helix Labs?")
    ['head', 'offic', 'helix', 'lab']
    >>> Words(None).terms("智利 ok")
    ['智', '智利', '利', 'ok']
    """

    def __init__(self, language: str | None = None) -> None:
        self.language = language
        self._stem = _stemmer(language)
        self._cache: dict[str, tuple[str, ...]] = {}
        stops = STOP_WORDS.get(language, frozenset()) if language else STOP_WORDS["english"]
        self.stop_terms = frozenset(term for word in stops for term in self._terms_of(word))

    def terms(self, text: str) -> list[str]:
        """Terms of a text in reading order, stop words included."""
        out: list[str] = []
        for word in split_words(text):
            found = self._cache.get(word)
            out.extend(self._terms_of(word) if found is None else found)
        return out

    def content_terms(self, question: str) -> list[str]:
        """Terms of a question in order without stop words; a question of stop words alone keeps them all."""
        terms = self.terms(question)
        return [term for term in terms if term not in self.stop_terms] or terms

    def _terms_of(self, word: str) -> tuple[str, ...]:
        """Terms of one word as `split_words` gives it, remembered."""
        parts = _APOSTROPHE.split(word)
        if len(parts) > 1 and parts[-1] == "s":
            parts.pop()
        terms = tuple(term for part in parts for term in self._cut(part) if term)
        self._cache[word] = terms
        return terms

    def _cut(self, part: str) -> Iterable[str]:
        if not is_unspaced(part):
            return (fold(self._stem(part)),)
        out: list[str] = []
        for paired, unspaced, other in _RUNS.findall(part):
            if other:
                out.append(fold(self._stem(other)))
            elif paired:
                for i, char in enumerate(paired):
                    out.extend((char, paired[i : i + 2]) if i + 1 < len(paired) else (char,))
            else:
                out.extend(unspaced[i : i + 2] for i in range(max(1, len(unspaced) - 1)))
        return out


def _stemmer(language: str | None) -> Callable[[str], str]:
    if language is None:
        return str
    stem = _snowball(language)
    return lambda word: word if word.isdigit() else stem(word)


@cache
def _snowball(language: str) -> Callable[[str], str]:
    """The pure Python stemmer of that language: unlike the optional C build it gives the same stems everywhere."""
    from importlib import import_module

    from gossamer.errors import UsageError

    try:
        module = import_module(f"snowballstemmer.{language}_stemmer")
    except ModuleNotFoundError:
        raise UsageError(
            f"There is no stemmer for {language!r}. Use a Snowball language name such as 'english', or None."
        ) from None
    stemmer = _Stemmer(getattr(module, f"{language.capitalize()}Stemmer"))
    return lambda word: stemmer.stem(word)


class _Stemmer(threading.local):
    """One stemmer a thread: it holds the word it works on, so two threads in one would give wrong stems."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.stem: Callable[[str], str] = make().stemWord
