"""Hostile and messy inputs through the whole product: files in, a question asked, JSON out."""

from __future__ import annotations

import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pypdf import PdfWriter
from typer.testing import CliRunner

from gossamer import Document, Report, Settings, build_index, open_index
from gossamer.cli.main import app
from gossamer.errors import GossamerError, NoDocumentsError
from gossamer.retrieval.pipeline import SpectRAGRetrieval
from gossamer.text.tokens import make_counter

TRIO = {
    "g1.md": "Project Orion's research is done by Helix Labs. It began in 2019.",
    "g2.md": "Helix Labs has its head office in Pune. Forty people work there.",
    "g3.md": "The budget was approved in May. It covers two years.",
}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    return folder


@pytest.fixture
def trio(docs: Path) -> Path:
    for name, text in TRIO.items():
        (docs / name).write_text(text, encoding="utf-8")
    return docs


def built(docs: Path, **options: Any) -> tuple[Report, SpectRAGRetrieval]:
    index = docs.parent / "index"
    return build_index(docs, index, **options), open_index(index)


def stored(index: SpectRAGRetrieval) -> dict[str, str]:
    snapshot = index.snapshot
    return {snapshot.chunk_id(chunk): snapshot.text(chunk) for chunk in range(len(snapshot))}


def found(index: SpectRAGRetrieval, question: str) -> list[str]:
    return [passage.document for passage in index.rank(question, 10).passages]


def test_utf16_with_a_byte_order_mark_is_found_and_holds_no_nul(trio: Path) -> None:
    (trio / "u16.txt").write_bytes(b"\xff\xfe" + "Helix Labs has its head office in Pune.".encode("utf-16-le"))
    _, index = built(trio)
    assert "u16.txt" in found(index, "Pune")[:2]
    assert not any("\x00" in text for text in stored(index).values())


def test_a_byte_order_mark_hides_no_heading(docs: Path) -> None:
    (docs / "bom.md").write_bytes(b"\xef\xbb\xbf# Office\r\n\r\nPune.\r\n## Staff\r\nForty.")
    _, index = built(docs, settings=Settings().replace(**{"chunking.min_tokens": 0}))
    sections = {index.snapshot.text(c).splitlines()[-1]: index.snapshot.section(c) for c in range(len(index.snapshot))}
    assert sections["Forty."] == ("Office", "Staff")


def test_empty_and_blank_files_are_named_and_the_rest_is_indexed(trio: Path) -> None:
    (trio / "empty.md").touch()
    (trio / "blank.txt").write_text(" \n\t\u00a0\u200b", encoding="utf-8")
    run = CliRunner().invoke(app, ["index", str(trio), str(trio.parent / "index"), "--json"])
    report = json.loads(run.stdout)
    assert run.exit_code == 0
    assert report["documents"] == 3
    assert {item["source"]: item["reason"] for item in report["skipped"]} == {
        "empty.md": "empty file",
        "blank.txt": "no text",
    }


def test_nothing_to_index_is_an_empty_index_and_no_folder_is_an_error(docs: Path) -> None:
    (docs / "empty.md").touch()
    report, index = built(docs)
    assert (report.documents, index.search("anything").passages) == (0, ())
    with pytest.raises(NoDocumentsError, match="no file or folder"):
        build_index(docs / "missing", docs.parent / "other")


def test_lone_surrogates_and_names_that_are_no_utf8(docs: Path) -> None:
    try:
        Path(os.fsdecode(os.fsencode(docs) + b"/caf\xe9.txt")).write_text("Coffee from Pune.", encoding="utf-8")
    except OSError:
        (docs / "cafe.txt").write_text("Coffee from Pune.", encoding="utf-8")
    _, index = built(docs)
    json.dumps(index.search("Pune").to_dict(), ensure_ascii=False).encode("utf-8")
    build_index([Document("s", "tail \ud83d end")], docs.parent / "surrogate")
    with open_index(docs.parent / "surrogate") as index:
        result = index.search("tail \ud83d end")
    json.dumps(result.to_dict(), ensure_ascii=False).encode("utf-8")
    assert "\ufffd" in result.passages[0].text


