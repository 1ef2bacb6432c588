from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.errors import ArgumentTypeError, MissingExtraError, SettingsError, UsageError
from gossamer.text.tokens import ApproxCounter, TiktokenCounter, TokenizersCounter, count_many, make_counter

count = ApproxCounter()

# Pieces of every kind of window, so that joins fall inside of them.
TEXTS = st.one_of(
    st.text(max_size=60),
    st.lists(
        st.sampled_from(
            [
                "a",
                "Ab",
                "abcdefgh",
                "É",
                "e\u0301",
                "7",
                "2019",
                "\n",
                " ",
                "\u3000",
                "\n   ",
                "-",
                "==",
                "螺旋",
                "ห้อง",
                "Пуне",
                "한국",
                "_",
                "|",
                "(",
                "😀",
                "²",
                "\u200b",
                "हिन्दी",
                "ﬁ",
                "\x00",
                "\ud83d",
                "٣",
            ]
        ),
        max_size=30,
    ).map("".join),
)


@given(TEXTS, TEXTS)
def test_joining_never_costs_more_and_never_less_than_a_part(a: str, b: str) -> None:
    assert max(count(a), count(b)) <= count(a + b) <= count(a) + count(b)


@given(TEXTS)
def test_every_visible_text_counts(text: str) -> None:
    assert (count(text) > 0) == (bool(text.strip()) or "\n" in text)
    assert count(text) <= len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("   \t ", 0),
        ("Helix Labs has its head office in Pune.", 9),
        ("government", 2),  # 9 + 1 letters
        ("internationalization", 3),
        ("Bartholomew", 2),  # 6 + 5 letters, for a capital opens it
        ("2019", 2),
        ("12:30", 3),
        ("one\n\n    two", 3),
        ("螺旋实验室位于浦那", 9),
        ("ปูเน", 4),
        ("Пуне", 2),
        ("------------", 3),
        ("|---|---|", 3),
        ('print("a")', 6),
        ("😀😀", 2),
    ],
)
def test_known_counts(text: str, expected: int) -> None:
    assert count(text) == expected


def test_no_text_is_one_token_however_long() -> None:
    assert count("a" * 1_200_000) == 133_334
    assert count("A" * 1_200_000) == 200_000
    assert count("Helix works. " * 100_000) == 300_000


@pytest.mark.parametrize("marker", ["<|endoftext|>", "<|im_start|>", "[SEP]"])
def test_special_tokens_are_ordinary_text(marker: str) -> None:
    assert count(f"The marker {marker} ends a turn.") > count("The marker ends a turn.") + 2


def test_english_prose_is_close_to_real_vocabularies() -> None:
    text = (
        "The laboratory was founded in 1987 by a group of engineers who wanted to build small instruments for "
        "remote observatories. Within ten years it employed more than two hundred people, most of whom had "
        "studied physics or computer science. Its head office is in Pune, but the largest workshop is near Hyderabad."
    )
    assert count(text) == pytest.approx(60, rel=0.1)  # 60 by cl100k and by the uncased BERT vocabulary


def test_names() -> None:
    assert isinstance(make_counter(), ApproxCounter)
    assert make_counter().identity == {"kind": "approx"}  # type: ignore[attr-defined]
    assert make_counter(len)("four") == 4


@pytest.mark.parametrize("spec", ["", "words", "tokenizers:", "tiktoken", "approx:1"])
def test_unknown_names(spec: str) -> None:
    with pytest.raises(SettingsError, match="'tokenizers:FILE' or 'tiktoken:ENCODING'"):
        make_counter(spec)


def test_wrong_type() -> None:
    with pytest.raises(ArgumentTypeError, match="from a int"):
        make_counter(7)  # type: ignore[arg-type]


def test_count_many() -> None:
    counts = count_many(count, iter(["one", "one two", ""]))
    np.testing.assert_array_equal(counts, [1, 2, 0])
    assert counts.dtype == np.int64
    assert count_many(count, []).shape == (0,)


