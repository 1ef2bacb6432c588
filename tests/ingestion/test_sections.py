from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gossamer.ingestion.sections import find_headings, heading_number, plain_heading, slug, split_sections


def paths(text: str) -> list[tuple[str, ...]]:
    return [section.path for section in split_sections(text)]


def test_nested_headings() -> None:
    text = "intro\n# A\nx\n## B\ny\n### C\nz\n## D\n# E\n"
    assert paths(text) == [(), ("A",), ("A", "B"), ("A", "B", "C"), ("A", "D"), ("E",)]


def test_skipped_levels_nest_under_what_is_above() -> None:
    assert paths("# A\nx\n#### B\ny\n## C\nz") == [("A",), ("A", "B"), ("A", "C")]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("Title\n=====\nText.\n\nSub\n---\nMore.", ["Title", "Sub"]),
        ("=====\nTitle\n=====\nText.", ["Title"]),
        ("One\n===\nTwo\n===\nText.", ["One", "Two"]),
        ("---\na: b\n---\nTitle\n---\n", ["Title"]),
        ("```\n# not\n```\n# yes", ["yes"]),
        ("~~~ sh\n# not\n```\n# not\n~~~\n# yes", ["yes"]),
        ("```\n# never closed", []),
        ("#hashtag\n####### seven\n# \n#", []),
        ("---\ntitle: x\n---\n# A", ["A"]),
        ("- item\n---\n", []),
        ("two lines\nof text\n---\n", []),
        ("| a | b |\n---\n", []),
        ("    # indented code", []),
        ("# " + "x" * 300, []),
        ("# **Bold** `code` [link](a.md) ##", ["Bold code link"]),
        ("# snake_case and 2*3*4", ["snake_case and 2*3*4"]),
        ("# Glass {#lens-glass}", ["Glass"]),
    ],
)
def test_what_is_a_heading(text: str, titles: list[str]) -> None:
    assert [heading.title for heading in find_headings(text)] == titles


def test_explicit_anchor() -> None:
    assert [heading.anchor for heading in find_headings("# Glass {#lens-glass}\n# Other")] == ["lens-glass", ""]


@pytest.mark.parametrize(
    ("title", "number"),
    [("2.1 Data", "2.1"), ("3. Method", "3"), ("Section 4: Ethics", "4"), ("§7", "7"), ("2019 in review", None),
     ("Data 2", None), ("1.2.3", "1.2.3")],
)  # fmt: skip
def test_heading_number(title: str, number: str | None) -> None:
    assert heading_number(title) == number


def test_slug_and_plain_heading() -> None:
    assert slug("What's new — in Größe 2.1?") == "whats-new--in-größe-21"
    assert plain_heading("a * b") == "a * b"


LINES = st.sampled_from(
    ["# A", "## B", "### C", "text", "", "===", "---", "```", "~~~", "| a |", "- x", " ", "# A {#b}"]
)


@given(st.lists(LINES, max_size=40).map("\n".join))
def test_sections_are_the_whole_text(text: str) -> None:
    sections = split_sections(text)
    assert "".join(text[section.start : section.end] for section in sections) == text
    assert all(section.start <= section.body <= section.end for section in sections)
