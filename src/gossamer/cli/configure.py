"""Settings of a command, in rising order of strength: preset, TOML file, environment, flags."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from gossamer.errors import SettingsError
from gossamer.settings import PRESETS, Settings, setting_names

_PREFIX = "GOSSAMER_"


def read_settings(
    file: Path | None,
    *,
    preset: str | None = None,
    start: Settings | None = None,
    embedder: str | None = None,
    changes: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Settings:
    """Settings from a file, else a preset, else `start`, then GOSSAMER_GROUP__NAME variables, then flags.

    >>> read_settings(None, changes=["selection.pool=80"], environment={}).selection.pool
    80
    """
    if preset is not None and preset not in PRESETS:
        raise SettingsError(f"preset = {preset!r} is not possible. Give one of {', '.join(PRESETS)}.")
    base = start or Settings()
    if preset is not None:
        base = Settings() if preset == "default" else getattr(Settings, preset)()
    chosen: Settings = Settings.from_toml(file) if file is not None else base
    variables = os.environ if environment is None else environment
    for name in setting_names():
        value = variables.get(_PREFIX + name.upper().replace(".", "__"))
        if value is not None:
            chosen = chosen.replace(**{name: _parse(value)})
    if embedder is not None:
        chosen = chosen.replace(embedder=embedder)
    return apply_changes(chosen, changes)


def apply_changes(settings: Settings, changes: Sequence[str]) -> Settings:
    """Settings with `group.name=value` flags applied in order."""
    for change in changes:
        name, value = parse_change("--set", change, form="group.name=value")
        settings = settings.replace(**{name: value})
    return settings


def parse_change(option: str, change: str, *, form: str = "name=value") -> tuple[str, Any]:
    """Name and value of one `name=value` flag.

    >>> parse_change("--spread", "duplicates=false")
    ('duplicates', False)
    """
    name, separator, value = change.partition("=")
    if not separator:
        raise SettingsError(f"{option} {change!r} has no '='. Write it as {form}.")
    return name.strip(), _parse(value.strip())


def _parse(text: str) -> Any:
    """A TOML scalar where the text is one, else the text itself."""
    import tomllib

    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text
