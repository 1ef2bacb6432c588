"""Coloured questions: the parts spread apart and meet at bridges, the whole question keeps a channel of its own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gossamer.errors import UsageError
from gossamer.retrieval.spread_activity import Activity
from gossamer.retrieval.spread_view import make_answer
from gossamer.retrieval.spreading import ENERGY, contacts_of, prepare

if TYPE_CHECKING:
    from gossamer.retrieval.pipeline import SpectRAGRetrieval
    from gossamer.retrieval.spread_answer import SpreadAnswer
    from gossamer.retrieval.spread_config import RetrievalConfig
    from gossamer.retrieval.spread_seeds import Asked


def retrieve_coloured(
    retrieval: SpectRAGRetrieval,
    parts: Sequence[Asked],
    question: Asked,
    config: RetrievalConfig,
    *,
    without: Sequence[str] = (),
) -> SpreadAnswer:
    """Spread every part by itself with an equal share of the energy, and the whole question beside them.

    The whole question has an energy of its own and is fused by score: z(H) of the question plus the logs of both
    channels, so the parts lose nothing to it. A part that touches nothing is named in `warnings`.
    """
    started = time.perf_counter()
    names = [part.text for part in parts]
    if not names:
        raise UsageError("parts is empty. Give at least one part of the question.")
    if len(set(names)) < len(names):
        raise UsageError("parts names one part twice. Give each part once.")
    ground, contacts = prepare(retrieval, question, config, without)
    runs = [("", ground.spread(question.text, contacts))]
    share = ENERGY / len(parts)
    runs += [(part.text, ground.spread(part.text, contacts_of(retrieval, part), energy=share)) for part in parts]
    live = [(name, run) for name, run in runs if run is not None]
    silent = [f"Nothing in the index touches the part {name!r}." for name, run in runs if run is None and name]
    activity = Activity(tuple(name for name, _ in live), tuple(run for _, run in live))
    notes = [note for part in parts for note in part.warnings if note not in question.warnings]
    return make_answer(
        retrieval, question, ground, contacts, activity, started=started, warnings=(*dict.fromkeys(notes), *silent)
    )
