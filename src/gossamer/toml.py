"""The little TOML that settings need: scalars in tables, written so that the standard library reads them back."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from gossamer.errors import SettingsError


def load(source: str | Path) -> dict[str, Any]:
    """Values of a TOML file, or of TOML text where `source` is a string with a line break or '='.

    >>> load("[graph]\\ntau = 0.1")
    {'graph': {'tau': 0.1}}
    """
    text = str(source)
    if isinstance(source, Path) or ("\n" not in source and "=" not in source):
        try:
            text = Path(source).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError, ValueError) as problem:
            raise SettingsError(f"Cannot read settings from {str(source)!r}: {problem}. Check the path.") from problem
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise SettingsError(f"The settings are not valid TOML: {problem}. Correct that line.") from problem


def dump(data: Mapping[str, Any]) -> str:
    """TOML text of scalars and of tables of scalars; None is left out, since TOML has no such value.

    >>> print(dump({"name": "x", "graph": {"tau": 0.1, "on": True, "off": None}}), end="")
    name = "x"
    <BLANKLINE>
    [graph]
    tau = 0.1
    on = true
    """
    scalars = {key: value for key, value in data.items() if not isinstance(value, Mapping)}
    lines = _lines(scalars)
    for name, table in data.items():
        if isinstance(table, Mapping):
            lines += ["", f"[{name}]", *_lines(table)]
    return "\n".join(lines) + "\n"


def merge(base: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """`base` with the values of `extra` over it, table by table."""
    merged = dict(base)
    for key, value in extra.items():
        inner = merged.get(key)
        both = isinstance(inner, Mapping) and isinstance(value, Mapping)
        merged[key] = merge(inner, value) if both else value  # type: ignore[arg-type]
    return merged


def _lines(table: Mapping[str, Any]) -> list[str]:
    return [f"{key} = {_value(value)}" for key, value in table.items() if value is not None]


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace('"', '\\"')
        return '"' + "".join(c if c >= " " and c != "\x7f" else f"\\u{ord(c):04x}" for c in escaped) + '"'
    return repr(value)
