"""The tokeniser: scripts, diacritics, possessives, stems, language."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gossamer.errors import UsageError
from gossamer.text.words import Words, detect_language, fold, split_words


def test_possessives_and_hyphens_meet_their_plain_forms() -> None:
    words = Words("english")
    assert words.terms("Orion's") == words.terms("Orion") == words.terms("orion’s")
    assert words.terms("state-of-the-art") == words.terms("state of the art")


def test_diacritics_do_not_separate_words() -> None:
    words = Words(None)
    assert words.terms("Müller Žižek Łódź Ångström") == words.terms("Muller Zizek Lodz Angstrom")


def test_one_letter_words_stay() -> None:
    assert "c" in Words("english").terms("the C language")


@pytest.mark.parametrize("text", ["智利", "プネー", "푸네"])
def test_cjk_becomes_characters_and_pairs(text: str) -> None:
    terms = Words(None).terms(text)
    assert set(text[:1]) <= set(terms)
    assert text[:2] in terms


def test_thai_becomes_pairs() -> None:
    assert Words(None).terms("ปูเน") == ["ปู", "ูเ", "เน"]


def test_hindi_words_keep_their_vowel_signs() -> None:
    assert split_words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_kana_voicing_is_kept() -> None:
    assert fold("が") == "が"
    assert fold("é") == "e"


def test_stems_follow_the_language() -> None:
    assert Words("russian").terms("лаборатории") == Words("russian").terms("Лаборатория")
    assert Words("german").terms("Häuser") == Words("german").terms("Häusern")


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The head office of the company is in Pune, and it was built by the city.", "english"),
        ("Der Sitz der Firma ist in Berlin und wurde von der Stadt gebaut.", "german"),
        ("Le siège de la société est à Paris et il a été construit par la ville.", "french"),
        ("La sede de la empresa está en Madrid y fue construida por la ciudad.", "spanish"),
        ("Лаборатория была построена в городе, и она не работает.", "russian"),
    ],
)
def test_language_is_told_by_function_words(text: str, language: str) -> None:
    assert detect_language([text]) == language


def test_no_language_without_function_words() -> None:
    assert detect_language([]) is None
    assert detect_language(["", "xyzzy plugh 42"]) is None


def test_unknown_language_is_a_typed_error() -> None:
    with pytest.raises(UsageError, match="klingon"):
        Words("klingon")


def test_content_terms_drop_stop_words_unless_nothing_is_left() -> None:
    words = Words("english")
    assert words.content_terms("Who is the head of Helix?") == ["head", "helix"]
    assert words.content_terms("To be or not to be") == words.terms("to be or not to be")


@settings(deadline=None)
@given(st.text(max_size=60))
def test_terms_are_never_empty_and_the_same_each_time(text: str) -> None:
    words = Words("english")
    first = words.terms(text)
    assert all(first)
    assert words.terms(text) == first == Words("english").terms(text)
    assert set(words.content_terms(text)) <= set(first)


def test_threads_stem_at_the_same_time() -> None:
    vocabulary = [f"{start}{middle}{end}" for start in ("nation", "relat", "hop", "cri") for middle in ("", "al", "ion")
                  for end in ("ing", "ly", "ness", "ised", "fulness", "s")]  # fmt: skip
    expected = Words("english").terms(" ".join(vocabulary))
    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(Words("english").terms, " ".join(vocabulary)) for _ in range(64)]
    assert all(each.result() == expected for each in found)
