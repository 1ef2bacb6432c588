"""The trace of one answer, as plain columns."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from gossamer.insight.ledger import ledger_values
from gossamer.model import to_plain

if TYPE_CHECKING:
    from gossamer.retrieval.spread_answer import SpreadAnswer


def trace_of(answer: SpreadAnswer) -> dict[str, Any]:
    """What a reader without the index needs: the question, how it was asked, every reached passage, and the books.

    Energies have nine decimals and scores six: writing all digits of a number takes longer than everything else.
    """
    passages = answer.passages
    nodes: dict[str, list[Any]] = {
        "id": [passage.id for passage in passages],
        "title": [passage.title for passage in passages],
        "energy": _rounded([passage.energy for passage in passages], 9),
        "hop": [passage.hop for passage in passages],
        "votes": [passage.votes for passage in passages],
        "score": _rounded([passage.score for passage in passages], 6),
        "parent": answer.activity.parents_of(answer.chunks),
    }
    names = answer.activity.names
    if len(names) > 1:
        nodes["parts"] = _rounded([[passage.parts.get(name, 0.0) for name in names] for passage in passages], 9)
    return {
        "time": time.time(),
        "question": answer.question,
        "parts": list(names) if len(names) > 1 else [],
        "config": answer.config.to_dict(),
        "profile": to_plain(answer.profile),
        "nodes": nodes,
        "ledger": ledger_values(answer.ledger),
        "stop_reason": answer.stop_reason,
        "thresholds": [spread.threshold for spread in answer.activity.spreads],
        "confidence": to_plain(answer.confidence),
        "gaps": to_plain(answer.gaps()),
        "left_out": to_plain(answer.left_out),
        "bridges": to_plain(answer.bridges),
        "dedup_mode": answer.dedup_mode,
        "timings": dict(answer.timings),
        "warnings": list(answer.warnings),
    }


def _rounded(values: list[Any], decimals: int) -> list[Any]:
    found: list[Any] = np.round(np.asarray(values, dtype=np.float64), decimals).tolist()
    return found
