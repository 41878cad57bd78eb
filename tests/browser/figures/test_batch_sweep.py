"""The batch sweep in Chromium: the package's numbers, and a play that pauses, steps, and says nothing on its way."""

import itertools

import pytest

from figures.batch_sweep import static
from figures.batch_sweep.description import DESCRIPTION
from roofline import bound, device, format_quantity
from tests.browser.waiting import drawn, settled

pytestmark = pytest.mark.browser
LABEL = "fig-batch-sweep"
PAGE = "lesson/batch-in-a-transformer.html"
PANEL = "[data-figure=batch_sweep]"
START = {"B": 1, "device": "H100 SXM", "format": "bf16", "mha": False}
BATCHES = (1, 2, 64, 229, 230, 344, 345, 1023, 1024)
ROOFS = [
    *itertools.product(("H100 SXM", "H200 SXM", "B200", "L4"), ("bf16", "fp8", "fp32")),
    ("B200", "fp4"), ("RTX 4090", "fp64"), ("A100 SXM 80GB", "int8"), ("V100 SXM2", "fp16"), ("TPU v5e", "bf16"),
]  # fmt: skip
STATES = [
    {"B": batch, "device": name, "format": fmt, "mha": mha}
    for (name, fmt), (batch, mha) in itertools.product(
        ROOFS, zip(BATCHES, itertools.cycle((False, True)), strict=False)
    )
]
SHOWN = """async ([module, states]) => {
  const { look } = await import(module);
  return states.map((state) => {
    const { chosen, attention, prefill, ridge, exact, readout, table } = look(state);
    return { chosen, attention, prefill, ridge, exact: String(exact), readout, table };
  });
}"""


@pytest.fixture
def opened(live):
    """A function that opens the figure in a state, and returns its page."""
    return lambda state=START, of=None: live(PAGE, "batch_sweep", LABEL, state, of).page


def readout(page):
    settled(page)
    return page.locator(f"{PANEL} .figure-readout").inner_text()


def press(page, name):
    return page.locator(f"{PANEL} [data-press={name}]")


def play_says(page):
    """What the button says, which is drawn with the picture."""
    drawn(page)
    return press(page, "play").inner_text()


def control(page, name):
    return page.locator(f"#{LABEL}-{name}")


def slider(page):
    return page.locator(f"{PANEL} [data-name=B] .control-slider")


def batch(page):
    return int(control(page, "B").input_value().replace(",", ""))


def said(state, name="readout"):
    """What the package has to say about a state."""
    roof = device(state["device"]).roof(state["format"])
    points = {
        "matmul": bound(static.decode_matmul(state["B"], state["format"]), roof),
        "attention": bound(static.decode_attention(state["B"], mha=state["mha"]), roof),
        "prefill": bound(static.decode_matmul(static.PROMPT, state["format"]), roof),
    }
    words = static._said(state["B"], state["mha"], state["device"], state["format"], roof, points)
    return DESCRIPTION.say(name, **words)


# What it says -----


def test_every_number_is_the_package_s(context, lesson_address):
    page = context.new_page()
    page.goto(lesson_address + PAGE)
    found = page.evaluate(SHOWN, [f"{lesson_address}_static/figures/batch_sweep/figure.js", STATES])
    page.close()
    assert len(found) == len(STATES) > 100
    for state, shown in zip(STATES, found, strict=True):
        roof = device(state["device"]).roof(state["format"])
        kernels = {
            "chosen": static.decode_matmul(state["B"], state["format"]),
            "attention": static.decode_attention(state["B"], mha=state["mha"]),
            "prefill": static.decode_matmul(static.PROMPT, state["format"]),
        }
        for name, kernel in kernels.items():
            limit = bound(kernel, roof)
            assert shown[name] == pytest.approx(
                {
                    "flops": kernel.flops, "nbytes": kernel.nbytes, "intensity": kernel.intensity,
                    "compute_time": limit.compute_time, "memory_time": limit.memory_time, "time": limit.time,
                    "attainable": limit.attainable, "share": limit.fraction_of_peak,
                    "computeBound": limit.regime == "compute-bound",
                },
                rel=1e-12,
            )  # fmt: skip
        exact = static._exact(roof, state["format"])
        assert float(shown["exact"].replace("Infinity", "inf")) == pytest.approx(exact, rel=1e-12)
        assert shown["ridge"] == pytest.approx(roof.ridge, rel=1e-12)
        assert shown["readout"] == said(state)
        static_rows = [list(row) for row in static._table(state["mha"], state["device"], state["format"], roof).texts()]
        extra = {f"{state['B']:,}"} - {row[0] for row in static_rows}
        assert [row for row in shown["table"]["rows"] if row[0] not in extra] == static_rows


