"""Gossamer finds the set of passages that together answer a question, under a token budget, without any model."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gossamer.errors import GossamerError
    from gossamer.graph.ledger import Ledger
    from gossamer.graph.profiles import Profile
    from gossamer.graph.wave import Graph, PropagationResult, propagate
    from gossamer.ingestion.pipeline import SpectRAGIngestion, build_index, sync_index
    from gossamer.insight.lint import lint_index
    from gossamer.insight.trace import TraceConfig, load_traces
    from gossamer.model import Document, Passage, Ranking, Result
    from gossamer.reports import Report
    from gossamer.retrieval.pipeline import SpectRAGRetrieval, open_index
    from gossamer.retrieval.session import Session
    from gossamer.retrieval.spread_config import RetrievalConfig
    from gossamer.settings import Settings

# Public name -> the module that defines it; a module is imported when its name is first used.
_HOMES = {
    "Document": "gossamer.model",
    "GossamerError": "gossamer.errors",
    "Graph": "gossamer.graph.wave",
    "Ledger": "gossamer.graph.ledger",
    "Passage": "gossamer.model",
    "Profile": "gossamer.graph.profiles",
    "PropagationResult": "gossamer.graph.wave",
    "Ranking": "gossamer.model",
    "Report": "gossamer.reports",
    "Result": "gossamer.model",
    "RetrievalConfig": "gossamer.retrieval.spread_config",
    "Session": "gossamer.retrieval.session",
    "Settings": "gossamer.settings",
    "SpectRAGIngestion": "gossamer.ingestion.pipeline",
    "SpectRAGRetrieval": "gossamer.retrieval.pipeline",
    "TraceConfig": "gossamer.insight.trace",
    "build_index": "gossamer.ingestion.pipeline",
    "lint_index": "gossamer.insight.lint",
    "load_traces": "gossamer.insight.trace",
    "open_index": "gossamer.retrieval.pipeline",
    "propagate": "gossamer.graph.wave",
    "sync_index": "gossamer.ingestion.pipeline",
}

__all__ = [
    "Document",
    "GossamerError",
    "Graph",
    "Ledger",
    "Passage",
    "Profile",
    "PropagationResult",
    "Ranking",
    "Report",
    "Result",
    "RetrievalConfig",
    "Session",
    "Settings",
    "SpectRAGIngestion",
    "SpectRAGRetrieval",
    "TraceConfig",
    "build_index",
    "lint_index",
    "load_traces",
    "open_index",
    "propagate",
    "sync_index",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gossamer' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
