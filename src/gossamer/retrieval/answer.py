"""A grounded answer from any callable model: prompt, reply, citations that resolve to passages."""

from __future__ import annotations

import re
from collections.abc import Callable

from gossamer.errors import ArgumentTypeError
from gossamer.model import GROUNDED, Answer, Citation, Result
from gossamer.text.clean import clean_text

_CITED = re.compile(r"\s?\[(\d{1,6}(?:\s*[,;]\s*\d{1,6})*)\]")
_NUMBER = re.compile(r"\d+")


def grounded_answer(
    result: Result, llm: Callable[[str], str], count: Callable[[str], int], instruction: str = GROUNDED
) -> Answer:
    """Ask `llm(prompt) -> text` and check its citations; a number that names no passage is cut out and reported."""
    prompt = result.prompt(instruction)
    reply = llm(prompt)
    if not isinstance(reply, str):
        raise ArgumentTypeError(
            f"llm returned a {type(reply).__name__}. Pass a callable that returns the answer's text."
        )
    text, cited, unresolved = check_citations(clean_text(reply), len(result.passages))
    citations = tuple(Citation(number, result.passages[number - 1]) for number in cited)
    return Answer(text, citations, tuple(unresolved), count(prompt), result)


def check_citations(text: str, passages: int) -> tuple[str, list[int], list[int]]:
    """The text without numbers that name no passage, the numbers that do, and those that do not; each once, in order.

    >>> check_citations("Pune [2]. Forty people [1, 9] work there [7].", 2)
    ('Pune [2]. Forty people [1] work there.', [2, 1], [9, 7])
    """
    resolved: dict[int, None] = {}
    unresolved: dict[int, None] = {}

    def keep(match: re.Match[str]) -> str:
        numbers = [int(number) for number in _NUMBER.findall(match[1])]
        good = [number for number in numbers if 1 <= number <= passages]
        resolved.update(dict.fromkeys(good))
        unresolved.update(dict.fromkeys(number for number in numbers if number not in good))
        if not good:
            return ""
        lead = " " if match[0].startswith((" ", "\n")) else ""
        return f"{lead}[{', '.join(map(str, good))}]"

    return _CITED.sub(keep, text), list(resolved), list(unresolved)
