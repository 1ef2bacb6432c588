from __future__ import annotations

import json

import numpy as np
import pytest

from gossamer.embedders.function import CallableEmbedder
from gossamer.errors import EmbeddingError


def test_prefixes_scale_and_identity() -> None:
    seen: list[list[str]] = []

    def model(texts: list[str]) -> list[list[float]]:
        seen.append(texts)
        return [[3000.0, 4000.0] for _ in texts]

    embedder = CallableEmbedder(model, name="e5-here", query_prefix="query: ", passage_prefix="passage: ")
    np.testing.assert_allclose(embedder.embed(["Pune"], kind="query"), [[0.6, 0.8]], atol=1e-7)
    embedder.embed(["Pune"], kind="passage")
    assert seen == [["query: Pune"], ["passage: Pune"]]
    assert json.loads(json.dumps(embedder.identity)) == {
        "kind": "callable",
        "model": "e5-here",
        "dimension": 2,
        "query_prefix": "query: ",
        "passage_prefix": "passage: ",
    }


def test_no_texts_do_not_call_the_function() -> None:
    assert CallableEmbedder(lambda texts: 1 / 0, dimension=3).embed([], kind="query").shape == (0, 3)


def test_unusable_vectors_are_an_error() -> None:
    with pytest.raises(EmbeddingError, match="embedder 'callable': the embedder returned 1 vectors for 2"):
        CallableEmbedder(lambda texts: [[1.0]]).embed(["a", "b"], kind="query")


def test_the_dimension_may_not_change() -> None:
    embedder = CallableEmbedder(lambda texts: np.ones((len(texts), len(texts))))
    embedder.embed(["a", "b"], kind="passage")
    with pytest.raises(EmbeddingError, match="3 columns where 2 were expected"):
        embedder.embed(["a", "b", "c"], kind="passage")


def test_errors_of_the_function_pass_through() -> None:
    with pytest.raises(ZeroDivisionError):
        CallableEmbedder(lambda texts: 1 / 0).embed(["a"], kind="query")
