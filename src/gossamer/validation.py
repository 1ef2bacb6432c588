"""Checked dataclass fields: each declares its range or choices once, and validation, messages and docs follow."""

from __future__ import annotations

import dataclasses
import math
import numbers
from collections.abc import Callable
from typing import Any

from gossamer.errors import ArgumentTypeError, SettingsError, UsageError


def number(default: float, low: float, high: float = math.inf) -> Any:
    """A field that holds a finite number in [low, high]; an int default makes an int field."""
    kind = "integer" if isinstance(default, int) else "number"
    return dataclasses.field(default=default, metadata={"kind": kind, "low": low, "high": high})


def choice(default: str, *options: str) -> Any:
    """A field that holds one of `options`; an option that ends in ':' allows any non-empty rest."""
    return dataclasses.field(default=default, metadata={"kind": "choice", "options": options})


def flag(default: bool) -> Any:
    """A field that holds True or False."""
    return dataclasses.field(default=default, metadata={"kind": "flag"})


def string(default: str | None, *, optional: bool = False) -> Any:
    """A field that holds a string, or None where `optional`."""
    return dataclasses.field(default=default, metadata={"kind": "string", "optional": optional})


def _integer(value: Any, meta: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int) or not meta["low"] <= value <= meta["high"]:
        return f"a whole number from {meta['low']} to {meta['high']}"
    return None


def _number(value: Any, meta: Any) -> str | None:
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not usable or not meta["low"] <= value <= meta["high"]:
        return f"a number from {meta['low']} to {meta['high']}"
    return None


def _choice(value: Any, meta: Any) -> str | None:
    options = meta["options"]
    if isinstance(value, str) and any(
        value.startswith(option) and len(value) > len(option) if option.endswith(":") else value == option
        for option in options
    ):
        return None
    return "one of " + ", ".join(repr(option + "NAME" if option.endswith(":") else option) for option in options)


def _flag(value: Any, meta: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false"


def _string(value: Any, meta: Any) -> str | None:
    if isinstance(value, str) or (value is None and meta["optional"]):
        return None
    return "a string"


_CHECKS: dict[str, Callable[[Any, Any], str | None]] = {
    "integer": _integer,
    "number": _number,
    "choice": _choice,
    "flag": _flag,
    "string": _string,
}


def check_fields(group: Any, prefix: str = "") -> None:
    """Raise SettingsError for the first field whose value its declaration does not allow."""
    for field in dataclasses.fields(group):
        kind = field.metadata.get("kind")
        if kind is None:
            continue
        value = getattr(group, field.name)
        wanted = _CHECKS[kind](value, field.metadata)
        if wanted is not None:
            raise SettingsError(f"{prefix}{field.name} = {value!r} is not possible. Give {wanted}.")


def differing_fields(group: Any, reference: Any, prefix: str = "") -> dict[str, Any]:
    """Dotted name -> value of every field in which `group` differs from `reference`, groups included."""
    found: dict[str, Any] = {}
    for field in dataclasses.fields(group):
        mine, other = getattr(group, field.name), getattr(reference, field.name)
        if dataclasses.is_dataclass(mine):
            found.update(differing_fields(mine, other, f"{prefix}{field.name}."))
        elif mine != other:
            found[f"{prefix}{field.name}"] = mine
    return found


def whole_number(name: str, value: Any) -> int:
    """`value` as an int of 0 or more; ArgumentTypeError for another type, UsageError for a negative number.

    >>> whole_number("k", 5)
    5
    """
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise ArgumentTypeError(f"{name} is a {type(value).__name__}. Pass a whole number.")
    if value < 0:
        raise UsageError(f"{name} = {value} is not possible. Give 0 or more.")
    return int(value)
