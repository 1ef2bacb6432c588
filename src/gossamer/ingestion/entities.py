"""Names in a passage without a model, and the names of a corpus with the passages that hold them.

`extract_entities` looks at one passage: runs of capitalised words with the small words between them, initials,
acronyms, years, and names in the quotation marks of scripts without capitals. `resolve_entities` looks at all
passages at once: it settles what one passage cannot know (is the first word of a sentence a name? whose surname is
this? what does this acronym stand for?) and numbers the names.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import numpy.typing as npt

from gossamer.text.names import CONTRACTED, name_key, name_words, plain_title
from gossamer.text.stopwords import STOP_WORDS
from gossamer.text.words import fold

DOUBT = "?"
"""Prefix of a key that begins with the first word of a sentence, which may be no name."""

_CONNECTORS = (
    "of|of the|the|in the|for|for the|de|de la|de las|de los|del|da|das|do|dos|di|della|dei|degli|"
    "du|des|d'|la|le|les|von|von der|vom|zu|zur|der|den|van|van de|van den|van der|ten|ter|af|av|al|el|bin|ibn|ben|"
    "y|e|i"
)
_YEAR = re.compile(r"(?<![\d.,])(?:1[0-9]|20)\d\d(?![\d.,]*\d)")
_QUOTED = re.compile(r"[《「『〈]([^《》「」『』〈〉]{2,24})[》」』〉]")
_LONGEST_ACRONYM = 6
_LONGEST_NAME = 12
_LONGEST_KEY = 200
_STOPS = frozenset(fold(word) for words in STOP_WORDS.values() for word in words if len(word) > 1 or word in "ai")
_ENGLISH_STOPS = frozenset(STOP_WORDS["english"])
_CALENDAR_WORDS = (
    "january february march april may june july august september october november december monday tuesday wednesday "
    "thursday friday saturday sunday jan feb mar apr jun jul aug sept sep oct nov dec"
)
_MONTHS = frozenset(_CALENDAR_WORDS.split())


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The patterns of a name and of a sentence start; built on first use from the capitals of all scripts."""
    upper = _ranges(chr(code) for code in range(0x41, 0x2E00) if chr(code).isupper() or chr(code).istitle())
    letters = r"[^\W_\u3040-\u9fff\uac00-\ud7af]"
    word = rf"[{upper}]{letters}*(?:['’\-‐‑]{letters}+){{0,6}}"
    initials = rf"[{upper}]\.(?:[\- ]?[{upper}]\.){{0,8}}"
    token = rf"(?:{initials}|{word})"
    joint = rf"(?:[ \u00a0\t]*\n?[ \u00a0\t]*(?:(?:{_CONNECTORS})[ \u00a0])?|[ ]?&[ ]?|(?<=[DdLlO])['’])"
    name = re.compile(rf"(?<![^\W_]){token}(?:{joint}{token}){{0,{_LONGEST_NAME - 1}}}")
    start = re.compile(r"(?:^|[.!?:;…\n•*#>|]|[.!?]['\"”’)\]])[\s\"'“”‘’«(\[\-–—]*$")
    return name, start


def _ranges(chars: Iterable[str]) -> str:
    """A character class of single characters written as ranges."""
    codes = [ord(char) for char in chars]
    out: list[str] = []
    first = 0
    for i, code in enumerate(codes):
        if i + 1 == len(codes) or codes[i + 1] != code + 1:
            out.append(f"{chr(codes[first])}-{chr(code)}")
            first = i + 1
    return "".join(out)


def extract_entities(text: str, title: str = "") -> list[str]:
    """Keys of the names in one passage, each once, in order of appearance; a doubtful one carries the prefix `?`.

    >>> extract_entities("However, Lionel Messi left the University of Pune in 2019.", "Mars (planet)")
    ['mars', '?however', 'lionel messi', 'university of pune', 'pune', '2019']
    """
    keys: dict[str, None] = {}
    if title and (key := name_key(plain_title(title))) and key.count(" ") < _LONGEST_NAME:
        keys[key] = None
    name, start = _patterns()
    for match in name.finditer(text):
        begin = match.start()
        first = begin == 0 or start.search(text[max(0, begin - 8) : begin]) is not None
        for key in _keys_of(match.group(), first=first):
            keys[key] = None
    for match in _YEAR.finditer(text):
        keys[match.group()] = None
    if not text.isascii():
        for match in _QUOTED.finditer(text):
            if key := name_key(match.group(1)):
                keys[key] = None
    return [key for key in keys if len(key) <= _LONGEST_KEY]


