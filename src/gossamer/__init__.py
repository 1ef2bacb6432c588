"""Gossamer finds the set of passages that together answer a question, under a token budget, without any model."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gossamer.errors import GossamerError
    from gossamer.ingestion.pipeline import SpectRAGIngestion, build_index
    from gossamer.model import Document, Passage, Ranking, Report, Result
    from gossamer.retrieval.pipeline import SpectRAGRetrieval, open_index
    from gossamer.settings import Settings

# Public name -> the module that defines it; a module is imported when its name is first used.
_HOMES = {
    "Document": "gossamer.model",
    "GossamerError": "gossamer.errors",
    "Passage": "gossamer.model",
    "Ranking": "gossamer.model",
    "Report": "gossamer.model",
    "Result": "gossamer.model",
    "Settings": "gossamer.settings",
    "SpectRAGIngestion": "gossamer.ingestion.pipeline",
    "SpectRAGRetrieval": "gossamer.retrieval.pipeline",
    "build_index": "gossamer.ingestion.pipeline",
    "open_index": "gossamer.retrieval.pipeline",
}

__all__ = [
    "Document",
    "GossamerError",
    "Passage",
    "Ranking",
    "Report",
    "Result",
    "Settings",
    "SpectRAGIngestion",
    "SpectRAGRetrieval",
    "build_index",
    "open_index",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'gossamer' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
