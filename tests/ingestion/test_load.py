from __future__ import annotations

import gzip
import json
import os
import random
from pathlib import Path

import pytest

from gossamer.errors import ArgumentTypeError, DocumentError, NoDocumentsError
from gossamer.ingestion.load import Loaded, load_sources, name_title
from gossamer.model import Document

G1 = "Project Orion's research is done by Helix Labs. It began in 2019."
G2 = "Helix Labs has its head office in Pune. Forty people work there."
G3 = "The budget was approved in May. It covers two years."


@pytest.fixture
def trio(tmp_path: Path) -> Path:
    for name, text in (("g1.md", G1), ("g2.md", G2), ("g3.md", G3)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def texts(loaded: Loaded) -> dict[str, str]:
    return {each.document.id: each.document.text for each in loaded.documents}


def skips(loaded: Loaded) -> dict[str, str]:
    return {each.source: each.reason for each in loaded.skipped}


def test_utf16_file(trio: Path) -> None:
    (trio / "u16.txt").write_bytes(b"\xff\xfe" + "Helix Labs has its head office in Pune.".encode("utf-16-le"))
    loaded = load_sources(trio)
    assert texts(loaded)["u16.txt"] == "Helix Labs has its head office in Pune."
    assert list(texts(loaded)) == ["g1.md", "g2.md", "g3.md", "u16.txt"]


def test_empty_and_blank_files_are_skipped_with_a_reason(trio: Path) -> None:
    (trio / "empty.md").touch()
    (trio / "blank.txt").write_text(" \n\t\u00a0\u200b", encoding="utf-8")
    loaded = load_sources(str(trio))
    assert list(texts(loaded)) == ["g1.md", "g2.md", "g3.md"]
    assert skips(loaded) == {"empty.md": "empty file", "blank.txt": "no text"}


def test_nothing_to_index_differs_from_a_missing_folder(tmp_path: Path) -> None:
    (tmp_path / "empty.md").touch()
    loaded = load_sources(tmp_path)
    assert loaded.documents == []
    assert loaded.warnings == ["There is nothing to index; 1 sources were skipped: empty.md (empty file)."]
    with pytest.raises(NoDocumentsError, match=r"no file or folder .*missing"):
        load_sources(tmp_path / "missing")
    assert load_sources([]).documents == []


def test_names_and_texts_that_are_not_utf8(tmp_path: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.txt")).write_text("coffee", encoding="utf-8")
    except OSError:
        pytest.skip("this file system wants UTF-8 names")
    loaded = load_sources([tmp_path, Document("a\ud800", "tail \ud83d end", "t\udc00", {"k": ["\udfff"]})])
    assert texts(loaded) == {"a�": "tail � end", "caf�.txt": "coffee"}
    shown = [(each.document.title, each.document.metadata, each.document.path) for each in loaded.documents]
    json.dumps(shown, ensure_ascii=False).encode("utf-8")


def test_same_base_name_in_two_folders(tmp_path: Path) -> None:
    for folder, text in (("a", "Orion"), ("b", "Pune")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "readme.md").write_text(text, encoding="utf-8")
    assert texts(load_sources(tmp_path)) == {"a/readme.md": "Orion", "b/readme.md": "Pune"}


def test_a_text_under_two_names_is_two_documents_and_a_warning(trio: Path) -> None:
    (trio / "copy.md").write_text(G1, encoding="utf-8")
    loaded = load_sources(trio)
    assert len(loaded.documents) == 4
    assert loaded.warnings == ["1 documents repeat the text of another: g1.md = copy.md."]


def test_binary_and_too_large_files(trio: Path) -> None:
    (trio / "data.txt").write_bytes(random.Random(0).randbytes(4096))
    (trio / "large.txt").write_text("x" * 3000, encoding="utf-8")
    (trio / "pack.zip").write_bytes(b"PK\x03\x04")
    loaded = load_sources(trio, max_file_bytes=2000)
    assert skips(loaded) == {
        "data.txt": "4,096 bytes, more than the limit of 2,000",
        "large.txt": "3,000 bytes, more than the limit of 2,000",
        "pack.zip": "no text: an archive; unpack it",
    }
    assert skips(load_sources(trio))["data.txt"] == "binary file"


def test_skipped_files_can_be_included(trio: Path) -> None:
    (trio / "build").mkdir()
    (trio / "build" / "w.md").write_text("Output.", encoding="utf-8")
    (trio / ".gitignore").write_text("build/", encoding="utf-8")
    assert "build/w.md" in skips(load_sources(trio))
    assert texts(load_sources(trio, include=["build/*"]))["build/w.md"] == "Output."


def test_one_file_is_named_by_its_name(trio: Path) -> None:
    assert texts(load_sources([trio / "g1.md", trio / "g2.md"])) == {"g1.md": G1, "g2.md": G2}


ROWS = [
    {"id": "b", "title": "Pune", "text": "A city.", "year": 2019},
    {"id": 1, "text": "One."},
    {"text": "No id."},
    {"id": "empty", "text": " "},
    {"id": "none"},
    [1],
]


@pytest.mark.parametrize("packed", [False, True])
def test_rows_are_documents(tmp_path: Path, packed: bool) -> None:
    data = ("\n".join(map(json.dumps, ROWS)) + "\n\nnot json\n").encode()
    path = tmp_path / ("rows.jsonl.gz" if packed else "rows.jsonl")
    path.write_bytes(gzip.compress(data) if packed else data)
    loaded = load_sources(path)
    assert texts(loaded) == {"1": "One.", "b": "A city.", "line-3": "No id."}
    pune = loaded.documents[1].document
    assert (pune.title, pune.metadata) == ("Pune", {"year": 2019})
    assert skips(loaded) == {
        "empty": "no text",
        f"{path.name} line 5": "no field 'text' with a string",
        f"{path.name} line 6": "not a JSON object",
        f"{path.name} line 8": "not JSON",
    }
    assert set(texts(load_sources(tmp_path))) == {f"{path.name}#{row}" for row in ("1", "b", "line-3")}


def test_other_json_lines_are_one_document(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"event": "start"}\n{"event": "stop"}\n', encoding="utf-8")
    assert texts(load_sources(tmp_path)) == {"log.jsonl": "event: start\n\nevent: stop"}


def test_cut_rows_file(tmp_path: Path) -> None:
    whole = gzip.compress(
        "\n".join(json.dumps({"id": str(n), "text": os.urandom(99).hex()}) for n in range(99)).encode()
    )
    (tmp_path / "rows.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    loaded = load_sources(tmp_path / "rows.jsonl.gz")
    assert skips(loaded) == {"rows.jsonl.gz": "damaged or cut file (EOFError)"}


def test_given_documents_are_sorted_and_repeats_taken_once() -> None:
    loaded = load_sources(Document(name, text) for name, text in (("b", "B"), ("a", "A"), ("b", "B")))
    assert list(texts(loaded)) == ["a", "b"]
    assert skips(loaded) == {"b": "the same id and text as a document before it"}


def test_one_id_with_two_texts() -> None:
    with pytest.raises(DocumentError, match="'a' and different texts"):
        load_sources([Document("a", "A"), Document("a", "B")])


@pytest.mark.parametrize("sources", [3, [3], None, b"docs"])
def test_wrong_types(sources) -> None:
    with pytest.raises(ArgumentTypeError, match="Pass"):
        load_sources(sources)


@pytest.mark.parametrize(
    ("name", "title"),
    [("orion-project.txt", "orion project"), ("Pune.md", "Pune"), ("notes.txt", ""), ("README.md", ""), ("g1.md", ""),
     ("浦那.txt", "浦那"), ("a/INDEX.md", ""), ("data_2020.csv", "")],
)  # fmt: skip
def test_titles_from_names(name: str, title: str) -> None:
    assert name_title(name) == title


def test_damaged_files_do_not_stop_the_run(trio: Path) -> None:
    for name in ("a.pdf", "b.ipynb", "c.docx", "d.xlsx", "e.doc"):
        (trio / name).write_text("hello", encoding="utf-8")
    loaded = load_sources(trio)
    assert len(loaded.documents) == 3
    assert set(skips(loaded)) == {"a.pdf", "b.ipynb", "c.docx", "d.xlsx", "e.doc"}
