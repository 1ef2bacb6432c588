"""Lines from glyphs: nothing is lost wherever the glyphs stand."""

from __future__ import annotations

from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.ingestion.loaders.layout import page_lines
from gossamer.ingestion.loaders.ruled import Grid, ruled_tables
from gossamer.ingestion.loaders.runs import Glyph, text_rows

PLACE = st.integers(0, 60).map(lambda at: 10.0 * at)
MARKS = st.sampled_from(["Helix", "1.", "•", "-", "螺旋", "a", "40"])
WORD = st.tuples(MARKS, PLACE, PLACE, st.sampled_from([8.0, 12.0, 30.0]))
BOX = st.tuples(PLACE, PLACE, PLACE, PLACE).map(lambda box: (*map(min, box[:2], box[2:]), *map(max, box[:2], box[2:])))


def glyphs(words: list[tuple[str, float, float, float]]) -> list[Glyph]:
    return [
        Glyph(char, x + 0.5 * size * at, y, x + 0.5 * size * (at + 1), y + size, size, False)
        for word, x, y, size in words
        for at, char in enumerate(word)
    ]


@settings(max_examples=200, deadline=None)
@given(st.lists(WORD, max_size=30), st.lists(BOX, max_size=12))
def test_every_character_is_in_a_line(words: list[tuple[str, float, float, float]], boxes: list[tuple]) -> None:
    given_glyphs = glyphs(words)
    lines = page_lines(given_glyphs, *ruled_tables(boxes))
    wanted = Counter(glyph.char for glyph in given_glyphs if glyph.char.isalnum())
    assert Counter(char for line in lines for char in line.text if char.isalnum()) == wanted


def grid_lines(xs: list[float], ys: list[float]) -> list[tuple[float, float, float, float]]:
    return [(x, ys[0], x, ys[-1]) for x in xs] + [(xs[0], y, xs[-1], y) for y in ys]


def test_a_drawn_grid_is_found_and_one_row_or_column_is_none() -> None:
    (grid,), walls = ruled_tables(grid_lines([0, 100, 200], [0, 50, 90]))
    assert grid == Grid((0, 100, 200), (0, 50, 90))
    assert len(walls) == 3
    assert ruled_tables(grid_lines([0, 200], [0, 50, 90]))[0] == []
    assert ruled_tables([])[0] == []


def test_rows_inside_one_drawn_row_come_apart_where_they_stand_side_by_side() -> None:
    words = [(f"{name}{at}", 10.0 + 100 * column, 60.0 + 14 * at, 10.0)
             for at in range(3) for column, name in enumerate(["a", "b"])]  # fmt: skip
    words += [("Lab", 10.0, 10.0, 10.0), ("City", 110.0, 10.0, 10.0)]
    lines = page_lines(glyphs(words), *ruled_tables(grid_lines([0, 100, 200], [0, 50, 120])))
    assert [line.text for line in lines] == [
        "| Lab | City |\n| --- | --- |", "| a0 | b0 |", "| a1 | b1 |", "| a2 | b2 |",
    ]  # fmt: skip


def test_raised_letters_stay_in_their_line() -> None:
    words = [("word", 0.0, 10.0, 12.0), ("2", 24.5, 8.0, 7.0), ("next", 0.0, 30.0, 12.0)]
    assert [line.text for line in page_lines(glyphs(words))] == ["word2", "next"]
    assert text_rows([]) == []
