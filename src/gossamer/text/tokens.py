"""Token counting: an offline estimate by default, exact tokenizers on request.

A counter is any callable `str -> int`. The built-in one needs no file and no download: it covers a text with windows
of characters of one kind and counts the windows (see `ApproxCounter`).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import ArgumentTypeError, MissingExtraError, SettingsError, UsageError

DENSE_SCRIPTS = (
    "\u0e00-\u109f"  # Thai, Lao, Tibetan, Myanmar
    "\u1100-\u11ff\ua960-\ua97f\uac00-\ud7ff"  # Hangul
    "\u1780-\u17ff"  # Khmer
    "\u2e80-\u2fff\u3001-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # CJK signs, kana, ideographs
)
"""Inside of a regex character class: scripts written without spaces, where a character is about a token."""

_LATIN = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u02af\u0300-\u036f\u1e00-\u1eff"

# Every class below is disjoint from the others and every part of a window is itself a window or free. So the greedy
# longest-first match is a smallest cover, and counts are monotone and sub-additive whatever the text.
_WINDOWS = re.compile(
    rf"[a-z]{{7,9}}|[{_LATIN}]{{1,6}}"
    r"|\d{1,3}"
    r"|\n\s{0,15}"
    r"|[-=*_~#.+|]{1,4}"
    rf"|[{DENSE_SCRIPTS}]"
    rf"|[^\W\d_{_LATIN}{DENSE_SCRIPTS}]{{1,3}}"
    r"|[^\w\s]"
)


class TokenCounter(Protocol):
    """Anything that tells how many tokens a text has."""

    def __call__(self, text: str, /) -> int:
        """Number of tokens of `text`, 0 for the empty string."""


class ApproxCounter:
    """Offline estimate, within about 5 % of the cl100k and BERT vocabularies on English prose (20 % over on Markdown).

    count = number of windows in a smallest cover of the text, where a window is: up to 9 lower-case letters a–z, up
    to 6 Latin letters, up to 3 digits, up to 3 letters of another alphabet, one character of a script without spaces
    (Chinese, Japanese, Korean, Thai, ...), up to 4 rule characters such as `--`, a line break with its indentation,
    or one other character. Spaces are free.

    For all texts: count(a) <= count(a + b), count(b) <= count(a + b) <= count(a) + count(b).

    >>> counter = ApproxCounter()
    >>> counter("Helix Labs has its head office in Pune."), counter("望远镜"), counter("")
    (9, 3, 0)
    """

    name = "approx"

    def __call__(self, text: str) -> int:
        """Estimated number of tokens of `text`."""
        return len(_WINDOWS.findall(text))

    @property
    def identity(self) -> dict[str, Any]:
        """What decides the counts, as JSON values without any path."""
        return {"kind": "approx"}

    def __repr__(self) -> str:
        return "ApproxCounter()"


class TokenizersCounter:
    """Exact counts of a `tokenizer.json` file (extra `tokenizers`); special tokens in a text count as ordinary text.

    Raises SettingsError when the file cannot be read, MissingExtraError when the package is not installed.
    """

    def __init__(self, path: str | Path) -> None:
        try:
            from tokenizers import Tokenizer
        except ImportError as problem:
            raise MissingExtraError("tokenizers", "tokenizers", "Counting with a tokenizer file") from problem
        self.name = f"tokenizers:{path}"
        try:
            data = Path(path).read_bytes()
            self._tokenizer = Tokenizer.from_str(data.decode("utf-8"))
        except Exception as problem:  # the package raises bare Exception for a bad file
            raise SettingsError(
                f"Cannot read the tokenizer file {str(path)!r}: {problem}. Give the path of a tokenizer.json."
            ) from problem
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._tokenizer.encode_special_tokens = True
        self._hash = hashlib.sha256(data).hexdigest()

    def __call__(self, text: str) -> int:
        """Number of tokens of `text`, without the ones a model adds around it."""
        return len(self._tokenizer.encode(_encodable(text), add_special_tokens=False).ids)

    def count_many(self, texts: Sequence[str]) -> list[int]:
        """Number of tokens of each text, in one call."""
        cleaned = [_encodable(text) for text in texts]
        return [len(row.ids) for row in self._tokenizer.encode_batch(cleaned, add_special_tokens=False)]

    @property
    def identity(self) -> dict[str, Any]:
        """What decides the counts, as JSON values without any path."""
        return {"kind": "tokenizers", "hash": self._hash}

    def __repr__(self) -> str:
        return f"TokenizersCounter(hash={self._hash[:12]!r})"


class TiktokenCounter:
    """Exact counts of a tiktoken encoding such as `cl100k_base` (extra `tiktoken`); special tokens are ordinary text.

    The package fetches an encoding once and keeps it in its own cache; nothing is fetched before the first counter is
    made. Raises SettingsError when there is no such encoding or it cannot be had.
    """

    def __init__(self, encoding: str) -> None:
        try:
            import tiktoken
        except ImportError as problem:
            raise MissingExtraError("tiktoken", "tiktoken", "Counting with a tiktoken encoding") from problem
        try:
            self._encoding = tiktoken.get_encoding(encoding)
        except (ValueError, OSError) as problem:
            raise SettingsError(
                f"Cannot load the tiktoken encoding {encoding!r}: {problem}. Name a known one such as cl100k_base, "
                "be online once so that it is cached, or use the counter 'approx'."
            ) from problem
        self.name = f"tiktoken:{encoding}"
        self._label = encoding

    def __call__(self, text: str) -> int:
        """Number of tokens of `text`."""
        return len(self._encoding.encode_ordinary(_encodable(text)))

    @property
    def identity(self) -> dict[str, Any]:
        """What decides the counts, as JSON values without any path."""
        return {"kind": "tiktoken", "model": self._label}

    def __repr__(self) -> str:
        return f"TiktokenCounter({self._label!r})"


def make_counter(spec: str | Callable[[str], int] = "approx") -> TokenCounter:
    """The counter that `spec` names: `approx`, `tokenizers:FILE` or `tiktoken:ENCODING`; a callable is used as it is.

    Raises SettingsError for another name, MissingExtraError when the package of a named counter is not installed.

    >>> make_counter()("one two three")
    3
    """
    if callable(spec):
        return spec
    if not isinstance(spec, str):
        raise ArgumentTypeError(
            f"A token counter cannot be made from a {type(spec).__name__}. Give a name such as 'approx', or a function."
        )
    kind, _, rest = spec.partition(":")
    if spec == "approx":
        return ApproxCounter()
    if kind == "tokenizers" and rest:
        return TokenizersCounter(rest)
    if kind == "tiktoken" and rest:
        return TiktokenCounter(rest)
    raise SettingsError(f"There is no token counter {spec!r}. Give 'approx', 'tokenizers:FILE' or 'tiktoken:ENCODING'.")


def count_many(counter: TokenCounter, texts: Iterable[str]) -> NDArray[np.int64]:
    """Token counts of `texts`, shape (n,); uses the counter's own `count_many` where it has one.

    Raises UsageError when the counter returns something else than whole numbers from 0 on.

    >>> count_many(make_counter(), ["one", "one two", ""])
    array([1, 2, 0])
    """
    texts = list(texts)
    together = getattr(counter, "count_many", None)
    counts = list(map(counter, texts)) if together is None else list(together(texts))
    if len(counts) != len(texts):
        raise UsageError(
            f"The token counter gave {len(counts)} counts for {len(texts)} texts. Return one count a text."
        )
    for count in counts:
        if not isinstance(count, (int, np.integer)) or count < 0:
            raise UsageError(f"The token counter returned {count!r}. Return a whole number from 0 on.")
    return np.array(counts, dtype=np.int64)


def _encodable(text: str) -> str:
    """The text with lone surrogates replaced, which no tokenizer accepts."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
