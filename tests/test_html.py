from __future__ import annotations

from html.parser import HTMLParser

import pytest

from gossamer import Document, Ledger, build_index, open_index

HOSTILE = "<script>alert(1)</script> & \"quotes\" <img src=x onerror='alert(2)'>"


class Tags(HTMLParser):
    """Collects tags, and that each is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.seen.add(tag)
        assert not any(name.startswith("on") or name in {"src", "href"} for name, _ in attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags(text: str) -> set[str]:
    parser = Tags()
    parser.feed(text)
    parser.close()
    assert parser.open == []
    return parser.seen


def test_everything_that_is_shown_is_escaped(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("html") / "index"
    docs = [Document(f"<b>{n}</b>", f"{HOSTILE} Helix Labs is in Pune {n}.", title=HOSTILE) for n in range(3)]
    report = build_index([*docs, Document("<i>empty</i>", "")], folder)
    with open_index(folder) as index:
        result, ranking = index.search(f"Where is Helix Labs? {HOSTILE}"), index.rank("Where is Helix Labs?")
        answer = index.retrieve(f"Where is Helix Labs? {HOSTILE}")
    shown = [report, result, ranking, result.passages[0], answer, answer.ledger]
    for thing in shown:
        text = thing._repr_html_()
        assert tags(text) <= {"div", "p", "b", "table", "tr", "th", "td", "details", "summary", "span"}
    assert "Pune" in result._repr_html_()
    assert "of 4000 tokens" in result._repr_html_()
    assert "injected" in answer._repr_html_()
    assert "Indexed 3 documents" in report._repr_html_()


def test_an_empty_result_has_a_face(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("html") / "index"
    build_index([Document("a", "Helix Labs is in Pune.")], folder)
    with open_index(folder) as index:
        assert "0 passages" in index.search("Zorgle?", 0)._repr_html_()
        assert "No passage" in index.rank("Zorgle?", 0)._repr_html_()
        assert "0 passages reached" in index.retrieve("Zorgle?")._repr_html_()


def test_ledger_shows_shares() -> None:
    text = Ledger(injected=10.0, held=9.0, exclusion=1.0)._repr_html_()
    assert "90.0%" in text
    assert "exclusion" in text
    assert "polarity" not in text
    assert "0.0%" in Ledger()._repr_html_()
