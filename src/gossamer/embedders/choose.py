"""The embedder that settings and hooks ask for: the same one for indexing and for questions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from gossamer.embedders.function import CallableEmbedder
from gossamer.embedders.protocol import Embedder
from gossamer.embedders.registry import make_embedder
from gossamer.settings import Settings

EmbedFunction = Callable[[list[str]], NDArray[Any]]


def embedder_for(settings: Settings, embed_fn: EmbedFunction | None = None) -> Embedder:
    """A hook wins over the name in the settings.

    >>> embedder_for(Settings()).name
    'hash'
    """
    options = settings.embedding
    if embed_fn is not None:
        return CallableEmbedder(
            embed_fn, query_prefix=options.query_prefix or "", passage_prefix=options.passage_prefix or ""
        )
    return make_embedder(
        settings.embedder,
        query_prefix=options.query_prefix,
        passage_prefix=options.passage_prefix,
        base_url=options.base_url,
        api_key_env=options.api_key_env,
        batch_size=options.batch_size,
        timeout=options.timeout,
        retries=options.retries,
    )
