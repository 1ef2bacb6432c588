"""The steps by which a writer changes an index folder; every one of them goes through here.

What is written is on the disk when the call returns (fsync), so the order of the calls is the order on the disk.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


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
