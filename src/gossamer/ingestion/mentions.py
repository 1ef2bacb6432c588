"""Which passages name the title of another document.

Titles are matched as runs of words (casefolded, diacritics folded, unstemmed), the longest at each place, by a table of
title beginnings: one pass over the words of a text, whatever the number of titles.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from gossamer.text.names import plain_title
from gossamer.text.stopwords import STOP_WORDS
from gossamer.text.words import WORD, fold, is_unspaced, normalise

_LONGEST = 12
_MIN_CHARS = 3
_MAX_PASSAGES = 100
_POSSESSIVE = re.compile(r"['’ʼ](?:s|$)|['’ʼ]")
_STOPS = STOP_WORDS["english"]

Token = tuple[str, bool]
"""A word in comparable form, and whether it is written as a name: not in small letters."""
Key = tuple[str, ...]
"""The words of a title behind "Aa" where it has capitals, "aa" where not."""


def title_mentions(
    texts: Sequence[str], titles: Sequence[str]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32], npt.NDArray[np.float32]]:
    """Edges (passage, named passage, weight) for every title that a text names; weight 1 / passages under that title.

    Args:
        texts: the passages.
        titles: the title of each passage's document, "" for none. Passages under one title name nothing of each other.
            What stands in parentheses is not matched; a title with capitals is matched only by words with a
            capital. Titles of more than 100 passages are hubs and left out.

    >>> rows, cols, weights = title_mentions(["Helix Labs is in Pune.", "A city."], ["Helix Labs", "Pune (city)"])
    >>> rows.tolist(), cols.tolist(), weights.tolist()
    ([0], [1], [1.0])
    """
    keys = _title_keys(titles)
    steps, ends = _prefix_table(keys)
    own = {place: key for key, places in keys.items() for place in places}
    cache: dict[str, tuple[Token, ...]] = {}
    rows: list[int] = []
    cols: list[int] = []
    weights: list[float] = []
    for row, text in enumerate(texts):
        named = set(_matches(list(_tokens(text, cache)), steps, ends))
        for key in sorted(named - {own.get(row, ())}):
            places = keys[key]
            rows.extend([row] * len(places))
            cols.extend(places)
            weights.extend([1 / len(places)] * len(places))
    return np.asarray(rows, np.int32), np.asarray(cols, np.int32), np.asarray(weights, np.float32)


def _title_keys(titles: Sequence[str]) -> dict[Key, list[int]]:
    """Places of each title that can be named in a text; stop words, numbers, very short or long titles name nothing."""
    keys: dict[Key, list[int]] = defaultdict(list)
    cache: dict[str, tuple[Token, ...]] = {}
    for place, title in enumerate(titles):
        tokens = list(_tokens(plain_title(title), cache))
        if len(tokens) > 2 and tokens[0][0] == "the":
            del tokens[0]
        words = tuple(word for word, _ in tokens)
        bare = "".join(words)
        too_short = len(bare) < (_MIN_CHARS if bare.isascii() else 2)
        if words and not (too_short or bare.isdigit() or len(words) > _LONGEST or _STOPS.issuperset(words)):
            keys[("Aa" if any(capital for _, capital in tokens) else "aa", *words)].append(place)
    return {key: places for key, places in keys.items() if len(places) <= _MAX_PASSAGES}


def _tokens(text: str, cache: dict[str, tuple[Token, ...]]) -> Iterator[Token]:
    """Words of a text with their capitals noted; scripts without spaces give single characters."""
    for word in WORD.findall(text):
        found = cache.get(word)
        if found is None:
            plain = normalise(word)
            if is_unspaced(plain):
                found = tuple((char, True) for char in plain)
            else:
                found = ((fold(_POSSESSIVE.sub("", plain)), not word[0].islower()),)
            cache[word] = found
        yield from found


def _prefix_table(keys: Iterable[Key]) -> tuple[dict[tuple[int, str], int], dict[int, list[Key]]]:
    """States word by word from 0, and the titles that end in a state."""
    steps: dict[tuple[int, str], int] = {}
    ends: dict[int, list[Key]] = defaultdict(list)
    for key in sorted(keys):
        state = 0
        for word in key[1:]:
            state = steps.setdefault((state, word), len(steps) + 1)
        ends[state].append(key)
    return steps, dict(ends)


def _matches(tokens: list[Token], steps: dict[tuple[int, str], int], ends: dict[int, list[Key]]) -> Iterator[Key]:
    """Titles named in a row of words: the longest at each place, none inside another."""
    place = 0
    while place < len(tokens):
        state = steps.get((0, tokens[place][0]))
        at, capital, found, after = place, False, [], place + 1
        while state is not None:
            capital = capital or tokens[at][1]
            at += 1
            if state in ends and (named := [key for key in ends[state] if capital or key[0] == "aa"]):
                found, after = named, at
            state = steps.get((state, tokens[at][0])) if at < len(tokens) else None
        yield from found
        place = after
