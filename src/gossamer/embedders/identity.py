"""What an index stores about its embedder, and the check that the two belong together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from gossamer.embedders.protocol import Embedder
from gossamer.errors import EmbedderMismatchError, EmbeddingError


def file_hash(paths: Iterable[Path]) -> str:
    """SHA-256 over the contents of `paths`, in the given order; names and places do not count.

    Raises EmbeddingError when a file cannot be read.
    """
    digest = hashlib.sha256()
    for path in paths:
        try:
            with path.open("rb") as file:
                digest.update(hashlib.file_digest(file, "sha256").digest())
        except OSError as problem:
            raise EmbeddingError(f"Cannot read {str(path)!r}: {problem.strerror}. Check path and rights.") from problem
    return digest.hexdigest()


def model_label(name: str) -> tuple[str, str | None]:
    """Label and hash of a model given by hub name or local folder: (name, None) or (folder name, hash of its files)."""
    folder = Path(name)
    if not folder.is_dir():
        return name, None
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in _MODEL_SUFFIXES)
    return folder.resolve().name, file_hash(files)


_MODEL_SUFFIXES = frozenset({".json", ".txt", ".model", ".safetensors", ".bin", ".onnx", ".npy"})


def require_same_embedder(stored: Mapping[str, Any], embedder: Embedder) -> None:
    """Raise EmbedderMismatchError when vectors of `embedder` cannot be compared with those of a stored identity.

    The model label is only compared where no file hash decides; a dimension that is not known yet is not compared.

    >>> from gossamer.embedders.registry import make_embedder
    >>> require_same_embedder(make_embedder("hash").identity, make_embedder("hash"))
    """
    current = embedder.identity
    for key in sorted({*stored, *current}):
        was, now = stored.get(key), current.get(key)
        label_only = key == "model" and stored.get("hash") is not None and current.get("hash") is not None
        unknown = key == "dimension" and None in (was, now)
        if was != now and not label_only and not unknown:
            raise EmbedderMismatchError(
                f"The index was built with embedder {stored.get('kind')!r} with {key} {was!r}, but {embedder.name!r} "
                f"has {key} {now!r}. Open the index with the embedder it was built with, or build it again."
            )
