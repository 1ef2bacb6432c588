from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.errors import UsageError
from gossamer.ingestion.chunk import chunk_document
from gossamer.model import Chunk, Document
from gossamer.text.clean import clean_text, is_blank
from gossamer.text.sentences import split_sentences
from gossamer.text.tokens import make_counter


def words(text: str) -> int:
    return len(text.split())


def quarters(text: str) -> int:
    return (len(text) + 3) // 4


def subwords(text: str) -> int:
    return sum(1 + len(word) // 5 for word in re.findall(r"\w+|[^\w\s]", text))


def cut(text: str, *, count=words, tokens: int = 20, overlap: int = 0, smallest: int = 0, **options) -> list[Chunk]:
    chunks, _ = chunk_document(
        Document("d", text), count=count, chunk_tokens=tokens, overlap_tokens=overlap, min_tokens=smallest, **options
    )
    return chunks


def check(text: str, chunks: list[Chunk], count, limit: int) -> None:
    """Coverage, order, limit, and that each text is the stretch it claims to be, but for a repeated table header."""
    plain = clean_text(text)
    position, last = 0, -1
    for number, chunk in enumerate(chunks):
        assert chunk.position == number
        assert chunk.text.endswith(plain[chunk.start : chunk.end])
        assert chunk.tokens == count(chunk.text) <= limit
        assert is_blank(plain[position : chunk.start])
        assert chunk.start > last
        assert chunk.end > position
        position, last = chunk.end, chunk.start
    assert is_blank(plain[position:])


PIECES = st.sampled_from(
    [
        "Helix Labs works in Pune. ", "Dr. Rao leads it! ", "one two three four five six seven eight nine ten eleven ",
        "\n", "\n\n", "# Office\n", "## Staff\n", "### Deep {#d}\n", "Title\n=====\n", "| a | b |\n", "|---|---|\n",
        "| 1 | 2 |\n", "a | b\n--|--\n1 | 2\n", "```python\n", "```\n", "def f():\n    return 1\n\n", "- item\n", "1. item\n",
        "螺旋实验室位于浦那。", "猎户座", "ห้องปฏิบัติการ อยู่ที่ปูเน่ ", "المختبر في بونا؟ ", "x" * 70, "  ",
        "\u200b", "\r\n", "\ud83d", "…",
    ]
)  # fmt: skip


@settings(max_examples=300)
@given(
    text=st.lists(PIECES, max_size=40).map("".join),
    limit=st.integers(4, 40),
    overlap=st.integers(0, 12),
    smallest=st.integers(0, 10),
    count=st.sampled_from([words, quarters, subwords]),
)
def test_every_visible_character_is_in_a_chunk_within_the_limit(text, limit, overlap, smallest, count) -> None:
    chunks = cut(text, count=count, tokens=limit, overlap=min(overlap, limit - 1), smallest=smallest)
    check(text, chunks, count, limit)


@settings(max_examples=150)
@given(
    text=st.lists(PIECES, max_size=40).map("".join), limit=st.integers(8, 40), topics=st.sampled_from(["long", "all"])
)
def test_topics_keep_the_same_promises(text, limit, topics) -> None:
    def embed(texts: list[str]) -> np.ndarray:
        return np.array([[len(each) % 7, len(each) % 3, 1.0] for each in texts])

    check(text, cut(text, tokens=limit, overlap=3, smallest=4, topics=topics, embed=embed), words, limit)


@settings(max_examples=100)
@given(
    st.lists(st.sampled_from(["Helix works in Pune. ", "Rao came in May! ", "It is new. "]), min_size=1, max_size=80)
)
def test_no_sentence_is_cut_and_the_overlap_is_whole_sentences(parts: list[str]) -> None:
    text = "".join(parts)
    starts, ends = map(set, zip(*split_sentences(text), strict=True))
    chunks = cut(text, tokens=20, overlap=8)
    assert all(chunk.start in starts and chunk.end in ends and not chunk.split for chunk in chunks)
    for before, after in pairwise(chunks):
        shared = text[after.start : before.end]
        # The next sentence back would have made the overlap too long, and the overlap itself is not.
        assert words(shared) <= 8
        assert words(shared) + 5 > 8


def test_known_chunks_with_overlap() -> None:
    chunks = cut("A one two. B one two. C one two. D one two.", tokens=6, overlap=3)
    assert [chunk.text for chunk in chunks] == [
        "A one two. B one two.",
        "B one two. C one two.",
        "C one two. D one two.",
    ]


def test_byte_order_mark_and_section_path() -> None:
    chunks = cut("\ufeff# Office\r\n\r\nPune.\r\n## Staff\r\nForty.")
    assert [(chunk.section, chunk.text) for chunk in chunks] == [
        (("Office",), "# Office\n\nPune."),
        (("Office", "Staff"), "## Staff\nForty."),
    ]


def test_a_heading_without_text_goes_with_the_next_section() -> None:
    chunks = cut("# Office\n\n## Staff\nForty people.\n# End\n")
    assert [(chunk.section, chunk.text) for chunk in chunks] == [
        (("Office", "Staff"), "# Office\n\n## Staff\nForty people."),
        (("End",), "# End"),
    ]


def test_a_small_rest_joins_the_chunk_before_it_only_within_its_section_and_limit() -> None:
    text = "# A\none two three four. five six seven. eight.\n# B\nnine."
    assert [chunk.text for chunk in cut(text, tokens=9, smallest=0)][1:] == ["eight.", "# B\nnine."]
    assert [chunk.tokens for chunk in cut(text, tokens=9, smallest=3)] == [9, 1, 3]
    assert [chunk.tokens for chunk in cut(text, tokens=10, smallest=3)] == [10, 3]


def test_a_long_sentence_is_cut_on_words_and_flagged() -> None:
    chunks = cut("Short one. " + "word " * 50 + "end. Short two.", tokens=20)
    assert [chunk.split for chunk in chunks] == [False, True, True, True]
    assert all(word in {"Short", "one.", "word", "end.", "two."} for chunk in chunks for word in chunk.text.split())
    chunks, warnings = chunk_document(Document("d", "a" * 5000), count=quarters, chunk_tokens=100, overlap_tokens=10)
    assert all(chunk.split and chunk.tokens <= 100 for chunk in chunks)
    assert "d: 13 chunks" in warnings[0]


def test_table_rows_stay_whole_and_the_header_is_repeated() -> None:
    text = "| name | place |\n| --- | --- |\n" + "".join(f"| person {n} | Pune |\n" for n in range(40))
    chunks = cut(text, count=quarters, tokens=60, overlap=0)
    assert len(chunks) > 3
    for chunk in chunks:
        assert chunk.text.startswith("| name | place |\n| --- | --- |\n| person")
        assert all(line.startswith("| ") and line.endswith(" |") for line in chunk.text.split("\n"))
    rows = [line for chunk in chunks for line in chunk.text.split("\n")[2:]]
    assert rows == [f"| person {n} | Pune |" for n in range(40)]


def test_tables_without_outer_pipes_and_without_header() -> None:
    piped = cut("text\n\nname | place\n---|---\n" + "Rao | Pune\n" * 30, count=quarters, tokens=40)
    assert all("name | place\n---|---\nRao | Pune" in chunk.text for chunk in piped)
    plain = cut("| Rao | Pune |\n" * 30, count=quarters, tokens=40)
    assert all(set(chunk.text.split("\n")) == {"| Rao | Pune |"} for chunk in plain)


def test_a_code_block_that_fits_is_whole_and_a_long_one_is_cut_at_blank_lines() -> None:
    block = "```python\n# not a heading\nx = 1\n```"
    chunks = cut("Some words come before it here. " * 3 + "\n\n" + block + "\n\nAfter.", tokens=22)
    assert [block in chunk.text for chunk in chunks].count(True) == 1
    long = "```\n" + "def f():\n    a = 1\n    return a\n\n" * 20 + "```"
    parts = cut(long, tokens=24)
    assert len(parts) > 4
    assert all(part.text.count("def") == part.text.count("return") for part in parts)
    assert not any(part.split for part in parts)


def test_topics_cut_long_texts_without_headings_only_where_asked() -> None:
    text = "The star shines far. " * 12 + "The budget was approved. " * 12

    def embed(texts: list[str]) -> np.ndarray:
        return np.array([[1.0, 0.0] if "star" in each else [0.0, 1.0] for each in texts])

    def kinds(chunks: list[Chunk]) -> list[set[str]]:
        return [{word for word in ("star", "budget") if word in chunk.text} for chunk in chunks]

    assert {"star", "budget"} in kinds(cut(text, tokens=60, topics="off", embed=embed))
    assert {"star", "budget"} not in kinds(cut(text, tokens=60, topics="long", embed=embed))
    assert len(cut(text, tokens=200, topics="long", embed=embed)) == 1
    assert kinds(cut(text, tokens=200, topics="all", embed=embed)) == [{"star"}, {"budget"}]
    assert len(cut("# A\n" + text, tokens=200, topics="all", embed=embed)) == 1
    assert {"star", "budget"} in kinds(cut("# A\n" + text, tokens=60, topics="all", embed=embed))


def test_pages() -> None:
    chunks = cut("One two. " * 10 + "\n\n" + "Three four. " * 10, tokens=10, pages=[0, 91])
    assert [chunk.page for chunk in chunks] == [1, 1, 2, 2]
    assert cut("One.")[0].page is None


@pytest.mark.parametrize(
    "options",
    [
        {"chunk_tokens": 0, "overlap_tokens": 0},
        {"chunk_tokens": 10, "overlap_tokens": 10},
        {"chunk_tokens": 10, "overlap_tokens": -1},
        {"chunk_tokens": 10, "overlap_tokens": 2, "min_tokens": -1},
        {"topics": "some"},
    ],
)
def test_impossible_sizes(options) -> None:
    with pytest.raises(UsageError, match="Give"):
        chunk_document(Document("d", "x"), count=words, **options)


@pytest.mark.parametrize("text", ["", " \n\t\u00a0\u200b", "\x00"])
def test_blank_documents_have_no_chunks(text: str) -> None:
    assert cut(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "a" * 1_200_000,
        "Helix works. " * 20_000,
        "# h\n" * 30_000,
        "# h\ntext\n" * 10_000,
        "| a | b |\n|---|---|\n" + "| some value | 17 |\n" * 20_000,
        "```\n" + "x = 1\n" * 20_000,
        "螺旋" * 100_000,
        "\n" * 100_000 + "x",
        "|" * 100_000,
        "a\n---|---\n" * 5_000,
        "The marker <|endoftext|> and <|im_start|> end a turn.",
        "tail \ud83d end",
        "a" + "\u0316\u0301" * 20_000,
    ],
)
def test_hostile_texts(text: str) -> None:
    chunks, _ = chunk_document(Document("d", text), count=quarters)
    check(text, chunks, quarters, 1200)


