"""The atlas in Chromium: filters and sorting by mouse and keyboard, kept in the address, and plain without a script."""

from pathlib import Path

import pytest

from roofline import bound, decode_layer, device, devices, model, prefill_layer
from roofline.quantity import ridge_text
from roofline.tables import atlas
from tests.browser.looks import wrong_in_some_look
from tests.browser.waiting import drawn

pytestmark = pytest.mark.browser
DEVICES = "atlas/devices.html"
MODELS = "atlas/models.html"
NAMES = [gpu.name for gpu in devices()]


@pytest.fixture
def opened(tabs):
    """A function that opens a page whose script has run; no page may have had an error."""

    def opened(path, **options):
        page = tabs.open(path, **options)
        if options.get("java_script_enabled", True):
            drawn(page)
        return page

    yield opened
    errors = tabs.thrown + tabs.logged
    tabs.clean()
    assert errors == []


def names(page, label="tab-devices"):
    """The devices that can be seen, from the top."""
    return page.locator(f"#{label} tbody tr:not([hidden]) > :first-child").all_inner_texts()


def head(page, text, label="tab-devices"):
    return page.locator(f"#{label} thead th").filter(has_text=text)


def said(page):
    return page.locator(".atlas-said").inner_text()


def address(page):
    return page.evaluate("location.hash")


def having(**asked):
    vendor, fmt = asked.get("vendor"), asked.get("format")
    return [
        gpu.name
        for gpu in devices()
        if (not vendor or gpu.vendor == vendor)
        and (not fmt or fmt in gpu.formats)
        and gpu.memory >= asked.get("memory", 0) * 1e9
        and gpu.year >= asked.get("year", 0)
    ]


def test_all_devices_are_there_at_first_in_the_order_of_the_catalog(opened):
    page = opened(DEVICES)
    assert names(page) == names(page, "tab-device-ridges") == NAMES
    assert said(page) == f"All {len(NAMES)} devices."
    assert address(page) == ""


def test_a_list_narrows_down_both_tables(opened):
    page = opened(DEVICES)
    for name, value, asked in (
        ("vendor", "AMD", {"vendor": "AMD"}),
        ("format", "fp8", {"format": "fp8"}),
        ("format", "fp4", {"format": "fp4"}),
        ("year", "2024", {"year": 2024}),
    ):
        page.locator(f"#atlas-{name}").select_option(value)
        assert names(page) == names(page, "tab-device-ridges") == having(**asked)
        assert said(page) == f"{len(having(**asked))} of {len(NAMES)} devices."
        assert address(page) == f"#tab-devices?{name}={value}"
        page.locator(".atlas-reset").click()
        assert names(page) == names(page, "tab-device-ridges") == NAMES


def test_a_least_memory_narrows_them_down_while_it_is_typed(opened):
    page = opened(DEVICES)
    for least in (16, 34.3, 80, 141, 288, 1000):
        page.locator("#atlas-memory").press_sequentially(f"{least:g}")
        assert names(page) == having(memory=least)
        assert address(page) == f"#tab-devices?memory={least:g}"
        assert (said(page) == "No device has all of this.") == (not having(memory=least))
        page.locator(".atlas-reset").click()
        assert names(page) == NAMES


def test_what_is_no_size_is_said_and_filters_nothing(opened):
    page = opened(DEVICES)
    page.locator("#atlas-memory").fill("much")
    assert names(page) == NAMES
    assert "“much” is no size" in said(page)
    assert page.locator("#atlas-memory").get_attribute("aria-invalid") is not None


def test_the_filters_work_together_and_by_keys_alone(opened):
    page = opened(DEVICES)
    page.locator("#atlas-vendor").focus()
    page.keyboard.type("NV")
    page.keyboard.press("Tab")
    page.keyboard.type("fp8")
    page.keyboard.press("Tab")
    page.keyboard.type("90")
    page.keyboard.press("Tab")
    page.keyboard.type("2024")
    assert names(page) == having(vendor="NVIDIA", format="fp8", memory=90, year=2024)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "atlas-reset"
    page.keyboard.press("Enter")
    assert names(page) == NAMES
    assert address(page) == ""


