"""The index folder: immutable snapshots beside a small CURRENT file.

    INDEX/CURRENT                  name of the current snapshot
    INDEX/s-<16 hex digits>/       arrays (.npy), strings (.utf8 with .offsets.npy), manifest.json
    INDEX/write.lock               held by the one writer, released with its process
    INDEX/next.*                   what an unfinished build has made so far; next.embeddings is where it goes on

A snapshot is named by the hash of its manifest, so the same content gives the same bytes and the same name. A writer
writes beside, moves the finished folder into place, then swaps CURRENT: whenever it is killed, CURRENT names a whole
snapshot, the old or the new one.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import IndexDamagedError, IndexNotFoundError
from gossamer.index import files
from gossamer.index.lock import write_lock
from gossamer.index.manifest import MANIFEST_NAME, Manifest, describe_file, edge_checksum
from gossamer.index.store import SnapshotData
from gossamer.index.strings import StringTable

T = TypeVar("T")

_CURRENT = "CURRENT"
_PARTIAL = "next.partial"
_SCRATCH = "next.scratch"
_JOURNAL = "next.embeddings"
_OFFSETS = ".offsets.npy"
_REBUILD = "Build it again with `gossamer index DOCS INDEX --force`."
_SNAPSHOT_NAME = re.compile(r"s-[0-9a-f]{16}")
_OLD_NAME = re.compile(r"s-[0-9a-f]{16}(?:\.damaged)?")


class LocalStore:
    """A `Store` in a folder of the local file system.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = LocalStore(folder)
    ...     name = store.save(SnapshotData({"numbers": np.arange(3)}, {"words": ["a", "b"]}, {"note": "x"}))
    ...     data = store.load()
    ...     data.arrays["numbers"].tolist(), list(data.strings["words"]), dict(data.info)
    ([0, 1, 2], ['a', 'b'], {'note': 'x'})
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)

    def exists(self) -> bool:
        """Whether the folder has a CURRENT file."""
        return (self.folder / _CURRENT).is_file()

    @property
    def journal(self) -> Path:
        """Folder of the embeddings that an unfinished build has made; deleted by the next `save`."""
        return self.folder / _JOURNAL

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the write lock; a second writer gets IndexLockedError naming the process that holds it."""
        with files.explained(self.folder):
            files.make_folder(self.folder)
        with write_lock(self.folder):
            self._remove_leftovers()
            try:
                yield
            finally:
                self._remove_leftovers()

    def reserve(self, name: str, shape: tuple[int, ...]) -> NDArray[np.float32]:
        """A float32 array of zeros to fill, on disk instead of in memory, until `writing` ends."""
        if 0 in shape:
            return np.zeros(shape, dtype=np.float32)
        scratch = self.folder / _SCRATCH
        with files.explained(self.folder):
            files.make_folder(scratch)
            return files.allocate(scratch / f"{name}.npy", shape)

    def save(self, data: SnapshotData) -> str:
        """Write beside, fsync, move into place, then swap CURRENT; old snapshots are deleted last.

        Raises IndexFolderError where the disk is full or the folder may not be written.
        """
        with files.explained(self.folder):
            return self._save(data)

    def _save(self, data: SnapshotData) -> str:
        files.make_folder(self.folder)
        partial = self.folder / _PARTIAL
        files.remove(partial)
        partial.mkdir()
        for name, array in data.arrays.items():
            files.write_array(partial / f"{name}.npy", array)
        for name, strings in data.strings.items():
            table = strings if isinstance(strings, StringTable) else StringTable.from_strings(strings)
            files.write_bytes(partial / f"{name}.utf8", np.ascontiguousarray(table.data).data)
            files.write_array(partial / f"{name}{_OFFSETS}", table.offsets)
        entries = {path.name: describe_file(path) for path in sorted(partial.iterdir())}
        manifest = Manifest(info=data.info, files=entries).to_bytes()
        files.write_bytes(partial / MANIFEST_NAME, manifest)
        files.sync_folder(partial)
        name = f"s-{hashlib.sha256(manifest).hexdigest()[:16]}"
        final = self.folder / name
        if final.exists() and self._faults(final):
            # A damaged snapshot of the same content is moved aside, never trusted.
            aside = self.folder / f"{name}.damaged"
            files.remove(aside)
            files.move(final, aside)
        if final.exists():
            files.remove(partial)
        else:
            files.move(partial, final)
        self._point_to(name)
        self._delete_old(name)
        return name

    def load(self, *, verify: bool = False) -> SnapshotData:
        """Open the current snapshot; sizes and the first and last 64 KB of each file are checked.

        With `verify` every byte is: a writer that reuses content must not give a damaged file a new checksum.
        """

        def read(snapshot: Path) -> SnapshotData:
            if verify and (faults := self._faults(snapshot)):
                raise IndexDamagedError(faults[0])
            return self._open(snapshot)

        return self._of_current(read)

    def verify(self) -> list[str]:
        """Full checksums of the current snapshot."""
        return self._faults(self.current())

    def manifest(self) -> Manifest:
        """The manifest of the current snapshot."""
        return self._of_current(self._manifest)

    def size_bytes(self) -> int:
        """Bytes of the current snapshot on disk."""
        manifest = self.manifest()
        return sum(entry.size for entry in manifest.files.values()) + len(manifest.to_bytes())

    def _of_current(self, read: Callable[[Path], T]) -> T:
        """Read the current snapshot; where a writer replaced and deleted it meanwhile, read the new one."""
        while True:
            before = self._swapped()
            try:
                return read(self.current())
            except IndexDamagedError:
                if self._swapped() == before:
                    raise

    def _swapped(self) -> tuple[int, int] | None:
        """Changes with every swap of the pointer, even back to the same name."""
        try:
            state = (self.folder / _CURRENT).stat()
        except OSError:
            return None
        return state.st_ino, state.st_mtime_ns

    def leftovers(self) -> list[Path]:
        """What a killed writer or a refused deletion left; the next writer uses or deletes it."""
        names = (_PARTIAL, _SCRATCH, _JOURNAL, f"{_CURRENT}.partial")
        keep = self.current().name
        found = (path for path in sorted(self.folder.iterdir()) if path.name != keep)
        return [path for path in found if path.name in names or _OLD_NAME.fullmatch(path.name)]

    def current(self) -> Path:
        """The folder of the current snapshot."""
        pointer = self.folder / _CURRENT
        try:
            name = pointer.read_text(encoding="utf-8").strip()
        except FileNotFoundError as problem:
            raise IndexNotFoundError(
                f"There is no index in {str(self.folder)!r}. Make one with `gossamer index DOCS {self.folder}`."
            ) from problem
        except (OSError, UnicodeDecodeError) as problem:
            raise IndexDamagedError(f"{pointer} cannot be read ({problem}). {_REBUILD}") from problem
        if not _SNAPSHOT_NAME.fullmatch(name):
            raise IndexDamagedError(f"{pointer} does not name a snapshot. {_REBUILD}")
        return self.folder / name

    def _manifest(self, snapshot: Path) -> Manifest:
        path = snapshot / MANIFEST_NAME
        try:
            raw = path.read_bytes()
        except OSError as problem:
            raise IndexDamagedError(f"{path} is missing or unreadable ({problem.strerror}). {_REBUILD}") from problem
        manifest = Manifest.from_bytes(raw, str(path))
        if f"s-{hashlib.sha256(raw).hexdigest()[:16]}" != snapshot.name:
            raise IndexDamagedError(f"{path} was altered or belongs to another index. {_REBUILD}")
        return manifest

    def _open(self, snapshot: Path) -> SnapshotData:
        manifest = self._manifest(snapshot)
        arrays: dict[str, NDArray[Any]] = {}
        texts: dict[str, NDArray[Any]] = {}
        for name, entry in manifest.files.items():
            path = snapshot / name
            try:
                size = path.stat().st_size
                intact = size == entry.size and edge_checksum(path) == entry.edges
                if not intact:
                    raise IndexDamagedError(f"{path} is damaged ({size} of {entry.size} bytes). {_REBUILD}")
                if name.endswith(".utf8"):
                    texts[name.removesuffix(".utf8")] = _map_bytes(path, size)
                else:
                    # A plain view of the map: the memmap class makes every small slice slow.
                    arrays[name.removesuffix(".npy")] = np.asarray(np.load(path, mmap_mode="r", allow_pickle=False))
            except (OSError, ValueError) as problem:
                raise IndexDamagedError(f"{path} is missing or unreadable ({problem}). {_REBUILD}") from problem
        strings = {name: StringTable(data, arrays.pop(f"{name}.offsets")) for name, data in texts.items()}
        return SnapshotData(arrays=arrays, strings=strings, info=manifest.info)

    def _faults(self, snapshot: Path) -> list[str]:
        try:
            manifest = self._manifest(snapshot)
        except IndexDamagedError as problem:
            return [str(problem)]
        faults = []
        for name, entry in manifest.files.items():
            path = snapshot / name
            if not path.is_file():
                faults.append(f"{path} is missing. {_REBUILD}")
            elif describe_file(path) != entry:
                faults.append(f"{path} does not match its checksum. {_REBUILD}")
        return faults

    def _point_to(self, name: str) -> None:
        temporary = self.folder / f"{_CURRENT}.partial"
        files.write_bytes(temporary, f"{name}\n".encode())
        files.move(temporary, self.folder / _CURRENT)

    def _delete_old(self, keep: str) -> None:
        """Delete other snapshots and the journal; where the system refuses, the next writer tries again."""
        for path in sorted(self.folder.iterdir()):
            if path.name == _JOURNAL or (path.name != keep and _OLD_NAME.fullmatch(path.name)):
                with suppress(OSError):
                    files.remove(path)

    def _remove_leftovers(self) -> None:
        for name in (_PARTIAL, _SCRATCH, f"{_CURRENT}.partial"):
            with suppress(OSError):
                files.remove(self.folder / name)


def _map_bytes(path: Path, size: int) -> NDArray[np.uint8]:
    # An empty file cannot be mapped.
    return np.asarray(np.memmap(path, dtype=np.uint8, mode="r")) if size else np.zeros(0, dtype=np.uint8)