def test_documents_without_spaces() -> None:
    for text in ["螺旋实验室位于浦那", "螺旋研究所はプネーにある", "ห้องปฏิบัติการอยู่ที่ปูเน่", "Лаборатория в Пуне"]:
        assert [chunk.text for chunk in cut(text)] == [text]


def test_same_input_same_chunks() -> None:
    text = "# A\n" + "Helix works in Pune. " * 200
    assert cut(text, overlap=8) == cut(text, overlap=8)


SCRIPTS = {
    "English": "The lens of Helix Labs is in Pune. ",
    "Chinese": "螺旋实验室位于浦那，那里有四十个人。",
    "Japanese": "螺旋研究所はプネーにあります。",
    "Thai": "ห้องปฏิบัติการอยู่ที่ปูเน่มีคนสี่สิบคน\n",
    "Arabic": "يقع المختبر في بونا ويعمل فيه أربعون شخصا. ",
    "Hindi": "प्रयोगशाला पुणे में है और वहाँ चालीस लोग काम करते हैं। ",
    "code": "```python\ndef lens(x):\n    return x + 1\n```\n\n",
    "rows": "| Helix | Pune | 40 |\n",
}


@settings(max_examples=120, deadline=None)
@given(
    scripts=st.lists(st.sampled_from(sorted(SCRIPTS)), min_size=1, max_size=30),
    limit=st.integers(40, 90),
    overlap=st.integers(0, 20),
)
def test_no_sentence_row_or_code_block_is_cut_in_any_script(scripts: list[str], limit: int, overlap: int) -> None:
    text = "\n".join(SCRIPTS[script] for script in scripts)
    count = make_counter("approx")
    chunks = cut(text, count=count, tokens=limit, overlap=overlap)
    check(text, chunks, count, limit)
    pieces = [piece.strip() for piece in SCRIPTS.values()]
    assert all(count(piece) <= 40 for piece in pieces)
    assert not any(chunk.split for chunk in chunks)
    for script in set(scripts):
        whole = SCRIPTS[script].strip()
        held = {chunk.start + at for chunk in chunks for at in _places(text[chunk.start : chunk.end], whole)}
        assert held == set(_places(text, whole)), script


def _places(text: str, piece: str) -> list[int]:
    return [match.start() for match in re.finditer(re.escape(piece), text)]


def test_headings_without_end_leave_a_bounded_number_of_chunks() -> None:
    text = "# Book\n" + "".join(f"## Heading {number}\nHelix works.\n" for number in range(12_000))
    chunks = cut(text, count=quarters, tokens=1200)
    check(text, chunks, quarters, 1200)
    assert len(chunks) < 200
    assert {chunk.section for chunk in chunks} == {("Book",)}
