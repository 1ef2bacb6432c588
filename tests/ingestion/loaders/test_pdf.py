from __future__ import annotations

import io
import logging
from collections.abc import Sequence

import pytest
from pypdf import PdfReader, PdfWriter
from pypdf.generic import NameObject, StreamObject

from gossamer.ingestion.chunk import chunk_document
from gossamer.ingestion.loaders import Parsed, UnreadableFileError, parse_file
from gossamer.ingestion.loaders import pdf as pdf_loader
from gossamer.ingestion.loaders.layout import Line
from gossamer.ingestion.loaders.pdf_headings import mark_headings
from gossamer.model import Document


@pytest.fixture(autouse=True, params=["pypdf", "pypdfium2"])
def reader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Every test runs with both readers."""
    if request.param == "pypdfium2":
        pytest.importorskip("pypdfium2")
    else:
        monkeypatch.setattr(pdf_loader, "find_spec", lambda name: None)
    return request.param


def pdf(pages: Sequence[Sequence[str]], *, bookmarks: Sequence[tuple[str, int]] = (), title: str = "") -> bytes:
    """A PDF whose pages show the given lines in Helvetica."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for lines in pages:
        shown = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
        stream = f"BT /F1 12 Tf 72 720 Td {shown}ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {len(objects)} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        kids.append(f"{len(objects)} 0 R")
    objects[1] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>"
    out = b"%PDF-1.4\n"
    offsets = []
    for number, content in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1")
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode()
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(out)))
    for name, page in bookmarks:
        writer.add_outline_item(title=name, page_number=page)
    if title:
        writer.add_metadata({"/Title": title})
    return written(writer)


def drawn(*pages: Sequence[tuple[float, float, float, str]], extra: str = "") -> bytes:
    """A PDF of pages of (x, y, size, text), y from the bottom, in the order given; `extra` is drawn on every page."""
    empty = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf([[] for _ in pages]))))
    for page, texts in zip(empty.pages, pages, strict=True):
        shown = "".join(f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET\n" for x, y, size, text in texts)
        stream = StreamObject()
        stream.set_data((extra + shown).encode("latin-1"))
        page[NameObject("/Contents")] = empty._add_object(stream)
    return written(empty)


def written(writer: PdfWriter) -> bytes:
    buffer = io.BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def blank(password: str = "") -> bytes:
    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    if password:
        writer.encrypt(password)
    return written(writer)


def load(*pages: Sequence[str], **options) -> Parsed:
    return parse_file(pdf(pages, **options), "a.pdf")


def test_pages_and_their_chunks() -> None:
    page = load(["Helix Labs is in Pune.", "Forty people work there."], ["The budget was approved."])
    assert page.text == "Helix Labs is in Pune.\nForty people work there.\n\nThe budget was approved."
    assert page.pages == (0, page.text.index("The budget"))
    chunks, _ = chunk_document(
        Document("a", page.text),
        count=lambda text: len(text.split()),
        chunk_tokens=9,
        overlap_tokens=0,
        min_tokens=0,
        pages=page.pages,
    )
    assert [chunk.page for chunk in chunks] == [1, 2]


def test_headers_footers_and_page_numbers_go() -> None:
    said = ["It began in May.", "Forty people came.", "The lens is new.", "It is in Pune."]
    pages = [["Helix report 2019", text, f"Page {number} of 4"] for number, text in enumerate(said, start=1)]
    assert load(*pages).text == "\n\n".join(said)
    numbered = [[f"{number}", f"Words {'abcd'[number - 3]}."] for number in range(3, 7)]
    assert load(*numbered).text == "Words a.\n\nWords b.\n\nWords c.\n\nWords d."
    bills = [["Total 17 rupees", "a."], ["Total 99 rupees", "b."], ["Total 40 rupees", "c."]]
    assert load(*bills).text.count("Total") == 3
    assert load(*[["Same page."]] * 4).text.count("Same page.") == 4
    listed = [["25.", "What is this."], ["31.", "What is that."], ["40.", "What is it."], ["44.", "What now."]]
    assert all(line in load(*listed).text for page in listed for line in page)


def test_cut_words_are_joined_unless_the_hyphen_is_meant() -> None:
    page = load(["The obser-", "vatory has a well-known and well-", "known lens. The Pune-", "Goa road."])
    assert "observatory" in page.text
    assert "well-known lens" in page.text
    assert "Pune-Goa" in page.text


def test_a_sentence_over_a_page_end_stays_together() -> None:
    assert load(["Helix Labs is"], ["in Pune."]).text == "Helix Labs is\nin Pune."


def test_bookmarks_become_headings_and_the_title_is_kept() -> None:
    page = load(
        ["1 Start", "Some text."], ["2 End", "More text."],
        bookmarks=[("1 Start", 0), ("2 End", 1), ("Nowhere", 1)], title="Orion Report",
    )  # fmt: skip
    assert page.text == "# 1 Start\n\nSome text.\n\n# 2 End\n\nMore text."
    assert page.title == "Orion Report"
    assert load(["x y"], title="Microsoft Word - a.docx").title == ""


def test_pages_without_text_are_named() -> None:
    assert load(["Text."], []).warnings == ("1 of 2 pages have no text (scanned or blank)",)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (blank(), "no text in 1 PDF page: blank or scanned"),
        (blank("secret"), "encrypted PDF; remove its password"),
        (blank()[:200], "damaged PDF"),
        (b"hello", "damaged PDF"),
    ],
)
def test_unreadable_files_say_why_and_leak_no_log(
    data: bytes, reason: str, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UnreadableFileError, match=reason):
        parse_file(data, "a.pdf")
    assert not caplog.records
    assert capsys.readouterr() == ("", "")
    assert logging.getLogger("pypdf").level == logging.NOTSET


