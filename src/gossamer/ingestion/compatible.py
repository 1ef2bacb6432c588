"""What a sync refuses: work of an earlier snapshot that the given settings and hooks would not have done."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

from gossamer.embedders.identity import require_same_embedder
from gossamer.embedders.protocol import is_by_id
from gossamer.errors import EmbedderMismatchError, SettingsError, UsageError
from gossamer.setting_groups import ChunkingSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

    from gossamer.embedders.protocol import Embedder
    from gossamer.settings import Settings

_AGAIN = "or build the index again: `gossamer index DOCS INDEX --force`, or build_index"


def require_same_work(info: Mapping[str, Any], settings: Settings, embedder: Embedder, hooks: list[str]) -> None:
    """Raise where the index that `info` describes was chunked, embedded or annotated in another way.

    SettingsError for chunking, EmbedderMismatchError for embedder, prefix or dimension, UsageError for hooks. An index
    without chunks fits everything, and vectors given by id are all read again, so only their kind counts.
    """
    if not info.get("settings") or not info.get("counts", {}).get("chunks", 1):
        return
    stored = info["settings"]["chunking"]
    for field in dataclasses.fields(ChunkingSettings):
        was, now = stored.get(field.name, field.default), getattr(settings.chunking, field.name)
        if was != now:
            raise SettingsError(
                f"chunking.{field.name} = {now!r}, but the index was built with {was!r}. Leave it as it was, {_AGAIN}."
            )
    for name in sorted({*hooks, *info.get("hooks", hooks)}):
        if name not in hooks or name not in info.get("hooks", hooks):
            with_or_without = "without" if name in hooks else "with"
            raise UsageError(f"The index was built {with_or_without} {name}. Pass the same hooks, {_AGAIN}.")
    _require_same_embedder(info["embedder"], embedder)


def _require_same_embedder(stored: Mapping[str, Any], embedder: Embedder) -> None:
    if is_by_id(embedder) and stored.get("kind") == embedder.identity["kind"]:
        return
    try:
        require_same_embedder(stored, embedder)
    except EmbedderMismatchError as problem:
        raise EmbedderMismatchError(f"{str(problem).split('. Open')[0]}. Use the embedder it has, {_AGAIN}.") from None
