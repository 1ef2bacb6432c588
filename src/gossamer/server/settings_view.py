"""The settings that a search reads, with value, range and choices: what sliders are made of."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Any

from gossamer.retrieval.spread_config import RetrievalConfig
from gossamer.setting_groups import ProximitySettings, RetrievalSettings, SelectionSettings, UtilitySettings

if TYPE_CHECKING:
    from gossamer.settings import Settings

_SEARCHING = {
    "retrieval": RetrievalSettings,
    "proximity": ProximitySettings,
    "selection": SelectionSettings,
    "utility": UtilitySettings,
}


def settings_view(settings: Settings) -> dict[str, Any]:
    """`preset`, the settings of a search by dotted name, and the options of spreading."""
    found = []
    for group, kind in _SEARCHING.items():
        for field in dataclasses.fields(kind):
            value = getattr(getattr(settings, group), field.name)
            found.append({"name": f"{group}.{field.name}", "value": value, **_range(field.metadata)})
    config = RetrievalConfig()
    spreading = [
        {"name": field.name, "value": getattr(config, field.name), **_range(field.metadata)}
        for field in dataclasses.fields(RetrievalConfig)
        if field.name != "profile"
    ]
    profile = dataclasses.asdict(config.resolved)
    return {"preset": settings.preset, "settings": found, "spreading": spreading, "profile": profile}


def _range(metadata: Any) -> dict[str, Any]:
    """Kind, and low and high or choices, of a field."""
    kind = metadata.get("kind") or ("integer" if metadata["whole"] else "number")
    if kind == "choice":
        return {"kind": kind, "choices": list(metadata["options"])}
    if kind == "flag":
        return {"kind": kind}
    high = metadata["high"]
    return {"kind": kind, "low": metadata["low"], "high": high if math.isfinite(high) else None}