@pytest.mark.parametrize("counter", ["approx", "tokenizers", "tiktoken"])
def test_special_tokens_count_as_ordinary_text(counter: str, tmp_path: Path) -> None:
    text = "The marker <|endoftext|> and <|im_start|> end a turn."
    if counter == "approx":
        count = make_counter("approx")
    elif counter == "tokenizers":
        tokenizers = pytest.importorskip("tokenizers")
        model = tokenizers.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]")
        tokenizer = tokenizers.Tokenizer(model)
        tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel()
        tokenizer.add_special_tokens(["<|endoftext|>", "<|im_start|>"])
        tokenizer.save(str(tmp_path / "tokenizer.json"))
        count = make_counter(f"tokenizers:{tmp_path / 'tokenizer.json'}")
    else:
        pytest.importorskip("tiktoken")
        pytest.skip("tiktoken's vocabularies are downloads")
    assert count(text) > count(text.replace("<|endoftext|>", "").replace("<|im_start|>", ""))


def test_pdfs_without_text_locked_cut_or_false_are_warnings(trio: Path) -> None:
    writer = PdfWriter()
    writer.add_blank_page(200, 200)
    writer.write(trio / "blank.pdf")
    locked = PdfWriter()
    locked.add_blank_page(200, 200)
    locked.encrypt("secret", algorithm="RC4-128")
    locked.write(trio / "locked.pdf")
    (trio / "cut.pdf").write_bytes((trio / "blank.pdf").read_bytes()[:200])
    (trio / "false.pdf").write_text("hello", encoding="utf-8")
    report, index = built(trio)
    reasons = {item.source: item.reason for item in report.skipped}
    assert set(reasons) == {"blank.pdf", "locked.pdf", "cut.pdf", "false.pdf"}
    assert len(set(reasons.values())) == len(reasons) or all(reasons.values())
    assert found(index, "Pune")[0] == "g2.md"


def test_a_million_letters_without_a_space_end_in_chunks_within_the_limit(docs: Path) -> None:
    (docs / "one.txt").write_text("a" * 300_000, encoding="utf-8")
    (docs / "long.txt").write_text("Helix works. " * 20_000, encoding="utf-8")
    report, index = built(docs)
    assert report.documents == 2
    limit = index.settings.chunking.chunk_tokens
    assert max(index.count_tokens(text) for text in stored(index).values()) <= limit


def test_one_name_in_two_folders_is_two_documents(docs: Path) -> None:
    for folder, text in (("a", "Orion is a project."), ("b", "Pune is a city.")):
        (docs / folder).mkdir()
        (docs / folder / "readme.md").write_text(text, encoding="utf-8")
    _, index = built(docs)
    assert found(index, "Pune")[0] == "b/readme.md"
    (docs / "a" / "readme.md").unlink()
    report, index = built(docs)
    assert (report.documents, found(index, "Pune")[0]) == (1, "b/readme.md")


def test_copies_are_reported_and_vote_by_source(trio: Path) -> None:
    (trio / "copy.md").write_text(TRIO["g1.md"], encoding="utf-8")
    report, index = built(trio)
    assert any("g1.md" in warning and "copy.md" in warning for warning in report.warnings)
    best = index.retrieve("Who does the research of Project Orion?").passages[0]
    assert (best.votes, set(best.sources)) == (2, {"g1.md", "copy.md"})
    assert [p.document in ("g1.md", "copy.md") for p in index.search("Project Orion research").passages].count(
        True
    ) == 1


def test_a_sentence_ten_times_in_one_file_stands_once_and_votes_once(trio: Path) -> None:
    (trio / "ten.md").write_text("\n".join(["Project Orion's research is done by Helix Labs."] * 10), encoding="utf-8")
    _, index = built(trio, settings=Settings().replace(**{"chunking.chunk_tokens": 16, "chunking.overlap_tokens": 0,
                                                         "chunking.min_tokens": 0}))  # fmt: skip
    result = index.search("Who does the research of Project Orion?", 100)
    assert result.context.count("research is done by Helix Labs") == 1
    assert all(passage.votes <= len(set(passage.sources)) <= 2 for passage in result.passages)