def test_a_link_opens_the_tables_as_they_were(opened, lesson_address):
    page = opened(DEVICES)
    page.locator("#atlas-format").select_option("fp8")
    page.locator("#atlas-memory").fill("80")
    head(page, "Bandwidth").get_by_role("button").click()
    head(page, "bf16", "tab-device-ridges").get_by_role("button").click()
    again = opened(page.url.removeprefix(lesson_address))
    assert names(again) == names(page) != NAMES
    assert names(again, "tab-device-ridges") == names(page, "tab-device-ridges")
    assert again.locator("#atlas-memory").input_value() == "80"
    again.evaluate("location.hash = '#tab-devices?vendor=Apple'")
    drawn(again)
    assert names(again) == having(vendor="Apple")
    assert again.locator("#atlas-memory").input_value() == ""


def test_a_link_with_values_that_do_not_exist_says_so(opened):
    page = opened(f"{DEVICES}#tab-devices?vendor=Nobody&sort=price")
    assert names(page) == NAMES
    assert "“Nobody”" in said(page)
    assert "“price”" in said(page)


#: A column is sorted by what it shows: two memories that round to the same GB are equal.
SORTS = {
    "Memory": lambda gpu: float(f"{gpu.memory:.4g}"),
    "Bandwidth": lambda gpu: gpu.bandwidth,
    "Year": lambda gpu: gpu.year,
    "L2": lambda gpu: gpu.l2,
    "bf16": lambda gpu: gpu.peaks.get("bf16"),
    "fp64": lambda gpu: gpu.peaks.get("fp64"),
}


def test_a_head_sorts_the_most_first_then_the_least_then_as_the_catalog(opened):
    page = opened(DEVICES)
    for column, key in SORTS.items():
        lacking = [gpu.name for gpu in devices() if key(gpu) is None]
        had = [gpu for gpu in devices() if key(gpu) is not None]
        cell = head(page, column)
        assert cell.get_attribute("aria-sort") is None
        # Python's sort keeps the order of equals, as the page must.
        cell.get_by_role("button").click()
        assert names(page) == [gpu.name for gpu in sorted(had, key=lambda gpu: -key(gpu))] + lacking, column
        assert cell.get_attribute("aria-sort") == "descending"
        cell.get_by_role("button").press("Enter")
        assert names(page) == [gpu.name for gpu in sorted(had, key=key)] + lacking, column
        assert cell.get_attribute("aria-sort") == "ascending"
        cell.get_by_role("button").press("Space")
        assert names(page) == NAMES
        assert cell.get_attribute("aria-sort") is None


def test_names_sort_by_the_alphabet_and_one_column_at_a_time(opened):
    page = opened(DEVICES)
    head(page, "Memory").get_by_role("button").click()
    head(page, "Vendor").get_by_role("button").click()
    vendors = page.locator("#tab-devices tbody tr > :nth-child(2)").all_inner_texts()
    assert vendors == sorted(vendors, key=str.lower)
    assert page.locator("#tab-devices [aria-sort]").count() == 1
    assert names(page, "tab-device-ridges") == NAMES


def test_a_sorted_table_keeps_its_filter(opened):
    page = opened(DEVICES)
    page.locator("#atlas-vendor").select_option("Google")
    head(page, "Memory").get_by_role("button").click()
    chosen = [gpu for gpu in devices() if gpu.vendor == "Google"]
    assert names(page) == [gpu.name for gpu in sorted(chosen, key=lambda gpu: -gpu.memory)]


def test_ridge_points_sort_in_their_own_table(opened):
    page = opened(DEVICES)
    head(page, "fp8", "tab-device-ridges").get_by_role("button").click()
    had = [gpu for gpu in devices() if "fp8" in gpu.formats]
    ridges = sorted(had, key=lambda gpu: -gpu.roof("fp8").ridge)
    # Shown without decimals, the ridge points of two devices may be equal.
    shown = names(page, "tab-device-ridges")[: len(had)]
    assert [round(device(name).roof("fp8").ridge) for name in shown] == [round(g.roof("fp8").ridge) for g in ridges]
    assert names(page) == NAMES


