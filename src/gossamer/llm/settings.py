"""How a model is reached, as plain values: from a TOML table `[llm]`, the environment, and flags, in rising strength."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from gossamer import toml
from gossamer.errors import SettingsError
from gossamer.validation import check_fields, number, string

_PREFIX = "GOSSAMER_LLM_"
_RESERVED = frozenset({"model", "messages", "stream", "response_format"})


@dataclass(frozen=True, slots=True)
class LLMSettings:
    """Address, model and manners of a client; see `Client`. A `rate` of 0 is no limit, prices below 0 are unknown.

    >>> LLMSettings("http://127.0.0.1:8080/v1", "local", concurrency=8).concurrency
    8
    """

    url: str = string("")
    model: str = string("")
    key_env: str | None = string(None, optional=True)
    timeout: float = number(120.0, 0.01, 86_400.0)
    retries: int = number(8, 0, 100)
    concurrency: int = number(4, 1, 256)
    rate: float = number(0.0, 0.0, 1e6)
    max_tokens: int = number(1024, 1, 1_000_000)
    temperature: float = number(0.0, 0.0, 2.0)
    price_sent: float = number(-1.0, -1.0, 1e9)
    price_received: float = number(-1.0, -1.0, 1e9)
    cache: str | None = string(None, optional=True)
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_fields(self, "llm.")
        if not isinstance(self.extra, Mapping) or _RESERVED & set(self.extra):
            raise SettingsError(
                f"llm.extra is not possible. Give a table of request parameters without {', '.join(sorted(_RESERVED))}."
            )

    @property
    def prices(self) -> tuple[float, float] | None:
        """Prices per million tokens sent and received, None where they are not known."""
        return None if min(self.price_sent, self.price_received) < 0 else (self.price_sent, self.price_received)

    @property
    def named(self) -> bool:
        """Whether a server and a model are named."""
        return bool(self.url and self.model)


def read_llm_settings(
    file: Path | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    **flags: Any,
) -> LLMSettings:
    """Settings from the table `[llm]` of a TOML file, then GOSSAMER_LLM_NAME variables, then flags that are not None.

    >>> variables = {"GOSSAMER_LLM_URL": "http://127.0.0.1:1234/v1", "GOSSAMER_LLM_TIMEOUT": "300"}
    >>> found = read_llm_settings(environment=variables, model="local")
    >>> found.url, found.model, found.timeout
    ('http://127.0.0.1:1234/v1', 'local', 300.0)
    """
    chosen: dict[str, Any] = {}
    if file is not None:
        table = toml.load(file).get("llm", {})
        if not isinstance(table, Mapping):
            raise SettingsError("llm in the settings file is no table. Write [llm] and its values below it.")
        chosen |= table
    variables = os.environ if environment is None else environment
    kinds = {item.name: item.metadata.get("kind") for item in fields(LLMSettings)}
    for name, kind in kinds.items():
        value = variables.get(_PREFIX + name.upper())
        if value is not None:
            chosen[name] = value if kind == "string" else _scalar(value)
    chosen |= {name: value for name, value in flags.items() if value is not None}
    for name in chosen:
        if name not in kinds:
            raise SettingsError(f"There is no setting llm.{name}. Known here: {', '.join(sorted(kinds))}.")
    whole = {name: float(value) for name, value in chosen.items() if kinds[name] == "number" and type(value) is int}
    return replace(LLMSettings(), **{**chosen, **whole})


def _scalar(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
