"""Bytes of a text file to a string: byte order mark, then UTF-8, then a guess that is always named."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from gossamer.errors import DocumentError

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = bytes(set(range(32)) - set(b"\t\n\r\f\x08\x1b")) + b"\x7f"
_SAMPLE = 65_536
_MOST_CONTROLS = 0.01
# Charsets in use for text files; a longer list makes short texts look like rare ones.
_CHARSETS = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "iso8859_2", "iso8859_15", "koi8_r", "koi8_u",
    "cp932", "euc_jp", "iso2022_jp", "gb18030", "big5", "euc_kr", "cp949", "tis_620", "cp866", "mac_roman",
]  # fmt: skip
_USUAL = "cp1252"


class UnreadableFileError(DocumentError):
    """A file that gives no document; its message is the reason shown in the report."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """A decoded text; `guess` names the charset where nothing in the file told it."""

    text: str
    guess: str | None = None


def decode_bytes(data: bytes, *, declared: str | None = None) -> Decoded:
    """Decode the bytes of a text file.

    `declared` is a charset that the content itself names (HTML). Bytes that are no text, by their control characters,
    raise UnreadableFileError.

    >>> decode_bytes(b"\\xff\\xfeP\\x00u\\x00n\\x00e\\x00").text
    'Pune'
    >>> decode_bytes("Größe".encode("cp1252"))
    Decoded(text='Größe', guess='cp1252')
    """
    for bom, charset in _BOMS:
        if data.startswith(bom):
            return Decoded(data[len(bom) :].decode(charset, "replace"))
    wide = _wide_charset(data)
    if wide:
        return Decoded(data.decode(wide, "replace"), wide)
    for charset in ("utf-8", *([declared] if declared else [])):
        try:
            text = data.decode(charset)
        except (UnicodeDecodeError, LookupError):
            continue
        _refuse_binary(data)
        return Decoded(text)
    _refuse_binary(data)
    charset = _guess(data)
    return Decoded(data.decode(charset, "replace"), charset)


def _refuse_binary(data: bytes) -> None:
    controls = len(data) - len(data.translate(None, _CONTROLS))
    if controls > max(1, _MOST_CONTROLS * len(data)):
        raise UnreadableFileError("binary file")


def _wide_charset(data: bytes) -> str | None:
    """UTF-16 without a mark: nearly every second byte is zero and hardly any other."""
    sample = data[:_SAMPLE]
    pairs = len(sample) // 2
    if pairs < 4:
        return None
    even, odd = sample[::2].count(0), sample[1::2].count(0)
    for many, few, charset in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if many > 0.5 * pairs and few < 0.05 * pairs:
            return charset
    return None


def _guess(data: bytes) -> str:
    from charset_normalizer import from_bytes

    found = list(from_bytes(_telling_sample(data), cp_isolation=_CHARSETS, enable_fallback=False))
    tied = [
        charset
        for each in found
        if (each.chaos, each.coherence) == (found[0].chaos, found[0].coherence)
        for charset in each.could_be_from_charset
    ]
    return str(tied[0]) if tied and _USUAL not in tied else _USUAL


def _telling_sample(data: bytes) -> bytes:
    """The lines that hold bytes beyond ASCII, up to a limit: only they tell charsets apart."""
    if len(data) <= _SAMPLE:
        return data
    lines: list[bytes] = []
    size = 0
    for match in re.finditer(rb"[^\n]*[\x80-\xff][^\n]*\n?", data):
        lines.append(match[0][:_SAMPLE])
        size += len(lines[-1])
        if size > _SAMPLE:
            break
    return b"".join(lines)[:_SAMPLE]
