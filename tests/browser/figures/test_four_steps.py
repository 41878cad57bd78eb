"""The four-step calculator in Chromium: its numbers are the package's, and so is what its script prints."""

import contextlib
import inspect
import io
import re
from urllib.parse import urlencode

import pytest

import roofline
from figures.four_steps.static import _sizes_of
from roofline import InvalidValue, Kernel, Roof, bound, device, format_quantity
from roofline.costs import COMMON_COSTS
from roofline.formats import BYTES
from tests.browser.figures.live import looked, numbers
from tests.browser.waiting import settled

pytestmark = pytest.mark.browser
LABEL = "fig-four-steps"
PAGE = "lesson/method.html"
PANEL = "[data-figure=four_steps]"
SIZES = {name: value for kernel in COMMON_COSTS for name, value in _sizes_of(kernel, {}).items()}
START = {
    **SIZES,
    "kernel": "matmul",
    "device": "H100 SXM",
    "format": "bf16",
    "other": "H200 SXM",
    "flops": 10**9,
    "nbytes": 10**6,
}
#: Both ends of every size that the controls allow, or close to them.
EDGES = {
    "matmul": ({"B": 1, "D": 16, "F": 16}, {"B": 10**6, "D": 10**6, "F": 10**6}, {"B": 345}, {"B": 1}),
    "elementwise": ({"n": 1000, "flops_per_element": 0}, {"n": 10**12, "reads": 0}, {"reads": 8, "writes": 0}),
    "rms_norm": ({"tokens": 1, "width": 16}, {"tokens": 10**6, "flops_per_element": 100}),
    "layer_norm": ({"tokens": 1}, {"width": 10**6}),
    "softmax": ({"tokens": 7, "width": 1001}, {"flops_per_element": 0}),
    "attention_prefill": (
        {"T": 16, "d_h": 16},
        {"T": 10**6, "heads": 32, "g": 4, "sequences": 3},
        {"g": 7},
        {"causal": 0, "T": 4097},
    ),
    "attention_decode": ({"T": 8192, "g": 8, "kv_heads": 8, "sequences": 64}, {"new_tokens": 64, "g": 64}),
}
CHOICES = [
    ("H100 SXM", "bf16", "H200 SXM"),
    ("A100 SXM 80GB", "fp32", "L4"),
    ("B200", "fp4", "H100 SXM"),
    ("V100 SXM2", "fp64", "TPU v5e"),
    ("MI300X", "fp8", "B200"),
]


def own_sizes(kernel):
    """The sizes that a figure has for a kernel once it is chosen: its own defaults among them."""
    return START | {"kernel": kernel} | _sizes_of(kernel, {})


STATES = [
    own_sizes(kernel) | sizes | dict(zip(("device", "format", "other"), CHOICES[index % len(CHOICES)], strict=True))
    for index, (kernel, sizes) in enumerate(
        (kernel, sizes) for kernel in COMMON_COSTS for sizes in ({}, {}, *EDGES.get(kernel, ()))
    )
] + [
    START | {"kernel": "own", "flops": flops, "nbytes": nbytes, "device": name, "format": fmt, "other": other}
    for (flops, nbytes), (name, fmt, other) in zip(
        [(1000, 10**18), (10**20, 1000), (989 * 10**9, 3350 * 10**6), (10**9, 10**6), (123456789, 987654321)],
        CHOICES,
        strict=True,
    )
]
SHOWN = """async ([module, states]) => {
  const { look } = await import(module);
  return states.map((state) => {
    const { limit, changes, readout, table, working, python } = look(state);
    return { limit, changes, readout, table, working, python };
  });
}"""


def kernel_of(state):
    if state["kernel"] == "own":
        return Kernel("own", state["flops"], state["nbytes"])
    sizes = {name: state[name] for name in _sizes_of(state["kernel"], {})}
    return COMMON_COSTS[state["kernel"]](**sizes, dtype=state["format"])


