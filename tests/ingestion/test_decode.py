from __future__ import annotations

import random

import pytest

from gossamer.ingestion.decode import UnreadableFileError, decode_bytes

RUSSIAN = "Лаборатория находится в Пуне. Она открыта с 2019 года, там работают сорок человек."
CHINESE = "螺旋实验室位于浦那。猎户座项目研究火星，预算由委员会批准。"
JAPANESE = "螺旋研究所はプネーにあります。四十人が働いています。"
FRENCH = "L’été à la maison : déjà vu, très agréable, où l’on étudie la littérature européenne."


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\xff\xfe" + "Helix in Pune".encode("utf-16-le"), "Helix in Pune"),
        (b"\xfe\xff" + "Helix in Pune".encode("utf-16-be"), "Helix in Pune"),
        (b"\xef\xbb\xbfPune", "Pune"),
        (b"\xff\xfe\x00\x00" + "Pune".encode("utf-32-le"), "Pune"),
        ("Größe".encode(), "Größe"),
        (b"one \x00 NUL", "one \x00 NUL"),
        (b"", ""),
    ],
)
def test_certain_encodings_are_not_guesses(data: bytes, text: str) -> None:
    decoded = decode_bytes(data)
    assert (decoded.text, decoded.guess) == (text, None)


@pytest.mark.parametrize(
    ("text", "charset"),
    [(RUSSIAN, "cp1251"), (RUSSIAN, "koi8_r"), (CHINESE, "gb18030"), (JAPANESE, "cp932"), (JAPANESE, "euc_jp"),
     (FRENCH, "cp1252"), ("Helix Labs in Pune", "utf-16-le"), ("Helix Labs in Pune", "utf-16-be")],
)  # fmt: skip
def test_guesses_are_right_and_named(text: str, charset: str) -> None:
    decoded = decode_bytes(text.encode(charset))
    assert decoded.text == text
    assert decoded.guess is not None


def test_western_text_is_preferred_where_charsets_tie() -> None:
    assert decode_bytes("año señor".encode("cp1252")).text == "año señor"


def test_declared_charset_is_used_after_utf8() -> None:
    assert decode_bytes("Пуна".encode("cp1251"), declared="windows-1251").text == "Пуна"
    assert decode_bytes("Пуна".encode(), declared="windows-1251").text == "Пуна"
    assert decode_bytes("é".encode("cp1252") * 9, declared="no-such-charset").guess is not None
    assert decode_bytes("é".encode("cp1252") * 9, declared="base64").guess is not None


@pytest.mark.parametrize("seed", range(5))
def test_random_bytes_are_binary(seed: int) -> None:
    with pytest.raises(UnreadableFileError, match="binary"):
        decode_bytes(random.Random(seed).randbytes(4096))


def test_large_files_are_guessed_from_their_telling_lines() -> None:
    data = b"plain ascii line\n" * 10_000 + RUSSIAN.encode("cp1251")
    assert decode_bytes(data).text.endswith(RUSSIAN)
