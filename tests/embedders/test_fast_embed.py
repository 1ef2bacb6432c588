"""Against a small module that has the public shape of fastembed's TextEmbedding."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

from gossamer.embedders.registry import make_embedder
from gossamer.errors import EmbeddingError


class TextEmbedding:
    calls: ClassVar[list[tuple[str, list[str], int]]] = []
    options: ClassVar[dict[str, Any]] = {}

    def __init__(self, model_name: str = "BAAI/bge-small-en-v1.5", **options: Any) -> None:
        if model_name == "unknown":
            raise ValueError("Model unknown is not supported in TextEmbedding.")
        TextEmbedding.options = options

    def embed(self, documents: Iterable[str], batch_size: int = 256, **options: Any) -> Iterator[np.ndarray]:
        for text in documents:
            yield np.array([len(text), 1.0], dtype=np.float32)

    def query_embed(self, query: Iterable[str], **options: Any) -> Iterator[np.ndarray]:
        self.calls.append(("query", list(query), options["batch_size"]))
        yield from self.embed(query, **options)

    def passage_embed(self, texts: Iterable[str], **options: Any) -> Iterator[np.ndarray]:
        self.calls.append(("passage", list(texts), options["batch_size"]))
        yield from self.embed(texts, **options)


class Sized(TextEmbedding):
    """Newer versions tell their dimension."""

    embedding_size = 2


@pytest.fixture(params=[TextEmbedding, Sized])
def package(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> type[TextEmbedding]:
    module = ModuleType("fastembed")
    module.TextEmbedding = request.param  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "fastembed", module)
    TextEmbedding.calls = []
    return request.param  # type: ignore[no-any-return]


def test_vectors_prefixes_and_identity(package: type[TextEmbedding]) -> None:
    embedder = make_embedder("fastembed:intfloat/multilingual-e5-large", batch_size=8)
    np.testing.assert_allclose(embedder.embed(["", "abc"], kind="query")[0], np.array([7, 1]) / 50**0.5, atol=1e-6)
    embedder.embed(["abc"], kind="passage")
    assert package.calls == [("query", ["query: ", "query: abc"], 8), ("passage", ["passage: abc"], 8)]
    assert embedder.dimension == 2
    assert embedder.identity == {
        "kind": "fastembed",
        "model": "intfloat/multilingual-e5-large",
        "hash": None,
        "dimension": 2,
        "query_prefix": "query: ",
        "passage_prefix": "passage: ",
    }
    assert embedder.embed([], kind="query").shape == (0, 2)


def test_a_local_folder(package: type[TextEmbedding], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    embedder = make_embedder(f"fastembed:BAAI/bge-small-en-v1.5@{tmp_path}")
    assert package.options == {"specific_model_path": str(tmp_path)}
    assert embedder.identity["model"] == "BAAI/bge-small-en-v1.5"
    assert len(embedder.identity["hash"]) == 64


@pytest.mark.parametrize("name", ["unknown", "BAAI/bge-small-en-v1.5@no-such-folder"])
def test_models_that_cannot_be_loaded(package: type[TextEmbedding], name: str) -> None:
    with pytest.raises(EmbeddingError, match=f"Cannot load 'fastembed:{name}'.*list_supported_models"):
        make_embedder(f"fastembed:{name}")
