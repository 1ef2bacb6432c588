"""The page of a result: self-contained, escaped, without a script."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

from gossamer import open_index
from gossamer.server.export import export_page

QUESTION = "When does the festival of Ostby end <b>?"


class Reader(HTMLParser):
    """Names of the tags, names of the attributes, and all text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data: str) -> None:
        self.text += data


def exported(index: Path, question: str, budget: int = 400) -> str:
    with open_index(index) as retrieval:
        return export_page(retrieval, retrieval.search(question, budget))


def test_texts_of_documents_stay_text(index: Path) -> None:
    read = Reader(exported(index, QUESTION))
    assert not read.tags & {"script", "img", "iframe", "link", "object", "form", "b"}
    assert not any(name.startswith("on") for name in read.attributes) and "src" not in read.attributes
    assert "<script>window.hacked=1</script>" in read.text and QUESTION in read.text


def test_the_page_needs_nothing_and_is_the_same_each_time(index: Path) -> None:
    page = exported(index, QUESTION)
    assert page == exported(index, QUESTION)
    assert not Reader(page).attributes & {"src", "href", "style"} and not re.search(r"@import|url\(", page)
    assert "default-src 'none'" in page and "Plain top-k" not in Reader(exported(index, "zzzz")).text
    assert "No passage speaks" in exported(index, "hymn", budget=0)


def test_the_command_writes_once(index: Path, tmp_path: Path) -> None:
    def run(*more: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "gossamer", "export", "html", str(index), QUESTION, *more]
        return subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", env=os.environ, check=False
        )

    first = run("out.html", "--budget", "200")
    assert first.returncode == 0 and "of 200 tokens" in first.stdout
    assert (tmp_path / "out.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    second = run("out.html")
    assert second.returncode == 2 and "--force" in second.stderr
    assert run("out.html", "--force").returncode == 0
    assert run("missing/out.html").returncode == 2
