"""Questions to the index: the answers of `gossamer query --json`, and the plain rankings to hold beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import UsageError
from gossamer.evaluation.systems.channels import CONTEXT_DEPTH, best_first, matching, rrf_scores
from gossamer.model import to_plain
from gossamer.server.evidence import evidence

if TYPE_CHECKING:
    from gossamer.retrieval.channels import Channels
    from gossamer.retrieval.pipeline import SpectRAGRetrieval
    from gossamer.retrieval.spread_answer import SpreadAnswer
    from gossamer.server.served import Opened

_PLAIN = {
    "bm25": "BM25 over title and text",
    "dense": "cosine of the embedder's vectors",
    "hybrid-rrf": "BM25 and dense, joined by reciprocal rank fusion",
}


def with_settings(opened: Opened, changes: Mapping[str, Any]) -> SpectRAGRetrieval:
    """The index searched with some settings changed, given by dotted name."""
    if not changes:
        return opened.retrieval
    return opened.retrieval.with_settings(opened.retrieval.settings.replace(**dict(changes)))


def query(opened: Opened, values: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """`query`, or `rank` where `k` is given; `evidence` holds each text in pieces."""
    retrieval, question = with_settings(opened, values["settings"] or {}), values["question"]
    if values["k"] is not None:
        found = retrieval.rank(question, values["k"], where=values["where"])
        return "rank", {**found.to_dict(), "evidence": evidence(opened.snapshot.lexical, question, found.passages)}
    result = retrieval.search(question, values["budget"], where=values["where"])
    return "query", {**result.to_dict(), "evidence": evidence(opened.snapshot.lexical, question, result.passages)}


def retrieve(opened: Opened, values: Mapping[str, Any], *, may_learn: bool) -> dict[str, Any]:
    """`retrieve`, with the evidence and what a budget of tokens would hold of it."""
    answer = spread(opened, values, may_learn=may_learn)
    shown = answer.passages[: values["show"]]
    chunks = list(answer.chunks[: values["show"]])
    context, tokens, kept = opened.retrieval.context_for(chunks, values["budget"])
    return {
        **answer.to_dict(limit=values["show"]),
        "evidence": evidence(opened.snapshot.lexical, values["question"], shown),
        "context": context,
        "tokens": tokens,
        "token_budget": values["budget"],
        "in_context": [opened.snapshot.chunk_id(chunk) for chunk in kept],
    }


def spread(opened: Opened, values: Mapping[str, Any], *, may_learn: bool = False) -> SpreadAnswer:
    """Spread a question as the fields say; earlier questions are asked first, in the same session."""
    retrieval = with_settings(opened, values["settings"] or {})
    named = ("profile", "engine", "damping", "threshold", "width")
    options = {name: values[name] for name in named if values[name] is not None} | dict(values["spread"] or {})
    without, where = tuple(values["without"] or ()), values["where"]
    if values["parts"]:
        if values["warm"] or values["accept"]:
            raise UsageError("parts do not go together with warm or accept. Leave one of them out.")
        return retrieval.retrieve_colored(values["parts"], values["question"], without=without, where=where, **options)
    if values["accept"] and not may_learn:
        raise UsageError("This server does not change its index. Start it with --allow-ingest to let it learn.")
    session = retrieval.session(**options)
    for earlier in values["warm"] or ():
        session.retrieve(earlier, without=without, where=where)
    answer = session.retrieve(values["question"], without=without, where=where)
    for passage in values["accept"] or ():
        session.accept(passage)
    return answer


def compare(opened: Opened, values: Mapping[str, Any]) -> dict[str, Any]:
    """What plain rankings put into the same budget: top-k of the one channel that carries meaning, and the hybrid."""
    retrieval = opened.retrieval
    channels = retrieval.asked(values["question"], where=values["where"]).channels
    semantic = channels.has_dense and bool(opened.snapshot.info["semantic"])
    names = ("dense" if semantic else "bm25", "hybrid-rrf")
    systems = []
    for name in names:
        order = best_first(_scores(name, channels), CONTEXT_DEPTH).tolist()
        context, tokens, kept = retrieval.context_for(order, values["budget"])
        rank = {chunk: place for place, chunk in enumerate(order, start=1)}
        passages = [_passage(opened, chunk, rank[chunk]) for chunk in sorted(kept, key=rank.__getitem__)]
        systems.append(
            {"name": name, "about": _PLAIN[name], "tokens": tokens, "passages": passages, "context": context}
        )
    return {"question": values["question"], "token_budget": values["budget"], "systems": systems}


def _scores(name: str, channels: Channels) -> NDArray[np.float64]:
    dense, lexical = np.asarray(channels.dense, dtype=np.float64), matching(channels.bm25)
    if channels.allowed is not None:
        dense = np.where(channels.allowed, dense, -np.inf)
    if name == "hybrid-rrf":
        return rrf_scores([*([dense] if channels.has_dense else []), lexical])
    return dense if name == "dense" else lexical


def _passage(opened: Opened, chunk: int, rank: int) -> dict[str, Any]:
    snapshot = opened.snapshot
    document = int(snapshot.chunk_document[chunk])
    return {
        "id": snapshot.chunk_id(chunk),
        "document": snapshot.document_ids[document],
        "title": snapshot.document_titles[document],
        "section": to_plain(snapshot.section(chunk)),
        "position": int(snapshot.chunk_position[chunk]),
        "text": snapshot.text(chunk),
        "tokens": int(snapshot.chunk_tokens[chunk]),
        "rank": rank,
    }
