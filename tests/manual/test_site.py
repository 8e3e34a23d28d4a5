"""The manual in a real browser, where it has been built by `make docs`: from disk, in silence, for every reader."""

import re
import shutil
import sys
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the browser tests need axe")

ROOT = Path(__file__).parents[2]
DOCS, SITE = ROOT / "docs", ROOT / "build" / "docs"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None or not (SITE / "index.html").exists():
    pytest.skip("needs Chromium on the path and the manual in build/docs: make docs", allow_module_level=True)

sys.path.insert(0, str(DOCS / "_ext"))

from numbered import statements  # noqa: E402 - it lies in the folder just named

PAGES = (
    "index.html",
    "start/map.html",
    "start/five-minutes.html",
    "guides/large-data.html",
    "theory/means-and-distances.html",
    "theory/errata.html",
    "gallery/index.html",
    "gallery/plot_kernel_pca_circles.html",
    "reference/index.html",
    "reference/generated/gramian.KernelRidge.html",
    "migrate/scikit-learn.html",
    "migrate/kernlab.html",
    "project/root/performance.html",
    "start/words.html",
)
READERS = {
    "desk": {"viewport": {"width": 1100, "height": 900}},
    "night": {"viewport": {"width": 1100, "height": 900}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 800}},
}


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


def visit(browser, page, **options):
    """Open a page of the manual; return its tab, and the addresses off the disk that it asks for."""
    asked = []
    tab = browser.new_context(**options).new_page()
    tab.on("request", lambda request: request.url.startswith(("file:", "data:")) or asked.append(request.url))
    tab.goto((SITE / page).as_uri())
    return tab, asked


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_can_be_read_by_everybody_and_asks_for_nothing(browser, page, reader):
    tab, asked = visit(browser, page, **READERS[reader])
    found = axe.Axe().run(tab).response["violations"]
    assert [(each["id"], each["nodes"][0]["html"]) for each in found] == []
    assert tab.evaluate("document.documentElement.scrollWidth") <= READERS[reader]["viewport"]["width"]
    assert asked == []
    tab.context.close()


@pytest.fixture(scope="module")
def served():
    """The address of the manual on a server of this machine."""

    class Silent(SimpleHTTPRequestHandler):
        def log_message(self, *args):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Silent, directory=SITE))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("way", ["from disk", "from a server"])
@pytest.mark.parametrize(
    ("words", "wanted"),
    [("cholesky", "gramian.cholesky"), ("false alarms", "Find the unusual"), ("centre of mass", "Means and distances")],
)
def test_words_typed_into_the_search_find_pages_without_a_network(browser, request, way, words, wanted):
    home = SITE.as_uri() + "/" if way == "from disk" else request.getfixturevalue("served")
    tab, asked = browser.new_context(**READERS["desk"]).new_page(), []
    tab.on("request", lambda sent: sent.url.startswith((home, "data:")) or asked.append(sent.url))
    tab.goto(home + "index.html")
    tab.locator("button.search-button__button").first.click()
    tab.keyboard.type(words)
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#search-results li a", timeout=30_000)
    tab.wait_for_function("!document.querySelector('#search-progress')?.innerText", timeout=30_000)
    assert wanted in tab.inner_text("#search-results")
    tab.locator("#search-results li a", has_text=wanted).first.click()
    tab.wait_for_load_state()
    assert wanted.removeprefix("gramian.") in tab.inner_text("h1")
    assert asked == []
    tab.context.close()


def test_statements_of_the_theory_and_what_computes_them_link_to_each_other():
    files = {"eigen": "eigen-function", "report": "report-function"}  # see docs/conf.py
    for page in sorted((DOCS / "theory").glob("*.md")):
        built = (SITE / "theory" / f"{page.stem}.html").read_text(encoding="utf-8")
        for found in statements(page.parent, page.name):
            place = re.sub(r"[^a-z0-9]+", "-", found.label.lower())
            assert f'id="{place}"' in built
            for name in found.names:
                head = re.match(r"(?:(?:plot|testing)\.)?\w+", name)[0]
                there = SITE / "reference" / "generated" / f"gramian.{files.get(head, head)}.html"
                assert f'#gramian.{name}"' in built, f"{found.label} does not lead to {name}"
                back = f"theory/{page.stem}.html#{place}"
                assert back in there.read_text(encoding="utf-8"), f"{name} does not lead back to {found.label}"


def test_a_formula_is_text_with_a_font_that_came_along(browser):
    tab, _ = visit(browser, "theory/means-and-distances.html")
    assert tab.locator("math").count() > 20
    assert tab.evaluate("document.fonts.ready.then(fonts => [...fonts].some(f => f.family.includes('Manual Math')))")
    tab.context.close()