def limits(state):
    """The bound, and the bound after each of the three changes."""
    kernel, roof = kernel_of(state), device(state["device"]).roof(state["format"])
    other = device(state["other"])
    return bound(kernel, roof), (
        bound(kernel, other.roof(state["format"])) if state["format"] in other.formats else None,
        bound(Kernel("half", kernel.flops, kernel.nbytes / 2), roof),
        bound(kernel, Roof(2 * roof.peak, roof.bandwidth)),
    )


def time(value):
    return format_quantity(value, "s")


def link(state):
    return f"{PAGE}#{LABEL}?{urlencode(state)}"


@pytest.fixture
def opened(live):
    """A function that opens the figure in a state, and returns its page."""
    return lambda state=START, of=None: live(PAGE, "four_steps", LABEL, state, of).page


@pytest.fixture(scope="module")
def seen(context, lesson_address):
    """What the figure shows for each of `STATES`."""
    return looked(context, lesson_address, PAGE, SHOWN, "four_steps", STATES)


def control(page, name):
    return page.locator(f"#{LABEL}-{name}")


def readout(page):
    settled(page)
    return page.locator(f"{PANEL} .figure-readout").inner_text()


def note(page):
    return page.locator(f"{PANEL} .figure-note").inner_text()


def working(page):
    settled(page)
    return page.locator(f"{PANEL} [data-lines=working]").inner_text()


def test_every_number_is_the_packages(seen):
    assert len(STATES) >= 30
    assert {state["kernel"] for state in STATES} == {*COMMON_COSTS, "own"}
    for state, view in zip(STATES, seen, strict=True):
        limit, changes = limits(state)
        for expected, shown in zip(
            (limit, *changes), (view["limit"], *(c["limit"] for c in view["changes"])), strict=True
        ):
            if expected is None:
                assert shown is None
                continue
            said = numbers(expected, "flops", "nbytes", "intensity", "compute_time", "memory_time", "time", "share")
            assert {name: shown[name] for name in said} == pytest.approx(said, rel=1e-12), state
            assert shown["computeBound"] == (expected.regime == "compute-bound"), state


def test_the_table_and_the_readout_say_them(seen):
    for state, view in zip(STATES, seen, strict=True):
        limit, changes = limits(state)
        gained = [
            "no such peak" if after is None else f"{time(after.time)} {format_quantity(limit.time / after.time, '×')}"
            for after in changes
        ]
        shown = [row[1] for row in view["table"]["rows"]]
        assert shown == [
            format_quantity(limit.kernel.flops, "FLOP"),
            format_quantity(limit.kernel.nbytes, "B"),
            time(limit.compute_time),
            time(limit.memory_time),
            time(limit.time),
            limit.regime,
            *gained,
        ], state
        missing = [words for words in (*shown[2:6], state["device"], state["other"]) if words not in view["readout"]]
        assert missing == [], view["readout"]
        for after in changes:
            words = f"no {state['format']} peak"
            if after is not None:
                factor = format_quantity(limit.time / after.time, "×")
                words = f"{time(after.time)}, {'no faster' if factor == '1.00×' else f'{factor} as fast'}"
            assert words in view["readout"]


def test_the_script_runs_and_prints_the_same(seen):
    for state, view in zip(STATES, seen, strict=True):
        names, printed = {}, io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(view["python"], names)  # noqa: S102 - it is what the test is about
        limit, changes = limits(state)
        assert names["kernel"].flops == limit.kernel.flops
        assert names["kernel"].nbytes == limit.kernel.nbytes
        assert names["limit"].time == limit.time
        assert [after.time for after in names["changes"].values()] == [after.time for after in changes if after]
        lines = printed.getvalue().splitlines()
        assert lines[3] == f"4. At least {format_quantity(limit.time, 's')}, {limit.regime}"
        assert len(lines) == 4 + len(names["changes"])


def evaluated(formula):
    """The value of a line of the arithmetic."""
    plain = formula.replace(",", "").replace("×", "*").replace("÷", "/").replace("²", "**2")
    assert re.fullmatch(r"[\d.e+*/() -]+", plain), formula
    return eval(plain)  # noqa: S307 - only digits and signs


