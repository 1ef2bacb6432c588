from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from gossamer.embedders.hashing import HashEmbedder
from gossamer.index import embeddings
from gossamer.index.embeddings import EmbeddingCache, text_key

IDENTITY = {"kind": "onnx", "model": "mini", "hash": "abc", "dimension": 4}


def cache(folder: Path, *, keep: bool = True, **identity: object) -> EmbeddingCache:
    return EmbeddingCache(folder, {**IDENTITY, **identity}, keep=keep)


def rows(count: int, first: int = 0) -> tuple[list[bytes], np.ndarray]:
    keys = [text_key(f"text {number}") for number in range(first, first + count)]
    return keys, np.random.default_rng(first).random((count, 4)).astype(np.float32)


def put(folder: Path, count: int, first: int = 0) -> None:
    one = cache(folder)
    one.add(*rows(count, first))
    one.flush()


def found(one: EmbeddingCache, keys: list[bytes]) -> dict[bytes, list[float]]:
    return {key: vector.tolist() for key, vector in one.find(keys, 4)}


def test_what_was_added_is_found_by_text_and_embedder(tmp_path: Path) -> None:
    keys, vectors = rows(5)
    put(tmp_path, 5)
    put(tmp_path, 3, first=3)
    assert found(cache(tmp_path), keys[:3]) == dict(zip(keys[:3], vectors[:3].tolist(), strict=True))
    assert len(found(cache(tmp_path), [*keys, text_key("other")])) == 5
    assert found(cache(tmp_path, model="moved elsewhere", dimension=None), keys[:1])
    assert found(cache(tmp_path, hash="abd"), keys) == {}
    assert found(cache(tmp_path, passage_prefix="p: "), keys) == {}
    assert list(cache(tmp_path).find(keys, 5)) == []


def test_names_come_from_no_path(tmp_path: Path) -> None:
    one = cache(tmp_path, kind="../../up", hash=None)
    assert one.folder.parent == tmp_path
    assert one.folder.name.startswith("------up-")


@pytest.mark.parametrize("damage", [b"", b"cut", b"flip"])
def test_a_damaged_block_is_passed_over(tmp_path: Path, damage: bytes) -> None:
    put(tmp_path, 5)
    put(tmp_path, 5, first=5)
    path = sorted(cache(tmp_path).folder.iterdir())[0]
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes({b"": b"", b"cut": bytes(raw[:-1]), b"flip": bytes(raw)}[damage])
    assert len(found(cache(tmp_path), rows(10)[0])) == 5


def test_a_journal_keeps_only_what_took_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = cache(tmp_path, keep=False)
    journal.add(*rows(3))
    journal.flush()
    assert not journal.folder.exists()
    monkeypatch.setattr(embeddings, "_FLUSH_SECONDS", 0.0)
    monkeypatch.setattr(embeddings, "_FLUSH_SHARE", 0.0)
    journal.add(*rows(3, first=3))
    assert len(found(cache(tmp_path), rows(6)[0])) == 6


def test_small_blocks_are_joined(tmp_path: Path) -> None:
    for number in range(40):
        put(tmp_path, 2, first=number)
    assert len(list(cache(tmp_path).folder.iterdir())) <= 33
    assert len(found(cache(tmp_path), rows(41)[0])) == 41


def test_what_a_killed_build_was_writing_is_deleted_later(tmp_path: Path) -> None:
    put(tmp_path, 2)
    partial = cache(tmp_path).folder / "0.1.partial"
    partial.write_bytes(b"x")
    put(tmp_path, 2, first=2)
    assert partial.exists()
    os.utime(partial, (0, 0))
    put(tmp_path, 2, first=4)
    assert not partial.exists()


def test_large_additions_are_written_in_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embeddings, "_BLOCK_BYTES", 160)
    one = cache(tmp_path)
    for number in range(30):
        one.add(*rows(1, first=number))
    assert len(list(one.folder.iterdir())) == 3


def test_texts_with_lone_surrogates_have_a_key() -> None:
    assert text_key("tail \ud83d") != text_key("tail")
    assert HashEmbedder(8).embed(["tail \ud83d"], kind="passage").shape == (1, 8)
