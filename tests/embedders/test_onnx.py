"""The models are written here by hand: ONNX is protocol buffers, and the few messages needed fit in a few lines."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gossamer.embedders.onnx import OnnxEmbedder
from gossamer.embedders.protocol import embed_in_batches, probe_reproducibility
from gossamer.embedders.registry import make_embedder
from gossamer.errors import EmbeddingError, MissingExtraError

pytest.importorskip("onnxruntime")
tokenizers = pytest.importorskip("tokenizers")

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "helix", "labs", "pune", "budget", "may", "[", "]", "sep")
TABLE = np.random.default_rng(0).normal(size=(len(WORDS), 6)).astype(np.float32)
INT64, INT32, FLOAT = 7, 6, 1


def _varint(number: int) -> bytes:
    out = b""
    while number > 127:
        out += bytes([number & 127 | 128])
        number >>= 7
    return out + bytes([number])


def message(*fields: tuple[int, int | str | bytes]) -> bytes:
    """A protocol-buffer message of (field number, value)."""
    out = b""
    for number, value in fields:
        if isinstance(value, int):
            out += _varint(number << 3) + _varint(value)
        else:
            data = value.encode() if isinstance(value, str) else value
            out += _varint(number << 3 | 2) + _varint(len(data)) + data
    return out


def tensor(name: str, values: np.ndarray) -> bytes:
    kind = FLOAT if values.dtype == np.float32 else INT64
    return message(*((1, size) for size in values.shape), (2, kind), (8, name), (9, values.tobytes()))


def value_info(name: str, kind: int, *shape: str | int) -> bytes:
    dims = [(1, message((2, size) if isinstance(size, str) else (1, size))) for size in shape]
    return message((1, name), (2, message((1, message((1, kind), (2, message(*dims)))))))


def node(operation: str, inputs: list[str], output: str, *attributes: bytes) -> bytes:
    return message(*((1, name) for name in inputs), (2, output), (4, operation), *((5, a) for a in attributes))


def integer(name: str, value: int) -> bytes:
    return message((1, name), (3, value), (20, 2))


def model(nodes: list[bytes], tensors: list[bytes], inputs: list[bytes], outputs: list[bytes]) -> bytes:
    graph = message(
        *((1, part) for part in nodes),
        (2, "graph"),
        *((5, part) for part in tensors),
        *((11, part) for part in inputs),
        *((12, part) for part in outputs),
    )
    return message((1, 8), (7, graph), (8, message((1, ""), (2, 13))))


def lookup_model(*extra_inputs: str, kind: int = INT64) -> bytes:
    """last_hidden_state = TABLE[input_ids]; further inputs are asked for and not used."""
    names = ["input_ids", *extra_inputs]
    return model(
        [node("Gather", ["table", "input_ids"], "last_hidden_state")],
        [tensor("table", TABLE)],
        [value_info(name, kind, "batch", "tokens") for name in names],
        [value_info("last_hidden_state", FLOAT, "batch", "tokens", 6)],
    )


def pooled_model() -> bytes:
    """Two outputs: token embeddings, and the sentence embedding, which is their sum over tokens."""
    axis = np.array([1], dtype=np.int64)
    return model(
        [
            node("Gather", ["table", "input_ids"], "token_embeddings"),
            node("ReduceSum", ["token_embeddings", "axis"], "sentence_embedding", integer("keepdims", 0)),
        ],
        [tensor("table", TABLE), tensor("axis", axis)],
        [value_info("input_ids", INT64, "batch", "tokens")],
        [
            value_info("token_embeddings", FLOAT, "batch", "tokens", 6),
            value_info("sentence_embedding", FLOAT, "batch", 6),
        ],
    )


def write_tokenizer(path: Path) -> None:
    vocabulary = {word: i for i, word in enumerate(WORDS)}
    tokenizer = tokenizers.Tokenizer(tokenizers.models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = tokenizers.normalizers.Lowercase()
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(list(WORDS[:4]))
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_truncation(128)
    tokenizer.enable_padding(length=128)
    tokenizer.save(str(path))


MakeFolder = Callable[..., Path]


@pytest.fixture
def folder(tmp_path: Path) -> MakeFolder:
    def make(content: bytes | None = None, name: str = "tiny", **settings: dict[str, Any]) -> Path:
        place = tmp_path / name
        place.mkdir()
        (place / "model.onnx").write_bytes(lookup_model("attention_mask") if content is None else content)
        write_tokenizer(place / "tokenizer.json")
        for key, value in settings.items():
            path = place / (key.replace("__", "/") + ".json")
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(value), encoding="utf-8")
        return place

    return make


def mean_of(*tokens: int) -> np.ndarray:
    mean = TABLE[list(tokens)].mean(axis=0)
    return mean / np.linalg.norm(mean)


def test_mean_over_the_tokens_that_are_no_padding(folder: MakeFolder) -> None:
    embedder = OnnxEmbedder(folder())
    vectors = embedder.embed(["Helix", "Helix Labs Pune budget"], kind="passage")
    np.testing.assert_allclose(vectors, [mean_of(2, 4, 3), mean_of(2, 4, 5, 6, 7, 3)], atol=1e-6)
    assert embedder.dimension == 6


def test_first_token_where_the_folder_says_so(folder: MakeFolder) -> None:
    modes = {"word_embedding_dimension": 6, "pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    embedder = OnnxEmbedder(folder(**{"1_Pooling__config": modes}))
    np.testing.assert_allclose(embedder.embed(["Helix Labs"], kind="passage"), [mean_of(2)], atol=1e-6)
    assert embedder.identity["pooling"] == "first"


@pytest.mark.parametrize("mode", ["pooling_mode_max_tokens", "pooling_mode_lasttoken"])
def test_other_pooling_is_an_error_not_a_wrong_vector(folder: MakeFolder, mode: str) -> None:
    place = folder(**{"1_Pooling__config": {mode: True, "pooling_mode_mean_tokens": False}})
    with pytest.raises(EmbeddingError, match=f"pooled by {mode}"):
        OnnxEmbedder(place)


def test_a_sentence_embedding_of_the_graph_is_preferred(folder: MakeFolder) -> None:
    vectors = OnnxEmbedder(folder(pooled_model())).embed(["Helix"], kind="passage")
    np.testing.assert_allclose(vectors, [mean_of(2, 4, 3)], atol=1e-6)


@pytest.mark.parametrize("kind", [INT64, INT32])
def test_inputs_by_what_the_graph_asks_for(folder: MakeFolder, kind: int) -> None:
    place = folder(lookup_model("attention_mask", "token_type_ids", "position_ids", kind=kind))
    np.testing.assert_allclose(OnnxEmbedder(place).embed(["Helix"], kind="query"), [mean_of(2, 4, 3)], atol=1e-6)


def test_an_input_nobody_knows(folder: MakeFolder) -> None:
    with pytest.raises(EmbeddingError, match="asks for input_ids, pixel_values"):
        OnnxEmbedder(folder(lookup_model("pixel_values")))


@pytest.mark.parametrize(
    ("settings", "limit"),
    [
        ({}, 256),
        ({"sentence_bert_config": {"max_seq_length": 384}}, 384),
        ({"sentence_bert_config": {"max_seq_length": 384}, "config": {"max_position_embeddings": 64}}, 64),
        ({"tokenizer_config": {"model_max_length": 512}, "config": {"max_position_embeddings": 514}}, 256),
        ({"tokenizer_config": {"model_max_length": 10**30}}, 256),
        ({"tokenizer_config": {"model_max_length": 100}}, 100),
        ({"sentence_bert_config": {"max_seq_length": None}, "config": []}, 256),
    ],
)
def test_the_limit(folder: MakeFolder, settings: dict[str, Any], limit: int) -> None:
    assert OnnxEmbedder(folder(**settings)).max_tokens == limit


def test_long_texts_are_cut_at_the_limit(folder: MakeFolder) -> None:
    embedder = OnnxEmbedder(folder(sentence_bert_config={"max_seq_length": 4}))
    vectors = embedder.embed(["helix labs pune pune pune", "helix labs"], kind="passage")
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_special_tokens_in_a_text_are_ordinary_text(folder: MakeFolder) -> None:
    vectors = OnnxEmbedder(folder()).embed(["Helix [SEP] Labs"], kind="passage")
    np.testing.assert_allclose(vectors, [mean_of(2, 4, 9, 11, 10, 5, 3)], atol=1e-6)


def test_order_and_batches_do_not_matter(folder: MakeFolder) -> None:
    embedder = OnnxEmbedder(folder(), batch_size=2)
    texts = ["helix labs pune budget may", "pune", "", "helix labs", "budget may pune", "tail \ud83d"]
    vectors = embedder.embed(texts, kind="passage")
    alone = np.concatenate([embedder.embed([text], kind="passage") for text in texts])
    np.testing.assert_allclose(vectors, alone, atol=1e-6)
    np.testing.assert_allclose(embed_in_batches(embedder, texts, kind="passage"), alone, atol=1e-6)
    assert embedder.embed([], kind="passage").shape == (0, 6)
    assert probe_reproducibility(embedder, texts) is None


def test_a_model_with_wrong_rows_or_nan_is_an_error(folder: MakeFolder) -> None:
    nan = model(
        [node("Gather", ["table", "input_ids"], "last_hidden_state")],
        [tensor("table", np.where(np.arange(12)[:, None] == 6, np.nan, TABLE).astype(np.float32))],
        [value_info("input_ids", INT64, "batch", "tokens")],
        [value_info("last_hidden_state", FLOAT, "batch", "tokens", 6)],
    )
    embedder = OnnxEmbedder(folder(nan))
    with pytest.raises(EmbeddingError, match=r"row 0 \(text 1\) holds NaN"):
        embedder.embed(["helix labs", "pune"], kind="passage")
    ids = model(
        [node("Cast", ["input_ids"], "scores", integer("to", FLOAT))],
        [],
        [value_info("input_ids", INT64, "batch", "tokens")],
        [value_info("scores", FLOAT, "batch", "tokens")],
    )
    odd = OnnxEmbedder(folder(ids, "odd"))
    with pytest.raises(EmbeddingError, match="has 5 columns where 3 were"):
        odd.embed(["helix labs pune"], kind="passage")


def test_identity_is_the_content_not_the_place(folder: MakeFolder, tmp_path: Path) -> None:
    first, second = OnnxEmbedder(folder()), OnnxEmbedder(folder(name="e5-copy"))
    assert first.identity["hash"] == second.identity["hash"]
    assert str(tmp_path) not in json.dumps(first.identity)
    assert first.identity["model"] == "tiny"
    third = OnnxEmbedder(folder(lookup_model(), "third"))
    assert third.identity["hash"] != first.identity["hash"]


def test_prefixes_by_folder_name_or_as_given(folder: MakeFolder) -> None:
    place = folder(name="e5-tiny")
    assert make_embedder(f"onnx:{place}").identity["query_prefix"] == "query: "
    given = make_embedder(f"onnx:{place}", query_prefix="helix ", passage_prefix="")
    np.testing.assert_allclose(given.embed(["pune"], kind="query"), [mean_of(2, 4, 6, 3)], atol=1e-6)
    np.testing.assert_allclose(given.embed(["pune"], kind="passage"), [mean_of(2, 6, 3)], atol=1e-6)


def test_the_hub_layout_is_found(folder: MakeFolder) -> None:
    place = folder()
    (place / "onnx").mkdir()
    (place / "model.onnx").rename(place / "onnx" / "model.onnx")
    assert OnnxEmbedder(place).dimension == 6


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("model.onnx", None, "has no model.onnx"),
        ("tokenizer.json", None, "has no tokenizer.json"),
        ("model.onnx", b"not a model", "Cannot load .*model.onnx"),
        ("model.onnx", b"", "Cannot load .*model.onnx"),
        ("tokenizer.json", b"{}", "Cannot read .*tokenizer.json"),
        ("tokenizer.json", b"\xff\xfe", "Cannot read .*tokenizer.json"),
        ("config.json", b"{broken", "Cannot read .*config.json"),
    ],
)
def test_unusable_folders(folder: MakeFolder, file: str, content: bytes | None, message: str) -> None:
    place = folder()
    if content is None:
        (place / file).unlink()
    else:
        (place / file).write_bytes(content)
    with pytest.raises(EmbeddingError, match=message):
        OnnxEmbedder(place)


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_missing_packages(folder: MakeFolder, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place = folder()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=r"gossamer\[onnx\]"):
        OnnxEmbedder(place)
