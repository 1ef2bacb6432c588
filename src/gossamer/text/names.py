"""Names as people write them, brought to the form in which they are compared."""

from __future__ import annotations

import re
import sys

from gossamer.text.words import fold, split_words

_PARENTHESES = re.compile(r"\s*[\(\[（【][^()\[\]（）【】]*[\)\]）】]\s*")
_APOSTROPHE = re.compile(r"['’ʼ]")
_CONTRACTED_WORDS = "i you he she it we they there that who what where how let don didn isn wasn can couldn"
CONTRACTED = frozenset(_CONTRACTED_WORDS.split())
"""Words that an apostrophe joins to a verb: what follows is no part of a name."""


def name_key(name: str) -> str:
    """The form in which names are compared: words casefolded, diacritics and possessives dropped, one space between.

    >>> name_key("Gabriel García-Márquez's"), name_key("J. R. R. Tolkien"), name_key("The Hague")
    ('gabriel garcia marquez', 'j r r tolkien', 'hague')
    """
    return sys.intern(" ".join(name_words(name)))


def name_words(name: str) -> list[str]:
    """The words of `name_key`.

    >>> name_words("The O'Neill Labs")
    ['oneill', 'labs']
    """
    words = []
    for word in split_words(name):
        head, *tail = _APOSTROPHE.split(word)
        if tail and tail != ["s"]:
            words.append(head if head in CONTRACTED else fold(head + "".join(tail)))
        else:
            words.append(fold(head))
    if len(words) > 1 and words[0] in ("the", "a", "an"):
        words = words[1:]
    return words


def plain_title(title: str) -> str:
    """A title without what stands in parentheses, unless nothing else would be left.

    >>> plain_title("Mercury (planet)"), plain_title("(What's the Story)")
    ('Mercury', "(What's the Story)")
    """
    return _PARENTHESES.sub(" ", title).strip() or title.strip()
