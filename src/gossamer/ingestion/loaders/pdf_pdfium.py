"""PDF pages by pypdfium2, which comes with the extra `pdf`: reading order, columns and tables by the place of glyphs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from gossamer.ingestion.decode import UnreadableFileError
from gossamer.ingestion.loaders.layout import Line, page_lines
from gossamer.ingestion.loaders.pdf_pages import MOST_BOOKMARKS, Bookmark, PdfContent
from gossamer.ingestion.loaders.ruled import ruled_tables
from gossamer.ingestion.loaders.runs import Box, Glyph
from gossamer.text.clean import join_surrogates, one_line

_MOST_GLYPHS = 200_000
_BOLD_WEIGHT = 600
_BOLD_NAME = b"bold"
_FORCED_BOLD = 1 << 18
_NAME_BYTES = 128


def read_with_pdfium(data: bytes) -> PdfContent:
    """The pages of a PDF; raises UnreadableFileError for protected and damaged files, ImportError without pypdfium2."""
    import pypdfium2
    import pypdfium2.raw as raw

    try:
        file = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if getattr(error, "err_code", None) == raw.FPDF_ERR_PASSWORD:
            raise UnreadableFileError("encrypted PDF; remove its password") from error
        raise UnreadableFileError(f"damaged PDF or no PDF at all ({one_line(str(error))})") from error
    try:
        content = PdfContent(title=one_line(file.get_metadata_dict().get("Title", "")), bookmarks=_bookmarks(file))
        for number in range(len(file)):
            try:
                content.pages.append(_page(file, number, raw))
            except pypdfium2.PdfiumError:
                content.pages.append([])
                content.failed += 1
    finally:
        file.close()
    return content


def _page(file: Any, number: int, raw: Any) -> list[Line]:
    page = file[number]
    try:
        text = page.get_textpage()
        try:
            letters = _letters(text, raw)
        finally:
            text.close()
        turn = Counter(angle for _, angle in letters).most_common(1)[0][0] if letters else 0
        glyphs = [_turned(glyph, turn) for glyph, angle in letters if angle == turn]
        tables, walls = ruled_tables([_turned_box(box, turn) for box in _drawn(page, raw)])
        lines = page_lines(glyphs, tables, walls)
        # What stands across the page, such as a stamp on its margin, comes last.
        across = "".join(glyph.char for glyph, angle in letters if angle != turn).strip()
        return [*lines, Line(" ".join(across.split()), gap=True)] if across else lines
    finally:
        page.close()


def _letters(text: Any, raw: Any) -> list[tuple[Glyph, int]]:
    """Glyphs in the order of the file, y downwards, each with its angle as quarter turns."""
    box, matrix = raw.FS_RECTF(), raw.FS_MATRIX()
    is_bold = _bold_reader(text, raw)
    letters: list[tuple[Glyph, int]] = []
    angle = 0
    for at in range(min(raw.FPDFText_CountChars(text), _MOST_GLYPHS)):
        code = raw.FPDFText_GetUnicode(text, at)
        if raw.FPDFText_IsHyphen(text, at) == 1:
            code = ord("-")
        if code in {0, 0xFFFE, 0xFFFF}:
            continue
        char = join_surrogates(chr(code)) if 0xD800 <= code < 0xE000 else chr(code)
        if char.isspace() or raw.FPDFText_IsGenerated(text, at) == 1:
            letters.append((Glyph(" " if char.isspace() else char, 0, 0, 0, 0, 0, False), angle))
            continue
        raw.FPDFText_GetLooseCharBox(text, at, box)
        raw.FPDFText_GetMatrix(text, at, matrix)
        angle = round(math.atan2(matrix.b, matrix.a) / (math.pi / 2)) % 4
        size = round(2 * raw.FPDFText_GetFontSize(text, at) * math.hypot(matrix.c, matrix.d)) / 2
        glyph = Glyph(char, box.left, -box.top, box.right, -box.bottom, size, is_bold(at))
        letters.append((glyph, angle))
    return letters


def _bold_reader(text: Any, raw: Any) -> Callable[[int], bool]:
    """Whether the glyph at an index is bold, by the weight or the name of its font."""
    import ctypes

    name, flags = ctypes.create_string_buffer(_NAME_BYTES), ctypes.c_int()

    def is_bold(at: int) -> bool:
        if raw.FPDFText_GetFontWeight(text, at) >= _BOLD_WEIGHT:
            return True
        raw.FPDFText_GetFontInfo(text, at, name, _NAME_BYTES, flags)
        return _BOLD_NAME in name.value.lower() or bool(flags.value & _FORCED_BOLD)

    return is_bold


def _drawn(page: Any, raw: Any) -> Iterator[Box]:
    for item in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH], max_depth=1):
        left, bottom, right, top = item.get_bounds()
        yield left, -top, right, -bottom


def _turned(glyph: Glyph, turn: int) -> Glyph:
    return Glyph(glyph.char, *_turned_box(glyph[1:5], turn), glyph.size, glyph.bold) if turn else glyph


def _turned_box(box: Box, turn: int) -> Box:
    """A box on a page that is turned so that text written with `turn` quarter turns to the left stands upright."""
    x0, y0, x1, y1 = box
    if turn == 1:
        return -y1, x0, -y0, x1
    if turn == 2:
        return -x1, -y1, -x0, -y0
    return (y0, -x1, y1, -x0) if turn == 3 else box


def _bookmarks(file: Any) -> list[Bookmark]:
    found: list[Bookmark] = []
    for entry in file.get_toc():
        target = entry.get_dest()
        page = target.get_index() if target is not None else None
        title = one_line(entry.get_title() or "")
        if page is not None and title:
            found.append(Bookmark(page, entry.level + 1, title))
        if len(found) >= MOST_BOOKMARKS:
            break
    return found
