from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.embedders.function import CallableEmbedder
from gossamer.embedders.hashing import HashEmbedder
from gossamer.embedders.identity import file_hash, model_label, require_same_embedder
from gossamer.errors import EmbedderMismatchError, EmbeddingError


class Hashed(HashEmbedder):
    def __init__(self, model: str, digest: str) -> None:
        super().__init__()
        self._values = {"kind": "onnx", "model": model, "hash": digest, "dimension": 384}

    @property
    def identity(self) -> dict[str, object]:
        return self._values


def test_the_same_embedder_passes() -> None:
    require_same_embedder(HashEmbedder(64).identity, HashEmbedder(64))


@pytest.mark.parametrize(
    ("stored", "message"),
    [
        ({**HashEmbedder(64).identity, "dimension": 128}, "dimension 128, but 'hash:64' has dimension 64"),
        ({**HashEmbedder(64).identity, "query_prefix": "query: "}, "query_prefix 'query: '"),
        ({**HashEmbedder(64).identity, "kind": "onnx"}, "embedder 'onnx'"),
        ({}, "embedder None"),
    ],
)
def test_a_difference_is_named_with_the_fix(stored: dict[str, object], message: str) -> None:
    with pytest.raises(EmbedderMismatchError, match=f"{message}.*build it again"):
        require_same_embedder(stored, HashEmbedder(64))


def test_a_dimension_not_known_yet_is_not_compared() -> None:
    embedder = CallableEmbedder(lambda texts: [[1.0, 2.0]])
    require_same_embedder({**embedder.identity, "dimension": 2}, embedder)


def test_the_hash_decides_over_the_folder_name() -> None:
    require_same_embedder(Hashed("minilm", "aa").identity, Hashed("renamed", "aa"))
    with pytest.raises(EmbedderMismatchError, match="hash 'aa'"):
        require_same_embedder(Hashed("minilm", "aa").identity, Hashed("minilm", "bb"))


def test_file_hash_depends_on_contents_alone(tmp_path: Path) -> None:
    for name, content in (("a", b"12"), ("b", b"3"), ("c", b"12"), ("d", b"1"), ("e", b"23")):
        (tmp_path / name).write_bytes(content)
    a, b, c, d, e = (tmp_path / name for name in "abcde")
    assert file_hash([a, b]) == file_hash([c, b])
    assert file_hash([a, b]) != file_hash([b, a])
    assert file_hash([a, b]) != file_hash([d, e])
    with pytest.raises(EmbeddingError, match="Cannot read"):
        file_hash([tmp_path / "missing"])


def test_model_label(tmp_path: Path) -> None:
    folder = tmp_path / "my-model"
    folder.mkdir()
    (folder / "config.json").write_text("{}", encoding="utf-8")
    label, digest = model_label(str(folder))
    assert label == "my-model"
    assert digest == file_hash([folder / "config.json"])
    assert model_label("intfloat/e5-small-v2") == ("intfloat/e5-small-v2", None)
