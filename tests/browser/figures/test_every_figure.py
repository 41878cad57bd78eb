"""What holds for every interactive figure, on every page that has one: found on the built site, none is left out."""

import csv
import io
import json
import re
from pathlib import Path

import lxml.html
import pytest

from tests.browser.axe import COLOURS, violations
from tests.browser.figures.live import swipe
from tests.browser.waiting import at_rest, scrollers_reached, settled
from tests.site import built

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 360, "height": 780}, "is_mobile": True, "has_touch": True}
DESK = {"viewport": {"width": 1280, "height": 900}}
SHIFTS = """
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: "layout-shift", buffered: true });
"""


def figures() -> list[tuple[str, str, str]]:
    """Page, label and module of every interactive figure of the built site, those of the lesson last."""
    if not built.FOLDER:
        return [("no site", "no site", "no site")]
    site = Path(built.FOLDER)
    found = [
        (page.relative_to(site).as_posix(), panel.get("data-label"), panel.get("data-figure"))
        for page in sorted(site.rglob("*.html"))
        for panel in lxml.html.fromstring(page.read_bytes()).xpath('//*[contains(@class, "figure-panel")]')
    ]
    return sorted(found, key=lambda figure: figure[0].startswith("lesson"))


PLACES = [(page, label) for page, label, _ in figures()]
#: Each figure once: what it can do does not depend on the page, which only has to bring it to life.
ONCE = list({module: (page, label) for page, label, module in figures()}.values())
AGAIN = [place for place in PLACES if place not in ONCE]
each_other_place = pytest.mark.parametrize(("where", "label"), AGAIN, ids=[f"{page}-{label}" for page, label in AGAIN])
each_figure = pytest.mark.parametrize(("where", "label"), ONCE, ids=[label for _, label in ONCE])


@pytest.fixture
def opened(tabs, lesson_address):
    """Open a page in a tab of a shared window; everything that goes wrong on it is kept."""
    heard = []

    def open_page(path, *, block=None, **options):
        wrong = []

        def listen(tab):
            listeners = {
                "pageerror": lambda error: wrong.append(str(error)),
                "console": lambda message: wrong.append(message.text) if message.type == "error" else None,
                "request": lambda request: (
                    None
                    if request.url.startswith((lesson_address, "data:", "blob:"))
                    else wrong.append(f"other host: {request.url}")
                ),
            }
            for event, listener in listeners.items():
                tab.on(event, listener)
            tab.set_default_timeout(15_000)
            heard.append((tab, listeners))
            if block:
                tab.context.route(re.compile(block), lambda route: route.abort())

        page = tabs.open(path, SHIFTS, before=listen, **options)
        page.wrong = wrong
        return page

    yield open_page
    for tab, listeners in heard:
        tab.context.set_offline(False)
        for event, listener in listeners.items():
            tab.remove_listener(event, listener)
    tabs.clean()


def alive(page, label):
    """Scroll to a figure and wait until its script has drawn it; return its panel."""
    panel = page.locator(f'.figure-panel[data-label="{label}"]')
    panel.scroll_into_view_if_needed()
    page.wait_for_selector(f'.figure-panel[data-label="{label}"][data-live]')
    settled(page)
    return panel


def a_slider(panel):
    """The first slider that is not hidden."""
    return panel.locator(".control-number:not([hidden]) .control-slider").first


def has_slider(panel):
    return panel.locator(".control-number:not([hidden]) .control-slider").count() > 0


def change(page, panel):
    """Change something, as a reader would: a slider by its keys, or else the first list."""
    if has_slider(panel):
        a_slider(panel).focus()
        for _ in range(5):
            page.keyboard.press("PageUp")
        for _ in range(3):
            page.keyboard.press("ArrowLeft")
    else:
        select = panel.locator("select").first
        values = select.evaluate(
            "one => [...one.options].filter((o) => !o.disabled && !o.selected).map((o) => o.value)"
        )
        select.select_option(values[0])
    settled(page)


def comes_alive(page, label):
    """Bring a figure to life and change it: no shift, another readout, its state in the address; return its panel."""
    panel = alive(page, label)
    assert page.evaluate("window.shifted") < 0.02
    before = readout(panel)
    change(page, panel)
    assert readout(panel) != before or has_slider(panel)
    assert f"#{label}?" in page.url
    assert page.wrong == []
    return panel


def readout(panel):
    return panel.locator(".figure-readout").inner_text()


def chosen(panel):
    """What every control of a figure is set to."""
    return panel.locator("input, select").evaluate_all("all => all.map((one) => one.checked + one.value)")


