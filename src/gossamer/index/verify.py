"""Everything that must hold for an index: its files are whole, and what they hold belongs together."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from gossamer.errors import IndexFolderError
from gossamer.index.invariants import snapshot_faults
from gossamer.index.local import LocalStore
from gossamer.index.manifest import MANIFEST_NAME
from gossamer.index.snapshot import Snapshot

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at: whether it is as it must be, what was seen, and what to do where it is not."""

    name: str
    ok: bool
    detail: str
    advice: str = ""


def check_index(folder: str | os.PathLike[str]) -> list[Check]:
    """Read every byte of an index and check all that must hold; nothing is changed.

    Safe while another process writes: where the snapshot was replaced meanwhile, the new one is checked.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [(check.name, check.ok) for check in check_index(folder)]
    [('index', False)]
    """
    store = LocalStore(folder)
    while True:
        try:
            before = store.current()
        except IndexFolderError as problem:
            return [_from_error(problem)]
        checks = list(_checks(store))
        if all(check.ok for check in checks) or store.current() == before:
            return checks


def _checks(store: LocalStore) -> Iterator[Check]:
    try:
        manifest = store.manifest()
    except IndexFolderError as problem:
        yield _from_error(problem)
        return
    size = sum(entry.size for entry in manifest.files.values())
    yield Check("index", True, f"{store.current().name}, format version {manifest.version}")
    faults = store.verify()
    yield _from_faults("files", faults, f"{len(manifest.files)} files, {size / 1e6:.1f} MB, every checksum right")
    yield _strangers(store, {*manifest.files, MANIFEST_NAME})
    if not faults:
        try:
            snapshot = Snapshot(store.load())
            found = list(snapshot_faults(snapshot))
        except (IndexFolderError, KeyError) as problem:
            found = [f"the snapshot cannot be opened ({problem})"]
        rows = len(snapshot) if not found else 0
        yield _from_faults("content", found, f"{rows} chunks: ids, vectors, matrices and counts agree")
    yield _leftovers(store)


def _from_error(problem: IndexFolderError) -> Check:
    """An error's message ends with what to do about it."""
    what, _, advice = str(problem).rpartition(". ")
    return Check("index", False, what, advice)


def _from_faults(name: str, faults: Sequence[str], fine: str) -> Check:
    if not faults:
        return Check(name, True, fine)
    more = f" … and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    shown = "; ".join(fault.partition(". Build")[0] for fault in faults[:_SHOWN])
    return Check(name, False, shown + more, "Build the index again with `gossamer index DOCS INDEX --force`.")


def _strangers(store: LocalStore, known: set[str]) -> Check:
    found: list[str] = []
    with suppress(OSError):
        found = sorted(path.name for path in store.current().iterdir() if path.name not in known)
    return Check(
        "strangers", True, f"{', '.join(found[:_SHOWN])}: not part of the index, not read" if found else "none"
    )


def _leftovers(store: LocalStore) -> Check:
    found = [path.name for path in store.leftovers()]
    told = f"{', '.join(found)}: the next `gossamer index` uses or deletes them" if found else "none"
    return Check("leftovers", True, told)