@pytest.mark.parametrize("where", [DEVICES, MODELS])
def test_without_a_script_the_tables_are_plain(opened, where):
    page = opened(where, java_script_enabled=False)
    assert not page.locator(".atlas-filters, .atlas-choice").first.is_visible()
    assert page.locator(".atlas-sort").count() == 0
    if where == DEVICES:
        assert names(page) == NAMES
        with page.expect_download() as download:
            page.locator(".catalog-files a").first.click()
        assert Path(download.value.path()).read_bytes().startswith(b"name,vendor,year")


def test_it_is_accessible_after_use_in_each_look_and_works_by_a_finger(opened):
    """As a page opens, it is looked at with all other pages."""
    page = opened(DEVICES, has_touch=True)
    page.locator("#atlas-vendor").select_option("NVIDIA")
    head(page, "Memory").get_by_role("button").tap()
    assert names(page)[0] != NAMES[0]
    wrong = wrong_in_some_look(page, ".atlas-filters", "#tab-devices", "#tab-device-ridges")
    page = opened(MODELS)
    page.locator("#atlas-device").select_option("B200")
    wrong += wrong_in_some_look(page, ".atlas-choice", "#tab-model-deepseek-v3")
    assert wrong == []


def test_paper_has_the_tables_and_no_controls(opened):
    page = opened(DEVICES)
    page.emulate_media(media="print")
    assert page.locator("#tab-devices").is_visible()
    assert not page.locator(".atlas-filters").is_visible()


def regimes(page, name, phase):
    """What the table of a model says of its kernels in a phase."""
    label = f"#tab-model-{atlas.slug(name)}"
    heads = page.locator(f"{label} thead th").all_inner_texts()
    column = next(i for i, text in enumerate(heads) if phase in text and "regime" in text) + 1
    rows = page.locator(f"{label} tbody tr > :nth-child({column})").all_inner_texts()
    return [text for text in rows if text != "–"]


def test_the_regimes_are_those_on_the_chosen_device(opened):
    page = opened(MODELS)
    page.wait_for_selector(".atlas-choice[data-live]")
    for gpu in ("B200", "V100 SXM2", "M1 GPU", "L4", "H200 SXM"):
        page.locator("#atlas-device").select_option(gpu)
        roof = device(gpu).roof("bf16" if "bf16" in device(gpu).formats else "fp16")
        assert f"ridge point {ridge_text(roof.ridge, 'FLOP/B')}, " in said(page)
        for name in ("Llama 3.1 8B", "DeepSeek V3", "Gemma 2 9B"):
            decode = [bound(kernel, roof).regime for kernel in decode_layer(model(name), 64, 8192)]
            prefill = [bound(kernel, roof).regime for kernel in prefill_layer(model(name), 1, 2048)]
            assert regimes(page, name, "Decode") == decode
            assert regimes(page, name, "Prefill") == prefill
        changed = page.locator("#tab-model-deepseek-v3 .calc").filter(has_text="-bound").first
        assert f'device("{gpu}")' in changed.get_attribute("data-expr")
        assert address(page).startswith("#sec-atlas-models-kernels?device=")


def test_the_chosen_device_is_kept_in_the_address(opened):
    page = opened(f"{MODELS}#sec-atlas-models-kernels?device=MI300X")
    page.wait_for_selector(".atlas-choice[data-live]")
    assert page.locator("#atlas-device").input_value() == "MI300X"
    assert "MI300X in bf16" in said(page)
    page.evaluate("location.hash = '#sec-atlas-models-kernels?device=Abacus'")
    drawn(page)
    assert "“Abacus”" in said(page)
    assert page.locator("#atlas-device").input_value() == "H100 SXM"
