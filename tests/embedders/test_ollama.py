from __future__ import annotations

import numpy as np
import pytest

from gossamer.embedders.protocol import Embedder, embed_in_batches
from gossamer.embedders.registry import make_embedder
from gossamer.errors import EmbeddingError

from .conftest import EmbeddingServer, answer, vector_of


def make(server: EmbeddingServer, model: str = "plain-model", **options: object) -> Embedder:
    return make_embedder(f"ollama:{model}", base_url=server.address, retries=1, **options)  # type: ignore[arg-type]


def unit(*texts: str) -> np.ndarray:
    raw = np.array([vector_of(text) for text in texts])
    return raw / np.linalg.norm(raw, axis=1, keepdims=True)


def test_vectors_in_batches(server: EmbeddingServer) -> None:
    texts = [f"text {'a' * i}" for i in range(5)]
    embedder = make(server, batch_size=2)
    np.testing.assert_allclose(embedder.embed(texts, kind="passage"), unit(*texts), atol=1e-6)
    assert server.inputs == [texts[:2], texts[2:4], texts[4:]]
    path, body, _ = server.requests[0]
    assert path == "/api/embed"
    assert body == {"model": "plain-model", "input": texts[:2], "truncate": True}
    assert embedder.dimension == 4
    assert embedder.embed([], kind="passage").shape == (0, 4)


def test_nomic_has_its_prefixes(server: EmbeddingServer) -> None:
    embedder = make(server, "nomic-embed-text")
    embedder.embed(["Pune"], kind="query")
    embedder.embed(["Pune"], kind="passage")
    assert server.inputs == [["search_query: Pune"], ["search_document: Pune"]]
    assert embedder.identity == {
        "kind": "ollama",
        "model": "nomic-embed-text",
        "dimension": 4,
        "query_prefix": "search_query: ",
        "passage_prefix": "search_document: ",
    }


def test_given_prefixes_win(server: EmbeddingServer) -> None:
    make(server, "nomic-embed-text", query_prefix="").embed(["Pune"], kind="query")
    assert server.inputs == [["Pune"]]


def test_the_limit_is_asked_once(server: EmbeddingServer) -> None:
    embedder = make(server, "nomic-embed-text")
    assert (embedder.max_tokens, embedder.max_tokens) == (2048, 2048)
    assert [path for path, _, _ in server.requests] == ["/api/show"]


@pytest.mark.parametrize("said", [[], {"model_info": None}, {"model_info": {"x.context_length": "long"}}])
def test_an_unknown_limit(server: EmbeddingServer, said: object) -> None:
    server.script.append(answer(said))
    assert make(server, "nomic-embed-text").max_tokens is None
    assert make(server).max_tokens is None


def test_an_unknown_model_names_the_command(server: EmbeddingServer) -> None:
    with pytest.raises(EmbeddingError, match=r"404: .*not found.*ollama pull missing"):
        make(server, "missing").embed(["a"], kind="query")


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"embedding": [1.0]}, "without 'embeddings'"),
        ([1, 2], "without 'embeddings'"),
        ({"embeddings": [[1.0, 2.0]]}, "1 vectors for 2 texts"),
        ({"embeddings": [[1.0, 2.0], [1.0]]}, "row 1 has another length"),
        ({"embeddings": [[1.0, 2.0], [1.0, None]]}, "row 1 holds values that are not numbers"),
        ({"embeddings": [[1.0, 2.0], [1.0, float("nan")]]}, "Texts 0 to 1 .*row 1 holds NaN"),
        ({"embeddings": [1.0, 2.0]}, "2 dimensions"),
    ],
)
def test_unusable_answers(server: EmbeddingServer, said: object, message: str) -> None:
    server.script.append(answer(said))
    with pytest.raises(EmbeddingError, match=message):
        make(server).embed(["a", "b"], kind="passage")


def test_a_model_that_changes_its_dimension(server: EmbeddingServer) -> None:
    embedder = make(server)
    embedder.embed(["a"], kind="passage")
    server.script.append(answer({"embeddings": [[1.0] * 5]}))
    with pytest.raises(EmbeddingError, match="5 columns where 4 were expected"):
        embedder.embed(["a"], kind="passage")


def test_lone_surrogates_and_blank_texts_are_sent(server: EmbeddingServer) -> None:
    embed_in_batches(make(server), ["", "tail \ud83d end"], kind="passage")
    assert server.inputs == [[" ", "tail ? end"]]


def test_it_can_be_closed_and_used_again(server: EmbeddingServer) -> None:
    embedder = make(server)
    embedder.close()  # type: ignore[attr-defined]
    embedder.embed(["a"], kind="query")
    embedder.close()  # type: ignore[attr-defined]
    assert embedder.embed(["a"], kind="query").shape == (1, 4)


def test_repr_and_name(server: EmbeddingServer) -> None:
    embedder = make(server)
    assert embedder.name == "ollama:plain-model"
    assert repr(embedder).startswith("OllamaEmbedder('plain-model', JsonServer('http://127.0.0.1:")
