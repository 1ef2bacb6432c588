"""Office files through markitdown, which comes with the extra `office`."""

from __future__ import annotations

import io
import re
import warnings as python_warnings
import zipfile
from typing import Any

from gossamer.errors import MissingExtraError
from gossamer.ingestion.loaders.base import PARSER_ERRORS, Parsed, UnreadableFileError, extension, heading_title
from gossamer.ingestion.loaders.markdown import tidy_markdown
from gossamer.text.clean import clean_text, one_line

_LARGEST_UNPACKED = 1_000_000_000
_OLE_MARK = b"\xd0\xcf\x11\xe0"
_OLE_KINDS = frozenset({"xls", "msg"})
_SHEETS = frozenset({"xlsx", "xls"})
_EMPTY_CELL = re.compile(r"\|[^\S\n]+(?:NaN|Unnamed: \d+)[^\S\n]+(?=\|)")
_EMPTY_ROW = re.compile(r"^\|[|\s]*\|[^\S\n]*\n(?!\| ---)", re.MULTILINE)
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\([^()\s]*\)")
_FILE_NAME = re.compile(r"\s*\S+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg)\s*", re.IGNORECASE)
_OLD_FORMATS = {"doc": "docx", "ppt": "pptx"}


def load_office(data: bytes, name: str) -> Parsed:
    """Word, PowerPoint, Excel, Outlook and EPUB files as Markdown."""
    kind = extension(name)
    if kind in _OLD_FORMATS:
        raise UnreadableFileError(f"old binary .{kind} format; save it as .{_OLD_FORMATS[kind]}")
    _check_container(data, kind)
    with python_warnings.catch_warnings():
        python_warnings.simplefilter("ignore")
        try:
            from markitdown import MarkItDown, MarkItDownException, StreamInfo
        except ImportError as error:
            missing = MissingExtraError("markitdown", "office", f"Reading .{kind} files")
            raise UnreadableFileError(str(missing)) from error
        try:
            converter: Any = MarkItDown(enable_plugins=False)
            result = converter.convert_stream(io.BytesIO(data), stream_info=StreamInfo(extension=f".{kind}"))
        except (MarkItDownException, zipfile.BadZipFile, *PARSER_ERRORS) as error:
            raise UnreadableFileError(f"damaged or protected .{kind} file ({type(error).__name__})") from error
    text = _IMAGE.sub(_image_text, tidy_markdown(clean_text(result.text_content)))
    title = one_line(result.title or "")
    if kind in _SHEETS:
        text = _EMPTY_ROW.sub("", _EMPTY_CELL.sub("|  ", text))
    return Parsed(text, title if kind in _SHEETS else title or heading_title(text))


def _image_text(match: re.Match[str]) -> str:
    """What an image is said to show; the name of its file says nothing."""
    return "" if _FILE_NAME.fullmatch(match[1]) else match[1]


def _check_container(data: bytes, kind: str) -> None:
    """Refuse what is not the container of its kind, is protected, or unpacks to more than any document holds."""
    if kind in _OLE_KINDS:
        if not data.startswith(_OLE_MARK):
            raise UnreadableFileError(f"damaged .{kind} file or none at all")
        return
    if data.startswith(_OLE_MARK):
        raise UnreadableFileError(f"protected .{kind} file; remove its password")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(entry.file_size for entry in archive.infolist())
    except zipfile.BadZipFile as error:
        raise UnreadableFileError(f"damaged .{kind} file or none at all") from error
    if unpacked > _LARGEST_UNPACKED:
        raise UnreadableFileError(f"unpacks to {unpacked:,} bytes")
