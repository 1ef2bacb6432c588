"""The page in a real browser: headless Chromium through Playwright; skipped where one of them is missing."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

playwright = pytest.importorskip("playwright.sync_api")
uvicorn = pytest.importorskip("uvicorn")

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

QUESTION = "Where did the composer of the festival hymn study?"
TOKEN = "a-token-of-some-length"
DRAWS = ("--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist")
WAIT = 15_000


def serving(index: Path, **options: Any) -> Iterator[str]:
    from gossamer.server.app import create_app
    from gossamer.server.config import ServeConfig

    app = create_app(ServeConfig(index, **options))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", access_log=False))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def address(index: Path) -> Iterator[str]:
    yield from serving(index)


@pytest.fixture(scope="module")
def guarded(index: Path) -> Iterator[str]:
    yield from serving(index, token=TOKEN)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with playwright.sync_playwright() as started:
        yield started.chromium


@pytest.fixture(scope="module")
def browser(chromium: Any) -> Iterator[Any]:
    opened = chromium.launch(executable_path=CHROMIUM, args=list(DRAWS))
    yield opened
    opened.close()


@pytest.fixture
def faults() -> list[str]:
    return []


@pytest.fixture
def page(browser: Any, address: str, faults: list[str]) -> Iterator[Any]:
    """A page that fails its test on any error, any request elsewhere, and any text of a document that ran as code."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    context.set_default_timeout(WAIT)
    opened = context.new_page()
    opened.on("pageerror", lambda problem: faults.append(str(problem)))
    opened.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    opened.on("request", lambda asked: faults.append(asked.url) if not asked.url.startswith(address) else None)
    yield opened
    assert opened.evaluate("window.hacked") is None
    assert not faults
    context.close()


def until(page: Any, expression: str, value: Any = None) -> None:
    """Wait until a function is true; the page's policy forbids the evaluation that Playwright's own wait needs."""
    end = time.monotonic() + WAIT / 1000
    while not page.evaluate(expression, value):
        assert time.monotonic() < end, expression
        page.wait_for_timeout(50)


def ask(page: Any, address: str, question: str = QUESTION, budget: int = 100) -> None:
    page.goto(f"{address}#ask")
    page.fill("#question", question)
    page.fill(".ask-options input.value", str(budget))
    page.keyboard.press("Tab")
    page.focus("#question")
    page.keyboard.press("Enter")
    page.wait_for_selector(".summary-line")


def drawn_web(page: Any, address: str, rest: str = "") -> None:
    page.goto(f"{address}#web{rest}")
    page.wait_for_selector(".canvas canvas")
    until(page, "() => document.querySelector('.canvas').locate?.('hymn.md#0')")
    page.wait_for_timeout(300)


def click_at(page: Any, *ids: str) -> None:
    spot = page.evaluate("ids => document.querySelector('.canvas').locate(...ids)", list(ids))
    page.mouse.move(spot["x"], spot["y"])
    page.mouse.click(spot["x"], spot["y"])


def slide(page: Any, name: str, value: float) -> None:
    page.eval_on_selector(
        f"input[type=range][name='{name}']",
        "(range, value) => { range.value = value; range.dispatchEvent(new Event('input', { bubbles: true })); }",
        value,
    )


def test_ask_shows_the_set_its_evidence_and_the_rankings_beside(page: Any, address: str) -> None:
    ask(page, address)
    assert "of 100 tokens" in page.inner_text(".summary-line h2")
    ids = page.eval_on_selector_all(".passage", "cards => cards.map(card => card.dataset.id)")
    assert {"hymn.md#0", "mara.md#0"} <= set(ids)
    assert "festival" in page.eval_on_selector_all("mark.question", "marks => marks.map(mark => mark.textContent)")
    assert "Mara Lindqvist" in page.eval_on_selector_all("mark.link", "marks => marks.map(mark => mark.textContent)")
    assert page.locator(".plain h3").all_inner_texts()[:2] == ["Plain top-k", "Hybrid"]
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.click(".context button")
    page.wait_for_selector("text=Copied")
    assert page.evaluate("navigator.clipboard.readText()") == page.inner_text(".context pre")


