"""The passages that "without X" keeps out of an answer, whether X was given or stands in the wording of the question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from gossamer.insight.exclusion import naming_passages, near_passages
from gossamer.insight.wording import left_out_by
from gossamer.text.clean import clean_text

if TYPE_CHECKING:
    from gossamer.retrieval.pipeline import SpectRAGRetrieval


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A name whose passages were left out, and how many there are; `words` are those of the question, "" where it was given."""

    name: str
    passages: int
    words: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Exclusion:
    """`mask` (n) of what must not appear, why, and what to tell the asker."""

    mask: NDArray[np.bool_]
    left_out: tuple[LeftOut, ...]
    notes: tuple[str, ...]


def exclude(
    retrieval: SpectRAGRetrieval, question: str, without: Sequence[str], *, wording: str, cosine: float
) -> Exclusion:
    """What the names `without` leave out, and what the question's own words do or would.

    `wording` is "names" or "words" (leave out names, or plain words too, after "without" and the like), "hint" (say how)
    or "off".
    """
    mask = np.zeros(len(retrieval.snapshot), dtype=bool)
    given = {clean_text(name).casefold() for name in without}
    read = [] if wording == "off" else left_out_by(question, plain=wording == "words")
    said = [found for found in read if found.name.casefold() not in given]
    notes, left_out = [], []
    for name, words in [(name, "") for name in without] + [(found.name, found.words) for found in said]:
        if words and wording == "hint":
            notes.append(
                f'The question says "{words}"; passages that name it are kept. Give without="{name}" '
                f'(--without "{name}") to leave them out.'
            )
            continue
        named = excluded_passages(retrieval, name, cosine=cosine)
        mask |= named
        left_out.append(LeftOut(name, int(named.sum()), words))
        if words:
            notes.append(
                f'Passages that name "{name}" are left out ({named.sum()}), because the question says "{words}". Keep '
                f'them with wording="off" (--wording off).'
            )
    return Exclusion(mask, tuple(left_out), tuple(notes))


def excluded_passages(retrieval: SpectRAGRetrieval, name: str, *, cosine: float) -> NDArray[np.bool_]:
    """(n) passages that name `name`, by words or entity, or by cosine where the embedder knows meaning."""
    snapshot, text = retrieval.snapshot, clean_text(name)
    mask = naming_passages(snapshot, text)
    if snapshot.info["semantic"]:
        vector = retrieval.embed_query(text)
        if vector is not None:
            mask |= near_passages(snapshot.vectors, vector, cosine)
    return mask
