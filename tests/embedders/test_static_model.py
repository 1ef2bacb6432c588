"""Against a small module that has the public shape of model2vec's StaticModel."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import ClassVar

import numpy as np
import pytest

from gossamer.embedders.registry import make_embedder
from gossamer.errors import EmbeddingError


class StaticModel:
    dim = 2
    calls: ClassVar[list[tuple[list[str], int | None, int]]] = []

    @classmethod
    def from_pretrained(cls, path: str) -> StaticModel:
        if path == "missing":
            raise FileNotFoundError("no such model.")
        return cls()

    def encode(
        self,
        sentences: list[str],
        show_progress_bar: bool = True,
        max_length: int | None = 512,
        batch_size: int = 1024,
    ) -> np.ndarray:
        assert not show_progress_bar
        self.calls.append((sentences, max_length, batch_size))
        return np.array([[3.0, 4.0] if text else [0.0, 0.0] for text in sentences], dtype=np.float32)


@pytest.fixture(autouse=True)
def _package(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("model2vec")
    module.StaticModel = StaticModel  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "model2vec", module)
    StaticModel.calls = []


def test_vectors_of_whole_texts_and_zero_rows() -> None:
    embedder = make_embedder("model2vec:minishlab/potion-base-8M", batch_size=16, query_prefix="q ")
    np.testing.assert_allclose(embedder.embed(["", "abc"], kind="passage"), [[0, 0], [0.6, 0.8]], atol=1e-6)
    embedder.embed(["abc"], kind="query")
    assert StaticModel.calls == [(["", "abc"], None, 16), (["q abc"], None, 16)]
    assert embedder.embed([], kind="query").shape == (0, 2)
    assert embedder.identity == {
        "kind": "model2vec",
        "model": "minishlab/potion-base-8M",
        "hash": None,
        "dimension": 2,
        "query_prefix": "q ",
        "passage_prefix": "",
    }


def test_a_local_folder_is_known_by_its_content(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    assert len(make_embedder(f"model2vec:{tmp_path}").identity["hash"]) == 64


def test_a_model_that_cannot_be_loaded() -> None:
    with pytest.raises(EmbeddingError, match=r"Cannot load 'model2vec:missing': no such model\. Give a model name"):
        make_embedder("model2vec:missing")
