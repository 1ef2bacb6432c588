"""The systems a benchmark can compare: a name, what it is, and where its factory lives.

A new system is one file with a factory `factory(workbench) -> System` and one line in `SYSTEMS`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from gossamer.errors import UsageError

if TYPE_CHECKING:
    from gossamer.evaluation.systems.base import System
    from gossamer.evaluation.workbench import Workbench

_HERE = "gossamer.evaluation.systems"

SYSTEMS: dict[str, tuple[str, str]] = {
    "bm25": (f"{_HERE}.channels:bm25", "BM25 over title and text"),
    "dense": (f"{_HERE}.channels:dense", "cosine of the embedder's vectors"),
    "hybrid-rrf": (f"{_HERE}.channels:hybrid_rrf", "RRF (k 60) of the 100 best of BM25 and of dense"),
    "hybrid-z": (f"{_HERE}.channels:hybrid_z", "z(dense) + .5 z(BM25) over the corpus"),
    "mmr": (f"{_HERE}.mmr:mmr", "MMR (lambda .7) over the 50 best of hybrid-z"),
    "multi-query": (
        f"{_HERE}.multi_query:multi_query",
        "hybrid-z of the question and of one part per name, fused by RRF",
    ),
    "paper": (f"{_HERE}.pipelines:paper", "SpectRAG with the published values"),
    "gossamer": (f"{_HERE}.pipelines:gossamer", "the settings under test"),
    "spread-wave": (f"{_HERE}.spreading:spread_wave", "spreading activation, engine wave with the profile explore"),
    "spread-precise": (
        f"{_HERE}.spreading:spread_precise",
        "spreading activation, engine wave with the profile precise",
    ),
    "spread-flow": (f"{_HERE}.spreading:spread_flow", "spreading activation, engine flow with the standard profile"),
}

PLAIN = ("bm25", "dense", "hybrid-rrf", "hybrid-z", "mmr", "multi-query")
"""The systems that use no graph: what anything else has to beat."""


def describe(name: str) -> str:
    """One line about a system; a user's own system is its own name.

    >>> describe("bm25")
    'BM25 over title and text'
    """
    return SYSTEMS[name][1] if name in SYSTEMS else f"user system {name}"


def load_factory(name: str) -> Callable[[Workbench], System]:
    """The factory of a named system, or of `module:function`.

    A user's function gets the workbench (`.documents` maps ids to documents) and returns either a `System`, or a
    function of (query, k) that returns ids of documents or chunks, best first; `query.text` is the question.

    Raises:
        UsageError: there is no such system, module or function.
    """
    path = SYSTEMS[name][0] if name in SYSTEMS else name
    module, colon, attribute = path.partition(":")
    if not colon:
        raise UsageError(f"There is no system {name!r}. Use {', '.join(SYSTEMS)}, or your own as module:function.")
    try:
        made: Any = getattr(import_module(module), attribute)
    except (ImportError, AttributeError) as problem:
        raise UsageError(f"System {name!r} cannot be loaded ({problem}). Check module and function name.") from problem
    if not callable(made):
        raise UsageError(f"System {name!r} is a {type(made).__name__}. Name a function that takes a workbench.")
    if name in SYSTEMS:
        return made  # type: ignore[no-any-return]

    from gossamer.evaluation.systems.user import user_factory

    return user_factory(name, made)