def test_a_slider_changes_the_answer(page: Any, address: str) -> None:
    ask(page, address)
    before = page.locator(".passage").count()
    page.click("text=Settings")
    page.wait_for_selector(".controls [name='utility.redundancy']")
    slide(page, "budget", 30)
    until(page, "() => document.querySelector('.summary-line h2').textContent.includes('of 30 tokens')")
    assert page.locator(".passage").count() < before
    page.click("label:has-text('Flow')")
    page.wait_for_selector(".insights >> text=stopped")
    slide(page, "width", 1)
    page.wait_for_selector(".control.moved >> text=Seed ideas")


def test_documents_are_shown_as_text(page: Any, address: str) -> None:
    ask(page, address, "When does the festival of Ostby end?", 400)
    evil = page.locator(".passage", has_text="<script>").first
    assert "<script>window.hacked=1</script><img src=x" in evil.inner_text()
    page.goto(f"{address}#review")
    page.wait_for_selector(".finding")
    drawn_web(page, address)
    page.fill("input[type=search]", "festival Ostby")
    page.wait_for_selector(".found [role=option]")
    page.locator(".found [role=option]", has_text="script").first.click()
    page.wait_for_selector(".panel .text")
    assert "<script>window.hacked=1</script>" in page.inner_text(".panel")
    page.click("text=List")
    assert page.locator(".node-list td", has_text="<script>").count()
    assert page.locator("script:not([src]), main img, main iframe").count() == 0


def test_a_node_and_an_edge_can_be_clicked(page: Any, address: str) -> None:
    drawn_web(page, address)
    click_at(page, "hymn.md#0")
    page.wait_for_selector(".panel-title >> text=Festival hymn")
    assert "mara lindqvist" in page.inner_text(".panel")
    page.keyboard.press("Escape")
    assert page.locator(".panel").is_hidden()
    page.click("button[aria-label=Fit]")
    page.wait_for_timeout(400)
    click_at(page, "hymn.md#0", "mara.md#0")
    page.wait_for_selector(".signal-table")
    assert page.locator(".signal-table tbody tr").count() == 6
    page.click(".panel-title button >> nth=1")
    page.wait_for_selector(".panel-title >> text=mara")


def test_a_question_plays_step_by_step(page: Any, address: str) -> None:
    drawn_web(page, address)
    page.fill(".player input", QUESTION)
    page.click(".player button.primary")
    page.wait_for_selector(".step.current >> text=seeds")
    page.click("button[aria-label='Step on']")
    page.wait_for_selector(".step.current >> text=hop 1")
    page.click(".step >> text=chosen")
    assert "Festival hymn" in page.inner_text(".step-list")
    assert page.inner_text("#live").startswith("chosen:")
    page.click("text=End")
    assert page.locator(".steps").is_hidden()


def test_filters_colours_and_keys(page: Any, address: str) -> None:
    drawn_web(page, address)
    page.uncheck(".toggles label:has-text('semantic') input")
    slide(page, "weight", 0.2)
    page.click("label:has-text('Document')")
    assert page.locator(".groups li").count() == 9
    before = page.evaluate("document.querySelector('.canvas').locate('hymn.md#0')")
    page.focus(".canvas")
    page.keyboard.press("ArrowRight")
    until(page, "before => document.querySelector('.canvas').locate('hymn.md#0').x < before.x - 5", before)


def test_the_walkthrough_moves(page: Any, address: str) -> None:
    page.goto(f"{address}#walkthrough")
    page.wait_for_selector(".picks")
    assert page.locator(".stage-card").count() == 10
    assert page.locator(".badge:visible").count() == 0
    slide(page, "graph.tau", 0.2)
    page.wait_for_selector("#stage-graph .badge:visible")
    assert page.locator("#stage-seeds .badge").is_hidden()
    page.locator("#stage-graph .spot[data-chunk='7']").focus()
    page.keyboard.press("Enter")
    assert "2 Storm surge" in page.inner_text(".inspector")
    page.locator("#stage-graph .wire:not(.dashed)").first.dispatch_event("click")
    page.wait_for_selector(".inspector >> text=kept in W")
    page.click(".walk-side >> text=Reset")
    until(page, "() => document.querySelector('[name=\"graph.tau\"]').value === '0.05'")


