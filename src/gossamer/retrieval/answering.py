"""Questions to an index that a language model answers: search, order of the context, answer."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from gossamer.errors import UsageError
from gossamer.llm.function import LLMLike, as_llm
from gossamer.model import GROUNDED, Answer, Result
from gossamer.retrieval import context
from gossamer.retrieval.answer import LEAST_CONFIDENCE, AnswerStream, grounded_answer

if TYPE_CHECKING:
    from gossamer.llm.reply import Estimate
    from gossamer.retrieval.filters import Where
    from gossamer.retrieval.pipeline import SpectRAGRetrieval

ORDERS = ("document", "ends")


def answer_question(
    retrieval: SpectRAGRetrieval,
    question: str,
    llm: LLMLike,
    token_budget: int = 4000,
    *,
    instruction: str = GROUNDED,
    order: str = "document",
    where: Where | None = None,
    min_confidence: float = LEAST_CONFIDENCE,
) -> Answer:
    """Search, ask the model, resolve its citations."""
    model = as_llm(llm)
    result = search_in_order(retrieval, question, token_budget, order, where)
    return grounded_answer(result, model, instruction, min_confidence=min_confidence)


def stream_answer(
    retrieval: SpectRAGRetrieval,
    question: str,
    llm: LLMLike,
    token_budget: int = 4000,
    *,
    instruction: str = GROUNDED,
    order: str = "document",
    where: Where | None = None,
    min_confidence: float = LEAST_CONFIDENCE,
) -> AnswerStream:
    """`answer_question` in pieces: iterate, then read `.answer`."""
    model = as_llm(llm)
    result = search_in_order(retrieval, question, token_budget, order, where)
    return AnswerStream(result, model, instruction, min_confidence=min_confidence)


def estimate_answer(
    retrieval: SpectRAGRetrieval,
    question: str,
    llm: LLMLike,
    token_budget: int = 4000,
    *,
    instruction: str = GROUNDED,
    order: str = "document",
    where: Where | None = None,
) -> tuple[Result, Estimate]:
    """What an answer would be made from, and what it would cost at most; no model is asked."""
    from gossamer.retrieval.answer import disagreements, messages_of

    result = search_in_order(retrieval, question, token_budget, order, where)
    prompts = [messages_of(result, instruction, disagreements(result))] if result.passages else []
    return result, as_llm(llm).estimate(prompts)


def search_in_order(
    retrieval: SpectRAGRetrieval, question: str, token_budget: int, order: str, where: Where | None = None
) -> Result:
    """The result of a search with its context by document, or ("ends") with the best documents at both ends."""
    if order not in ORDERS:
        raise UsageError(f"order = {order!r} is not possible. Give one of {', '.join(ORDERS)}.")
    result = retrieval.search(question, token_budget, where=where)
    if order == "document" or not result.passages:
        return result
    snapshot = retrieval.snapshot
    numbers = {chunk_id: number for number, chunk_id in enumerate(snapshot.chunk_ids)}
    picked = sorted(result.passages, key=lambda passage: passage.order)
    chunks = context.best_at_the_ends(snapshot, [numbers[passage.id] for passage in picked])
    body = context.compose(snapshot, chunks)
    tokens = retrieval.count_tokens(body)
    if tokens > token_budget:
        return result  # an exact counter may see a token more where the seams moved
    by_id = {passage.id: passage for passage in result.passages}
    shown = tuple(by_id[snapshot.chunk_id(chunk)] for chunk in chunks)
    return dataclasses.replace(result, passages=shown, context=body, tokens=tokens)
