"""Documents of invented words, the same for the same seed: text for benchmarks that ship without data."""

from __future__ import annotations

import random
from collections.abc import Iterator

from gossamer import Document

_SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "ren",
    "tas",
    "vel",
    "dor",
    "qui",
    "sha",
    "nem",
    "ul",
    "pra",
    "zen",
    "tho",
    "gil",
    "wen",
)
_SMALL = (
    "the",
    "of",
    "and",
    "to",
    "in",
    "is",
    "for",
    "that",
    "was",
    "with",
    "as",
    "by",
    "on",
    "from",
    "at",
    "it",
    "had",
)


def documents(count: int, *, sections: int = 5, sentences: int = 6, seed: int = 0) -> Iterator[Document]:
    """`count` Markdown documents; with the default settings each section is a chunk of some 80 words.

    >>> [document.id for document in documents(2)]
    ['d000000.md', 'd000001.md']
    """
    source = random.Random(seed)
    words = ["".join(source.choices(_SYLLABLES, k=source.randint(1, 3))) for _ in range(4000)]
    names = [f"{source.choice(words).title()} {source.choice(words).title()}" for _ in range(max(count, 20))]
    weights = [1 / (rank + 5) for rank in range(len(words))]
    for number in range(count):
        title = names[number]
        parts = [f"# {title}"]
        for part in range(sections):
            parts.append(f"## Part {part + 1} of {title}")
            parts.append(" ".join(_sentence(source, words, weights, names) for _ in range(sentences)))
        yield Document(f"d{number:06}.md", "\n\n".join(parts), title)


def edited(document: Document, mark: str) -> Document:
    """The document with one sentence more in its last section."""
    return Document(document.id, f"{document.text} It was seen again as {mark}.", document.title)


def _sentence(source: random.Random, words: list[str], weights: list[float], names: list[str]) -> str:
    chosen = source.choices(words, weights, k=source.randint(7, 11))
    for place in range(0, len(chosen), 3):
        chosen[place] = source.choice(_SMALL)
    chosen.insert(source.randrange(1, len(chosen)), source.choice(names))
    return f"{chosen[0].capitalize()} {' '.join(chosen[1:])}."
