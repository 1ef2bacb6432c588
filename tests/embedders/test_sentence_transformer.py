"""Against small modules that have the public shape of sentence-transformers 3 and 5."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

from gossamer.embedders.registry import make_embedder
from gossamer.errors import EmbeddingError


class Version3:
    """Has `encode` with `prompt`, and the older name of the dimension."""

    prompts: ClassVar[dict[str, str]] = {}
    max_seq_length = 256
    calls: ClassVar[list[tuple[str, list[str], str | None]]] = []

    def __init__(self, model_name_or_path: str) -> None:
        if "missing" in model_name_or_path:
            raise OSError(f"{model_name_or_path} is not a local folder and is not a valid model identifier.")
        self.loaded = model_name_or_path

    def get_sentence_embedding_dimension(self) -> int:
        return 3

    def encode(self, sentences: list[str], **options: Any) -> np.ndarray:
        return self._encode("encode", sentences, **options)

    def _encode(
        self,
        method: str,
        sentences: list[str],
        prompt_name: str | None = None,
        prompt: str | None = None,
        batch_size: int = 32,
        show_progress_bar: bool | None = None,
        convert_to_numpy: bool = True,
        normalize_embeddings: bool = False,
    ) -> np.ndarray:
        assert isinstance(sentences, list)
        assert show_progress_bar is False
        self.calls.append((method, sentences, prompt))
        return np.array([[len((prompt or "") + text), 1.0, 0.0] for text in sentences], dtype=np.float32)


class Version5(Version3):
    """Has its own methods for queries and documents, and prompts that may be empty."""

    prompts: ClassVar[dict[str, str]] = {"query": "", "document": ""}

    def get_embedding_dimension(self) -> int:
        return 3

    def get_sentence_embedding_dimension(self) -> int:
        raise AssertionError("the older name")

    def encode_query(self, inputs: list[str], **options: Any) -> np.ndarray:
        return self._encode("encode_query", inputs, **options)

    def encode_document(self, inputs: list[str], **options: Any) -> np.ndarray:
        return self._encode("encode_document", inputs, **options)


class Prompted(Version5):
    prompts: ClassVar[dict[str, str]] = {"query": "Ask: ", "passage": "Text: "}


def install(monkeypatch: pytest.MonkeyPatch, kind: type[Version3]) -> None:
    module = ModuleType("sentence_transformers")
    module.SentenceTransformer = kind  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    kind.calls = []


@pytest.mark.parametrize(
    ("kind", "query", "passage"),
    [(Version3, "encode", "encode"), (Version5, "encode_query", "encode_document")],
)
def test_methods_and_vectors(monkeypatch: pytest.MonkeyPatch, kind: type[Version3], query: str, passage: str) -> None:
    install(monkeypatch, kind)
    embedder = make_embedder("sentence-transformers:all-MiniLM-L6-v2")
    vectors = embedder.embed(["", "abc"], kind="query")
    np.testing.assert_allclose(vectors, [[0, 1, 0], [0.9486833, 0.3162278, 0]], atol=1e-6)
    embedder.embed(["tail \ud83d"], kind="passage")
    assert kind.calls == [(query, ["", "abc"], ""), (passage, ["tail ?"], "")]
    assert (embedder.dimension, embedder.max_tokens) == (3, 256)
    assert embedder.embed([], kind="query").shape == (0, 3)


@pytest.mark.parametrize(
    ("kind", "name", "options", "query", "passage"),
    [
        (Version5, "intfloat/e5-small-v2", {}, "query: ", "passage: "),
        (Version3, "nomic-ai/nomic-embed-text-v1.5", {}, "search_query: ", "search_document: "),
        (Prompted, "intfloat/e5-small-v2", {}, "Ask: ", "Text: "),
        (Prompted, "x", {"query_prefix": "", "passage_prefix": "P "}, "", "P "),
    ],
)
def test_prefix_as_given_else_the_models_else_the_known_one(
    monkeypatch: pytest.MonkeyPatch,
    kind: type[Version3],
    name: str,
    options: dict[str, str],
    query: str,
    passage: str,
) -> None:
    install(monkeypatch, kind)
    embedder = make_embedder(f"sentence-transformers:{name}", **options)  # type: ignore[arg-type]
    embedder.embed(["a"], kind="query")
    embedder.embed(["a"], kind="passage")
    assert [prompt for _, _, prompt in kind.calls] == [query, passage]
    assert embedder.identity == {
        "kind": "sentence-transformers",
        "model": name,
        "hash": None,
        "dimension": 3,
        "max_tokens": 256,
        "query_prefix": query,
        "passage_prefix": passage,
    }


def test_a_local_folder_is_known_by_its_content(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(monkeypatch, Version5)
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    identity = make_embedder(f"sentence-transformers:{tmp_path}").identity
    assert identity["model"] == tmp_path.name
    assert len(identity["hash"]) == 64


def test_a_model_that_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, Version5)
    with pytest.raises(EmbeddingError, match=r"Cannot load 'sentence-transformers:missing'.*or a folder"):
        make_embedder("sentence-transformers:missing")
