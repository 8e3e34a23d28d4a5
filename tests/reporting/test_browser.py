"""The page in a real browser: it opens from disk in silence and answers to pointer, keyboard and theme."""

import runpy
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

sync_api = pytest.importorskip(
    "playwright.sync_api", reason="the browser tests need playwright: pip install playwright"
)

from gramian.intake.reading import from_objects, load_example  # noqa: E402
from gramian.reporting import blocks, page  # noqa: E402
from gramian.reporting.build import build  # noqa: E402

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
if CHROMIUM is None:
    pytest.skip("the browser tests need Chromium on the path", allow_module_level=True)

demo = SimpleNamespace(**runpy.run_path(str(Path(__file__).with_name("demo.py"))))
SWITCHES = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
MAP = "#figure-map"
POINT = f"{MAP} .marks > use"


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=SWITCHES.split())
        yield found
        found.close()


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "report.html"
    file.write_text(page.render(demo.demo_report()), encoding="utf-8")
    return file.as_uri()


@pytest.fixture
def visit(browser, address):
    """Open the page, or another, and fail afterwards if it complained or asked for anything."""
    complaints, opened = [], []

    def open_page(to=None, **options):
        context = browser.new_context(
            **{"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"} | options
        )
        tab = context.new_page()
        tab.set_default_timeout(90_000)
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("request", lambda asked: asked.url.startswith(("file:", "data:")) or complaints.append(asked.url))
        opened.append(context)
        tab.goto(to or address)
        return tab

    yield open_page
    for context in opened:
        context.close()
    assert complaints == []


def tip(tab):
    return tab.locator(".tip")


def count_shown(tab, query):
    return tab.evaluate(
        "q => [...document.querySelectorAll(q)].filter(e => getComputedStyle(e).display !== 'none').length", query
    )


def test_every_section_is_there_and_nothing_is_asked_of_the_network(visit):
    tab = visit()
    for section in demo.demo_report()["sections"]:
        assert tab.locator(f"#{section['id']} h2").is_visible()
    assert tab.locator("main > section").count() == 8
    assert tab.locator("figure .plot > svg").count() == 9


def test_hovering_shows_the_object_itself(visit):
    tab = visit()
    tab.locator(POINT).nth(41).scroll_into_view_if_needed()
    tab.locator(POINT).nth(41).hover(force=True)
    assert tip(tab).is_visible()
    assert "flower 41: sepals 4.5 × 2.3, petals 1.3 × 0.3 cm" in tip(tab).inner_text()
    assert "setosa" in tip(tab).inner_text()
    tab.mouse.move(5, 5)
    assert tip(tab).is_hidden()


@pytest.mark.parametrize(
    ("figure", "mark", "words"),
    [
        ("novelty", ".bar >> nth=1", ["flower 117", "0.91"]),
        ("centre-distances", ".column >> nth=3", ["distance to the centre of mass", "setosa", "versicolor"]),
        ("confusion", ".cell >> nth=5", ["versicolor × virginica", "flowers", "2"]),
        ("path", ".marks > use >> nth=18", ["degrees of freedom", "ridge λ"]),
    ],
)
def test_every_kind_of_figure_answers_to_the_pointer(visit, figure, mark, words):
    tab = visit()
    spot = tab.locator(f"#figure-{figure} {mark}")
    spot.scroll_into_view_if_needed()
    spot.hover(force=True)
    shown = tip(tab).inner_text()
    assert all(word in shown for word in words)


