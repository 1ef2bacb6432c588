"""Strict reading of model output: JSON of a given form, repaired where what is meant is clear, else a typed error.

What a model writes is data: it is read, checked and never executed, and nothing in it is taken as a path or an id.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar, overload

from gossamer.errors import LLMOutputError
from gossamer.llm.lenient import Broken, read_value
from gossamer.llm.wire import without_thoughts
from gossamer.text.clean import clean_text

T = TypeVar("T")
Schema = Mapping[str, Any]
_FENCE = re.compile(r"```[\w-]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_ITEM = re.compile(r"^\s*(?:[-*•–]|\(?\d{1,3}[.)])\s+(.+?)\s*$")
_SHOWN = 120
_LONGEST = 100_000
_STARTS = 50


@overload
def parse_json(text: str, check: Schema | None = None) -> Any: ...
@overload
def parse_json(text: str, check: Callable[[Any], T]) -> T: ...
def parse_json(text: str, check: Schema | Callable[[Any], Any] | None = None) -> Any:
    """The JSON value in a model's reply: the first that fits `check`.

    `check` is a JSON schema of the small kind that `validate` knows, or a function of the value that returns what to
    give back and raises ValueError, TypeError or KeyError for what it does not accept. Prose and code fences around the
    value, trailing commas, comments, single quotes, Python's constants and a cut end are repaired. Strings are cleaned.

    Raises LLMOutputError: what was wrong with the best attempt, and the start of the reply.

    >>> parse_json('Sure! ```json\\n{"parts": ["a", "b",],}\\n``` Done.', {"type": "object", "required": ["parts"]})
    {'parts': ['a', 'b']}
    >>> parse_json("I cannot.", {"type": "object"})
    Traceback (most recent call last):
    gossamer.errors.LLMOutputError: The model's reply holds no JSON: 'I cannot.'. Ask again, or use a better model.
    """
    body = without_thoughts(text)[:_LONGEST]
    reason = "holds no JSON"
    for candidate in _candidates(body):
        try:
            value = _cleaned(candidate)
            if check is None:
                return value
            if callable(check):
                return check(value)
            validate(value, check)
        except (ValueError, TypeError, KeyError) as problem:
            reason = f"is not of the form that was asked for ({_one(problem)})"
            continue
        return value
    shown = clean_text(" ".join(text.split()))[:_SHOWN]
    raise LLMOutputError(f"The model's reply {reason}: {shown!r}. Ask again, or use a better model.")


def parse_strings(text: str, key: str, *, most: int = 50, longest: int = 500) -> list[str]:
    """A list of strings in a reply: JSON `{key: [...]}` or `[...]`, or lines that start with a dash or number.

    Blank ones, repeated ones and those over `longest` characters are left out; `most` bounds their number. Raises
    LLMOutputError where there is no list.

    >>> parse_strings('{"questions": ["Where is Pune?", "Where is Pune?"]}', "questions")
    ['Where is Pune?']
    >>> parse_strings("Here you go:\\n1. Where is Pune?\\n2) Who lives there?", "questions")
    ['Where is Pune?', 'Who lives there?']
    """

    def strings(value: Any) -> list[str]:
        found = value.get(key) if isinstance(value, dict) else value
        if not isinstance(found, list):
            raise ValueError(f"no list under {key!r}")
        texts = [item.get("text", "") if isinstance(item, dict) else item for item in found]
        return [item for item in texts if isinstance(item, str)]

    try:
        said = parse_json(text, strings)
    except LLMOutputError:
        said = [match[1] for line in without_thoughts(text).splitlines() if (match := _ITEM.match(line))]
        if not said:
            raise
    plain = (" ".join(clean_text(item).split()) for item in said)
    return list(dict.fromkeys(item for item in plain if item and len(item) <= longest))[:most]


def validate(value: Any, schema: Schema, where: str = "the value") -> None:
    """Raise ValueError where a value does not fit a schema.

    Known: type (one or several), properties, required, items, enum, minItems, maxItems, maxLength, minimum, maximum.

    >>> validate({"n": "x"}, {"type": "object", "properties": {"n": {"type": "integer"}}})
    Traceback (most recent call last):
    ValueError: n is a string, not an integer
    """
    wanted = schema.get("type")
    kinds = [wanted] if isinstance(wanted, str) else list(wanted or ())
    if kinds and not any(_is(value, kind) for kind in kinds):
        raise ValueError(f"{where} is {_named(value)}, not {' or '.join(_ARTICLES.get(kind, kind) for kind in kinds)}")
    if "enum" in schema and value not in schema["enum"]:
        raise ValueError(f"{where} is none of {', '.join(map(repr, schema['enum']))}")
    if isinstance(value, dict):
        for name in schema.get("required", ()):
            if name not in value:
                raise ValueError(f"{where} lacks {name!r}")
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                validate(value[name], inner, name)
    elif isinstance(value, list):
        _check_size(len(value), schema, "minItems", "maxItems", where)
        for number, item in enumerate(value):
            validate(item, schema.get("items", {}), f"item {number} of {where}")
    elif isinstance(value, str):
        _check_size(len(value), schema, "minLength", "maxLength", where)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        _check_size(value, schema, "minimum", "maximum", where)


_ARTICLES = {
    "object": "an object", "array": "a list", "string": "a string", "integer": "an integer", "number": "a number",
    "boolean": "true or false", "null": "null",
}  # fmt: skip
_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool,
    "null": type(None),
}  # fmt: skip


def _is(value: Any, kind: str) -> bool:
    return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))


def _named(value: Any) -> str:
    return next((_ARTICLES[kind] for kind in _TYPES if _is(value, kind)), type(value).__name__)


def _check_size(size: float, schema: Schema, low: str, high: str, where: str) -> None:
    if size < schema.get(low, size) or size > schema.get(high, size):
        raise ValueError(f"{where} has {size}; {low} {schema.get(low)}, {high} {schema.get(high)}")


def _candidates(text: str) -> Iterator[Any]:
    """Values that the text may mean, the likeliest first: as it is, in code fences, from each opening bracket on."""
    bodies = [text, *(match[1] for match in _FENCE.finditer(text))]
    for body in bodies:
        try:
            yield json.loads(body.strip().removeprefix("\ufeff"), parse_constant=_no_number)
        except (ValueError, RecursionError):
            continue
    for body in reversed(bodies):
        yield from _bracketed(body)


def _bracketed(text: str) -> Iterator[Any]:
    """Lenient readings of what starts at each outer bracket."""
    place = 0
    for _ in range(_STARTS):
        match = _OPENING.search(text, place)
        if match is None:
            return
        try:
            value, place = read_value(text, match.start())
        except Broken:
            place = match.end()
        else:
            yield value


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _cleaned(value: Any) -> Any:
    """Strings without control characters and lone surrogates."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, Sequence):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean_text(str(key)): _cleaned(item) for key, item in value.items()}
    return value


def _one(problem: Exception) -> str:
    return clean_text(" ".join(str(problem).split()))[:_SHOWN] or type(problem).__name__
