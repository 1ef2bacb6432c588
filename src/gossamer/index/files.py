"""The steps by which a writer changes an index folder; every one of them goes through here.

What is written is on the disk when the call returns (fsync), so the order of the calls is the order on the disk.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from gossamer.errors import GossamerError, IndexFolderError


@contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn what the system says about a full disk or missing rights into an IndexFolderError."""
    try:
        yield
    except GossamerError:
        raise
    except OSError as problem:
        raise IndexFolderError(
            f"{folder} cannot be written ({problem.strerror or problem}). Check its rights and the free space, then run "
            "the same again; what was there before is whole."
        ) from problem


def allocate(path: Path, shape: tuple[int, ...]) -> NDArray[np.float32]:
    """A new float32 array of zeros on disk, mapped; its room is taken now, where the system can, not when it is used."""
    array = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=shape)
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as handle:
            os.posix_fallocate(handle.fileno(), 0, path.stat().st_size)
    return np.asarray(array)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, and note it in the folder above."""
    if not path.is_dir():
        path.mkdir(parents=True, exist_ok=True)
        sync_folder(path.parent)


def write_array(path: Path, array: NDArray[Any]) -> None:
    """Write a .npy file, never as pickle."""
    with path.open("wb") as handle:
        np.save(handle, np.ascontiguousarray(array), allow_pickle=False)
        handle.flush()
        os.fsync(handle.fileno())


def write_bytes(path: Path, data: bytes | memoryview) -> None:
    """Write a file of bytes."""
    with path.open("wb") as handle:
        handle.write(data)
        handle.flush()
        os.fsync(handle.fileno())


def move(source: Path, target: Path) -> None:
    """Rename in one step, over the target where both are files, and note it in the folder."""
    source.replace(target)
    sync_folder(target.parent)


def sync_folder(path: Path) -> None:
    """Bring the names in a folder to the disk, where the system can."""
    if os.name == "nt":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove(path: Path) -> None:
    """Delete a file or a folder with all it holds; nothing where there is none."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
