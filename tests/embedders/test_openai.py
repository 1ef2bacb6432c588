from __future__ import annotations

import numpy as np
import pytest

from gossamer.embedders.protocol import Embedder
from gossamer.embedders.registry import make_embedder
from gossamer.errors import EmbeddingError, SettingsError

from .conftest import EmbeddingServer, answer, status, vector_of

KEY = "sk-very-secret-0123456789"


def make(server: EmbeddingServer, model: str = "plain-model", **options: object) -> Embedder:
    return make_embedder(f"openai:{model}", base_url=f"{server.address}/v1", retries=1, **options)  # type: ignore[arg-type]


def test_vectors_come_back_in_the_order_of_the_texts(server: EmbeddingServer) -> None:
    texts = ["a", "bb", "aaa"]  # the server numbers its answers and sends them in reverse
    raw = np.array([vector_of(text) for text in texts])
    vectors = make(server).embed(texts, kind="passage")
    np.testing.assert_allclose(vectors, raw / np.linalg.norm(raw, axis=1, keepdims=True), atol=1e-6)
    path, body, _ = server.requests[0]
    assert path == "/v1/embeddings"
    assert body == {"model": "plain-model", "input": texts, "encoding_format": "float"}


def test_a_server_that_leaves_the_index_out(server: EmbeddingServer) -> None:
    server.script.append(answer({"data": [{"embedding": [1.0, 0.0]}, {"embedding": [0.0, 1.0]}]}))
    np.testing.assert_array_equal(make(server).embed(["a", "b"], kind="query"), np.eye(2))


def test_empty_texts_are_sent_as_a_space(server: EmbeddingServer) -> None:
    make(server).embed(["", "a"], kind="passage")
    assert server.inputs == [[" ", "a"]]


def test_batches_stay_under_the_limit_of_the_protocol(server: EmbeddingServer) -> None:
    make(server, batch_size=4096).embed(["a"] * 3000, kind="passage")
    assert [len(batch) for batch in server.inputs] == [2048, 952]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"embeddings": [[1.0]]}, "without 'data'"),
        ({"data": [[1.0], [2.0]]}, "without 'data'"),
        ({"data": [{"index": 0, "embedding": "AACAPw=="}] * 2}, "without 'data'"),
        ({"data": [{"index": 0, "embedding": [1.0]}] * 2}, "did not number its 2 embeddings from 0 to 1"),
        ({"data": [{"index": "0", "embedding": [1.0]}] * 2}, "without 'data'"),
        ({"data": [{"index": 0, "embedding": [1.0]}]}, "1 vectors for 2 texts"),
        ({"data": []}, r"shape \(0,\)|0 vectors for 2 texts"),
        ("text", "without 'data'"),
    ],
)
def test_unusable_answers(server: EmbeddingServer, said: object, message: str) -> None:
    server.script.append(answer(said))
    with pytest.raises(EmbeddingError, match=message):
        make(server).embed(["a", "b"], kind="passage")


def test_the_key_goes_to_openai_alone_unless_named(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    make(server).embed(["a"], kind="query")
    assert "authorization" not in server.requests[0][2]
    make(server, api_key_env="OPENAI_API_KEY").embed(["a"], kind="query")
    assert server.requests[1][2]["authorization"] == f"Bearer {KEY}"
    monkeypatch.delenv("OPENAI_API_KEY")
    with pytest.raises(SettingsError, match=r"OPENAI_API_KEY holds no key for https://api.openai.com/v1"):
        make_embedder("openai:text-embedding-3-small").embed(["a"], kind="query")


def test_the_key_is_masked_everywhere(server: EmbeddingServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", KEY)
    server.script.append(status(403, f"no rights for {KEY}"))
    embedder = make(server, api_key_env="MY_KEY")
    with pytest.raises(EmbeddingError, match=r"no rights for \*\*\*.*MY_KEY") as caught:
        embedder.embed(["a"], kind="query")
    assert KEY not in f"{caught.value!r} {embedder!r} {embedder.identity} {vars(embedder)}"


def test_known_limits(server: EmbeddingServer) -> None:
    assert make(server, "text-embedding-3-small").max_tokens == 8191
    assert make(server).max_tokens is None


def test_an_unknown_model(server: EmbeddingServer) -> None:
    with pytest.raises(EmbeddingError, match=r"404: .*does not exist.*Check the model name"):
        make(server, "missing").embed(["a"], kind="query")
