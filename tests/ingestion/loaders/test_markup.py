"""Text, code, Markdown, HTML, reStructuredText and feeds."""

from __future__ import annotations

import pytest

from gossamer.ingestion.loaders import parse_file
from gossamer.ingestion.loaders.html import to_markdown
from gossamer.ingestion.loaders.markdown import split_front_matter, tidy_markdown
from gossamer.ingestion.loaders.rst import rst_to_markdown
from gossamer.ingestion.sections import split_sections


def parsed(name: str, text: str):
    return parse_file(text.encode(), name)


def paths(text: str) -> list[tuple[str, ...]]:
    return [section.path for section in split_sections(text)]


def test_text_and_code() -> None:
    assert parsed("a.txt", "Pune.\r\nForty.").text == "Pune.\nForty."
    code = parsed("src/a.py", "# a comment\nx = '```'\n")
    assert code.text == "````python\n# a comment\nx = '```'\n````"
    assert (code.metadata, code.named, paths(code.text)) == ({"language": "python"}, False, [()])
    assert parsed("Makefile", "all:\n").metadata == {"language": "makefile"}
    assert parsed("unknown.ending", "Text.").text == "Text."
    assert parsed("empty.py", " \n").text == ""


def test_markdown_front_matter_and_title() -> None:
    page = parsed("a.md", '---\ntitle: "Orion"\ntags:\n- mars\n- lens\ndraft: false\n---\n# Other\nText.')
    assert (page.title, page.text) == ("Orion", "# Other\nText.")
    assert page.metadata == {"title": "Orion", "tags": ["mars", "lens"], "draft": False}
    toml = parsed("a.md", '+++\ntitle = "Orion"\ndate = 2019-05-01\n[x]\ny = 1\n+++\nText.')
    assert (toml.title, toml.metadata["date"], toml.metadata["x"], toml.text) == (
        "Orion",
        "2019-05-01",
        {"y": 1},
        "Text.",
    )
    assert parsed("a.md", "# Orion\n\n## Lens\n").title == "Orion"
    assert parsed("a.md", "## Lens\n\n## Mount\n").title == ""


@pytest.mark.parametrize(
    ("text", "rest"),
    [("---\nno pair here\n---\nx", "---\nno pair here\n---\nx"), ("---\nnever: closed\n", "---\nnever: closed\n"),
     ("+++\nnot = = toml\n+++\nx", "+++\nnot = = toml\n+++\nx"), ("text", "text")],
)  # fmt: skip
def test_what_is_no_front_matter_stays(text: str, rest: str) -> None:
    assert split_front_matter(text) == ({}, rest)


@pytest.mark.parametrize(
    ("text", "tidy"),
    [
        ("a<!-- b\nc -->d", "ad"),
        ("```\n<!-- kept -->\n```", "```\n<!-- kept -->\n```"),
        ("`<b>` <b>bold</b>", "`<b>` bold"),
        ("one<br/>two", "one\ntwo"),
        ("  ## Indented", "## Indented"),
        ("![lens](data:image/png;base64,AAAA) x", "lens x"),
        ("a <!-- never closed", "a <!-- never closed"),
        ('<a href="b.md">b</a>', "[b](b.md)"),
        ("1 < 2 and x<y>z", "1 < 2 and x<y>z"),
    ],
)
def test_tidy_markdown(text: str, tidy: str) -> None:
    assert tidy_markdown(text) == tidy


def test_html_page() -> None:
    page = parsed(
        "a.html",
        """<html><head><title>Orion | Helix</title><style>x{}</style></head><body><nav>Menu</nav>
        <h1>Orion</h1><p>Helix <b>Labs</b>\n is in <a href="pune.html#staff">Pune city</a>.</p>
        <script>alert(1)</script><p hidden>secret</p><ul><li>One<li>Two<ul><li>Deep</ul></ul>
        <ol><li>First</li><li>Second</li></ol>
        <table><tr><th>name</th><th>place</th></tr><tr><td>Rao</td><td>Pune|X</td></tr></table>
        <h2 id="s1">Code</h2><pre class="language-py">x = 1\n  y</pre><p>one<br>two</p>
        <footer>Imprint</footer></body></html>""",
    )
    assert page.title == "Orion"
    assert page.text.strip() == (
        "# Orion\n\nHelix Labs is in [Pune city](pune.html#staff).\n\n- One\n- Two\n  - Deep\n\n1. First\n2. Second\n\n"
        "| name | place |\n| --- | --- |\n| Rao | Pune\\|X |\n\n## Code {#s1}\n\n```py\nx = 1\n  y\n```\n\none\ntwo"
    )