@each_other_place
def test_it_comes_alive_without_a_shift_and_says_what_it_shows(where, label, opened):
    comes_alive(opened(where, **DESK), label)


#: An element as nested lists, whatever the order in which its attributes were written.
WRITTEN = """label => {
  const written = (one) => [
    one.localName,
    [...one.attributes].map(({ name, value }) => `${name}=${value}`).sort(),
    one.children.length ? [...one.children].map(written) : one.textContent,
  ];
  return written(document.querySelector(`#${label} svg.figure-live`));
}"""


@each_figure
def test_a_link_opens_a_used_figure_as_it_was_and_back_reset_and_offline_work(where, label, opened, lesson_address):
    page = opened(where, **DESK)
    panel = alive(page, label)
    start, at_start = page.url, chosen(panel)
    comes_alive(page, label)
    state, said = page.url, readout(panel)
    again = opened(state.removeprefix(lesson_address), **DESK)
    other = alive(again, label)
    assert readout(other) == said
    # A picture that changed many times is the one that is drawn at once.
    assert page.evaluate(WRITTEN, label) == again.evaluate(WRITTEN, label)
    page.go_back()
    settled(page)
    assert page.url == start, "some presses of a key are one move"
    page.go_forward()
    settled(page)
    assert readout(panel) == said
    panel.locator('[data-tool="reset"]').click()
    settled(page)
    assert chosen(panel) == at_start
    page.context.set_offline(True)
    change(page, panel)
    assert (page.url, readout(panel)) == (state, said)
    assert page.wrong == []


TWO = ("lesson/one-layer.html", "fig-one-layer", "fig-one-layer-prefill")


def device_of(panel):
    return panel.locator('[data-name="device"] select')


def test_two_figures_of_one_page_share_its_history_and_a_link_within_it_leaves_both(opened):
    where, *labels = TWO
    page = opened(where, **DESK)
    one, two = (device_of(alive(page, label)) for label in labels)
    for select, name in ((one, "H200 SXM"), (two, "B200"), (one, "L4")):
        if name == "L4":
            page.wait_for_timeout(1100)  # a second choice within a second is the same move
        select.select_option(name)
    steps = [("back", "H200 SXM", "B200"), ("back", "H200 SXM", "H100 SXM"), ("back", "H100 SXM", "H100 SXM")]
    steps += [("forward", "H200 SXM", "H100 SXM"), ("forward", "H200 SXM", "B200"), ("forward", "L4", "B200")]
    for way, first, second in steps:
        page.go_back() if way == "back" else page.go_forward()
        settled(page)
        assert (one.input_value(), two.input_value()) == (first, second)
    page.evaluate("location.hash = '#fig-one-layer-prefill'")
    settled(page)
    assert (one.input_value(), two.input_value()) == ("L4", "B200")


def test_a_choice_that_was_made_before_the_script_came_holds(opened):
    where, label = "lesson/batch-in-a-transformer.html", "fig-batch-sweep"
    page = opened(where, **DESK)
    select = device_of(page.locator(f'.figure-panel[data-label="{label}"]'))
    select.evaluate("one => { one.value = 'H200 SXM' }")
    panel = alive(page, label)
    assert select.input_value() == "H200 SXM"
    assert "the ridge is reached at B = 230" in panel.locator(".figure-readout").inner_text()


def test_paper_has_the_picture_that_the_caption_speaks_of_and_its_table(opened):
    label = "fig-intensity-vs-batch"
    page = opened(f"lesson/matmul-theorem.html#{label}?B=3000&D=512&F=512", **DESK)
    alive(page, label)
    table = page.locator(f"#{label}-data table")
    page.emulate_media(media="print")
    page.wait_for_selector(f"#{label} svg:not(.figure-live)")
    assert "B* = 344.9" in page.locator(f"#{label} svg").evaluate("one => one.textContent")
    assert table.is_visible()
    page.emulate_media(media="screen")
    page.wait_for_selector(f"#{label} svg.figure-live")
    assert not table.is_visible()
    assert page.wrong == []


def test_controls_that_would_do_nothing_are_not_shown(opened):
    page = opened("lesson/method.html", block=r"figures/shared/boot\.js", **DESK)
    page.locator(".figure-panel").first.wait_for(state="hidden")
    assert page.locator("#fig-four-steps svg").is_visible()