def test_hidden_vendored_binary_and_ignored_files_are_skipped_by_name_and_can_be_included(trio: Path) -> None:
    for name in (".git/x.md", "node_modules/y.md", ".venv/z.txt", "build/w.md"):
        (trio / name).parent.mkdir(exist_ok=True)
        (trio / name).write_text("Pune Pune Pune.", encoding="utf-8")
    (trio / "data.txt").write_bytes(random.Random(0).randbytes(4096))
    (trio / ".gitignore").write_text("build/\n", encoding="utf-8")
    report, index = built(trio)
    named = " ".join(item.source for item in report.skipped)
    for part in (".git", "node_modules", ".venv", "build", "data.txt"):
        assert part in named
    assert set(found(index, "Pune")) <= set(TRIO)
    report, index = built(trio, include=("build/*",))
    assert "build/w.md" in found(index, "Pune")


@pytest.mark.parametrize("count", [0, 1, 2, 3, 5, 33, 34])
def test_any_number_of_chunks_has_coordinates_of_the_asked_width(count: int, tmp_path: Path) -> None:
    build_index(
        [Document(f"d{i:02}", f"Passage {i} speaks of Helix and topic{i}.") for i in range(count)], tmp_path / "i"
    )
    with open_index(tmp_path / "i") as index:
        assert index.snapshot.coordinates.shape == (count, 32)
        assert np.isfinite(index.snapshot.coordinates).all()
        assert len(index.rank("Helix", 50).passages) == count


def _zero_row(texts: list[str]) -> np.ndarray:
    rows = np.eye(len(texts), 8, dtype=np.float32) + 0.1
    rows[0] = 0
    return rows


@pytest.mark.parametrize(
    ("embed", "fails"),
    [
        (_zero_row, False),
        (lambda texts: np.full((len(texts), 8), np.nan), True),
        (lambda texts: np.ones((max(len(texts) - 1, 0), 8)), True),
        (lambda texts: np.ones((len(texts), 8 if len(texts) > 1 else 9)), True),
        (lambda texts: (np.eye(len(texts), 8) + 0.1).astype(np.float16), False),
        (lambda texts: (np.eye(len(texts), 8) + 0.1) * 1000, False),
        (lambda texts: np.ones((len(texts), 8)), False),
    ],
    ids=["zero row", "NaN", "too few rows", "other width", "float16", "times 1000", "all equal"],
)
def test_odd_embedders_give_a_result_or_a_typed_error(embed: Any, fails: bool, tmp_path: Path) -> None:
    documents = [Document(name, text) for name, text in TRIO.items()]
    if fails:
        with pytest.raises(GossamerError):
            build_index(documents, tmp_path / "i", Settings("callable"), embed_fn=embed)
            open_index(tmp_path / "i", embed_fn=embed).search("Pune")
        return
    build_index(documents, tmp_path / "i", Settings("callable"), embed_fn=embed)
    with open_index(tmp_path / "i", embed_fn=embed) as index:
        passages = index.rank("Where is Helix Labs?", 10).passages
    assert passages
    assert all(np.isfinite(passage.score) for passage in passages)


@pytest.mark.parametrize(
    ("texts", "question"),
    [
        (["螺旋实验室位于浦那", "猎户座项目研究火星", "预算由委员会批准", "望远镜安装在智利"], "智利"),
        (["ラボはプネにある", "計画は火星を研究する", "予算は承認された", "望遠鏡はチリにある"], "チリ"),
        (["ห้องทดลองอยู่ในปูเน", "โครงการศึกษาดาวอังคาร", "งบประมาณได้รับอนุมัติ", "กล้องโทรทรรศน์อยู่ในชิลี"], "ชิลี"),
        (["Проект изучает Марс", "Бюджет утвержден", "Телескоп стоит в Чили", "Лаборатория в Пуне"], "Пуне"),
    ],
    ids=["Chinese", "Japanese", "Thai", "Russian"],
)
def test_scripts_without_spaces_or_latin_letters_are_found(texts: list[str], question: str, tmp_path: Path) -> None:
    build_index([Document(f"d{place}", text) for place, text in enumerate(texts)], tmp_path / "i")
    with open_index(tmp_path / "i") as index:
        scores = index.channels(question).bm25
    assert scores[3] > 0
    assert (scores[:3] == 0).all()
