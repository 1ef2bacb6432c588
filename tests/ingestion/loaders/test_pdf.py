from __future__ import annotations

import io
import logging
from collections.abc import Sequence

import pytest
from pypdf import PdfReader, PdfWriter

from gossamer.ingestion.chunk import chunk_document
from gossamer.ingestion.loaders import Parsed, UnreadableFileError, parse_file
from gossamer.model import Document


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
