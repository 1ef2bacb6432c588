"""Questions in parts: given parts, given answers, readers, models that help and models that lie."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from corpora import Bridge
from gossamer import Document, build_index, open_index
from gossamer.errors import ArgumentTypeError, LLMServerError, UsageError
from gossamer.retrieval.parts import read_parts, search_parts
from gossamer.retrieval.pipeline import SpectRAGRetrieval

PARTS = ["Which lab does the research for Project Orion?", "In which city is #1 headquartered?"]
QUESTION = "In which town do the people sit who study for Orion?"
EXTRA = [Document(f"x{i}", f"The people of town {i} sit and study in the evening.") for i in range(8)]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> SpectRAGRetrieval:
    folder: Path = tmp_path_factory.mktemp("parts") / "index"
    build_index([*Bridge().documents(), *EXTRA], folder)
    return open_index(folder)


def documents(found: object) -> set[str]:
    return {passage.document for passage in found.result.passages}  # type: ignore[attr-defined]


def test_a_supported_answer_feeds_the_next_part(index: SpectRAGRetrieval) -> None:
    found = search_parts(index, QUESTION, 60, parts=PARTS, answers={1: "helix labs"})
    first, second = found.parts
    assert (first.answer, first.passage) == ("helix labs", "c03#0")
    assert second.asked == "In which city is helix labs headquartered?"
    assert documents(found) >= {"c03", "c04"}
    assert found.result.tokens <= 60
    assert found.result.question == QUESTION


def test_an_answer_that_no_passage_holds_is_not_used(index: SpectRAGRetrieval) -> None:
    found = search_parts(index, QUESTION, parts=PARTS, answers={1: "Zephyr Works"})
    assert [part.answer for part in found.parts] == [None, None]
    assert found.parts[1].asked == "In which city is headquartered?"


def test_a_reader_reads_only_what_a_later_part_needs(index: SpectRAGRetrieval) -> None:
    asked: list[str] = []

    def read(part: str, passages: object) -> str:
        asked.append(part)
        assert any("Helix Labs" in text for text in passages)  # type: ignore[attr-defined]
        return "Helix Labs"

    assert search_parts(index, QUESTION, parts=PARTS, answers=read).parts[0].passage == "c03#0"
    assert asked == [PARTS[0]]
    with pytest.raises(ArgumentTypeError, match="Return a string"):
        search_parts(index, QUESTION, parts=PARTS, answers=lambda part, passages: 7)  # type: ignore[arg-type, return-value]


def test_a_model_divides_and_reads(index: SpectRAGRetrieval) -> None:
    def model(prompt: str) -> str:
        if prompt.startswith("Break"):
            return f'Sure:\n```json\n{{"parts": {json.dumps(PARTS)},}}\n```'
        assert "Helix Labs" in prompt
        return '{"answer": "Helix Labs"}'

    found = search_parts(index, QUESTION, llm=model)
    assert [part.answer for part in found.parts] == ["Helix Labs", None]
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "reply",
    ["I cannot.", '{"parts": []}', '{"parts": ["#1?"]}', '{"parts": [7]}', '{"parts": "x"}', '["a", "#3"]', "", "{}"],
)
def test_a_model_that_lies_ends_in_the_plain_search(index: SpectRAGRetrieval, reply: str) -> None:
    found = search_parts(index, QUESTION, 100, llm=lambda prompt: reply)
    plain = index.search(QUESTION, 100)
    assert [p.id for p in found.result.passages] == [p.id for p in plain.passages]
    assert found.parts == ()
    assert any(note.startswith("The plain search was used:") for note in found.result.warnings)


def test_a_server_that_fails_while_reading_ends_in_the_plain_search(index: SpectRAGRetrieval) -> None:
    def model(prompt: str) -> str:
        if prompt.startswith("Break"):
            return json.dumps(PARTS)
        raise LLMServerError("The server is away. Start it.")

    found = search_parts(index, QUESTION, llm=model)
    assert found.parts == ()
    assert "The server is away" in found.result.warnings[-1]


def test_instructions_in_passages_and_empty_answers_do_no_harm(index: SpectRAGRetrieval) -> None:
    for answer in ("", "../../etc/passwd", "#2", None, 7):
        replies = iter([json.dumps({"parts": PARTS}), json.dumps({"answer": answer})])
        found = search_parts(index, QUESTION, llm=lambda prompt, replies=replies: next(replies))
        assert [part.answer for part in found.parts] == [None, None]


def test_parts_keep_to_a_filter_and_a_budget(index: SpectRAGRetrieval) -> None:
    found = search_parts(index, QUESTION, 40, parts=PARTS, answers={1: "Helix Labs"}, where={"document": "c0*"})
    assert documents(found) <= {f"c{n:02}" for n in range(10)}
    assert search_parts(index, QUESTION, 0, parts=PARTS).result.passages == ()


@pytest.mark.parametrize("parts", [[], ["a"] * 9, ["#1"], [""], ["a", "#2"], ["a", "#0"], "text"])
def test_parts_that_cannot_be_used(index: SpectRAGRetrieval, parts: list[str]) -> None:
    with pytest.raises(ValueError):
        read_parts(parts)
    with pytest.raises(UsageError, match="The parts cannot be used"):
        search_parts(index, QUESTION, parts=parts)


def test_neither_parts_nor_model(index: SpectRAGRetrieval) -> None:
    with pytest.raises(UsageError, match="Give parts"):
        search_parts(index, QUESTION)