def test_html_main_element_charset_and_layout_tables() -> None:
    main = b"<body><div>Menu</div><main><p>" + b"Text. " * 20 + b"</p></main></body>"
    assert "Menu" not in parse_file(main, "a.html").text
    cyrillic = '<meta charset="windows-1251"><p>Пуна</p>'.encode("cp1251")
    assert parse_file(cyrillic, "a.html").text.strip() == "Пуна"
    layout = "<table><tr><td><table><tr><td>a</td></tr></table></td><td>b</td></tr></table>"
    assert to_markdown(layout) == "a\n\nb"
    assert parse_file(b"<p> </p>", "a.html").text == ""
    assert to_markdown('<a href="https://example.org/x">site</a> <a href="#top">x</a>') == "site x"


def test_html_nested_without_end() -> None:
    deep = parsed("a.html", "<div>" * 50_000 + "Pune &amp; Goa")
    assert deep.text.strip() == "Pune & Goa"
    assert deep.warnings == ("nested too deeply, its tags were cut out",)
    assert "x" in to_markdown("<div>" * 1000 + "x")


def test_rst() -> None:
    text = (
        ".. _the lens:\n\n=====\nOrion\n=====\n\n.. a comment\n   of two lines\n\nSee :ref:`the lens`, :doc:`Guide <guide>`,\n"
        "``code`` and `site <https://example.org>`_ by :func:`~os.walk`.\n\nSub\n---\n\nRun::\n\n    # no heading\n    go()\n\n"
        ".. code-block:: python\n   :linenos:\n\n   x = 1\n\n.. note:: Careful.\n\n.. toctree::\n\n   lens\n"
    )
    body = parse_file(text.encode(), "a.rst")
    assert body.title == "Orion"
    assert body.text == (
        "# Orion {#the-lens}\n\nSee [the lens](#the-lens), [Guide](guide.rst),\n`code` and [site](https://example.org) by "
        "os.walk.\n\n## Sub\n\nRun:\n\n```\n# no heading\ngo()\n```\n\n```python\nx = 1\n```\n"
        "\nnote: Careful.\n\n- [lens](lens.rst)\n"
    )


def test_rst_levels_follow_first_use() -> None:
    text = "A\n~~~\n\nx\n\nB\n===\n\ny\n\nC\n~~~\n\nz\n"
    assert paths(rst_to_markdown(text)) == [("A",), ("A", "B"), ("C",)]


def test_feed() -> None:
    feed = (
        '<?xml version="1.0"?><rss><channel><title>Helix News</title><item><title>Orion flies</title>'
        "<description>&lt;p&gt;Short.&lt;/p&gt;</description></item></channel></rss>"
    )
    page = parsed("a.xml", feed)
    assert (page.title, page.text) == ("Helix News", "# Helix News\n\n## Orion flies\n\nShort.")
    assert parsed("a.xml", "<config><a>1</a></config>").text == "```xml\n<config><a>1</a></config>\n```"
    bomb = '<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><rss>&b;</rss>'
    assert parsed("a.xml", bomb).text.startswith("```xml")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.html", "<ul><li>" * 3000),
        ("a.html", "<p>a</p>" * 5000),
        ("a.html", "<table>" + "<tr><td>a<td>b" * 3000),
        ("a.md", "<!--" * 50_000),
        ("a.md", "---\n" + "a: b\n" * 20_000),
        ("a.md", "`" * 100_000),
        ("a.md", "![" * 50_000),
        ("a.rst", "a::\n" + "\n" * 50_000),
        ("a.rst", "\n".join(" " * 3 * depth + ".. note::\n" for depth in range(100))),
        ("a.rst", "`a <" * 50_000),
    ],
)
def test_hostile_markup(name: str, text: str) -> None:
    parsed(name, text)


def test_rst_tables_become_markdown_tables() -> None:
    grid = """
+-------+----------------+
| Lab   | Place          |
+=======+================+
| Helix | Pune, in the   |
|       | old town       |
+-------+----------------+
| Orion | Goa            |
+-------+----------------+

After it.
"""
    text = parse_file(grid.encode(), "a.rst").text
    assert text.strip() == (
        "| Lab | Place |\n| --- | --- |\n| Helix | Pune, in the old town |\n| Orion | Goa |\n\nAfter it."
    )
    rule = "=====  ====\n"
    simple = f"Staff\n=====\n\n{rule}Lab    City\n{rule}Helix  Pune\n       old\nOrion  Goa\n{rule}\nAfter it.\n"
    assert parse_file(simple.encode(), "a.rst").text.strip() == (
        "# Staff\n\n| Lab | City |\n| --- | --- |\n| Helix | Pune old |\n| Orion | Goa |\n\nAfter it."
    )
    over = "=====\nTitle\n=====\n\nText.\n"
    assert parse_file(over.encode(), "a.rst").text.strip() == "# Title\n\nText."
    assert "+--+" in parse_file(b"a +--+ b\n", "a.rst").text