def test_the_page_shows_what_look_says(opened):
    for state in (START, START | {"B": 230, "device": "H200 SXM"}, START | {"B": 64, "mha": True, "format": "fp8"}):
        page = opened(state)
        assert readout(page) == said(state)
        assert page.locator(f"{PANEL} svg").count() == 0
        cells = page.locator(f"#{LABEL}-data tbody tr").evaluate_all(
            "rows => rows.map((row) => row.cells[0].textContent)"
        )
        assert f"{state['B']:,}" in cells
        assert said(state, "alt") == page.locator(f"#{LABEL} svg.figure-live").get_attribute("aria-label")


def test_the_first_words_are_those_of_the_page_as_it_was_built(window, lesson_address, opened):
    page = window(java_script_enabled=False).new_page()
    page.goto(lesson_address + PAGE)
    built = page.locator(f"{PANEL} .figure-readout").text_content()
    assert page.locator(f"#{LABEL} svg").is_visible()
    assert page.locator(PANEL).is_hidden()
    assert built == readout(opened()) == said(START)


def test_attention_and_the_prompt_stay_while_the_batch_grows(opened):
    page = opened()

    def places():
        drawn(page)
        marks = page.locator(f"#{LABEL} svg .mark:not(.trail, .key)")
        return [tuple(box[side] for side in ("x", "y")) for box in (marks.nth(i).bounding_box() for i in range(3))]

    before = places()
    for _ in range(10):
        press(page, "forward").click()
    after = places()
    assert before[:2] == after[:2]  # the prompt, attention
    assert after[2][0] > before[2][0] + 100
    assert after[2][1] < before[2][1] - 100


# Play -----


def test_play_climbs_silently_and_pause_settles(opened):
    page = opened(START)
    page.evaluate(f"""() => {{
      window.heard = [];
      const readout = document.querySelector("{PANEL} .figure-readout");
      new MutationObserver(() => heard.push(readout.textContent))
        .observe(readout, {{ childList: true, characterData: true, subtree: true }});
    }}""")
    address, entries = page.evaluate("location.href"), page.evaluate("history.length")
    press(page, "play").click()
    assert play_says(page) == "Pause"
    page.wait_for_function(f"Number(document.querySelector('#{LABEL}-B').value) >= 8")
    assert page.evaluate("location.href") == address
    assert "playing" in page.evaluate("heard.at(-1)").lower()
    assert page.evaluate("heard.length") == 1
    press(page, "play").click()
    stopped = batch(page)
    assert readout(page) == said(START | {"B": stopped})
    assert f"B={stopped}&" in page.evaluate("location.hash")
    assert page.evaluate("history.length") == entries + 1
    page.wait_for_timeout(300)
    assert batch(page) == stopped
    assert play_says(page) == "Play"
    assert page.evaluate("heard.length") == 2


def test_play_ends_at_1024_and_then_begins_again_at_1(opened):
    page = opened(START | {"B": 700})
    press(page, "play").click()
    page.wait_for_function(f"document.querySelector('#{LABEL}-B').value === '1,024'")
    page.wait_for_function(f"document.querySelector('{PANEL} [data-press=play]').textContent === 'Play'")
    assert readout(page) == said(START | {"B": 1024})
    assert "B=1024&" in page.evaluate("location.hash")
    press(page, "play").click()
    page.wait_for_function(f"Number(document.querySelector('#{LABEL}-B').value) < 16")
    press(page, "play").click()


def test_play_goes_on_from_where_it_is_and_passes_between_the_powers_of_two(opened):
    page = opened(START | {"B": 100})
    page.evaluate(f"""() => {{
      window.seen = [];
      const box = document.querySelector("#{LABEL}-B");
      const look = () => {{ seen.push(Number(box.value.replaceAll(",", ""))); requestAnimationFrame(look); }};
      requestAnimationFrame(look);
    }}""")
    press(page, "play").click()
    page.wait_for_function("seen.at(-1) >= 256")
    press(page, "play").click()
    seen = page.evaluate("seen")
    assert seen == sorted(seen)
    assert seen[0] == 100
    assert len(set(seen)) > 5


@pytest.mark.parametrize("what", ["slider", "reset", "step", "back"])
def test_what_sets_the_batch_ends_the_play_and_another_device_does_not(opened, what):
    page = opened(START)
    press(page, "forward").click()
    press(page, "play").click()
    control(page, "device").select_option("H200 SXM")
    assert play_says(page) == "Pause"
    if what == "slider":
        slider(page).press("ArrowRight")
    elif what == "reset":
        page.locator(f"{PANEL} [data-tool=reset]").click()
    elif what == "step":
        press(page, "back").click()
    else:
        page.go_back()
    drawn(page)
    stopped = batch(page)
    page.wait_for_timeout(400)
    assert (batch(page), play_says(page)) == (stopped, "Play")