@pytest.mark.parametrize("bad", [-1, 1.5, None])
def test_counters_that_count_badly(bad: object) -> None:
    with pytest.raises(UsageError, match=f"returned {bad}"):
        count_many(lambda text: bad, ["a"])  # type: ignore[arg-type,return-value]


def test_a_count_too_few() -> None:
    class Short:
        def __call__(self, text: str) -> int:
            return 1

        def count_many(self, texts: list[str]) -> list[int]:
            return [1]

    with pytest.raises(UsageError, match="1 counts for 2 texts"):
        count_many(Short(), ["a", "b"])


@pytest.fixture
def tokenizer_file(tmp_path: Path) -> Path:
    tokenizers = pytest.importorskip("tokenizers")
    words = ["[UNK]", "[CLS]", "[SEP]", "<|endoftext|>", "helix", "labs", "the", "marker", "ends", "turn"]
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="[UNK]")
    )
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    tokenizer.add_special_tokens(words[1:4])
    tokenizer.post_processor = tokenizers.processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 1), ("[SEP]", 2)]
    )
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=64)
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def test_tokenizer_file(tokenizer_file: Path) -> None:
    counter = make_counter(f"tokenizers:{tokenizer_file}")
    assert isinstance(counter, TokenizersCounter)
    assert counter("helix labs the marker ends") == 5  # neither cut nor padded, nothing added around it
    assert counter("the marker <|endoftext|> ends") == 6  # "<|", "endoftext", "|>" are three words
    assert counter("[SEP]") == 3
    assert counter("tail \ud83d") == 2
    np.testing.assert_array_equal(count_many(counter, ["helix", "", "helix labs"]), [1, 0, 2])
    assert str(tokenizer_file.parent) not in f"{counter.identity} {counter!r}"


@pytest.mark.parametrize("content", [None, b"{}", b"\xff\xff", b""])
def test_unusable_tokenizer_files(tmp_path: Path, content: bytes | None) -> None:
    pytest.importorskip("tokenizers")
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SettingsError, match="Cannot read the tokenizer file"):
        make_counter(f"tokenizers:{path}")


class Encoding:
    """The public shape of a tiktoken encoding."""

    def encode(self, text: str) -> list[int]:
        if "<|endoftext|>" in text:
            raise ValueError("Encountered text corresponding to disallowed special token '<|endoftext|>'.")
        return self.encode_ordinary(text)

    def encode_ordinary(self, text: str) -> list[int]:
        return list(text.encode("utf-8"))


def get_encoding(name: str) -> Encoding:
    if name == "offline_base":
        raise ConnectionError("no route to host")
    if name != "cl100k_base":
        raise ValueError(f"Unknown encoding {name}.")
    return Encoding()


@pytest.fixture
def _tiktoken(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("tiktoken")
    module.get_encoding = get_encoding  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "tiktoken", module)


@pytest.mark.usefixtures("_tiktoken")
def test_tiktoken_counts_special_tokens_as_text() -> None:
    counter = make_counter("tiktoken:cl100k_base")
    assert isinstance(counter, TiktokenCounter)
    assert counter("<|endoftext|>") == 13
    assert counter("a\ud83d") == 2
    assert counter.identity == {"kind": "tiktoken", "model": "cl100k_base"}


@pytest.mark.usefixtures("_tiktoken")
@pytest.mark.parametrize("name", ["offline_base", "nonsense"])
def test_tiktoken_encodings_that_cannot_be_had(name: str) -> None:
    with pytest.raises(SettingsError, match=f"encoding '{name}'.*'approx'"):
        make_counter(f"tiktoken:{name}")


@pytest.mark.parametrize(
    ("module", "spec"), [("tokenizers", "tokenizers:x.json"), ("tiktoken", "tiktoken:cl100k_base")]
)
def test_missing_packages(monkeypatch: pytest.MonkeyPatch, module: str, spec: str) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"gossamer\[{module}\]"):
        make_counter(spec)