def test_a_matrix_drawn_as_an_image_tells_its_entries(visit):
    tab = visit()
    plot = tab.locator("#figure-gram .plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    tab.mouse.move(box["x"] + 2, box["y"] + 6)
    assert "flower 0 × flower 0" in tip(tab).inner_text()
    assert "1" in tip(tab).locator("dd").inner_text()


def test_the_legend_hides_and_shows_a_group(visit):
    tab = visit()
    button = tab.locator(f"{MAP} .legend button").nth(1)
    assert count_shown(tab, POINT) == 150
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert count_shown(tab, POINT) == 100
    button.focus()
    tab.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "true"
    assert count_shown(tab, POINT) == 150


def test_arrow_keys_move_between_points_and_are_spoken(visit):
    tab = visit()
    tab.locator(f"{MAP} .plot").focus()
    tab.keyboard.press("ArrowRight")
    first = tip(tab).inner_text()
    assert "flower 0:" in first
    heard = {first}
    for key in ("ArrowLeft", "ArrowUp", "ArrowDown", "ArrowLeft"):
        tab.keyboard.press(key)
        heard.add(tip(tab).inner_text())
    assert len(heard) >= 4
    assert tab.locator("[aria-live]").inner_text().split(":")[0] in tip(tab).inner_text()
    tab.keyboard.press("End")
    assert "flower 149:" in tip(tab).inner_text()
    tab.keyboard.press("PageUp")
    assert "flower 148:" in tip(tab).inner_text()
    tab.keyboard.press("Escape")
    assert tip(tab).is_hidden()


def test_hidden_groups_are_passed_over_by_the_keyboard(visit):
    tab = visit()
    tab.locator(f"{MAP} .legend button").nth(0).click()
    tab.locator(f"{MAP} .plot").focus()
    tab.keyboard.press("Home")
    assert "versicolor" in tip(tab).inner_text()


def places(tab):
    return tab.evaluate("q => [...document.querySelectorAll(q)].map(e => Number(e.getAttribute('x')))", POINT)


def axis(tab):
    return tab.locator(f"{MAP} .ticks").all_text_contents()


def test_zoom_in_and_out_comes_back_to_the_same_picture(visit):
    tab = visit()
    before, labels = places(tab), axis(tab)
    tab.locator(f"{MAP} .zoom button", has_text="+").click()
    assert places(tab) != before
    assert axis(tab) != labels
    tab.locator(f"{MAP} .zoom button", has_text="−").click()
    assert places(tab) == before
    assert axis(tab) == labels
    tab.locator(f"{MAP} .plot").focus()
    tab.keyboard.press("+")
    tab.keyboard.press("+")
    tab.locator(f"{MAP} .zoom button", has_text="Reset").click()
    assert places(tab) == before


def test_ticks_stay_at_their_values_when_zoomed(visit):
    tab = visit()
    find = """q => [...document.querySelectorAll(q + ' .ticks.x text')].map(
        t => [Number(t.textContent.replace('−', '-')), Number(t.getAttribute('x'))])"""
    (a, pa), *_, (b, pb) = tab.evaluate(find, MAP)
    x = places(tab)[0]
    value = a + (x - pa) / (pb - pa) * (b - a)
    tab.locator(f"{MAP} .zoom button", has_text="+").click()
    (a, pa), *_, (b, pb) = tab.evaluate(find, MAP)
    scaled = places(tab)[0]
    assert a + (scaled - pa) / (pb - pa) * (b - a) == pytest.approx(value, abs=1e-2)


def test_the_wheel_scrolls_the_page_until_the_figure_has_the_focus(visit):
    tab = visit()
    plot = tab.locator(f"{MAP} .plot")
    plot.scroll_into_view_if_needed()
    before = places(tab)
    plot.hover()
    tab.mouse.wheel(0, -100)
    tab.wait_for_timeout(100)
    assert places(tab) == before
    plot.focus()
    plot.hover()
    tab.mouse.wheel(0, -100)
    tab.wait_for_function(
        "([q, x]) => Number(document.querySelector(q).getAttribute('x')) !== x", arg=[POINT, before[0]]
    )


def paper(tab):
    return tab.evaluate("getComputedStyle(document.body).backgroundColor")


def test_the_theme_follows_the_reader_until_it_is_switched_and_is_remembered(visit):
    light, dark = visit(color_scheme="light"), visit(color_scheme="dark")
    assert paper(light) != paper(dark)
    light.get_by_role("button", name="Switch to dark colours").click()
    assert paper(light) == paper(dark)
    light.reload()
    assert paper(light) == paper(dark)
    light.get_by_role("button", name="Switch to light colours").click()
    assert paper(light) != paper(dark)


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 1280), ("light", 360)])
def test_axe_finds_nothing_serious(visit, scheme, width):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="the accessibility test needs axe-playwright-python"
    )
    tab = visit(color_scheme=scheme, viewport={"width": width, "height": 900}, bypass_csp=True)
    tab.locator("details").evaluate_all("all => all.slice(0, 3).forEach(one => { one.open = true })")
    found = axe.Axe().run(tab, context={"exclude": [["details:not([open])"]]}).response["violations"]
    grave = [(v["id"], v["nodes"][0]["html"][:200]) for v in found if v["impact"] in ("serious", "critical")]
    assert grave == []


