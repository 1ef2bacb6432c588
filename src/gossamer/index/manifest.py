"""The manifest of a snapshot: what it holds, how it was made, and a checksum of every file."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from gossamer.errors import IndexDamagedError, IndexVersionError

FORMAT_VERSION = 2
# Version 1 lacks what a sync reuses: it is searched as it is, and the next `gossamer index` writes version 2.
READABLE_VERSIONS = (1, FORMAT_VERSION)
MANIFEST_NAME = "manifest.json"
EDGE_BYTES = 64 * 1024
_FILE_NAME = re.compile(r"\w[\w.-]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class FileEntry:
    """Size in bytes, SHA-256 of the whole file, and SHA-256 of its first and last 64 KB."""

    size: int
    sha256: str
    edges: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """`info` is JSON: settings, embedder, counts, warnings; `files` maps each file name to its entry."""

    info: Mapping[str, Any]
    files: Mapping[str, FileEntry]
    version: int = FORMAT_VERSION

    def to_bytes(self) -> bytes:
        """Canonical JSON: the same manifest is always the same bytes."""
        data = {
            "format": "gossamer",
            "version": self.version,
            "info": self.info,
            "files": {
                name: {"size": entry.size, "sha256": entry.sha256, "edges": entry.edges}
                for name, entry in self.files.items()
            },
        }
        return (json.dumps(data, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode("utf-8")

    @classmethod
    def from_bytes(cls, raw: bytes, where: str) -> Self:
        """Parse and check; damage and foreign versions are typed errors that name `where`."""
        fix = "Build the index again with `gossamer index DOCS INDEX --force`."
        try:
            data = json.loads(raw.decode("utf-8"))
        except (ValueError, RecursionError) as problem:
            raise IndexDamagedError(f"{where} is not readable JSON ({problem}). {fix}") from problem
        if not isinstance(data, dict) or data.get("format") != "gossamer":
            raise IndexDamagedError(f"{where} is not a Gossamer manifest. {fix}")
        version = data.get("version")
        if version not in READABLE_VERSIONS:
            raise IndexVersionError(
                f"{where} has format version {version!r}; this Gossamer reads versions "
                f"{' and '.join(map(str, READABLE_VERSIONS))}. "
                "Install the Gossamer that wrote it, or build the index again with `gossamer index DOCS INDEX --force`."
            )
        info, files = data.get("info"), data.get("files")
        if not isinstance(info, dict) or not isinstance(files, dict):
            raise IndexDamagedError(f"{where} lacks its info or files. {fix}")
        try:
            entries = {
                str(name): FileEntry(int(entry["size"]), str(entry["sha256"]), str(entry["edges"]))
                for name, entry in files.items()
            }
        except (KeyError, TypeError, ValueError, OverflowError) as problem:
            raise IndexDamagedError(f"{where} has an unreadable file entry ({problem!r}). {fix}") from problem
        if not all(_FILE_NAME.fullmatch(name) for name in entries):
            raise IndexDamagedError(f"{where} names a file outside its folder. {fix}")
        return cls(info=info, files=entries, version=version)


def describe_file(path: Path) -> FileEntry:
    """Size and both checksums of one file, read in blocks."""
    whole = hashlib.sha256()
    with path.open("rb") as handle:
        while block := handle.read(1 << 20):
            whole.update(block)
    return FileEntry(path.stat().st_size, whole.hexdigest(), edge_checksum(path))


def edge_checksum(path: Path) -> str:
    """SHA-256 of the first and the last 64 KB: cheap at every opening, catches cut and swapped files."""
    digest = hashlib.sha256()
    size = path.stat().st_size
    with path.open("rb") as handle:
        digest.update(handle.read(EDGE_BYTES))
        handle.seek(max(size - EDGE_BYTES, 0))
        digest.update(handle.read(EDGE_BYTES))
    return digest.hexdigest()
