from __future__ import annotations

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.embedders.hashing import HashEmbedder
from gossamer.embedders.options import Prefixes
from gossamer.errors import SettingsError

TEXTS = [
    "Project Orion's research is done by Helix Labs. It began in 2019.",
    "Helix Labs has its head office in Pune. Forty people work there.",
    "The budget was approved in May. It covers two years.",
    "螺旋实验室位于浦那",
    "望远镜安装在智利",
    "Лаборатория в Пуне",
]


def embed(*texts: str, dimension: int = 512) -> np.ndarray:
    return HashEmbedder(dimension).embed(list(texts), kind="passage")


def test_shape_type_and_length() -> None:
    vectors = embed(*TEXTS)
    assert vectors.shape == (6, 512)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_bytes_are_those_of_every_machine() -> None:
    digest = hashlib.sha256(embed(*TEXTS, dimension=64).astype("<f4").tobytes()).hexdigest()
    assert digest == "4801c13f47ffe6d04b34a21febc546222ce46ec5023f7ad0d54fce04e5c59a9b"


def test_one_short_word_by_hand() -> None:
    # "ab" has weight 64 · 2 = 128 and the n-grams "<ab", "ab>", "<ab>" of weight floor(128 / sqrt 3) = 73.
    vector = embed("ab", dimension=65536)[0]
    length = (128**2 + 3 * 73**2) ** 0.5
    np.testing.assert_allclose(np.sort(np.abs(vector[vector != 0])), [73 / length] * 3 + [128 / length], rtol=1e-6)


def test_spelling_decides_similarity() -> None:
    near, far = embed("Helix Labs in Pune", "the laboratory of Helix, Pune"), embed("Helix Labs in Pune", TEXTS[2])
    assert near[0] @ near[1] > 0.3 > far[0] @ far[1]


@pytest.mark.parametrize(
    ("query", "best"),
    [("智利", 4), ("浦那", 3), ("Пуне", 5), ("PUNE", 1), ("budgets", 2)],
)
def test_the_right_text_is_nearest(query: str, best: int) -> None:
    scores = embed(*TEXTS) @ embed(query)[0]
    assert int(np.argmax(scores)) == best
    assert scores[best] > 0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ห้องปฏิบัติการอยู่ที่ปูเน", "ปูเน"),
        ("हेलिक्स प्रयोगशाला पुणे में है", "पुणे"),
        ("ヘリックス研究所はプネにある", "プネ"),
    ],
)
def test_other_scripts(one: str, other: str) -> None:
    vectors = embed(one, other)
    assert vectors[0] @ vectors[1] > 0.15


def test_case_width_and_composition_do_not_matter() -> None:
    vectors = embed("Café Straße ABC", "CAFE\u0301 STRASSE ＡＢＣ")
    np.testing.assert_array_equal(vectors[0], vectors[1])


def test_text_without_words_is_zero() -> None:
    assert not embed("", " \n", "--- !?").any()


@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
@settings(deadline=None)
def test_a_text_has_the_same_bytes_in_every_batch(texts: list[str]) -> None:
    together = embed(*texts)
    reverse = embed(*texts[::-1])[::-1]
    alone = np.concatenate([embed(text) for text in texts])
    assert together.tobytes() == alone.tobytes() == np.ascontiguousarray(reverse).tobytes()


def test_long_words_and_lone_surrogates() -> None:
    vectors = embed("a" * 100_000, "tail \ud83d end")
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-6)


def test_more_texts_than_a_block() -> None:
    vectors = embed(*(f"text {i}" for i in range(1500)))
    np.testing.assert_array_equal(vectors[1400], embed("text 1400")[0])


def test_prefixes_are_part_of_text_and_identity() -> None:
    embedder = HashEmbedder(64, Prefixes(query="find "))
    np.testing.assert_array_equal(embedder.embed(["Pune"], kind="query"), embed("find Pune", dimension=64))
    np.testing.assert_array_equal(embedder.embed(["Pune"], kind="passage"), embed("Pune", dimension=64))
    assert embedder.identity == {
        "kind": "hash",
        "model": "words-3-5-grams-1",
        "dimension": 64,
        "query_prefix": "find ",
        "passage_prefix": "",
    }


def test_name_and_flags() -> None:
    assert (HashEmbedder().name, HashEmbedder(64).name) == ("hash", "hash:64")
    assert HashEmbedder.reproducible
    assert not HashEmbedder.semantic
    assert HashEmbedder().max_tokens is None


@pytest.mark.parametrize("dimension", [0, 7, 65537])
def test_impossible_dimension(dimension: int) -> None:
    with pytest.raises(SettingsError, match="8 to 65536"):
        HashEmbedder(dimension)