def test_the_arithmetic_adds_up(seen):
    for state, view in zip(STATES, seen, strict=True):
        kernel, lines = kernel_of(state), view["working"].splitlines()
        assert len(lines) == (8 if state["kernel"] == "own" else 12)
        if state["kernel"] != "own":
            assert evaluated(lines[3].split("=")[1]) == pytest.approx(kernel.flops, rel=1e-12)
            assert evaluated(lines[6].split("=")[1]) == pytest.approx(kernel.nbytes, rel=1e-12)
            assert lines[4].split("= ")[1] == format_quantity(kernel.flops, "FLOP", 4)
            assert lines[7].split("= ")[1] == format_quantity(kernel.nbytes, "B", 4)
            assert f"e = {BYTES[state['format']]:g} B" in lines[1]
            # The formula with names has the same names as the cost function, and e for a format.
            assert set(re.findall(r"[A-Za-z_]\w*", lines[2].split("=")[1], re.ASCII)) <= {
                *_sizes_of(state["kernel"], {}),
                "e",
            }
        limit, _ = limits(state)
        assert lines[-4].endswith(f"= {time(limit.compute_time)}")
        assert lines[-3].endswith(f"= {time(limit.memory_time)}")
        assert lines[-2].endswith(f"{limit.regime}, at least {time(limit.time)}.")


def test_peak_and_bandwidth_are_written_in_full(seen):
    for state, view in zip(STATES, seen, strict=True):
        roof = device(state["device"]).roof(state["format"])
        peak, bandwidth = re.search(r"P = (.*?), BW = (.*?/s)", view["working"]).groups()
        assert roofline.parse_quantity(peak, "FLOP/s") == pytest.approx(roof.peak, rel=1e-12)
        assert roofline.parse_quantity(bandwidth, "B/s") == pytest.approx(roof.bandwidth, rel=1e-12)


def test_every_kernel_of_the_package_can_be_chosen_and_shows_its_own_sizes(opened):
    page = opened()
    offered = control(page, "kernel").locator("option").evaluate_all("all => all.map((one) => one.value)")
    assert offered == [*COMMON_COSTS, "own"]
    place = control(page, "kernel").bounding_box()
    for kernel in offered:
        control(page, "kernel").select_option(kernel)
        shown = page.locator(f"{PANEL} .control-number:visible").evaluate_all(
            "all => all.map((one) => one.dataset.name)"
        )
        assert set(shown) == ({"flops", "nbytes"} if kernel == "own" else set(_sizes_of(kernel, {})))
        # What is being used does not move, nor does the picture above.
        assert control(page, "kernel").bounding_box() == place
        if kernel != "own":
            state = own_sizes(kernel)
            said = readout(page)
            assert format_quantity(bound(kernel_of(state), device("H100 SXM").roof("bf16")).time, "s") in said


def test_another_kernel_brings_its_own_defaults(opened):
    page = opened(own_sizes("elementwise") | {"flops_per_element": 3})
    for kernel in ("rms_norm", "layer_norm", "softmax"):
        control(page, "kernel").select_option(kernel)
        default = inspect.signature(COMMON_COSTS[kernel]).parameters["flops_per_element"].default
        assert control(page, "flops_per_element").input_value() == str(default)


def test_typed_flops_and_bytes_by_keyboard_alone(opened):
    page = opened()
    control(page, "kernel").focus()
    page.keyboard.press("End")
    for name, words in (("flops", "989e12"), ("nbytes", "3.35e9")):
        control(page, name).focus()
        page.keyboard.press("Control+a")
        page.keyboard.type(words)
        page.keyboard.press("Enter")
    assert "compute time 1.00 s, memory time 1.00 ms" in readout(page)
    control(page, "nbytes").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    assert "memory time 1.0" in readout(page)
    assert float(control(page, "nbytes").input_value().replace(",", "")) > 3.35e9
    control(page, "flops").fill("many")
    page.keyboard.press("Enter")
    assert "is no number" in page.locator(f"#{LABEL}-flops-says").inner_text()


