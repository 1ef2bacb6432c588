from __future__ import annotations

import os
from pathlib import Path

import pytest

from gossamer.errors import UsageError
from gossamer.ingestion.walk import walk_folder


def make(root: Path, *names: str, text: str = "text") -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def walked(root: Path, **options) -> tuple[list[str], dict[str, str]]:
    found, skipped = walk_folder(root, **options)
    return [file.name for file in found], {each.source: each.reason for each in skipped}


def test_default_rules_name_what_they_skip(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "sub/b.md", ".git/x.md", "node_modules/y.md", ".venv/z.txt", "build/w.md", ".hidden")
    make(tmp_path, ".gitignore", text="build/\n")
    make(tmp_path, "env/pyvenv.cfg", "env/lib/q.py")
    found, skipped = walked(tmp_path)
    assert found == ["a.md", "sub/b.md"]
    assert skipped == {
        ".git/x.md": "in a hidden folder",
        ".gitignore": "hidden file",
        ".hidden": "hidden file",
        ".venv/z.txt": "in a hidden folder",
        "build/w.md": "ignored by .gitignore",
        "env/lib/q.py": "in a virtual environment",
        "env/pyvenv.cfg": "in a virtual environment",
        "node_modules/y.md": "in a folder of installed packages",
    }


@pytest.mark.parametrize("pattern", ["build/*.md", "build/w.md", "w.md", "build/"])
def test_include_brings_back(tmp_path: Path, pattern: str) -> None:
    make(tmp_path, "a.md", "build/w.md", "build/v.txt")
    make(tmp_path, ".gitignore", text="build/\n")
    found, skipped = walked(tmp_path, include=[pattern])
    assert {"a.md", "build/w.md"} <= set(found)
    assert "build/w.md" not in skipped


def test_exclude_wins(tmp_path: Path) -> None:
    make(tmp_path, "a.md", "b.md", "drafts/c.md")
    found, skipped = walked(tmp_path, include=["*.md"], exclude=["drafts/", "b.md"])
    assert found == ["a.md"]
    assert skipped == {"b.md": "excluded", "drafts/c.md": "excluded"}


def test_nested_gitignore_files(tmp_path: Path) -> None:
    make(tmp_path, "a.log", "sub/b.log", "sub/c.tmp", "c.tmp", "sub/only/d.md", "only/d.md")
    make(tmp_path, ".gitignore", text="*.log\n!\n")
    make(tmp_path, "sub/.gitignore", text="!b.log\n*.tmp\n/only\n")
    assert walked(tmp_path)[0] == ["c.tmp", "only/d.md", "sub/b.log"]


def test_build_output_is_read_where_nobody_ignores_it(tmp_path: Path) -> None:
    make(tmp_path, "build/w.md", "dist/v.md")
    assert walked(tmp_path)[0] == ["build/w.md", "dist/v.md"]


def test_many_files_of_a_skipped_folder_are_counted(tmp_path: Path) -> None:
    make(tmp_path, *(f"node_modules/p/{number}.js" for number in range(60)))
    assert walked(tmp_path)[1] == {"node_modules/": "in a folder of installed packages (60 files)"}


def test_symbolic_links(tmp_path: Path) -> None:
    root = tmp_path / "root"
    make(root, "a.md")
    make(tmp_path, "secret.txt")
    (root / "inside.md").symlink_to(root / "a.md")
    (root / "outside.txt").symlink_to(tmp_path / "secret.txt")
    (root / "loop").symlink_to(root)
    (root / "gone.md").symlink_to(root / "missing.md")
    found, skipped = walked(root)
    assert found == ["a.md"]
    assert skipped["outside.txt"] == "symbolic link that leaves the folder"
    assert set(skipped) == {"inside.md", "outside.txt", "loop", "gone.md"}
    assert walked(root, include=["*"])[0][:2] == ["a.md", "gone.md"]
    assert "outside.txt" not in walked(root, include=["*"])[0]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_special_files_are_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    assert walked(tmp_path, include=["*"]) == ([], {"pipe.txt": "not a regular file"})


def test_names_that_are_not_utf8_stay_apart(tmp_path: Path) -> None:
    try:
        for name in (b"caf\xe9.txt", b"caf\xe8.txt"):
            Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name)).write_text("x", encoding="utf-8")
    except OSError:
        pytest.skip("this file system wants UTF-8 names")
    assert walked(tmp_path)[0] == ["caf� (2).txt", "caf�.txt"]


def test_impossible_pattern(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Give globs"):
        walk_folder(tmp_path, include=["!"])
