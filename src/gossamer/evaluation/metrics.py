"""Ranking metrics for questions whose answer is a set of passages.

The gold of a question is a list of *pieces of evidence* G_1 ... G_m, each a set of ids of which any one will do (one
id, unless the data gives `gold_groups`). A ranking is a list of ids r_1, r_2, ... without repeats. A piece is found at
k when one of its ids is among r_1 ... r_k; an id is relevant when some piece holds it.

| name | definition |
|---|---|
| `R@k` | found pieces at k / m |
| `P@k` | relevant ids among the first k / k |
| `F1@k` | harmonic mean of `P@k` and `R@k`, 0 where both are 0 |
| `all@k` | 1 when every piece is found at k, else 0 |
| `bridge@k` | found bridge pieces at k / bridge pieces (see `bridge_pieces`); undefined without any |
| `MRR` | 1 / rank of the first relevant id within the first 10, else 0 (as MultiHop-RAG cuts it) |
| `nDCG@10` | alpha-nDCG with alpha = 1, see `ndcg`; with one id per piece the usual binary nDCG |
| `Hits@4` | 1 when a relevant id is among the first 4, else 0 (MultiHop-RAG's own script) |
| `Novelty@5` | pieces found at 5 that no id of the plain dense top 5 is a member of / m; 0 for dense by construction |
| `S@5` | .65 `R@5` + .35 `Novelty@5` |

`S@5` and `Novelty@5` are defined as in the published measurements of Spiyweb 0.2 (support recall weighs .65, novelty
.35, both over the gold set, novelty against plain dense top-k at the same cut). Its bridge recall counts the documents
of every hop but the last, which are mostly the easy ones; ours counts the pieces that the question's own words do not
lead to.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence

Gold = Sequence[Sequence[str]]

MRR_DEPTH = 10
NDCG_DEPTH = 10
HITS_DEPTH = 4
SPREAD_DEPTH = 5
RECALL_WEIGHT, NOVELTY_WEIGHT = 0.65, 0.35

_CJK = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_CJK}]|[^\W_{_CJK}]+")


def ranking_metrics(
    ranked: Sequence[str],
    gold: Gold,
    *,
    ks: Sequence[int],
    bridge: Sequence[int] = (),
    reference: Sequence[str] | None = None,
) -> dict[str, float]:
    """All metrics of one ranking, by name; the undefined ones are left out.

    Args:
        ranked: ids, best first, without repeats.
        gold: the pieces of evidence, at least one.
        ks: the cuts for `R`, `P`, `F1`, `all` and `bridge`.
        bridge: which pieces are bridges, from `bridge_pieces`.
        reference: the plain dense ranking for `Novelty@5` and `S@5`; without it both are left out.

    >>> found = ranking_metrics(["a", "x", "b"], [("a",), ("b",)], ks=(2,), bridge=(1,), reference=["a", "y"])
    >>> found["R@2"], found["all@2"], found["bridge@2"], found["MRR"], found["Novelty@5"]
    (0.5, 0.0, 0.0, 1.0, 0.5)
    """
    first = _first_ranks(ranked, gold)
    relevant = {one for piece in gold for one in piece}
    hits = [one in relevant for one in ranked]
    values: dict[str, float] = {}
    for k in ks:
        recall = sum(rank < k for rank in first) / len(gold)
        precision = sum(hits[:k]) / k
        both = precision + recall
        values[f"R@{k}"] = recall
        values[f"P@{k}"] = precision
        values[f"F1@{k}"] = 2 * precision * recall / both if both else 0.0
        values[f"all@{k}"] = float(all(rank < k for rank in first))
        if bridge:
            values[f"bridge@{k}"] = sum(first[i] < k for i in bridge) / len(bridge)
    best = hits.index(True) if True in hits else math.inf
    values["MRR"] = 1.0 / (best + 1) if best < MRR_DEPTH else 0.0
    values["nDCG@10"] = ndcg(ranked, gold, depth=NDCG_DEPTH)
    values["Hits@4"] = float(best < HITS_DEPTH)
    if reference is not None:
        seen = set(reference[:SPREAD_DEPTH])
        found = [rank < SPREAD_DEPTH for rank in first]
        new = [hit and seen.isdisjoint(piece) for hit, piece in zip(found, gold, strict=True)]
        novelty, recall = sum(new) / len(gold), sum(found) / len(gold)
        values["Novelty@5"] = novelty
        values["S@5"] = RECALL_WEIGHT * recall + NOVELTY_WEIGHT * novelty
    return values


def ndcg(ranked: Sequence[str], gold: Gold, *, depth: int) -> float:
    """alpha-nDCG with alpha = 1 (Clarke et al. 2008).

    The gain of an id is the number of pieces that it is the first to find, its discount 1 / log2(rank + 1); the ideal
    order that divides the sum is chosen greedily.

    >>> round(ndcg(["x", "a", "b"], [("a",), ("b",)], depth=10), 6)
    0.693426
    """
    pieces: dict[str, set[int]] = {}
    for number, piece in enumerate(gold):
        for one in piece:
            pieces.setdefault(one, set()).add(number)
    gained = _dcg([pieces.get(one, set()) for one in ranked[:depth]])
    ideal: list[set[int]] = []
    left = sorted(pieces)
    covered: set[int] = set()
    while left and len(ideal) < depth and len(covered) < len(gold):
        best = min(left, key=lambda one: (-len(pieces[one] - covered), one))
        left.remove(best)
        ideal.append(pieces[best])
        covered |= pieces[best]
    return min(gained / _dcg(ideal), 1.0)


def bridge_pieces(question: str, gold: Gold, text_of: Callable[[str], str]) -> tuple[int, ...]:
    """Positions of the pieces that are bridges: all but the one that shares the most words with the question.

    The overlap of a piece is the largest number of distinct question words (`content_words`) found in title and text
    of one of its passages; of equal pieces the first in the gold's order is the entry. With fewer than two pieces
    nothing is a bridge. Chosen over hop order because many sets give none, and because what makes the second passage
    hard to find is that the question does not name it.

    >>> texts = {"a": "Orion was led by Mara Lind.", "b": "Mara Lind was born in Oslo."}
    >>> bridge_pieces("Where was the leader of Orion born?", [("b",), ("a",)], texts.__getitem__)
    (1,)
    >>> bridge_pieces("Where was the leader of project Orion born?", [("a",)], texts.__getitem__)
    ()
    """
    if len(gold) < 2:
        return ()
    words = content_words(question)
    overlap = [max(len(words & content_words(text_of(one))) for one in piece) for piece in gold]
    entry = overlap.index(max(overlap))
    return tuple(number for number in range(len(gold)) if number != entry)


def content_words(text: str) -> frozenset[str]:
    """Casefolded words of at least four characters, numbers, and single CJK characters.

    Not the words of the retriever, so that the metric stays put when its word rules change.

    >>> sorted(content_words("Who led the Orion project in 98?"))
    ['98', 'orion', 'project']
    """
    found = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return frozenset(word for word in found if len(word) > 3 or word.isdigit() or "\u3040" <= word <= "\ud7af")


def means(rows: Sequence[Mapping[str, float]]) -> dict[str, tuple[float, int]]:
    """Mean and number of questions of each metric, over the questions where it is defined.

    >>> means([{"R@2": 1.0}, {"R@2": 0.0, "MRR": 0.5}])
    {'R@2': (0.5, 2), 'MRR': (0.5, 1)}
    """
    sums: dict[str, tuple[float, int]] = {}
    for row in rows:
        for name, value in row.items():
            total, count = sums.get(name, (0.0, 0))
            sums[name] = (total + value, count + 1)
    return {name: (total / count, count) for name, (total, count) in sums.items()}


def _first_ranks(ranked: Sequence[str], gold: Gold) -> list[float]:
    position = {one: rank for rank, one in enumerate(ranked)}
    return [min((position[one] for one in piece if one in position), default=math.inf) for piece in gold]


def _dcg(found: Sequence[set[int]]) -> float:
    covered: set[int] = set()
    total = 0.0
    for rank, pieces in enumerate(found, start=1):
        total += len(pieces - covered) / math.log2(rank + 1)
        covered |= pieces
    return total
