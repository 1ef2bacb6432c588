from __future__ import annotations

import subprocess
import sys

import pytest

import gossamer

PUBLIC = [
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


def test_public_names() -> None:
    assert gossamer.__all__ == PUBLIC
    assert dir(gossamer) == PUBLIC
    for name in PUBLIC:
        assert getattr(gossamer, name).__doc__


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="Settigns"):
        _ = gossamer.Settigns  # type: ignore[attr-defined]


def test_import_loads_nothing_heavy() -> None:
    code = (
        "import sys, gossamer; "
        "print([m for m in ('numpy', 'scipy', 'bm25s', 'httpx', 'pypdf', 'rich', 'typer') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys, gossamer.cli.main; "
        "print([m for m in ('numpy', 'scipy', 'bm25s', 'httpx', 'pypdf', 'rich.console') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