def test_with_reduced_motion_play_is_one_step(window, opened):
    page = opened(START | {"B": 3}, of=window(reduced_motion="reduce"))
    for expected in (4, 8, 16):
        press(page, "play").click()
        assert batch(page) == expected
        page.wait_for_timeout(150)
        assert (batch(page), play_says(page)) == (expected, "Play")
    assert readout(page) == said(START | {"B": 16})


# Every control -----


@pytest.mark.parametrize(("start", "name", "end"), [
    (1, "forward", 2), (3, "forward", 4), (512, "forward", 1024), (1024, "forward", 1024),
    (1, "back", 1), (3, "back", 2), (1024, "back", 512), (1000, "back", 512),
])  # fmt: skip
def test_a_step_is_a_power_of_two(opened, start, name, end):
    page = opened(START | {"B": start})
    press(page, name).click()
    assert batch(page) == end


def test_the_keyboard_reaches_everything(opened):
    page = opened()
    control(page, "B").focus()
    names = []
    for _ in range(7):
        page.keyboard.press("Tab")
        names.append(page.evaluate("document.activeElement.dataset.press ?? document.activeElement.id"))
    assert names == ["", "back", "play", "forward", f"{LABEL}-device", f"{LABEL}-format", f"{LABEL}-mha"]
    page.keyboard.press("Space")
    assert "MHA, g = 1" in readout(page)
    press(page, "forward").focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Space")
    assert batch(page) == 4
    slider(page).focus()
    page.keyboard.press("End")
    assert batch(page) == 1024
    control(page, "format").focus()
    page.keyboard.type("fp8")
    assert readout(page) == said(START | {"B": 1024, "mha": True, "format": "fp8"})


def test_a_number_that_is_typed_is_clamped_with_a_message(opened):
    page = opened()
    control(page, "B").fill("4k")
    control(page, "B").press("Enter")
    assert batch(page) == 1024
    assert "set to 1,024" in page.locator(f"#{LABEL}-B-says").inner_text()


def test_the_point_can_be_dragged_to_the_ridge(opened):
    page = opened()
    svg = page.locator(f"#{LABEL} svg.figure-live")
    svg.scroll_into_view_if_needed()
    box = svg.bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 150, steps=4)
    middle = batch(page)
    page.mouse.up()
    assert 4 < middle < 64
    assert readout(page) == said(START | {"B": middle})
    assert f"B={middle}&" in page.evaluate("location.hash")


def test_touch_plays_steps_scrubs_and_never_traps_the_page(opened, phone):
    page = opened(of=phone)
    press(page, "forward").tap()
    assert batch(page) == 2
    press(page, "play").tap()
    page.wait_for_function(f"Number(document.querySelector('#{LABEL}-B').value) > 4")
    press(page, "play").tap()
    control(page, "mha").tap()
    assert "MHA" in readout(page)
    box = slider(page).bounding_box()
    page.touchscreen.tap(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    assert batch(page) > 256
    touch = page.locator(f"#{LABEL} rect.draggable:not(.mark)").evaluate("one => getComputedStyle(one).touchAction")
    assert touch.startswith("pan-y")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_device_without_the_format_falls_back_and_says_so(opened):
    page = opened()
    control(page, "device").select_option("V100 SXM2")
    assert readout(page) == said(START | {"device": "V100 SXM2", "format": control(page, "format").input_value()})
    assert "has no bf16 peak" in page.locator(f"{PANEL} .figure-note").inner_text()


def test_a_link_opens_the_figure_as_it_was_and_back_goes_back(opened):
    state = {"B": 300, "device": "B200", "format": "fp4", "mha": True}
    page = opened(state)
    assert readout(page) == said(state)
    press(page, "back").click()
    control(page, "mha").uncheck()
    page.go_back()
    page.go_back()
    assert readout(page) == said(state)
    page.go_forward()
    assert batch(page) == 256


# How it looks -----


@pytest.mark.parametrize("width", [360, 640])
@pytest.mark.parametrize("name", ["H100 SXM", "B200"])
def test_no_name_covers_another_or_leaves_the_picture(window, live, width, name):
    figure = live(PAGE, "batch_sweep", LABEL, START | {"device": name}, window(width))
    for mha, value in itertools.product((False, True), static.STEPS):
        figure.go(START | {"device": name, "mha": mha, "B": value})
        assert figure.misplaced() == [], (value, mha)


def test_the_ridge_is_named_with_the_package_s_number(opened):
    page = opened(START | {"device": "H200 SXM"})
    ridge = device("H200 SXM").roof("bf16").ridge
    assert f"ridge {format_quantity(ridge, '', places=0)}" in page.locator(f"#{LABEL} svg .words").all_text_contents()