@each_figure
def test_bad_values_in_a_link_fall_back_visibly_and_the_figure_can_be_taken_home(where, label, opened):
    names = [c.get("data-name") for c in controls_of(where, label)]
    page = opened(f"{where}#{label}?{names[0]}=nonsense&nobody=1", **DESK)
    panel = alive(page, label)
    note = panel.locator(".figure-note").inner_text()
    assert "nonsense" in note
    assert "nobody" in note
    files = {}
    for kind in ("svg", "png", "csv"):
        with page.expect_download() as download:
            panel.locator(f'[data-tool="{kind}"]').click()
        files[kind] = Path(download.value.path()).read_bytes()
        assert download.value.suggested_filename == f"{label}.{kind}"
    assert files["png"].startswith(b"\x89PNG")
    svg = files["svg"].decode()
    assert svg.startswith("<svg")
    assert "var(--rl" not in svg.split("</style>")[0].split("svg {")[0]
    rows = list(csv.reader(io.StringIO(files["csv"].decode())))
    shown = page.locator(f"#{label}-data tr").evaluate_all(
        "all => all.map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    assert json.dumps(rows) == json.dumps(shown)
    assert page.wrong == []


@each_figure
def test_an_arrow_key_moves_every_number_on_from_its_low_end(where, label, opened):
    """There whole numbers are farther apart than the steps of a slider."""
    page = opened(where, **DESK)
    for number in alive(page, label).locator(".control-number:not([hidden])").all():
        box = number.locator(".control-box")
        box.fill(number.get_attribute("data-low"))
        page.keyboard.press("Enter")
        low = box.input_value()
        number.locator(".control-slider").focus()
        page.keyboard.press("ArrowRight")
        assert box.input_value() != low, number.get_attribute("data-name")


def controls_of(where, label):
    tree = lxml.html.fromstring((Path(built.FOLDER) / where).read_bytes())
    return tree.xpath(f'//*[@data-label="{label}"]//*[contains(@class, "control ")]')


def accessible_after_use(page, label, width):
    """Use a figure: no shift before, then nothing that axe objects to and nothing wider than the window."""
    panel = alive(page, label)
    assert page.evaluate("window.shifted") < 0.02
    change(page, panel)
    scrollers_reached(page)
    assert violations(page, within=parts(label)) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    return panel


def parts(label):
    return [f"#{label}", f".figure-panel[data-label={label}]", f"#{label}-data"]


@each_figure
def test_it_is_accessible_after_use_in_both_themes_and_paper_has_no_controls(where, label, opened):
    page = opened(where, **DESK, reduced_motion="reduce")
    panel = accessible_after_use(page, label, DESK["viewport"]["width"])
    fill = "label => getComputedStyle(document.querySelector(`#${label} svg.figure-live text`)).fill"
    light = page.evaluate(fill, label)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    assert violations(page, within=parts(label), only=COLOURS) == []
    assert page.evaluate(fill, label) != light
    page.emulate_media(media="print")
    assert page.locator(f"#{label} svg").is_visible()
    assert not panel.is_visible()


@each_figure
def test_on_a_phone_it_is_accessible_and_fits_and_a_finger_that_moves_up_scrolls_the_page(where, label, opened):
    page = opened(where, **PHONE, reduced_motion="reduce")
    panel = accessible_after_use(page, label, PHONE["viewport"]["width"])
    svg = page.locator(f"#{label} svg.figure-live")
    svg.scroll_into_view_if_needed()
    at_rest(page)
    before, scrolled = chosen(panel), page.evaluate("scrollY")
    box = svg.bounding_box()
    swipe(page, box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, 0, -150)
    assert page.evaluate("scrollY") > scrolled + 60
    assert chosen(panel) == before


@each_figure
def test_without_its_script_the_static_picture_stays(where, label, opened):
    page = opened(where, block=r"figures/\w+/figure\.js", **DESK)
    # Its lower end, where the controls are: a picture of many devices is taller than a window.
    page.locator(f"#{label}").evaluate("figure => figure.scrollIntoView({ block: 'end' })")
    page.locator(f'.figure-panel[data-label="{label}"]').wait_for(state="hidden")
    assert page.locator(f"#{label} svg[role=img]").is_visible()


def test_without_any_script_every_figure_has_its_static_picture_and_its_table(opened, lesson_address):
    page = opened("index.html", java_script_enabled=False, **DESK)
    for where, label in ONCE:
        page.goto(f"{lesson_address}{where}")
        assert page.locator(f"#{label} svg[role=img]").is_visible(), label
        assert not page.locator(f'.figure-panel[data-label="{label}"]').is_visible(), label
        page.locator(f"#{label}-data > summary").click()
        assert page.locator(f"#{label}-data table").is_visible(), label
