"""Several queries from one question by rule: what people do with a language model, without one."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gossamer.evaluation.systems.base import Query
from gossamer.evaluation.systems.channels import ScoredSystem, Scores, channels_of, rrf_scores, z_scores
from gossamer.text.stopwords import STOP_WORDS

if TYPE_CHECKING:
    from gossamer.evaluation.workbench import Workbench

_QUOTED = re.compile(r"[\"“”«»]([^\"“”«»]{2,})[\"“”«»]")
_CAPITALISED = r"[^\W\d_a-z][\w.'’-]*"
_RUN = re.compile(rf"\b(?:{_CAPITALISED})(?:\s+(?:(?:of|the|de|du|van|von|and|in|for)\s+)*(?:{_CAPITALISED}|\d+))*")
_OPENERS = STOP_WORDS["english"]


def multi_query(workbench: Workbench) -> ScoredSystem:
    """RRF over the 100 best of hybrid-z for the question and for each of `parts`.

    The question weighs as much as twice all its parts together: with less the parts cost recall on every set measured.
    A part that cannot be embedded keeps the question's own vector.
    """

    def score(retrieval: Any, query: Query) -> Scores:
        whole = z_scores(channels_of(retrieval, query))
        lists = []
        for part in parts(query.text):
            vector = retrieval.embed_query(part)
            asked = replace(query, text=part, vector=query.vector if vector is None else vector)
            lists.append(z_scores(channels_of(retrieval, asked)))
        return rrf_scores([whole] * max(1, 2 * len(lists)) + lists)

    return ScoredSystem(workbench, score)


def parts(question: str) -> list[str]:
    """The question once per name without the other names; nothing where it has fewer than two.

    >>> parts("Which film came out first, Blind Shaft or The Mask of Fu Manchu?")
    ['Which film came out first, Blind Shaft or ?', 'Which film came out first, or The Mask of Fu Manchu?']
    >>> parts("Who is the mother of the director of Blind Shaft?")
    []
    """
    found = names(question)
    made = []
    for kept in found:
        part = question
        for other in found:
            if other != kept and other not in kept:
                part = part.replace(other, "")
        made.append(" ".join(part.split()))
    return list(dict.fromkeys(made)) if len(found) > 1 else []


def names(question: str) -> list[str]:
    """Quoted phrases and runs of capitalised words, question words and the like at their start cut off.

    >>> names('Does "Orion" or Helix Labs pay for the Pune office?')
    ['Orion', 'Helix Labs', 'Pune']
    """
    found = [match.strip() for match in _QUOTED.findall(question)]
    for run in _RUN.findall(_QUOTED.sub(" | ", question)):
        words = run.split()
        while words and words[0].lower() in _OPENERS and (words[0] != "The" or len(words) == 1):
            words.pop(0)
        if words and (name := " ".join(words).rstrip(".'’-")):
            found.append(name)
    return list(dict.fromkeys(found))
