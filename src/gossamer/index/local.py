"""The index folder: immutable snapshots beside a small CURRENT file.

    INDEX/CURRENT                  name of the current snapshot
    INDEX/s-<16 hex digits>/       arrays (.npy), strings (.utf8 with .offsets.npy), manifest.json
    INDEX/s-….partial/             a build that is not complete
    INDEX/write.lock               held by the one writer, released with its process

A snapshot is named by the hash of its manifest, so the same content gives the same bytes and the same name.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import IndexDamagedError, IndexLockedError, IndexNotFoundError
from gossamer.index.manifest import MANIFEST_NAME, Manifest, describe_file, edge_checksum
from gossamer.index.store import SnapshotData
from gossamer.index.strings import StringTable

_CURRENT = "CURRENT"
_LOCK = "write.lock"
_OFFSETS = ".offsets.npy"
_REBUILD = "Build it again with `gossamer index DOCS INDEX --force`."
_SNAPSHOT_NAME = re.compile(r"s-[0-9a-f]{16}")


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

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Hold the write lock; a second writer gets IndexLockedError naming the process that holds it."""
        from filelock import FileLock, Timeout

        self.folder.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.folder / _LOCK, timeout=0)
        try:
            lock.acquire()
        except Timeout as problem:
            raise IndexLockedError(
                f"{self.folder} is locked by {self._holder()}. Wait until that build has ended, or stop it."
            ) from problem
        try:
            self._note_holder(str(os.getpid()))
            yield
        finally:
            self._note_holder("")
            lock.release()

    def save(self, data: SnapshotData) -> str:
        """Write beside, fsync, move into place, then swap CURRENT; old snapshots are deleted last."""
        self.folder.mkdir(parents=True, exist_ok=True)
        partial = self.folder / "next.partial"
        _remove_tree(partial)
        partial.mkdir()
        for name, array in data.arrays.items():
            _write_array(partial / f"{name}.npy", array)
        for name, strings in data.strings.items():
            table = strings if isinstance(strings, StringTable) else StringTable.from_strings(strings)
            _write_bytes(partial / f"{name}.utf8", np.ascontiguousarray(table.data).data)
            _write_array(partial / f"{name}{_OFFSETS}", table.offsets)
        files = {path.name: describe_file(path) for path in sorted(partial.iterdir())}
        manifest = Manifest(info=data.info, files=files).to_bytes()
        _write_bytes(partial / MANIFEST_NAME, memoryview(manifest))
        _sync_folder(partial)
        name = f"s-{hashlib.sha256(manifest).hexdigest()[:16]}"
        final = self.folder / name
        if final.exists() and self._faults(final):
            # A damaged snapshot of the same content is moved aside, never trusted.
            final.replace(self.folder / f"{name}.damaged")
        if final.exists():
            _remove_tree(partial)
        else:
            partial.replace(final)
        _sync_folder(self.folder)
        self._point_to(name)
        self._delete_old(name)
        return name

    def load(self) -> SnapshotData:
        """Open the current snapshot; sizes and the first and last 64 KB of each file are checked."""
        for attempt in range(5):
            snapshot = self._current()
            try:
                return self._open(snapshot)
            except IndexDamagedError:
                # A writer may have swapped and deleted the snapshot between the two reads: look again.
                if attempt == 4 or self._current() == snapshot:
                    raise
        raise AssertionError("unreachable")

    def verify(self) -> list[str]:
        """Full checksums of the current snapshot."""
        return self._faults(self._current())

    def manifest(self) -> Manifest:
        """The manifest of the current snapshot."""
        return self._manifest(self._current())

    def size_bytes(self) -> int:
        """Bytes of the current snapshot on disk."""
        snapshot = self._current()
        return sum(path.stat().st_size for path in snapshot.iterdir())

    def _current(self) -> Path:
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
        _write_bytes(temporary, memoryview(f"{name}\n".encode()))
        temporary.replace(self.folder / _CURRENT)
        _sync_folder(self.folder)

    def _delete_old(self, keep: str) -> None:
        for path in sorted(self.folder.glob("s-*")):
            if path.is_dir() and path.name != keep:
                # Where the system refuses (a reader on Windows), the next writer tries again.
                with suppress(OSError):
                    _remove_tree(path)

    def _holder(self) -> str:
        with suppress(OSError, UnicodeDecodeError):
            pid = (self.folder / f"{_LOCK}.pid").read_text(encoding="utf-8").strip()
            if pid:
                return f"pid {pid}"
        return "another process"

    def _note_holder(self, pid: str) -> None:
        path = self.folder / f"{_LOCK}.pid"
        with suppress(OSError):
            if pid:
                path.write_text(f"{pid}\n", encoding="utf-8")
            else:
                path.unlink(missing_ok=True)


def _write_array(path: Path, array: NDArray[Any]) -> None:
    with path.open("wb") as handle:
        np.save(handle, np.ascontiguousarray(array), allow_pickle=False)
        handle.flush()
        os.fsync(handle.fileno())


def _write_bytes(path: Path, data: memoryview) -> None:
    with path.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())


def _map_bytes(path: Path, size: int) -> NDArray[np.uint8]:
    # An empty file cannot be mapped.
    return np.asarray(np.memmap(path, dtype=np.uint8, mode="r")) if size else np.zeros(0, dtype=np.uint8)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_tree(path: Path) -> None:
    if path.exists():
        shutil.rmtree(path)
