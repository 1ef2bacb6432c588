"""A grounded answer from any language model: prompt, abstention, both sides of a contradiction, citations that resolve.

What the model writes is shown and checked, never executed. A number that names no passage is cut out and reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from gossamer.insight.contradictions import find_conflicts
from gossamer.llm.function import LLMLike, as_llm
from gossamer.llm.reply import Reply
from gossamer.model import GROUNDED, NO_ANSWER, Answer, Citation, Disagreement, Result
from gossamer.retrieval.citations import CitationFilter, check_citations
from gossamer.text.clean import clean_text

if TYPE_CHECKING:
    from gossamer.llm.base import LLM

LEAST_CONFIDENCE = 0.1
"""A context that suffices with less than this estimated probability is not shown to a model."""

_COMPARED = 10
_LEAST_STRENGTH = 0.6


def grounded_answer(
    result: Result, llm: LLMLike, instruction: str = GROUNDED, *, min_confidence: float = LEAST_CONFIDENCE
) -> Answer:
    """Ask a model about the passages of a result and check its citations.

    No model is asked where there are no passages, or where the result's confidence is known and below `min_confidence`.
    """
    asked = Asking(result, as_llm(llm), instruction, min_confidence=min_confidence)
    return asked.answer if asked.abstains else asked.finish(asked.llm.complete(asked.messages))


class AnswerStream:
    """An answer in pieces: iterate once, then read `.answer`. Closing the iterator stops the server.

    Pieces are final: citations that do not resolve never show, nor does the model's sign that it has no answer.
    """

    def __init__(
        self, result: Result, llm: LLMLike, instruction: str = GROUNDED, *, min_confidence: float = LEAST_CONFIDENCE
    ) -> None:
        self._asking = Asking(result, as_llm(llm), instruction, min_confidence=min_confidence)
        self.result = result
        self.answer = self._asking.answer

    def __iter__(self) -> Iterator[str]:
        asking = self._asking
        if asking.abstains:
            return
        citations, said, deciding = CitationFilter(len(self.result.passages)), "", True
        for piece in asking.llm.stream(asking.messages, on_end=self._end):
            said += piece
            if deciding:
                piece = said.lstrip()
                deciding = NO_ANSWER.startswith(piece[: len(NO_ANSWER)])
                if deciding:
                    continue
            if shown := citations.feed(piece):
                yield shown
        if rest := citations.flush():
            yield rest
        if deciding and self.answer.text:
            yield self.answer.text

    def _end(self, reply: Reply) -> None:
        self.answer = self._asking.finish(reply)


class Asking:
    """A result on its way to a model: the messages, or the reason why none is asked."""

    def __init__(self, result: Result, llm: LLM, instruction: str, *, min_confidence: float) -> None:
        self.llm = llm
        self._result = result
        reason = _reason(result, min_confidence)
        self._disagreements = () if reason else disagreements(result)
        self.abstains = reason is not None
        self.answer = Answer("", (), (), 0, result, abstained=reason, disagreements=self._disagreements)
        self.messages = messages_of(result, instruction, self._disagreements)

    def finish(self, reply: Reply) -> Answer:
        """The answer of a reply."""
        said = clean_text(reply.text).strip()
        abstained = None
        if said[: len(NO_ANSWER)] == NO_ANSWER and not said[len(NO_ANSWER) : len(NO_ANSWER) + 1].isalnum():
            abstained = "The model does not find the answer in the passages."
            said = said[len(NO_ANSWER) :].lstrip(" .:;,!\n-–—")
        elif not said:
            abstained = "The model returned nothing. Ask again, or ask another model."
        text, cited, unresolved = check_citations(said, len(self._result.passages))
        return Answer(
            text,
            tuple(Citation(number, self._result.passages[number - 1]) for number in cited),
            tuple(unresolved),
            reply.prompt_tokens,
            self._result,
            reply.completion_tokens,
            abstained,
            self._disagreements,
            reply.cut,
        )


def messages_of(result: Result, instruction: str, opposed: tuple[Disagreement, ...] = ()) -> list[dict[str, str]]:
    """The messages of a grounded prompt: instruction, then numbered passages and question, with a word on disagreements."""
    notes = [
        f"Passages [{pair.first}] and [{pair.second}] disagree. If that touches the question, give both sides, each with "
        "its citation."
        for pair in opposed
    ]
    body = "\n\n".join([result.context, *notes, f"Question: {result.question}\nAnswer:"])
    return [{"role": "system", "content": instruction}, {"role": "user", "content": body}]


def disagreements(result: Result) -> tuple[Disagreement, ...]:
    """Contradictions among the ten best passages of a result, the strongest first, by passage number."""
    best = sorted(range(len(result.passages)), key=lambda place: (result.passages[place].order, place))[:_COMPARED]
    numbers = sorted(best)
    found = find_conflicts([result.passages[place].text for place in numbers], question=result.question)
    return tuple(
        Disagreement(
            numbers[c.i] + 1, numbers[c.j] + 1, _line(c.left), _line(c.right), c.subject, c.question, c.strength
        )
        for c in found
        if c.strength >= _LEAST_STRENGTH
    )


def _reason(result: Result, min_confidence: float) -> str | None:
    """Why no model is asked."""
    if not result.passages:
        return f"No passage was found for the question within {result.token_budget} tokens."
    if result.confidence is not None and result.confidence < min_confidence:
        return (
            f"The passages hold the answer with a probability of {result.confidence:.2f} only, less than {min_confidence:.2f}. "
            "Ask more precisely, or lower min_confidence."
        )
    return None


def _line(text: str) -> str:
    return " ".join(text.split())