@pytest.mark.parametrize("width", [320, 360, 768, 1280])
def test_the_page_never_scrolls_sideways(visit, width):
    tab = visit(viewport={"width": width, "height": 740})
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    tab.locator("details").evaluate_all("all => all.forEach(one => { one.open = true })")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width


FOLDED = "main > section.folded"


def folding_report():
    """A report whose second section is folded."""
    report = demo.demo_report()
    report["sections"][1]["folded"] = True
    return report


@pytest.fixture
def folding(tmp_path):
    file = tmp_path / "folding.html"
    file.write_text(page.render(folding_report()), encoding="utf-8")
    return file.as_uri()


def test_a_folded_section_shows_title_and_lead_and_unfolds_by_hand_by_key_and_by_link(visit, folding):
    tab = visit(folding)
    name = folding_report()["sections"][1]["id"]
    head, inside = tab.locator(f"#{name} .fold"), tab.locator(f"#{name}-inside")
    assert head.get_attribute("aria-expanded") == "false"
    assert tab.locator(f"#{name} .lead").is_visible()
    assert inside.bounding_box()["height"] == 0
    head.focus()
    tab.keyboard.press("Enter")
    assert head.get_attribute("aria-expanded") == "true"
    assert inside.bounding_box()["height"] > 100
    head.click()
    assert inside.bounding_box()["height"] == 0
    tab.locator(".toc a").nth(1).click()
    assert inside.bounding_box()["height"] > 100


def test_the_link_to_a_formula_unfolds_the_formulas(visit):
    tab = visit()
    assert tab.locator("#formulas .fold").get_attribute("aria-expanded") == "false"
    tab.locator(f"{MAP} .to-formula").click()
    assert tab.locator("#formulas .fold").get_attribute("aria-expanded") == "true"
    assert tab.locator("#formula-kpca").is_visible()


def test_one_button_unfolds_and_folds_everything(visit, folding):
    tab = visit(folding)
    assert count_shown(tab, FOLDED) == 2
    tab.get_by_role("button", name="Unfold all").click()
    assert count_shown(tab, FOLDED) == 0
    tab.get_by_role("button", name="Fold all").click()
    assert count_shown(tab, FOLDED) == tab.locator("main > section").count()


def test_print_and_readers_without_scripts_see_what_is_folded(visit, folding):
    inside = f"#{folding_report()['sections'][1]['id']}-inside"
    tab = visit(folding)
    tab.emulate_media(media="print")
    assert tab.locator(inside).bounding_box()["height"] > 100
    assert visit(folding, java_script_enabled=False).locator(inside).bounding_box()["height"] > 100


def height(tab):
    return tab.evaluate("document.documentElement.scrollHeight")


def test_on_a_phone_only_the_first_section_is_unfolded_and_the_whole_page_is_not_three_times_as_long(visit):
    desk, phone = visit(viewport={"width": 1100, "height": 900}), visit(viewport={"width": 390, "height": 844})
    assert phone.locator(".fold[aria-expanded=true]").count() == 1
    assert height(phone) < height(desk)
    for tab in (desk, phone):
        tab.get_by_role("button", name="Unfold all").click()
    assert height(phone) < 2 * height(desk)


@pytest.mark.parametrize("width", [390, 1100])
def test_tables_stay_within_the_page(visit, width):
    tab = visit(viewport={"width": width, "height": 844})
    tab.get_by_role("button", name="Unfold all").click()
    wide = "q => [...document.querySelectorAll(q)].filter(b => b.getBoundingClientRect().right > innerWidth).length"
    assert tab.evaluate(wide, ".box, figure, h2, h3") == 0


def test_letters_in_figures_are_readable_on_a_phone(visit):
    tab = visit(viewport={"width": 360, "height": 740})
    heights = tab.evaluate("""[...document.querySelectorAll('.plot text')].map(
        text => text.getScreenCTM().a * parseFloat(getComputedStyle(text).fontSize))""")
    assert min(heights) >= 10


