"""Vectors on disk by embedder and text: what a build has finished survives a kill, and indexes can share it.

    CACHE/<kind>-<16 hex digits>/<32 hex digits>.npy     one block: keys (SHA-256 of a text) and their vectors

A folder belongs to one embedder (its identity, with prefixes). A block is named by the hash of its bytes, written
once and never changed, so any number of builds may read and write the same cache; a block that does not match its
name is not used.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.index import files

_BLOCK_BYTES = 8 * 1024 * 1024
_FLUSH_SECONDS = 2.0
_FLUSH_SHARE = 0.01
_LONGEST_WRITE = 3600.0
_SMALL_BLOCKS = 32
_BLOCK_NAME = re.compile(r"[0-9a-f]{32}\.npy")
_UNSAFE = re.compile(r"[^a-z0-9-]")


def text_key(text: str) -> bytes:
    """The key of a text.

    >>> len(text_key("Pune"))
    32
    """
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


class EmbeddingCache:
    """Vectors of one embedder in `folder`; with `keep` everything added is written, else only what took long to make.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache = EmbeddingCache(folder, {"kind": "hash", "dimension": 2}, keep=True)
    ...     cache.add([text_key("Pune")], np.array([[0.6, 0.8]], dtype=np.float32))
    ...     cache.flush()
    ...     [vector.tolist() for _, vector in cache.find({text_key("Pune")}, 2)]
    [[0.6000000238418579, 0.800000011920929]]
    """

    def __init__(self, folder: str | os.PathLike[str], identity: Mapping[str, Any], *, keep: bool) -> None:
        self.folder = Path(folder) / _folder_name(identity)
        self._keep = keep
        self._keys: list[bytes] = []
        self._vectors: list[NDArray[np.float32]] = []
        self._started = self._since = time.monotonic()

    def find(self, wanted: Collection[bytes], dimension: int) -> Iterator[tuple[bytes, NDArray[np.float32]]]:
        """Each wanted key that the cache holds, once, with its vector; blocks of another dimension are passed over."""
        left = set(wanted)
        for path in self._blocks():
            if not left:
                return
            block = _read_block(path)
            if block is None or block.dtype["vector"].shape != (dimension,):
                continue
            raw = np.ascontiguousarray(block["key"]).tobytes()
            for row in range(len(block)):
                key = raw[32 * row : 32 * row + 32]
                if key in left:
                    left.remove(key)
                    yield key, block["vector"][row]

    def add(self, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> None:
        """Take finished vectors; a block of them is written after two seconds of work, or a hundredth of all so far."""
        self._keys += keys
        self._vectors.append(vectors)
        pending = len(self._keys) * vectors.shape[1] * 4
        now = time.monotonic()
        if pending >= _BLOCK_BYTES or now - self._since >= max(_FLUSH_SECONDS, _FLUSH_SHARE * (now - self._started)):
            self._write()

    def flush(self) -> None:
        """Write what is worth keeping of the rest, and join small blocks of a kept cache."""
        if self._keep:
            self._write()
            self._remove_partial()
            self._join_small()

    def _write(self) -> None:
        if self._keys:
            with files.explained(self.folder):
                _write_block(self.folder, self._keys, np.concatenate(self._vectors))
        self._keys, self._vectors, self._since = [], [], time.monotonic()

    def _blocks(self) -> list[Path]:
        with suppress(OSError):
            return sorted(path for path in self.folder.iterdir() if _BLOCK_NAME.fullmatch(path.name))
        return []

    def _remove_partial(self) -> None:
        """Delete what killed builds were writing; a living one needs seconds."""
        with suppress(OSError):
            for path in self.folder.glob("*.partial"):
                if path.stat().st_mtime < time.time() - _LONGEST_WRITE:
                    files.remove(path)

    def _join_small(self) -> None:
        """One block in place of many small ones; another build that reads them meanwhile only embeds more."""
        small: list[Path] = []
        with suppress(OSError):
            small = [path for path in self._blocks() if path.stat().st_size < _BLOCK_BYTES // 2]
        if len(small) <= _SMALL_BLOCKS:
            return
        by_dimension: dict[tuple[int, ...], dict[bytes, NDArray[np.float32]]] = {}
        for path in small:
            block = _read_block(path)
            if block is not None:
                group = by_dimension.setdefault(block.dtype["vector"].shape, {})
                group.update({row["key"].tobytes(): row["vector"] for row in block})
        joined = {
            _write_block(self.folder, list(group), np.stack([*group.values()])) for group in by_dimension.values()
        }
        for path in small:
            if path not in joined:
                with suppress(OSError):
                    files.remove(path)


def _folder_name(identity: Mapping[str, Any]) -> str:
    """Kind and hash of an identity; a label or a dimension does not count where a hash of files decides."""
    passed_over = {"dimension", "model"} if identity.get("hash") else {"dimension"}
    said = {key: value for key, value in identity.items() if key not in passed_over}
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()[:16]
    return f"{_UNSAFE.sub('-', str(identity.get('kind', 'embedder')).lower())}-{digest}"


def _write_block(folder: Path, keys: Sequence[bytes], vectors: NDArray[np.float32]) -> Path:
    kind = np.dtype([("key", "u1", (32,)), ("vector", "<f4", (vectors.shape[1],))])
    block = np.empty(len(keys), dtype=kind)
    block["key"] = np.frombuffer(b"".join(keys), dtype=np.uint8).reshape(-1, 32)
    block["vector"] = vectors
    buffer = io.BytesIO()
    np.save(buffer, block, allow_pickle=False)
    raw = buffer.getvalue()
    path = folder / f"{hashlib.sha256(raw).hexdigest()[:32]}.npy"
    if not path.exists():
        files.make_folder(folder)
        partial = folder / f"{path.stem}.{os.getpid()}.partial"
        files.write_bytes(partial, raw)
        files.move(partial, path)
    return path


def _read_block(path: Path) -> NDArray[Any] | None:
    """A block, None where it is gone or does not match its name."""
    try:
        raw = path.read_bytes()
        if hashlib.sha256(raw).hexdigest()[:32] != path.stem:
            return None
        block: NDArray[Any] = np.load(io.BytesIO(raw), allow_pickle=False)
    except (OSError, ValueError):
        return None
    return block if block.dtype.names == ("key", "vector") else None
