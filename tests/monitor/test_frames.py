from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.text import Text

from gossamer.monitor.compare import Column, Comparison
from gossamer.monitor.frames import detail, manual
from gossamer.monitor.frames.answer import answer, notes
from gossamer.monitor.frames.bars import bars
from gossamer.monitor.frames.cells import beside, clean, fit, pad, wrap
from gossamer.monitor.frames.comparison import comparison
from gossamer.monitor.frames.hints import hints
from gossamer.monitor.frames.progress import progress
from gossamer.monitor.frames.rings import rings
from gossamer.monitor.frames.status import status
from gossamer.monitor.frames.table import message, table
from gossamer.monitor.frames.welcome import welcome
from gossamer.monitor.record import Record

SIZES = [(40, 12), (80, 24), (120, 40), (200, 60)]
EMPTY: dict[str, object] = {"nodes": (), "passages": (), "clashes": (), "gaps": (), "confidence": None, "warnings": ()}


def plain(lines: list[Text]) -> str:
    return "\n".join(line.plain for line in lines)


@given(st.text(), st.integers(0, 40))
def test_text_fits_its_cells(text: str, width: int) -> None:
    assert cell_len(fit(clean(text), width)) <= width
    assert cell_len(pad(clean(text), width)) == width


@given(st.text(), st.integers(4, 40))
def test_wrapped_lines_fit_and_lose_no_word(text: str, width: int) -> None:
    lines = wrap(text, width)
    assert all(line.cell_len <= width for line in lines)
    assert "".join(line.plain for line in lines).replace(" ", "") == "".join(map(clean, text.splitlines())).replace(
        " ", ""
    )


def test_clean_leaves_nothing_that_steers_the_terminal() -> None:
    hostile = "a\x1b[2J\x1b]0;title\x07b\u202e\u2066c\x9b31m\r\nd"
    assert clean(hostile) == "abc31m d"
    assert clean("נמל 港口 \u200d") == "נמל 港口 \u200d".strip()


@pytest.mark.parametrize(("width", "height"), SIZES)
@pytest.mark.parametrize("ascii_only", [False, True])
def test_every_frame_fits_every_size(record: Record, width: int, height: int, ascii_only: bool) -> None:
    frames: list[Callable[[], list[Text]]] = [
        *(lambda hop=hop: answer(record, hop, width, height, ascii_only=ascii_only) for hop in range(3)),
        lambda: answer(replace(record, **EMPTY), 2, width, height, ascii_only=ascii_only),  # type: ignore[arg-type]
        *(lambda shown=shown: detail.passage(shown, width) for shown in record.passages),
        *(lambda shown=shown: detail.why(record, shown, width, ascii_only=ascii_only) for shown in record.passages),
        lambda: comparison(COMPARED, width, ascii_only=ascii_only),
        lambda: manual.keys(width),
        lambda: welcome("1.0", "my_index", ["one"], width, ascii_only=ascii_only),
        lambda: message("A long sentence " * 20, width, name="error"),
        lambda: table(("name", "value"), [("港口" * 30, "words " * 40)], width, ascii_only=ascii_only),
        lambda: [status("港口" * 40, ["fact"] * 9, "job 1: embed 3%", width, ascii_only=ascii_only)],
        lambda: [progress("港口" * 40, "running", "embed", 3, 9, 1.0, 2.0, width, ascii_only=ascii_only)],
        lambda: hints(["/show ", "/save "] * 9, {"/show": ("/show N", "does " * 50)}, width),
    ]
    for frame in frames:
        lines = frame()
        assert lines
        for line in lines:
            assert line.cell_len <= width, line.plain


COMPARED = Comparison(
    "Who built the harbour?",
    200,
    (
        Column("Gossamer", (("a#0", "港口" * 20), ("b#0", "B")), 90),
        Column("plain top-k", (("a#0", "港口" * 20),), 50),
        Column("hybrid (RRF)", tuple((f"{n}#0", f"T{n}") for n in range(20)), 190),
    ),
)