def test_long_tables_unfold(visit):
    tab = visit()
    rows = "#kernel tbody tr"
    assert count_shown(tab, "#kernel tbody.more") == 0
    tab.get_by_role("button", name="Show all 14 rows").click()
    assert count_shown(tab, "#kernel tbody.more") == 1
    assert tab.locator(rows).count() == 14
    tab.get_by_role("button", name="Show fewer rows").click()
    assert count_shown(tab, "#kernel tbody.more") == 0


def test_in_print_everything_is_light_and_unfolded_and_no_switch_is_left(visit):
    tab = visit(color_scheme="dark")
    tab.emulate_media(media="print", color_scheme="dark")
    assert paper(tab) == "rgb(255, 255, 255)"
    assert count_shown(tab, "#kernel tbody.more") == 1
    assert count_shown(tab, ".theme, .zoom, .toc, .more-button, .data, .skip") == 0
    assert count_shown(tab, ".by-night") == 0
    assert tab.locator("figure").first.evaluate("one => getComputedStyle(one).breakInside") == "avoid"


def test_without_scripts_the_page_is_whole(visit):
    tab = visit(java_script_enabled=False)
    assert tab.locator("figure .plot > svg").count() == 9
    assert tab.locator("#kernel tbody.more").is_visible()
    assert tab.locator(".theme").is_hidden()


def test_the_contents_tell_where_the_reader_is(visit):
    tab = visit()
    tab.locator(".toc a", has_text="The spectrum").click()
    tab.wait_for_function("document.querySelector('.toc [aria-current]').textContent === 'The spectrum'")
    assert tab.locator("#spectrum h2").bounding_box()["y"] < 200


def test_the_skip_link_comes_first_and_leads_to_the_report(visit):
    tab = visit()
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.className") == "skip"
    tab.keyboard.press("Enter")
    assert tab.evaluate("document.activeElement.id") == "main"


def test_the_page_works_inside_a_notebook(visit, tmp_path):
    file = tmp_path / "notebook.html"
    file.write_text(f"<!doctype html><body>{page.fragment(demo.demo_report())}", encoding="utf-8")
    frame = visit(file.as_uri()).frame_locator("iframe")
    frame.locator("h1").wait_for()
    frame.locator(f"{MAP} .plot").focus()
    frame.locator(f"{MAP} .plot").press("Home")
    assert "flower 0:" in frame.locator(".tip").inner_text()
    frame.locator(f"{MAP} .to-formula").click()
    assert frame.locator("#formula-kpca").is_visible()
    assert frame.locator("h1").count() == 1
    frame.locator(".theme").click()


def test_hostile_text_is_shown_and_not_run(visit, tmp_path):
    text = "<img src=x onerror='document.title=1'></script><script>document.title=1</script>"
    data = demo.many_points(20) | {"hover": [text] * 20, "groups": [text] * 3}
    file = tmp_path / "hostile.html"
    file.write_text(page.render(demo.report_of(demo.figure_of("scatter", data, text), title="safe")), encoding="utf-8")
    tab = visit(file.as_uri())
    tab.locator(".plot").focus()
    tab.keyboard.press("Home")
    assert text in tip(tab).inner_text()
    assert tab.title() == "safe"


def test_five_thousand_points_answer_quickly(visit, tmp_path):
    file = tmp_path / "crowd.html"
    file.write_text(page.render(demo.report_of(demo.figure_of("scatter", demo.many_points()))), encoding="utf-8")
    tab = visit(file.as_uri())
    tab.locator(".plot").focus()
    tab.keyboard.press("Home")
    assert "object 0 " in tip(tab).inner_text()
    tab.locator(".zoom button", has_text="+").click()
    assert tab.locator(".plot.far").count() == 1


def with_gaps():
    """A mixed table with missing values: numbers, categories, texts."""
    rng = np.random.default_rng(0)
    rows = [
        {
            "age": None if k % 11 == 0 else float(20 + k % 50),
            "town": [None, "Ulm", "Bonn"][k % 3],
            "note": "" if k % 7 == 0 else f"visit {k % 5} was {'short' if k % 2 else 'long and dull'}",
            "stay": "short" if k % 2 else "long",
            "cost": float(rng.normal()),
        }
        for k in range(80)
    ]
    return from_objects(rows, "stay")


