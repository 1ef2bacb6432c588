"""Each signal, mode and term off in turn: what a part is worth is what its absence costs."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gossamer.evaluation.systems.pipelines import PipelineSystem
    from gossamer.evaluation.workbench import Workbench
    from gossamer.settings import Settings

FULL = "full"
"""Name of the unchanged settings, the baseline of an ablation."""

_MODES = ("none", "ppr", "spectral", "hybrid", "heat", "smooth", "guided")

_SWITCHES: dict[str, dict[str, Any]] = {
    "no entities": {"signals.entities": "none"},
    "no mention edges": {"graph.mention_weight": 0.0},
    "no dense": {"retrieval.bm25_weight": 1.0},
    "no bm25": {"retrieval.bm25_weight": 0.0},
    "no flow": {"retrieval.flow_weight": 0.0, "retrieval.alpha": 0.0},
    "no gate": {"retrieval.flow_gate": False},
    "no selection": {"selection.selector": "topk"},
    "no core": {"selection.core_size": 0},
    "no length penalty": {"selection.length_power": 0.0},
    "no backfill": {"selection.backfill": False},
}


def variants(settings: Settings) -> dict[str, dict[str, Any]]:
    """Name -> changed settings: signals, named switches, proximity modes, then terms of the utility.

    What is off already, and a mode that is in use, is left out; so is the last signal that is on.

    >>> from gossamer.settings import Settings
    >>> found = variants(Settings())
    >>> found["no term coverage"], found["no signal entity"]
    ({'utility.coverage': 0.0}, {'signals.entity': 0.0})
    >>> "mode guided" in found, "mode ppr" in found
    (False, True)
    """
    found: dict[str, dict[str, Any]] = {}
    live = [name for name, weight in settings.signals.alphas.items() if weight > 0.0]
    if len(live) > 1:
        found |= {f"no signal {name}": {f"signals.{name}": 0.0} for name in live}
    found |= _SWITCHES
    found |= {f"mode {mode}": {"retrieval.proximity": mode} for mode in _MODES}
    found |= {f"no term {field.name}": {f"utility.{field.name}": 0.0} for field in dataclasses.fields(settings.utility)}
    return {name: changes for name, changes in found.items() if settings.replace(**changes) != settings}


def ablation_factories(
    settings: Settings, chosen: Mapping[str, Mapping[str, Any]]
) -> dict[str, Callable[[Workbench], PipelineSystem]]:
    """A system per variant, the unchanged settings first under the name `FULL`."""
    return {FULL: _factory(settings, {})} | {name: _factory(settings, changes) for name, changes in chosen.items()}


def _factory(settings: Settings, changes: Mapping[str, Any]) -> Callable[[Workbench], PipelineSystem]:
    def factory(workbench: Workbench) -> PipelineSystem:
        from gossamer.evaluation.systems.pipelines import PipelineSystem

        # given vectors change the embedder, so the workbench's own settings are what is varied
        changed = settings.replace(embedder=workbench.settings.embedder, **changes)
        return PipelineSystem(workbench.index(changed), changed)

    return factory
