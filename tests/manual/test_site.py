"""The manual in a real browser, where it has been built by `make docs`: from disk, in silence, for every reader."""

import shutil
from pathlib import Path

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="the browser tests need playwright")
axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="the browser tests need axe")

SITE = Path(__file__).parents[2] / "build" / "docs"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None or not (SITE / "index.html").exists():
    pytest.skip("needs Chromium on the path and the manual in build/docs: make docs", allow_module_level=True)

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


def test_the_search_finds_a_name_and_a_page_without_a_network(browser):
    tab, asked = visit(browser, "search.html")
    tab.goto((SITE / "search.html").as_uri() + "?q=cholesky")
    tab.wait_for_selector("#search-results li", timeout=30_000)
    assert "gramian.cholesky" in tab.inner_text("#search-results")
    assert asked == []
    tab.context.close()


def test_a_formula_is_text_with_a_font_that_came_along(browser):
    tab, _ = visit(browser, "theory/means-and-distances.html")
    assert tab.locator("math").count() > 20
    assert tab.evaluate("document.fonts.ready.then(fonts => [...fonts].some(f => f.family.includes('Manual Math')))")
    tab.context.close()
