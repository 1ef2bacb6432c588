from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from gossamer.errors import (
    IndexDamagedError,
    IndexFolderError,
    IndexLockedError,
    IndexNotFoundError,
    IndexVersionError,
)
from gossamer.index import files
from gossamer.index.local import LocalStore
from gossamer.index.manifest import MANIFEST_NAME
from gossamer.index.store import SnapshotData
from gossamer.index.strings import StringTable


def data(seed: int = 0, rows: int = 50_000) -> SnapshotData:
    values = np.random.default_rng(seed).random(rows).astype(np.float32)
    return SnapshotData(
        {"values": values, "none": np.zeros(0, np.int32)}, {"words": ["a", "", "ž\U0001f600"]}, {"n": 1}
    )


def files_of(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_round_trip(tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "index")
    assert not store.exists()
    store.save(data())
    loaded = store.load()
    assert store.exists()
    np.testing.assert_array_equal(loaded.arrays["values"], data().arrays["values"])
    assert loaded.arrays["none"].shape == (0,)
    assert list(loaded.strings["words"]) == ["a", "", "ž\U0001f600"]
    assert loaded.strings["words"][-1] == "ž\U0001f600"
    assert loaded.info == {"n": 1}
    assert store.verify() == []


def test_same_content_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        with LocalStore(tmp_path / name).writing():
            LocalStore(tmp_path / name).save(data())
    assert files_of(tmp_path / "one") == files_of(tmp_path / "two")


def test_old_snapshot_is_deleted_and_readers_keep_theirs(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    first = store.save(data(0))
    reader = store.load()
    second = store.save(data(1))
    assert first != second
    np.testing.assert_array_equal(reader.arrays["values"], data(0).arrays["values"])
    assert not (tmp_path / first).exists()
    np.testing.assert_array_equal(store.load().arrays["values"], data(1).arrays["values"])


def test_saving_again_mends_a_damaged_snapshot(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    name = store.save(data())
    (tmp_path / name / "values.npy").write_bytes(b"x")
    store.save(data())
    assert store.verify() == []


def test_missing_index_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFoundError, match="gossamer index") as caught:
        LocalStore(tmp_path / "nothing").load()
    assert isinstance(caught.value, FileNotFoundError)


@pytest.mark.parametrize("damage", ["cut", "empty", "remove", "swap"])
def test_every_damage_names_the_file(tmp_path: Path, damage: str) -> None:
    store = LocalStore(tmp_path / "index")
    name = store.save(data())
    other = LocalStore(tmp_path / "other")
    other_folder = tmp_path / "other" / other.save(data(1))
    for path in sorted((tmp_path / "index" / name).iterdir()):
        intact = path.read_bytes()
        if damage == "cut":
            path.write_bytes(intact[:-1])
        elif damage == "empty":
            path.write_bytes(b"")
        elif damage == "remove":
            path.unlink()
        else:
            path.write_bytes((other_folder / path.name).read_bytes())
        if path.read_bytes() != intact if path.exists() else True:
            with pytest.raises(IndexDamagedError, match=path.name) as caught:
                store.load()
            assert "gossamer index" in str(caught.value)
        path.write_bytes(intact)
    assert store.verify() == []


def test_full_checksum_finds_what_opening_cannot(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    path = tmp_path / store.save(data()) / "values.npy"
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    store.load()
    assert [fault for fault in store.verify() if "values.npy" in fault]


def test_other_version_is_refused_by_number(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    path = tmp_path / store.save(data()) / MANIFEST_NAME
    path.write_text(path.read_text(encoding="utf-8").replace('"version": 2', '"version": 99'), encoding="utf-8")
    with pytest.raises(IndexVersionError, match="99"):
        store.load()


@pytest.mark.parametrize("pointer", ["", "../elsewhere", "s-xyz", "\x00"])
def test_pointer_is_never_followed_elsewhere(tmp_path: Path, pointer: str) -> None:
    store = LocalStore(tmp_path)
    store.save(data())
    (tmp_path / "CURRENT").write_text(pointer, encoding="utf-8")
    with pytest.raises(IndexDamagedError, match="CURRENT"):
        store.load()


def test_second_writer_is_told_who_holds_the_lock(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    code = (
        "import sys; from gossamer.index.local import LocalStore\n"
        f"with LocalStore({str(tmp_path)!r}).writing():\n    print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=-1, stdout=-1, text=True) as child:
        assert child.stdout is not None and child.stdout.readline() == "held\n"
        with pytest.raises(IndexLockedError, match=f"pid {child.pid}"), store.writing():
            pass
        child.kill()
    with store.writing():
        assert (tmp_path / "write.lock.pid").read_text(encoding="utf-8").strip() == str(os.getpid())


def test_string_table_bounds() -> None:
    table = StringTable.from_strings(["a", "b"])
    assert table[-1] == "b"
    assert table[0:2] == ["a", "b"]
    with pytest.raises(IndexError):
        table[2]


def test_a_full_disk_is_a_typed_error_and_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = LocalStore(tmp_path)
    with store.writing():
        store.save(data(0))
    before = files_of(tmp_path)

    def full(path: Path, array: np.ndarray) -> None:
        path.write_bytes(b"x")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("gossamer.index.files.write_array", full)
    with pytest.raises(IndexFolderError, match=r"No space left.*free space"), store.writing():
        store.save(data(1))
    assert files_of(tmp_path) == before
    monkeypatch.setattr("gossamer.index.files.allocate", full)
    with pytest.raises(IndexFolderError, match="No space left"):
        store.reserve("vectors", (2, 2))


def test_an_index_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine", encoding="utf-8")
    for folder in (tmp_path / "file", tmp_path / "file" / "index"):
        with pytest.raises(IndexFolderError, match="cannot be written"), LocalStore(folder).writing():
            pass
    assert (tmp_path / "file").read_text(encoding="utf-8") == "mine"


def test_nothing_else_in_the_folder_is_touched(tmp_path: Path) -> None:
    mine = ["s-1", "s-series", "embeddings", "next", "s-0123456789abcdef0", "notes.partial"]
    for name in mine:
        (tmp_path / name).mkdir()
    (tmp_path / "s-0123456789abcdef").mkdir()
    store = LocalStore(tmp_path)
    with store.writing():
        name = store.save(data())
    assert {path.name for path in tmp_path.iterdir()} == {*mine, name, "CURRENT", "write.lock"}


def test_old_snapshots_that_could_not_be_deleted_go_with_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LocalStore(tmp_path)
    first = store.save(data(0))
    with monkeypatch.context() as patch:

        def refuse(path: Path) -> None:
            if path.name == first:
                raise PermissionError(errno.EACCES, "in use", str(path))
            files.remove(path)

        patch.setattr("gossamer.index.local.files", SimpleNamespace(**{**vars(files), "remove": refuse}))
        second = store.save(data(1))
    assert store.leftovers() == [tmp_path / first]
    third = store.save(data(2))
    assert store.leftovers() == [] and len({first, second, third}) == 3


def test_room_on_disk_lasts_as_long_as_the_writing(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    with store.writing():
        array = store.reserve("vectors", (3, 4))
        assert array.tolist() == np.zeros((3, 4)).tolist()
        array[1] = 2.0
        assert store.reserve("none", (0, 4)).shape == (0, 4)
        store.save(SnapshotData({"vectors": array}, {}))
    assert store.load().arrays["vectors"][1].tolist() == [2.0] * 4
    assert store.leftovers() == []