def test_encrypted_without_a_user_password_is_read() -> None:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(pdf([["Open text."]]))))
    writer.encrypt("", "owner", algorithm="RC4-128")
    assert parse_file(written(writer), "a.pdf").text == "Open text."


BODY = [(72.0, 700.0 - 14 * line, 11.0, f"Words of the body, line {'abcdefghij'[line]}.") for line in range(10)]


def test_larger_type_makes_headings_and_a_title() -> None:
    page = parse_file(drawn([(72, 750, 20, "Orion Report"), (72, 720, 14, "The lens"), *BODY]), "a.pdf")
    assert page.text.startswith("# Orion Report\n\n## The lens\n\nWords of the body, line a.\n")
    assert page.title == "Orion Report"


def test_bold_lines_that_stand_apart_are_headings_and_others_are_not() -> None:
    body = [Line("Words of the body that are long enough.", 11.0)] * 9
    page = [Line("Staff", 11.0, bold=True, gap=True), *body, Line("not this one", 11.0, bold=True), *body]
    (text,) = mark_headings([page], [])
    assert text.startswith("# Staff\n\nWords of") and text.count("#") == 1
    contents = [Line("1 Start … 5", 20.0), Line("Every word ends with a stop.", 20.0), *body]
    assert "#" not in mark_headings([contents], [])[0]


def test_columns_are_read_one_after_another(reader: str) -> None:
    if reader == "pypdf":
        pytest.skip("the base reader keeps the order of the file")
    left = [(72.0, 700.0 - 14 * at, 10.0, f"Left column with its words, line {at}.") for at in range(6)]
    right = [(330.0, 700.0 - 14 * at, 10.0, f"Right column of this page, line {at}.") for at in range(6)]
    mixed = [text for pair in zip(right, left, strict=True) for text in pair]
    text = parse_file(
        drawn([*mixed, (72.0, 740.0, 10.0, "A line over both of the columns, from border to border.")]), "a.pdf"
    ).text
    assert text.index("A line over") < text.index("Left column with its words, line 0.")
    assert text.index("Left column with its words, line 5.") < text.index("Right column of this page, line 0.")


def test_cells_that_stand_in_columns_are_a_markdown_table(reader: str) -> None:
    if reader == "pypdf":
        pytest.skip("the base reader does not know where text stands")
    rows = [("Lab", "City", "Staff"), ("Helix", "Pune", "40"), ("Orion", "Goa", ""), ("Lens", "Kochi", "7")]
    cells = [(72.0 + 150 * column, 600.0 - 16 * at, 10.0, text)
             for at, row in enumerate(rows) for column, text in enumerate(row) if text]  # fmt: skip
    text = parse_file(drawn([*BODY[:3], *reversed(cells)]), "a.pdf").text
    assert (
        "| Lab | City | Staff |\n| --- | --- | --- |\n| Helix | Pune | 40 |\n| Orion | Goa |  |\n| Lens | Kochi | 7 |"
        in text
    )


def test_drawn_cells_hold_several_lines(reader: str) -> None:
    if reader == "pypdf":
        pytest.skip("the base reader does not know where text stands")
    lines = "".join(f"{x} 500 m {x} 620 l S\n" for x in (70, 200, 400))
    lines += "".join(f"70 {y} m 400 {y} l S\n" for y in (500, 560, 620))
    cells = [(75.0, 600.0, 10.0, "Title"), (205.0, 600.0, 10.0, "The story of the obser-"),
             (205.0, 586.0, 10.0, "vatory in Pune"), (75.0, 540.0, 10.0, "Sponsor"), (205.0, 540.0, 10.0, "Helix Labs"),
             (72.0, 480.0, 10.0, "After it.")]  # fmt: skip
    text = parse_file(drawn(cells, extra=lines), "a.pdf").text
    assert (
        text == "| Title | The story of the observatory in Pune |\n| --- | --- |\n| Sponsor | Helix Labs |\n\nAfter it."
    )


def test_a_page_whose_text_is_turned_reads_as_one_that_is_not(reader: str) -> None:
    if reader == "pypdf":
        pytest.skip("the base reader keeps the order of the file")
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(drawn([]))))
    places = {
        "0 1 -1 0": ((100, 300), (120, 300)),
        "0 -1 1 0": ((120, 300), (100, 300)),
        "-1 0 0 -1": ((400, 300), (400, 320)),
    }
    for matrix, (first, second) in places.items():
        texts = ((second, "Second line of the page."), (first, "First line of the page."))
        shown = "".join(f"BT /F1 10 Tf {matrix} {x} {y} Tm ({text}) Tj ET\n" for (x, y), text in texts)
        stream = StreamObject()
        stream.set_data(shown.encode())
        writer.pages[0][NameObject("/Contents")] = writer._add_object(stream)
        assert parse_file(written(writer), "a.pdf").text == "First line of the page.\nSecond line of the page.", matrix
