"""One loader a kind of file, chosen by the ending of its name; anything unknown that is text is read as text."""

from __future__ import annotations

from gossamer.ingestion.loaders.base import Loader, Parsed, UnreadableFileError, extension
from gossamer.ingestion.loaders.feed import load_xml
from gossamer.ingestion.loaders.html import load_html
from gossamer.ingestion.loaders.markdown import load_markdown
from gossamer.ingestion.loaders.office import load_office
from gossamer.ingestion.loaders.pdf import load_pdf
from gossamer.ingestion.loaders.rst import load_rst
from gossamer.ingestion.loaders.structured import load_json, load_json_lines, load_notebook
from gossamer.ingestion.loaders.tabular import load_csv
from gossamer.ingestion.loaders.text import LANGUAGES, load_code, load_text

LOADERS: dict[str, Loader] = {
    **dict.fromkeys(LANGUAGES, load_code),
    **dict.fromkeys(("txt", "text", "log", "adoc", "org", "tex", "srt", "vtt"), load_text),
    **dict.fromkeys(("md", "markdown", "mdx", "mkd", "qmd", "rmd"), load_markdown),
    **dict.fromkeys(("html", "htm", "xhtml"), load_html),
    **dict.fromkeys(("rst", "rest"), load_rst),
    **dict.fromkeys(("csv", "tsv", "tab"), load_csv),
    **dict.fromkeys(("docx", "pptx", "xlsx", "xls", "epub", "msg", "doc", "ppt"), load_office),
    **dict.fromkeys(("jsonl", "ndjson"), load_json_lines),
    **dict.fromkeys(("xml", "rss", "atom"), load_xml),
    "json": load_json,
    "ipynb": load_notebook,
    "pdf": load_pdf,
}

NOT_TEXT = {
    **dict.fromkeys(
        ("zip", "tar", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar", "jar", "whl"), "an archive; unpack it"
    ),
    **dict.fromkeys(("png", "jpg", "jpeg", "gif", "bmp", "webp", "tif", "tiff", "ico", "heic", "psd"), "an image"),
    **dict.fromkeys(("mp3", "wav", "ogg", "flac", "m4a", "mp4", "avi", "mov", "mkv", "webm"), "audio or video"),
}

__all__ = ["LOADERS", "NOT_TEXT", "Loader", "Parsed", "UnreadableFileError", "parse_file"]


def parse_file(data: bytes, name: str) -> Parsed:
    """The content of a file as text, by the ending of its name.

    Raises UnreadableFileError, whose message is the reason to report, where no text can be had.

    >>> parse_file(b"# Orion\\nOn Mars.", "orion.md").title
    'Orion'
    """
    kind = NOT_TEXT.get(extension(name))
    if kind is not None:
        raise UnreadableFileError(f"no text: {kind}")
    loader = LOADERS.get(extension(name)) or LOADERS.get(name.rsplit("/", 1)[-1].lower(), load_text)
    return loader(data, name)