def test_the_review_leads_into_the_web(page: Any, address: str) -> None:
    page.goto(f"{address}#review")
    page.wait_for_selector(".contradiction")
    assert "3 May 1931" in page.inner_text(".contradiction")
    page.click(".contradiction a >> nth=0")
    page.wait_for_selector(".panel-title >> text=lock one")


def test_without_webgl_there_is_a_list(chromium: Any, address: str) -> None:
    plain = chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-3d-apis"])
    page = plain.new_page()
    page.goto(f"{address}#web")
    page.wait_for_selector("text=This browser cannot draw the web")
    page.click(".node-list button >> text=Festival hymn")
    page.wait_for_selector(".panel-title >> text=Festival hymn")
    plain.close()


def test_the_token_opens_the_page(browser: Any, guarded: str) -> None:
    page = browser.new_page()
    page.goto(guarded)
    page.wait_for_selector("text=Token needed")
    page.fill("#token", TOKEN)
    page.click("button:has-text('Open')")
    page.wait_for_selector("#question")
    other = browser.new_page()
    other.goto(f"{guarded}#token={TOKEN}")
    other.wait_for_selector("#question")
    assert TOKEN not in other.url
    page.close()
    other.close()


def test_errors_are_told(page: Any, address: str, faults: list[str]) -> None:
    page.goto(f"{address}#ask")
    page.click("button.primary")
    page.wait_for_selector("text=Write a question first")
    page.route("**/api/query", lambda route: route.abort())
    page.fill("#question", "hymn")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert] >> text=cannot be reached")
    # The browser itself logs the request that this test broke.
    assert len(faults) == 1 and "ERR_FAILED" in faults.pop()


def contrast(one: str, other: str) -> float:
    def light(colour: str) -> float:
        parts = [int(colour.lstrip("#")[i : i + 2], 16) / 255 for i in (0, 2, 4)]
        linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    high, low = sorted((light(one), light(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def test_colours_can_be_read(page: Any, address: str) -> None:
    page.goto(address)
    read = "name => getComputedStyle(document.documentElement).getPropertyValue(name).trim()"
    pairs = [(text, ground) for text in ("text", "muted", "accent") for ground in ("bg", "surface", "sunken")]
    pairs += [
        ("danger", "danger-soft"),
        ("warning", "warning-soft"),
        ("warning", "seed-soft"),
        ("accent", "accent-soft"),
    ]
    pairs += [("accent-text", "accent"), ("text", "question"), ("text", "link"), ("warning", "surface")]
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        colours = {name: page.evaluate(read, f"--{name}") for pair in pairs for name in pair}
        ratios = {pair: contrast(colours[pair[0]], colours[pair[1]]) for pair in pairs}
        assert {pair: ratio for pair, ratio in ratios.items() if ratio < 4.5} == {}


def test_every_view_has_names_and_fits_a_phone(page: Any, address: str) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    for view in ("ask", "web", "walkthrough", "review"):
        page.goto(f"{address}#{view}")
        page.wait_for_selector(f".views a[href='#{view}'][aria-current=page]")
        page.wait_for_load_state("networkidle")
        unnamed = page.eval_on_selector_all(
            "button, input, select, textarea, a[href]",
            """all => all.filter(each => each.checkVisibility() && !(each.textContent.trim()
                || each.getAttribute('aria-label') || each.labels?.length || each.title)).map(each => each.outerHTML)""",
        )
        assert unnamed == []
        assert page.locator("main").count() == page.locator("header.top").count() == page.locator("h1").count() == 1
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), view
