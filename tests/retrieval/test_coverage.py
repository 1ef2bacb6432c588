"""Question tables by hand: terms, pairs, titles, naming, new links."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from gossamer.index.lexical import LexicalIndex
from gossamer.retrieval.coverage import naming, new_link_weights, question_table
from gossamer.text.words import Words

TEXTS = ["Orion research is done by Helix Labs.", "Helix Labs has an office in Pune.", "The budget of May."]
TITLES = ["Orion", "Helix Labs", ""]
INDEX = LexicalIndex.build(TEXTS, TITLES, Words("english"))
ALL = np.array([0, 1, 2])


def test_titles_cover_more_than_texts_and_pairs_count() -> None:
    table = question_table(INDEX, "Where is the office of Helix Labs?", ALL)
    column = dict(zip(table.units, table.covered.T.tolist(), strict=True))
    assert column["helix"] == [0.7, 1.0, 0.0]
    assert column["offic"] == [0.0, 0.7, 0.0]
    assert column["helix lab"] == [0.7, 1.0, 0.0]
    assert "offic helix" not in column
    assert np.isclose(table.weights.sum(), 1.0)


def test_terms_that_no_passage_has_count_for_nothing() -> None:
    table = question_table(INDEX, "quasar budget", ALL)
    assert table.units == ("budget",)
    assert question_table(INDEX, "quasar", ALL).covered.shape == (3, 0)


def test_naming_by_passages_and_by_the_question() -> None:
    by_passage, by_question = naming(INDEX, "Orion and Helix", ALL)
    assert by_passage[1, 0] == 1.0
    assert by_passage[0, 1] == 0.0
    assert by_question.tolist() == [1.0, 0.5, 0.0]


def test_new_links_leave_out_what_the_question_names() -> None:
    entities = csr_array(np.array([[1, 1], [1, 1], [0, 0]], dtype=np.float32))
    names, df = ["helix labs", "pune"], np.array([2, 2])
    assert new_link_weights(entities, names, df, "Who runs Helix Labs?", ALL)[0, 1] == 0.5
    assert new_link_weights(entities, names, df, "Is Helix Labs in Pune?", ALL)[0, 1] == 0.0


def test_empty_pool() -> None:
    none = np.zeros(0, dtype=np.int64)
    assert question_table(INDEX, "Helix", none).covered.shape == (0, 0)
    assert naming(INDEX, "Helix", none)[0].shape == (0, 0)
