from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import LLMOutputError
from gossamer.llm.lenient import Broken, read_value
from gossamer.llm.parsing import parse_json, parse_strings, validate

PARTS = {
    "type": "object",
    "properties": {"parts": {"type": "array", "items": {"type": "string"}, "maxItems": 3}},
    "required": ["parts"],
}
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(st.characters(codec="utf-8", min_codepoint=32)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@pytest.mark.parametrize(
    "text",
    [
        '{"parts": ["a", "b"]}',
        '\ufeff{"parts": ["a", "b"]}\n',
        'Sure, here it is: {"parts": ["a", "b"]} Anything else?',
        '```json\n{"parts": ["a", "b"]}\n```',
        '```\n{"parts": ["a", "b"]}',
        "{'parts': ['a', 'b']}",
        '{"parts": ["a", "b",],}',
        '{parts: ["a" "b"]}',
        '{"parts": ["a", "b"], // all\n "more": None}',
        '{"parts": ["a", "b"',
        '{"parts": ["a", "b", "c is cut he',
        '<think>maybe {"parts": ["x"]}?</think>{"parts": ["a", "b"]}',
        'An example is {"other": 1}, the answer {"parts": ["a", "b"]}.',
        "{“parts”: [“a”, “b”]}",
        '[{"x": 1}] {"parts": ["a", "b"], "n": NaN}',
        'Set {a, b} first. {"parts": ["a", "b"]}',
    ],
)
def test_what_is_meant_is_read(text: str) -> None:
    assert parse_json(text, PARTS)["parts"] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "holds no JSON"),
        ("I cannot do that.", "holds no JSON"),
        ("Nein, das geht nicht.", "holds no JSON"),
        ('{"part": ["a"]}', "lacks 'parts'"),
        ('{"parts": "a"}', "parts is a string, not a list"),
        ('{"parts": [1]}', "item 0 of parts is an integer, not a string"),
        ('{"parts": ["a", "b", "c", "d"]}', "maxItems 3"),
        ('["a"]', "the value is a list, not an object"),
        ("{" * 10_000, "holds no JSON"),
        ("[" * 100_000, "holds no JSON|not an object"),
        ('{"a":' * 5_000, "holds no JSON"),
    ],
)
def test_what_is_not_meant_is_a_clear_error(text: str, reason: str) -> None:
    with pytest.raises(LLMOutputError, match=reason) as caught:
        parse_json(text, PARTS)
    assert "Ask again" in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_function_may_check_and_change() -> None:
    def first(value: Any) -> str:
        return str(value["parts"][0])

    assert parse_json('no {"x": 1} yes {"parts": ["a"]}', first) == "a"
    with pytest.raises(LLMOutputError, match="parts"):
        parse_json('{"x": 1}', first)


def test_code_in_a_reply_is_only_text() -> None:
    text = '{"parts": ["__import__(\'os\').system(\'true\')", "../../etc/passwd"]}'
    assert parse_json(text, PARTS)["parts"] == ["__import__('os').system('true')", "../../etc/passwd"]
    with pytest.raises(LLMOutputError):
        parse_json('{"parts": __import__("os")}', PARTS)


def test_strings_come_out_clean() -> None:
    assert parse_json('["a\\u0000b", "\\ud83d x", "\\ud83d\\ude42"]') == ["ab", "\ufffd x", "🙂"]


@given(VALUES)
def test_proper_json_comes_back_as_it_is(value: Any) -> None:
    from gossamer.llm.parsing import _cleaned

    assert parse_json(json.dumps(value)) == _cleaned(value)


@given(st.lists(st.text(st.characters(codec="utf-8", min_codepoint=32)), max_size=4), st.integers(0, 200))
def test_a_cut_list_keeps_its_whole_items(items: list[str], at: int) -> None:
    text = json.dumps({"parts": items})
    try:
        value, _ = read_value(text[:at], 0) if at and text[:at].startswith("{") else ({}, 0)
    except Broken:
        pytest.fail("a cut end is repaired")
    kept = value.get("parts", [])
    assert kept == items[: len(kept)]


@given(st.text(alphabet="{}[]\",:'\\ab1\n/*#", max_size=60))
def test_any_text_gives_a_value_or_the_error(text: str) -> None:
    try:
        parse_json(text, PARTS)
    except LLMOutputError:
        return


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"questions": ["Who?", " Who? ", "", "Where\\nis it?"]}', ["Who?", "Where is it?"]),
        ('["Who?", 3, null, {"text": "Where?"}]', ["Who?", "Where?"]),
        ("- Who?\n* Where?\nDone.", ["Who?", "Where?"]),
        ("1. Who?\n2) Where?\n(3) When?", ["Who?", "Where?", "When?"]),
        ('{"questions": []}', []),
        (f'["{"x" * 600}", "Who?"]', ["Who?"]),
    ],
)
def test_lists_of_strings(text: str, found: list[str]) -> None:
    assert parse_strings(text, "questions") == found


@pytest.mark.parametrize("text", ["", "Who is it?", '{"answers": ["a"]}', "Je ne sais pas."])
def test_no_list_of_strings(text: str) -> None:
    with pytest.raises(LLMOutputError):
        parse_strings(text, "questions")


def test_a_list_is_bounded() -> None:
    assert len(parse_strings(json.dumps([f"q{n}" for n in range(500)]), "questions", most=7)) == 7


@pytest.mark.parametrize(
    ("value", "schema", "message"),
    [
        (True, {"type": "integer"}, "true or false, not an integer"),
        (3, {"type": ["string", "null"]}, "an integer, not a string or null"),
        ("c", {"enum": ["a", "b"]}, "none of 'a', 'b'"),
        (7, {"maximum": 5}, "maximum 5"),
        ([], {"minItems": 1}, "minItems 1"),
        ("abc", {"maxLength": 2}, "maxLength 2"),
    ],
)
def test_validate(value: Any, schema: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        validate(value, schema)