def test_ascii_frames_hold_only_the_documents_own_characters(record: Record) -> None:
    ours = replace(record, nodes=record.nodes[:1], passages=record.passages[:1])
    for hop in range(3):
        assert plain(answer(ours, hop, 120, 40, ascii_only=True)).isascii()
    assert plain(detail.why(ours, ours.passages[0], 80, ascii_only=True)).isascii()


def test_frames_are_pure(record: Record) -> None:
    first, second = (answer(record, 1, 100, 30) for _ in range(2))
    assert [line.markup for line in first] == [line.markup for line in second]


def test_bars_grow_with_the_hops(record: Record) -> None:
    def length(title: str, hop: int) -> int:
        return next((line.plain.count("█") for line in bars(record, hop, 100, 10) if title in line.plain), 0)

    assert length("تقرير", 0) == 0 < length("تقرير", 1)
    assert length("harbour", 0) > length("港口", 0) > 0
    assert "5.000" in plain(bars(record, 2, 100, 10))


def test_bars_say_what_they_leave_out(record: Record) -> None:
    assert plain(bars(record, 2, 60, 3)).endswith("and 2 more")


def test_rings_show_hops_ghosts_bridges_and_numbers(record: Record) -> None:
    drawn = plain(rings(record, 2, 60, 24))
    assert "?" in drawn
    assert "near-copy 1" in drawn
    assert "◆3" in drawn
    assert "bridge 1" in drawn
    assert "seeds 2" in drawn
    early = plain(rings(record, 0, 60, 24))
    assert "◆" not in early
    assert "hop 1" not in early


def test_rings_count_what_they_cannot_draw(record: Record) -> None:
    many = tuple(replace(record.nodes[0], id=f"n{n}#0", number=0, ghosts=()) for n in range(400))
    assert "not drawn" in plain(rings(replace(record, nodes=many), 2, 60, 20))
    assert rings(record, 2, 12, 4) == []


def test_only_what_is_there_is_said(record: Record) -> None:
    said = plain(notes(record, 100))
    for word in ("contradiction", "[1] against [3]", "[3] is newer", "gap", "crane", "low confidence", "20%", "bridge"):
        assert word in said
    sure = replace(record, clashes=(), gaps=(), confidence=0.9, warnings=(), nodes=record.nodes[:2])
    assert notes(sure, 100) == []
    assert notes(replace(sure, confidence=None), 100) == []


def test_answer_names_question_ledger_and_passages_only_at_the_end(record: Record) -> None:
    early, late = plain(answer(record, 0, 100, 40)), plain(answer(record, 2, 100, 40))
    for text in (early, late):
        assert text.startswith("> Who built the harbour?")
        assert "injected 10.000 = held 9.500 + dissipated 0.500" in text
    assert "It was built in 2019." not in early
    assert "It was built in 2019." in late
    assert "# The harbour" not in late
    assert "96 of 200 tokens" in late


def test_an_empty_answer_says_what_to_do(record: Record) -> None:
    nothing = replace(record, **EMPTY)  # type: ignore[arg-type]
    assert "Ask with a word that the documents use" in plain(answer(nothing, 2, 100, 40))
    too_small = replace(record, passages=())
    assert "/budget 500" in plain(answer(too_small, 2, 100, 40))


def test_comparison_marks_what_only_one_way_found() -> None:
    said = plain(comparison(COMPARED, 120))
    assert said.count("✓ B") == 1
    assert "and 8 more" in said


def test_beside_keeps_the_right_block_in_one_column() -> None:
    lines = beside([Text("港口"), Text("ab")], [Text("x"), Text("y"), Text("z")], width=6)
    assert [line.plain for line in lines] == ["港口    x", "ab      y", "        z"]


def test_welcome_says_what_to_type_first() -> None:
    assert "Type /demo" in plain(welcome("1", "", [], 80))
    assert "/index 1" in plain(welcome("1", "", ["one"], 80))
    assert "Type a question" in plain(welcome("1", "one", ["one"], 80))


def test_progress_knows_count_share_and_time_left() -> None:
    said = progress("docs", "running", "embed", 25, 100, 10.0, 30.0, 100).plain
    for word in ("docs", "embed", "25/100", "25%", "30 s left"):
        assert word in said
    assert "failed" in progress("docs", "failed", "embed", 25, 100, 10.0, None, 100).plain