def _keys_of(found: str, *, first: bool) -> list[str]:
    """Keys of one run of capitalised words: the whole, and what stands after its connecting words."""
    pieces = found.split()
    kept = next((i for i, piece in enumerate(pieces) if piece.casefold() not in _ENGLISH_STOPS), len(pieces))
    if kept == len(pieces) and not pieces[-1].isupper():
        return []
    found = " ".join(pieces[min(kept, len(pieces) - 1) :])
    bare = found.replace(".", "")
    if 2 <= len(bare) <= _LONGEST_ACRONYM and bare.isupper() and bare.isalpha():
        return [bare]
    words, doubtful = name_words(found), first and kept == 0
    while len(words) > 1 and (words[-1] in _ENGLISH_STOPS or words[-1] in _MONTHS):
        words = words[:-1]
    if not words or (
        len(words) == 1
        and (len(words[0]) < 2 or words[0] in _MONTHS or words[0] in CONTRACTED or words[0] in _ENGLISH_STOPS)
    ):
        return []
    prefix = DOUBT if doubtful else ""
    keys = [prefix + " ".join(words)]
    places = [i for i, word in enumerate(words) if word in _SPLITTERS]
    for begin, end in zip([-1, *places], [*places, len(words)], strict=True):
        part = words[begin + 1 : end]
        if places and part and begin >= 0 and not (len(part) == 1 and (part[0] in _STOPS or part[0] in _MONTHS)):
            keys.append(" ".join(part))
    return keys


_SPLITTERS = frozenset({"of", "the", "in", "at", "for", "to", "and"})


def resolve_entities(
    per_chunk: Sequence[Sequence[str]],
) -> tuple[list[str], tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]]:
    """Names of the corpus, sorted, and for every passage the numbers of its names as (indptr, indices) of a CSR matrix.

    Doubtful keys become names where another passage holds them in the middle of a sentence, lose their first word where
    only the rest is known, and vanish otherwise. A single word is merged into the one longer name of its passage
    that ends or begins with it; an acronym into the name with these initials that stands beside it most often.

    >>> names, (indptr, indices) = resolve_entities([["?helix", "lionel messi"], ["helix", "messi", "lionel messi"]])
    >>> names, indptr.tolist(), indices.tolist()
    (['helix', 'lionel messi'], [0, 2, 4], [0, 1, 0, 1])
    """
    sure = Counter(key for keys in per_chunk for key in set(keys) if not key.startswith(DOUBT))
    doubtful = Counter(key[1:] for keys in per_chunk for key in set(keys) if key.startswith(DOUBT))
    expansions = _expansions(per_chunk)
    nested = _nested(sure, doubtful)
    settled: list[list[str]] = []
    for keys in per_chunk:
        known = {_settle(key, sure, doubtful) for key in keys} - {""}
        known |= {inner for key in known for inner in nested.get(key, ())}
        settled.append(_merge({expansions.get(key, key) for key in known}))
    names = sorted({key for keys in settled for key in keys})
    numbers = {name: number for number, name in enumerate(names)}
    indptr = np.zeros(len(settled) + 1, dtype=np.int64)
    np.cumsum([len(keys) for keys in settled], out=indptr[1:])
    indices = np.fromiter(
        (number for keys in settled for number in sorted(numbers[key] for key in keys)), np.int32, int(indptr[-1])
    )
    return names, (indptr, indices)


def _settle(key: str, sure: Counter[str], doubtful: Counter[str]) -> str:
    """A doubtful key as the name it is, or "" for none."""
    if not key.startswith(DOUBT):
        return key
    whole = key[1:]
    if 4 * sure[whole] >= doubtful[whole]:
        return whole
    _, _, rest = whole.partition(" ")
    if rest and sure[rest] > sure[whole]:
        return rest
    return whole if rest else ""


def _nested(sure: Counter[str], doubtful: Counter[str]) -> dict[str, list[str]]:
    """Names of two and more words that stand inside longer ones, the longest at each place, left to right."""
    out: dict[str, list[str]] = {}
    for key in {*sure, *doubtful}:
        words = key.split(" ")
        if len(words) < 3:
            continue
        inner, place = [], 0
        while place < len(words) - 1:
            length = min(len(words) - place, len(words) - 1)
            while length >= 2 and sure[" ".join(words[place : place + length])] == 0:
                length -= 1
            if length >= 2:
                inner.append(" ".join(words[place : place + length]))
            place += max(length, 1)
        if inner:
            out[key] = inner
    return out


def _merge(keys: set[str]) -> list[str]:
    """Names of one passage without the single words that one of its longer names holds at its end or start."""
    owners: dict[str, set[str]] = defaultdict(set)
    for key in keys:
        words = key.split(" ")
        if len(words) in (2, 3):
            owners[words[-1]].add(key)
    return sorted(key for key in keys if not (" " not in key and len(owners.get(key, ())) == 1))


def _expansions(per_chunk: Sequence[Sequence[str]]) -> dict[str, str]:
    """Acronym to the full name with its initials that shares most passages with it, if no other comes near."""
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for keys in per_chunk:
        acronyms = {key for key in keys if key.isupper()}
        if not acronyms:
            continue
        for key in keys:
            words = key.removeprefix(DOUBT).split(" ")
            if len(words) < 2:
                continue
            for initials in ("".join(word[0] for word in words), "".join(w[0] for w in words if w not in _SPLITTERS)):
                if initials.upper() in acronyms:
                    votes[initials.upper()][key.removeprefix(DOUBT)] += 1
    out = {}
    for acronym, names in votes.items():
        (best, count), *others = sorted(names.items(), key=lambda item: (-item[1], item[0]))
        if not others or count >= 2 * others[0][1]:
            out[acronym] = best
    return out
