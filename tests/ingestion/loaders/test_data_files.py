"""CSV, JSON, notebooks and office files."""

from __future__ import annotations

import io
import json
import sys
import zipfile

import pytest

from gossamer.ingestion.loaders import UnreadableFileError, parse_file
from gossamer.ingestion.loaders.structured import outline


def text_of(name: str, text: str) -> str:
    return parse_file(text.encode(), name).text


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_delimiters(delimiter: str) -> None:
    rows = [["name", "place"], ["Rao", "Pune"], ["Iyer", "Goa"]]
    text = "\n".join(delimiter.join(row) for row in rows)
    assert text_of("a.csv", text) == "| name | place |\n| --- | --- |\n| Rao | Pune |\n| Iyer | Goa |"


def test_csv_details() -> None:
    assert text_of("a.csv", '"a|b","two\nlines"\n\n1,2\n') == "| a\\|b | two lines |\n| --- | --- |\n| 1 | 2 |"
    assert text_of("a.csv", "0,Rao\n1,Iyer\n") == "| 0 | Rao |\n| 1 | Iyer |"
    assert text_of("a.csv", ",name,n\n0,Rao,1\n").split("\n")[1] == "| --- | --- | --- |"
    assert text_of("a.tsv", "a\tb, c\n1\t2\n").startswith("| a | b, c |")
    assert text_of("a.csv", "a,b\n1\n") == "| a | b |\n| --- | --- |\n| 1 |  |"
    assert text_of("a.csv", ",,,\n,,\n") == ""
    shift_jis = parse_file("名前,年齢,住所\n佐藤太郎,30,東京\n三木英子,25,大阪\n".encode("cp932"), "a.csv")
    assert "佐藤太郎" in shift_jis.text
    assert shift_jis.warnings


def test_json() -> None:
    value = {"title": "Orion", "staff": [{"name": "Rao", "age": 40}, "Iyer"], "empty": [], "ok": True}
    page = parse_file(json.dumps(value).encode(), "a.json")
    assert page.title == "Orion"
    assert page.text == "title: Orion\nstaff:\n  - name: Rao\n    age: 40\n  - Iyer\nempty: []\nok: true"
    broken = parse_file(b'{"a": ', "a.json")
    assert (broken.text, broken.warnings) == ('{"a": ', ("not valid JSON, read as plain text",))
    assert parse_file(b"[" * 50_000, "a.json").warnings
    deep = json.loads("[" * 500 + "]" * 500)
    assert list(outline({"a": deep}))


def test_notebook() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Orion\n", "Text."]},
        {"cell_type": "code", "source": "print(1)", "outputs": [
            {"output_type": "stream", "text": ["1\n"]},
            {"output_type": "display_data", "data": {"image/png": "AAAA"}},
            {"output_type": "error", "ename": "ValueError", "evalue": "bad"},
        ]},
    ]  # fmt: skip
    page = parse_file(json.dumps({"cells": cells}).encode(), "a.ipynb")
    assert page.title == "Orion"
    assert page.text == (
        "# Orion\nText.\n\n```python\nprint(1)\n```\n\n```text\n1\n```\n\n```text\nValueError: bad\n```"
    )


@pytest.mark.parametrize("data", ["hello", "[]", '{"cells": [1]}', '{"nothing": 1}', "[" * 50_000])
def test_damaged_notebooks(data: str) -> None:
    with pytest.raises(UnreadableFileError, match="damaged notebook"):
        parse_file(data.encode(), "a.ipynb")


WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def docx(text: str) -> bytes:
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
        'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" '
        f'Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body><w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body>'
        "</w:document>",
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def test_docx() -> None:
    pytest.importorskip("markitdown")
    assert parse_file(docx("Helix Labs is in Pune."), "a.docx").text.strip() == "Helix Labs is in Pune."


def test_office_without_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "markitdown", None)
    with pytest.raises(UnreadableFileError, match=r"pip install 'gossamer\[office\]'"):
        parse_file(docx("x"), "a.docx")


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.docx", b"hello", "damaged .docx"),
        ("a.xlsx", docx("x")[:100], "damaged .xlsx"),
        ("a.docx", b"\xd0\xcf\x11\xe0" + bytes(100), "remove its password"),
        ("a.xls", b"hello", "damaged .xls"),
        ("a.doc", b"\xd0\xcf\x11\xe0", "save it as .docx"),
        ("a.png", b"\x89PNG", "an image"),
    ],
    ids=["no docx", "cut xlsx", "locked docx", "no xls", "old doc", "image"],
)
def test_what_office_cannot_read(name: str, data: bytes, reason: str) -> None:
    with pytest.raises(UnreadableFileError, match=reason):
        parse_file(data, name)


def test_archives_that_unpack_to_too_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gossamer.ingestion.loaders.office._LARGEST_UNPACKED", 100)
    with pytest.raises(UnreadableFileError, match="unpacks to"):
        parse_file(docx("x"), "a.docx")
