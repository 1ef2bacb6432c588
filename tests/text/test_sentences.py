from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.text.sentences import split_sentences


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in split_sentences(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr. Rao works at Helix. She came in 2019.", ["Dr. Rao works at Helix.", "She came in 2019."]),
        ("Helix went to the bank. It was closed.", ["Helix went to the bank.", "It was closed."]),
        ("It cost approx. Ten percent more.", ["It cost approx. Ten percent more."]),
        ("Really? Yes! Good.", ["Really?", "Yes!", "Good."]),
        ("螺旋实验室位于浦那。猎户座项目研究火星！", ["螺旋实验室位于浦那。", "猎户座项目研究火星！"]),
        ("「そうですか？」彼は言った。", ["「そうですか？」", "彼は言った。"]),
        ("هل هو هنا؟ نعم هو هنا", ["هل هو هنا؟", "نعم هو هنا"]),
        ("ห้องปฏิบัติการอยู่ที่ปูเน่ เปิดในปีนี้", ["ห้องปฏิบัติการอยู่ที่ปูเน่", "เปิดในปีนี้"]),
        ("यह पुणे में है। यह नया है।", ["यह पुणे में है।", "यह नया है।"]),
        ("Лаборатория в Пуне. Она новая.", ["Лаборатория в Пуне.", "Она новая."]),
        ("No end\n\nNext paragraph", ["No end", "Next paragraph"]),
        ("Tools:\n- a hammer\n- a saw", ["Tools:", "- a hammer", "- a saw"]),
        ("A line that\nis wrapped. Second.", ["A line that\nis wrapped.", "Second."]),
        ("", []),
        (" \n ", []),
    ],
)
def test_known_sentences(text: str, expected: list[str]) -> None:
    assert sentences(text) == expected


PIECES = st.sampled_from(
    [
        "Helix works. ",
        "Dr. ",
        "a",
        "\n",
        "\n\n",
        "。",
        "螺旋",
        " ",
        "?",
        "!”",
        "- x\n",
        "1. ",
        "ไทย ",
        "؟ ",
        "...",
        "\t",
    ]
)


@given(st.lists(PIECES, max_size=60).map("".join))
def test_spans_are_tight_ordered_and_leave_only_white_space(text: str) -> None:
    position = 0
    for start, end in split_sentences(text):
        assert position <= start < end
        assert not text[position:start].strip()
        assert text[start:end] == text[start:end].strip()
        position = end
    assert not text[position:].strip()


def test_logs_without_full_stops_are_cut_at_lines() -> None:
    log = "\n".join(f"2019-05-{day:02} INFO job done" for day in range(1, 29))
    assert len(sentences(log)) == 28


def test_large_inputs() -> None:
    assert len(split_sentences("a" * 1_200_000)) == 1
    assert len(split_sentences("Helix works. " * 20_000)) == 20_000
    assert len(split_sentences("word " * 100_000)) == 1
    assert len(split_sentences("." * 100_000)) == 1
    assert len(split_sentences("螺旋。" * 50_000)) == 50_000


def test_boundaries_do_not_depend_on_where_blocks_end() -> None:
    once = "Helix Labs opened its office in Pune. Dr. Rao leads the team of forty. Was it May? It was. "
    text = once * 200
    count = len(sentences(once))
    assert sentences(text) == sentences(once) * 200
    assert len(sentences(text)) == 200 * count
