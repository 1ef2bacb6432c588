"""The fields of requests: declared once, checked when a request comes in, and shown in the OpenAPI description."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gossamer.errors import UsageError
from gossamer.text.clean import join_surrogates

Kind = Literal["text", "whole", "number", "flag", "texts", "values"]
MOST_CHARACTERS = 20_000
_MOST_ITEMS = 1000
_TYPES: dict[str, dict[str, Any]] = {
    "text": {"type": "string", "maxLength": MOST_CHARACTERS},
    "whole": {"type": "integer"},
    "number": {"type": "number"},
    "flag": {"type": "boolean"},
    "texts": {"type": "array", "items": {"type": "string"}, "maxItems": _MOST_ITEMS},
    "values": {"type": "object", "additionalProperties": True},
}


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a request; a default of None makes it optional, `required` makes it necessary."""

    name: str
    kind: Kind
    about: str
    default: Any = None
    required: bool = False
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()

    def schema(self) -> dict[str, Any]:
        """JSON schema of the field.

        >>> Field("k", "whole", "How many.", low=1).schema()
        {'type': 'integer', 'minimum': 1, 'description': 'How many.'}
        """
        found = dict(_TYPES[self.kind])
        if math.isfinite(self.low):
            found["minimum"] = self.low
        if math.isfinite(self.high):
            found["maximum"] = self.high
        if self.choices:
            found["enum"] = list(self.choices)
        if self.default is not None:
            found["default"] = self.default
        return {**found, "description": self.about}

    def check(self, value: Any) -> Any:
        """The value, or UsageError with what is possible."""
        if value is None and not self.required:
            return self.default
        if not self._fits(value):
            raise UsageError(f"{self.name} = {_shown(value)} is not possible. Give {self._wanted()}.")
        if self.kind == "text":
            return _sound(value)
        return [_sound(item) for item in value] if self.kind == "texts" else value

    def _fits(self, value: Any) -> bool:
        if self.kind == "flag":
            return isinstance(value, bool)
        if self.kind in ("whole", "number"):
            kinds = int if self.kind == "whole" else (int, float)
            return isinstance(value, kinds) and not isinstance(value, bool) and self.low <= value <= self.high
        if self.kind == "text":
            return _is_text(value) and (not self.choices or value in self.choices)
        if self.kind == "texts":
            return isinstance(value, list) and len(value) <= _MOST_ITEMS and all(_is_text(item) for item in value)
        return isinstance(value, Mapping) and len(value) <= _MOST_ITEMS

    def _wanted(self) -> str:
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        if self.kind in ("whole", "number"):
            what = "a whole number" if self.kind == "whole" else "a number"
            low = f" from {self.low:g}" if math.isfinite(self.low) else ""
            return f"{what}{low}{f' to {self.high:g}' if math.isfinite(self.high) else ''}"
        if self.kind == "flag":
            return "true or false"
        if self.kind == "values":
            return "an object of names and values"
        text = f"a string of at most {MOST_CHARACTERS} characters"
        return text if self.kind == "text" else f"a list of at most {_MOST_ITEMS} strings"


def check_fields(fields: Sequence[Field], given: Mapping[str, Any]) -> dict[str, Any]:
    """Every field with its value; UsageError names what is missing, unknown or impossible.

    >>> check_fields([Field("k", "whole", "How many.", default=5)], {})
    {'k': 5}
    """
    known = [field.name for field in fields]
    for name in given:
        if name not in known:
            raise UsageError(f"There is no field {_shown(name)}. Known: {', '.join(known) or 'none'}.")
    for field in fields:
        if field.required and given.get(field.name) is None:
            raise UsageError(f"{field.name} is missing. {field.about}")
    return {field.name: field.check(given.get(field.name)) for field in fields}


def parse_query(fields: Sequence[Field], given: Mapping[str, str]) -> dict[str, Any]:
    """Fields of a query string, whose numbers and flags are text."""
    kinds = {field.name: field.kind for field in fields}
    values = {}
    for name, text in given.items():
        values[name] = _from_text(text) if kinds.get(name) in ("whole", "number", "flag") else text
    return check_fields(fields, values)


def parse_body(fields: Sequence[Field], body: bytes) -> dict[str, Any]:
    """Fields of a JSON object; UsageError where the body is none."""
    try:
        data = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except (UnicodeDecodeError, ValueError, RecursionError) as problem:
        raise UsageError(f"The request is no JSON ({str(problem)[:80]}). Send one JSON object.") from problem
    if not isinstance(data, dict):
        raise UsageError('The request is no JSON object. Send one, such as {"question": "…"}.')
    return check_fields(fields, data)


def _from_text(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return text


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON number")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_CHARACTERS


def _sound(text: str) -> str:
    """Text that can be written as UTF-8."""
    return join_surrogates(text)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"