REAL = {
    "vectors with classes": (lambda: load_example("iris"), "standardize(gaussian(2))"),
    "a regression": (lambda: load_example("cars"), "standardize(gaussian(2)) on weight, year"),
    "strings with classes": (lambda: load_example("promoters"), "normalize(spectrum(4))"),
    "documents without labels": (lambda: from_objects(load_example("addresses").X[:60]), "normalize(bag_of_words + 1)"),
    "a graph with a few labels": (
        lambda: few_labels(load_example("football")),
        "exponential_diffusion(2, of=normalized)",
    ),
    "a mixed table with gaps": (with_gaps, None),
}


def few_labels(football):
    y = football.y.astype(object)
    y[[k for k in range(len(y)) if k % 3]] = None
    return replace(football, y=y)


@pytest.mark.parametrize("what", REAL)
def test_a_real_report_opens_in_silence_and_shows_its_objects(what, visit, tmp_path):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="the accessibility test needs axe-playwright-python"
    )
    make, kernel = REAL[what]
    report = build(make(), kernel)
    file = tmp_path / "report.html"
    report.save(file)
    tab = visit(file.as_uri(), bypass_csp=True)
    for section in report.data["sections"]:
        assert tab.locator(f"#{section['id']} h2").is_visible()
    if tab.get_by_role("button", name="Unfold all").count():
        tab.get_by_role("button", name="Unfold all").click()
    tab.set_viewport_size({"width": 1100, "height": 900})
    cut = """[...document.querySelectorAll('.box')]
        .filter(b => !b.closest('details') && b.scrollWidth > b.clientWidth + 1).map(b => b.innerText.slice(0, 80))"""
    assert tab.evaluate(cut) == []  # no column head is cut
    tab.locator(POINT).nth(5).scroll_into_view_if_needed()
    tab.locator(POINT).nth(5).hover(force=True)
    assert tip(tab).is_visible()
    found = axe.Axe().run(tab, context={"exclude": [["details:not([open])"]]}).response["violations"]
    assert [(v["id"], v["nodes"][0]["html"][:200]) for v in found if v["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("width", [390, 1100])
def test_a_drawn_histogram_stays_on_one_line_beside_long_words(visit, tmp_path, width):
    long = "several words that take all the room there is in a narrow column of a table"
    heads = (("column", "text"), ("spread", "drawn"), ("range", "text"), ("to notice", "text"))
    shown = [blocks.table("Columns.", heads, [[long, "█▇▆▅▄▃▂▁█▇", long, long], ["x", "█", "y", "z"]])]
    report = demo.demo_report() | {"sections": [blocks.Section("columns", "Columns", "", shown).plain()]}
    file = tmp_path / "columns.html"
    file.write_text(page.render(report), encoding="utf-8")
    tab = visit(file.as_uri(), viewport={"width": width, "height": 900})
    if tab.get_by_role("button", name="Unfold all").count():
        tab.get_by_role("button", name="Unfold all").click()
    heights = """() => [...document.querySelectorAll('td.barred')].map(cell => {
        const range = document.createRange(); range.selectNodeContents(cell); return range.getClientRects().length})"""
    assert tab.evaluate(heights) == [1, 1]


def test_the_legend_hides_and_shows_a_cluster(visit, tmp_path):
    report = build(load_example("iris"), "standardize(gaussian(2))")
    found = next(one["numbers"] for one in report.data["sections"] if one["id"] == "clusters")
    assert found["clusters"] == 2
    file = tmp_path / "clusters.html"
    report.save(file)
    tab = visit(file.as_uri())
    points, legend = "#figure-clusters-map .marks > use", tab.locator("#figure-clusters-map [aria-pressed]").first
    before = count_shown(tab, points)
    legend.click()
    assert legend.get_attribute("aria-pressed") == "false"
    assert count_shown(tab, points) == before - found["labels"].count(0)
    legend.click()
    assert count_shown(tab, points) == before
