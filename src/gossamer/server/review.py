"""Lint of an index with the passages that each example names, and the gaps of the questions asked so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.server.served import Opened

_GAP_KINDS = ("isolated passages", "islands", "empty layers")


def lint(opened: Opened, index: str, examples: int) -> dict[str, Any]:
    """`lint` of the index; `passages` of a finding are the ids in each of its examples."""
    report = opened.review(examples)
    findings = [
        {**finding, "passages": [_ids(opened.numbers, example) for example in finding["examples"]]}
        for finding in report["findings"]
    ]
    return {"index": index, **report, "findings": findings}


def gaps(opened: Opened) -> dict[str, Any]:
    """What the index does not hold: weak places of the web, and parts of asked questions that no passage spoke of.

    Only spreading questions leave a trace with their gaps; the latest comes first.
    """
    questions = [
        {"question": trace["question"], "gaps": trace["gaps"], "time": trace["time"]}
        for trace in reversed(list(opened.retrieval.traces))
        if trace["gaps"]
    ]
    found = [finding for finding in opened.review(50)["findings"] if finding["kind"] in _GAP_KINDS]
    return {
        "findings": [
            {**finding, "passages": [_ids(opened.numbers, example) for example in finding["examples"]]}
            for finding in found
        ],
        "questions": questions,
    }


def contradictions(opened: Opened, pairs: int) -> dict[str, Any]:
    """Pairs of passages that oppose each other, with both texts and the question that would settle them."""
    found = next((f for f in opened.review(pairs)["findings"] if f["kind"] == "contradictions"), None)
    if found is None:
        return {"count": 0, "note": "", "pairs": []}
    rows = []
    for example in found["examples"]:
        ids = _ids(opened.numbers, example)
        if len(ids) == 2:
            question = example[len(" | ".join(ids)) :].removeprefix(": ")
            texts = [opened.snapshot.text(opened.numbers[name]) for name in ids]
            rows.append({"first": ids[0], "second": ids[1], "question": question, "texts": texts})
    return {"count": found["count"], "note": found["note"], "pairs": rows}


def _ids(numbers: Mapping[str, int], example: str) -> list[str]:
    """Ids that an example names: "a", "a | b" or "a | b: question"; ids may themselves hold bars and colons.

    >>> _ids({"a#0": 0, "b: c#1": 1}, "a#0 | b: c#1: Who?")
    ['a#0', 'b: c#1']
    """
    if example in numbers:
        return [example]
    for left in _cuts(example, " | "):
        if example[:left] in numbers:
            rest = example[left + 3 :]
            for right in [*_cuts(rest, ": "), len(rest)]:
                if rest[:right] in numbers:
                    return [example[:left], rest[:right]]
    return []


def _cuts(text: str, mark: str) -> list[int]:
    found, at = [], text.find(mark)
    while at >= 0:
        found.append(at)
        at = text.find(mark, at + 1)
    return found
