"""Write the one PDF of the example corpus, with nothing but the standard library.

python examples/make_inquiry_pdf.py src/gossamer/demo/corpus/sill-lock-inquiry.pdf
"""

import sys
from pathlib import Path

PAGES = [
    [
        ("B", 18, "Inquiry into the flooding of Sill Lock"),
        ("R", 11, "On the night of 3 March 2032 the lower sluice of Sill Lock was opened by one keeper"),
        ("R", 11, "alone. The gear slipped, and the basin and eleven cellars were flooded before dawn."),
        ("B", 14, "What went wrong"),
        ("R", 11, "The lamp was green and the level had been read. The keeper could not hold the wheel and"),
        ("R", 11, "call for help at the same time."),
    ],
    [
        ("B", 14, "What must change"),
        ("R", 11, "The inquiry into the flooding of Sill Lock asks for one change: the night rule in"),
        ("R", 11, "Section 3.2 of manuals/lock-handbook.md. It shall ask for two keepers instead of one."),
        ("R", 11, "No blame is laid on the keeper, Mr Tam Orrin."),
    ],
]


def content(lines: list[tuple[str, int, str]]) -> bytes:
    """One page's drawing commands: each line is set below the one before it."""
    parts, y = ["BT"], 780
    for weight, size, text in lines:
        y -= size * 2
        escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        parts.append(f"/F{'2' if weight == 'B' else '1'} {size} Tf 1 0 0 1 60 {y} Tm ({escaped}) Tj")
    return "\n".join([*parts, "ET"]).encode("latin-1")


def pdf(pages: list[list[tuple[str, int, str]]]) -> bytes:
    """A PDF 1.4 file with Helvetica, one content stream a page."""
    count = len(pages)
    kids = " ".join(f"{5 + 2 * i} 0 R" for i in range(count))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    ]
    for i, lines in enumerate(pages):
        stream = content(lines)
        fonts = "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >>"
        page = f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] {fonts} /Contents {6 + 2 * i} 0 R >>"
        objects += [page.encode(), b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)]
    out, offsets = bytearray(b"%PDF-1.4\n"), []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, start)
    return bytes(out)


if __name__ == "__main__":
    Path(sys.argv[1]).write_bytes(pdf(PAGES))