def test_the_other_gpu_may_lack_the_format(opened):
    page = opened()
    control(page, "format").select_option("fp8")
    control(page, "other").select_option("A100 SXM 80GB")
    assert "on A100 SXM 80GB: no fp8 peak" in readout(page)
    assert page.locator(".figure-live rect.bar").count() == 4
    control(page, "device").select_option("V100 SXM2")
    assert "V100 SXM2 has no fp8 peak" in note(page)


def test_a_kernel_that_moves_nothing_is_put_right(opened):
    page = opened(own_sizes("elementwise") | {"reads": 0, "writes": 0})
    assert "one is read" in note(page)
    assert control(page, "reads").input_value() == "1"


def test_both_buttons_copy_what_they_say(opened):
    page = opened(own_sizes("attention_decode") | {"g": 4, "kv_heads": 8})
    page.get_by_role("button", name="Copy as text").click()
    page.wait_for_function(
        f"document.querySelector('{PANEL} .figure-note').textContent.includes('arithmetic is copied')"
    )
    text = page.evaluate("navigator.clipboard.readText()")
    assert text == working(page)
    assert "4 × 2,048 × 128 × 4 × 8 × 1 × 1" in text
    page.get_by_role("button", name="Copy as Python").focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"document.querySelector('{PANEL} .figure-note').textContent.includes('script is copied')")
    script = page.evaluate("navigator.clipboard.readText()")
    assert 'attention_decode(T=2048, d_h=128, g=4, kv_heads=8, sequences=1, new_tokens=1, dtype="bf16")' in script
    names = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(script, names)  # noqa: S102
    assert names["limit"].time == bound(names["kernel"], device("H100 SXM").roof("bf16")).time


def test_where_copying_is_refused_the_text_is_selected(window, opened):
    page = opened(of=window())
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.get_by_role("button", name="Copy as Python").click()
    page.wait_for_function("getSelection().toString().includes('from roofline import')")
    assert "copy it from there" in note(page)


def test_by_touch_on_a_phone(phone, opened):
    page = opened(of=phone)
    control(page, "B").tap()
    control(page, "B").fill("4096")
    control(page, "D").tap()
    assert "compute-bound" in readout(page)
    slider = page.locator(f'{PANEL} [data-name="B"] .control-slider')
    slider.tap(position={"x": 4, "y": slider.bounding_box()["height"] / 2})
    assert "memory-bound" in readout(page)
    page.get_by_role("button", name="Copy as text").tap()
    page.wait_for_function(f"document.querySelector('{PANEL} .figure-note').textContent !== ''")
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_link_opens_it_as_it_was_and_a_bad_one_says_so(opened):
    page = opened(own_sizes("softmax") | {"tokens": 7, "format": "fp32"})
    control(page, "width").fill("1000")
    page.keyboard.press("Enter")
    again = opened()
    again.goto(page.url)
    again.reload()
    again.wait_for_selector(f".figure-panel{PANEL}[data-live]")
    assert readout(again) == readout(page)
    assert readout(page).startswith("softmax, tokens = 7, width = 1,000, on H100 SXM, fp32")
    bad = opened(START | {"kernel": "sorting", "B": "many"})
    assert "“sorting” is not on the list" in note(bad)
    assert "“many” is no number" in note(bad)
    page.bring_to_front()
    page.go_back()
    assert "width = 4,096" in readout(page)


@pytest.mark.parametrize("width", [360, 640, 1280])
def test_no_text_leaves_the_picture_or_covers_another(window, live, width):
    figure = live(PAGE, "four_steps", LABEL, START, window(width))
    for state in STATES[::3]:
        figure.go(state)
        assert figure.misplaced() == [], (width, state["kernel"])


def test_an_unknown_kernel_or_size_is_refused_in_one_sentence():
    from figures import four_steps

    with pytest.raises(InvalidValue, match=r"^kernel is 'sort'; it must be a Kernel or one of matmul, "):
        four_steps.draw("sort")
    with pytest.raises(InvalidValue, match=r"^matmul has no Q; its sizes are B, D, F$"):
        four_steps.draw("matmul", Q=3)
