from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from gossamer.errors import UsageError
from gossamer.evaluation.inputs import load_inputs


def make(folder: Path, prefix: str) -> Path:
    folder.mkdir(parents=True)
    rows = {
        "corpus.jsonl": {"id": f"{prefix}1", "title": "T", "text": "text"},
        "questions.jsonl": {"id": f"{prefix}q", "question": "what?", "gold": [f"{prefix}1"]},
        "more.jsonl": {"id": f"{prefix}2", "text": "more"},
    }
    for name, row in rows.items():
        (folder / name).write_text(json.dumps(row) + "\n", encoding="utf-8")
    np.savez(folder / "given.npz", ids=np.array([f"{prefix}1"]), vectors=np.ones((1, 2)))
    return folder


def test_names_are_looked_up_in_each_folder(tmp_path: Path) -> None:
    folders = [make(tmp_path / "one", "a"), make(tmp_path / "two", "b")]
    found = load_inputs(folders, also=["more.jsonl"], vectors=["given.npz"], title_free=True)
    assert [dataset.name for dataset in found.datasets] == ["one", "two"]
    assert [[d.id for d in dataset.documents] for dataset in found.datasets] == [["a1", "a2"], ["b1", "b2"]]
    assert [sorted(given.passages) for given in found.vectors if given] == [["a1"], ["b1"]]
    assert {d.title for dataset in found.datasets for d in dataset.documents} == {""}


def test_a_path_inside_one_folder_belongs_to_that_set(tmp_path: Path) -> None:
    folders = [make(tmp_path / "one", "a"), make(tmp_path / "two", "b")]
    found = load_inputs(folders, also=[str(folders[1] / "more.jsonl")], vectors=[str(folders[0] / "given.npz")])
    assert [len(dataset.documents) for dataset in found.datasets] == [1, 2]
    assert [given is not None for given in found.vectors] == [True, False]


def test_vectors_elsewhere_are_offered_to_every_set(tmp_path: Path) -> None:
    folders = [make(tmp_path / "one", "a"), make(tmp_path / "two", "b")]
    elsewhere = tmp_path / "all.npz"
    np.savez(elsewhere, ids=np.array(["a1", "b1"]), vectors=np.ones((2, 2)))
    assert all(load_inputs(folders, vectors=[str(elsewhere)]).vectors)


def test_other_files_elsewhere_need_a_single_set(tmp_path: Path) -> None:
    folders = [make(tmp_path / "one", "a"), make(tmp_path / "two", "b")]
    elsewhere = tmp_path / "extra.jsonl"
    elsewhere.write_text('{"id": "e", "text": "x"}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="could belong to any of the 2"):
        load_inputs(folders, also=[str(elsewhere)])
    assert len(load_inputs(folders[:1], also=[str(elsewhere)]).datasets[0].documents) == 2


def test_files_that_are_nowhere_and_folders_given_twice(tmp_path: Path) -> None:
    one = make(tmp_path / "one", "a")
    with pytest.raises(UsageError, match=r"There is no gone.npz"):
        load_inputs([one], vectors=["gone.npz"])
    with pytest.raises(UsageError, match="same name"):
        load_inputs([one, one])
    other = make(tmp_path / "deep" / "one", "b")
    assert len({dataset.name for dataset in load_inputs([one, other]).datasets}) == 2


def test_a_limit_cuts_questions_only(tmp_path: Path) -> None:
    one = make(tmp_path / "one", "a")
    assert len(load_inputs([one], limit=1).datasets[0].questions) == 1
